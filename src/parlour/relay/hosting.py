"""Hosts of games in channels of the relay: how they are found, and what they are given.

A game that is played over the relay has a host: a class that is found by an entry point in the
group `parlour.channel_hosts`, named after the game. For each table of the game, the node that runs
the table makes one host. The host seats users of the channel, hands their answers to the table,
and shows in the channel what happens there. The game's settings have a field `channel`: the name of
an existing channel, or "", and then the table's code is the channel's name. Its `Seating.outsider`
says which visitor a user of the relay is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from importlib.metadata import entry_points
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from parlour.bus import Bus, ConnectionId, JoinRequest, Welcome, first_connection
from parlour.house.journal import SERVICE_RESTART
from parlour.kit import Illegal
from parlour.protocol import At, Game, Seek
from parlour.protocol.attending import ATTENDING, Greeting, Shown
from parlour.relay.channels import Channel, ChannelHost, Hosting, HostNote
from parlour.relay.relay import Relay
from parlour.server.limits import RateLimiter
from parlour.store import Store
from parlour.table import Roster
from parlour.table import inputs as do
from parlour.wcp.message import ALL, MOST_BYTES, data_frame, escaped

log = logging.getLogger("parlour.relay")

GROUP: Final = "parlour.channel_hosts"
AGAIN: Final = 1.0
"""Seconds after which a host asks again to watch a table that refused it."""


class TableHost(ChannelHost, Protocol):
    """The host of one table, at the node that runs the table. Games write this class."""

    user: ClassVar[str]
    """The user name under which it takes part. No client can have it."""

    def __init__(self, table: HostedTable) -> None: ...

    def begin(self, played_before: bool) -> None:
        """Attend the table. `played_before`: it was open before, at this or another node."""
        ...

    def greeted(self, connection: ConnectionId, greeting: Greeting) -> None:
        """The table as it is, once a connection has joined it."""
        ...

    def told(self, shown: Shown) -> None:
        """The events of one input at the table, for all connections."""
        ...

    def put_out(self, connection: ConnectionId) -> None:
        """The table has put out the player of this connection."""
        ...

    def attend_again(self) -> None:
        """The table was set up again from its log: all connections to it have ended."""
        ...

    async def finish(self) -> None:
        """The server is closing: show the rest at once."""
        ...

    def close(self) -> None:
        """The table has closed, or another node runs it now: send nothing from now on."""
        ...


def installed_hosts() -> dict[str, type[TableHost]]:
    """By game, its host. A host that cannot be loaded is left out, and that is logged."""
    hosts: dict[str, type[TableHost]] = {}
    for point in entry_points(group=GROUP):
        try:
            hosts[point.name] = point.load()
        # Somebody else's package must not keep the server from starting.
        except Exception as wrong:
            log.error("channel host %s: %s: %s", point.name, type(wrong).__name__, wrong)
    return hosts


class HostedTable:
    """One table in one channel, as its host is given it."""

    host: TableHost

    def __init__(
        self, hosts: ChannelHosts, relay: Relay, game: Game, user: str, roster: Roster
    ) -> None:
        """`user`: the name under which its host takes part."""
        self.code = roster.code
        self.settings = roster.settings
        self.user = user
        name = roster.settings.channel or roster.code
        known = relay.find(name)
        self.channel = relay.nodes.channels.have(name if known is None else known.name)
        self.watcher: ConnectionId | None = None
        """The connection of a spectator, over which the host watches the table."""
        self._hosts = hosts
        self._nodes = relay.nodes
        self._game = game
        self._talk = RateLimiter(rate=1.0, burst=10)
        self.current = hosts.store.current
        """False: another node may run the table by now, so the host must say nothing."""
        self.submit = hosts.bus.submit
        """`submit(connection, request)` hands the table a request of the connection's player."""

    # -- the table --------------------------------------------------------------------

    async def watch(self) -> None:
        """Watch the table over a new connection (`watcher`), and claim its channel for it."""
        self.watcher = self.connect()
        while not await self.join(self.watcher, None):
            await asyncio.sleep(AGAIN)
            self.watcher = self.connect()
        name = self.settings.channel
        with suppress(Illegal):  # the database is lost, and the server is about to close
            if name and not await self._hosts.claim_channel(name, self.code):
                log.error("table %s: another table is open in %s", self.code, name)

    def connect(self) -> ConnectionId:
        """A new connection, to join the table with."""
        return self._hosts.connect(self)

    async def join(self, connection: ConnectionId, user: str | None, name: str = "") -> bool:
        """Sit down for a user of the channel (None: watch); False: the table refused it."""
        request = JoinRequest(
            connection=connection,
            game=self._game.id,
            wire=ATTENDING.name,
            visitor=self._game.lobby.seating.outsider(user or self.user),
            name=name,
            seek=Seek(where=At(self.code), watch=user is None, resumable=True),
        )
        welcome = isinstance(await self._hosts.bus.join(request), Welcome)
        if not welcome:
            self._hosts.forget(connection)
        return welcome

    def repeat(self, connection: ConnectionId, user: str, text: str) -> None:
        """Say at the table what a user has said in the channel, unless they talk too fast."""
        if self._talk.take(user):
            self.submit(connection, do.Say(do.ME, text))

    def leave(self, connection: ConnectionId) -> None:
        self._hosts.forget(connection)
        self._hosts.bus.disconnect(connection)

    # -- the channel ------------------------------------------------------------------

    def announce(self, reserved: Iterable[str], note: HostNote) -> None:
        """Let all nodes know of the host. Clients may not use the `reserved` labels meanwhile."""
        if self.current():
            self._nodes.host(self.channel, Hosting(copy(note), frozenset(reserved)))

    def say(self, to: Sequence[str], label: str, content: str, story: str | None = None) -> None:
        """Send data to the sessions of these users (`ALL`: of everybody), and to nobody else.

        `story` names a game that the sessions of this channel see from now on and whose end they
        must be told; "": this message is its end; None: nothing changes.
        """
        sessions = self.channel.sessions
        named = [c for c, user in sessions.items() if user in to or ALL in to]
        self.send(named, to, label, [escaped(content)], story)

    def send(
        self,
        sessions: Sequence[ConnectionId],
        to: Sequence[str],
        label: str,
        content: Iterable[bytes],
        story: str | None = None,
    ) -> None:
        """The same, to these sessions only; `content` is `escaped`, and may be in pieces."""
        frame = data_frame(self.user, to, label, content)
        if len(frame) > MOST_BYTES:
            log.error("table %s: %s is too large to be sent", self.code, label)
        elif sessions:
            if story is not None:
                self.channel.story = story
            if self.channel.listening:
                self._nodes.tell(self.channel, sessions, frame, story)
            else:
                self._nodes.deliver(sessions, frame)

    def end(self, label: str, content: str) -> None:
        """Tell everybody the end of the story that is named after the table's code, at the nodes
        that were not told it yet: an earlier host may have reached only some nodes."""
        frame = data_frame(self.user, (ALL,), label, [escaped(content)])
        self._nodes.end(self.channel, frame, self.code)


Hosted: TypeAlias = tuple[Channel, HostNote]
"""A channel with a table, as every node knows it."""


class ChannelHosts:
    """All hosts at this node. To the bus they are one gateway, which holds their connections."""

    def __init__(
        self,
        bus: Bus,
        relay: Relay,
        store: Store,
        games: Iterable[Game],
        kinds: Mapping[str, type[TableHost]],
    ) -> None:
        """`kinds`: by game, its host."""
        self.bus = bus
        self.store = store
        self._relay = relay
        self._games = {game.id: game for game in games if game.id in kinds}
        self._kinds = kinds
        self._last: ConnectionId = first_connection(bus.attach_gateway(self))
        self._tables: dict[str, HostedTable] = {}
        """By code."""
        self._of: dict[ConnectionId, HostedTable] = {}
        """By connection with which a host attends its table, or is about to."""

    # -- tables -----------------------------------------------------------------------

    def may_open(self, game: Game, settings: object) -> None:
        """Raise `Illegal` if no table can be opened in the channel that these settings name."""
        name = self._channel_in(game, settings)
        if not name:
            return
        channel = self._relay.find(name)
        if channel is None:
            raise Illegal("no-such-channel", f"There is no channel called {name}.")
        if channel.hosting is not None:
            raise _taken()

    async def claim(self, game: Game, settings: object) -> str | None:
        """Claim the channel that these settings name for a new table, and give the table's code;
        None: they name no channel, and any code will do."""
        self.may_open(game, settings)
        name = self._channel_in(game, settings)
        code = self.store.codes.free() if name else None
        if code is not None and not await self.claim_channel(name, code):
            await self.store.codes.give_back(code)
            raise _taken()
        return code

    def _channel_in(self, game: Game, settings: Any) -> str:
        return settings.channel if game.id in self._games else ""

    async def claim_channel(self, name: str, code: str) -> bool:
        """Claim this channel for a table in the database; False: another table has it."""
        return await self.store.codes.claim_name(name.casefold(), code)

    def opened(self, roster: Roster) -> None:
        """A table was opened here, or opened again after a restart or a move from another node."""
        game = self._games.get(roster.game)
        if game is None:
            return
        kind = self._kinds[game.id]
        table = HostedTable(self, self._relay, game, kind.user, roster)
        table.host = table.channel.host = kind(table)
        self._tables[roster.code] = table
        table.host.begin(bool(roster.players or roster.round))

    def released(self, roster: Roster) -> None:
        """Another node runs this table from now on, and has a host for it."""
        table = self._tables.pop(roster.code, None)
        if table is not None:
            table.host.close()
            for connection in [c for c, its in self._of.items() if its is table]:
                table.leave(connection)
            table.channel.host = None

    def found_in(self, name: str) -> Hosted | None:
        """The channel of this name in any case, if one of our hosts is in it at any node."""
        channel = self._relay.find(name)
        if channel is None or channel.hosting is None:
            return None
        return channel, channel.hosting.note

    def table_of(self, roster: Roster) -> Hosted | None:
        """The channel of a table, if its host is there."""
        if roster.game not in self._games:
            return None
        hosted = self.found_in(roster.settings.channel or roster.code)
        return hosted if hosted is not None and hosted[1].code == roster.code else None

    async def finish(self) -> None:
        """The server is closing."""
        for table in list(self._tables.values()):
            await table.host.finish()
            self._close(table)

    def _close(self, table: HostedTable) -> None:
        if self._tables.pop(table.code, None) is not None:
            table.host.close()
            self._relay.nodes.host_out(table.channel)

    # -- connections to tables --------------------------------------------------------

    def connect(self, table: HostedTable) -> ConnectionId:
        self._last += 1
        self._of[self._last] = table
        return self._last

    def forget(self, connection: ConnectionId) -> None:
        self._of.pop(connection, None)

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        table = self._of.get(connections[0])
        if table is None or table.code not in self._tables:
            return
        if isinstance(data, Shown):
            table.host.told(data)
        elif isinstance(data, Greeting):
            table.host.greeted(connections[0], data)

    async def alive(self, connection: ConnectionId) -> bool:
        """Whether a host uses it; then nobody else can take over the seat of its user."""
        return connection in self._of

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None:
        table = self._of.pop(connection, None)
        if table is None or table.code not in self._tables:
            return
        if connection != table.watcher:
            if code != SERVICE_RESTART:
                table.host.put_out(connection)
        elif code == SERVICE_RESTART:
            table.host.attend_again()
        else:
            self._close(table)


def _taken() -> Illegal:
    return Illegal("channel-taken", "A table is open in this channel already.")
