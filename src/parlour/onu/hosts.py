"""All hosts of this house's ONU tables: the attendant of the bus that speaks for relay users."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import msgspec

from parlour.bus import Bus, ConnectionId, JoinRequest, Welcome, first_connection
from parlour.games.onu import GAME, wire
from parlour.games.onu.lobby import RELAYED
from parlour.games.onu.settings import Settings
from parlour.house import Journal
from parlour.house.journal import SERVICE_RESTART
from parlour.kit import Illegal
from parlour.onu.host import TableHost
from parlour.onu.note import HostNote, Wanted, read_note
from parlour.onu.show import Seat
from parlour.protocol import At, Seek, Wish
from parlour.table import Roster
from parlour.wcp.channels import Channel
from parlour.wcp.relay import Relay

log = logging.getLogger("parlour.onu")

_decode: Final = msgspec.json.Decoder(wire.Outgoing).decode


@dataclass(frozen=True)
class Hosted:
    """A channel with a table, as every node knows it."""

    channel: Channel
    note: HostNote

    @property
    def users(self) -> list[str]:
        """Who is in the channel, each once."""
        return list(dict.fromkeys(self.channel.users))


class OnuHosts:
    """By table, its host; by connection, whose it is (`bus.Gateway`, `host.Attendance`)."""

    game: Final = GAME.id

    def __init__(self, bus: Bus, relay: Relay, journal: Journal) -> None:
        self._bus = bus
        self._journal = journal
        self._relay = relay
        self._last: ConnectionId = first_connection(bus.attach_gateway(self))
        self._hosts: dict[str, TableHost] = {}
        self._of: dict[ConnectionId, TableHost] = {}

    # -- tables -----------------------------------------------------------------------

    def may_open(self, settings: Settings) -> None:
        """Whether a table can be had in the channel these settings name."""
        name = settings.channel
        if not name:
            return
        channel = self._relay.find(name)
        if channel is None:
            raise Illegal("no-such-channel", f"There is no channel called {name}.")
        if channel.hosting is not None:
            raise _taken()

    async def claim(self, settings: Settings) -> str | None:
        """A code for a table in the channel these settings name, which nobody else can have then;
        None: any code will do."""
        self.may_open(settings)
        code = self._journal.free_code() if settings.channel else None
        if code is not None and not await self._claim(settings.channel, code):
            await self._journal.return_code(code)
            raise _taken()
        return code

    async def _claim(self, channel: str, code: str) -> bool:
        return await self._journal.claim_name(channel.casefold(), code)

    def opened(self, roster: Roster) -> None:
        """A table is open, or open again after a restart or at another node."""
        host = TableHost(roster.code, roster.settings, self, self._relay)
        self._hosts[roster.code] = host
        host.begin(bool(roster.players or roster.round))

    def released(self, roster: Roster) -> None:
        """Another node runs this table from now on."""
        host = self._hosts.pop(roster.code, None)
        if host is not None:
            host.hand_over()

    def host_of(self, code: str) -> TableHost | None:
        """If it is at this node."""
        return self._hosts.get(code)

    def found_in(self, name: str) -> Hosted | None:
        """Who of ours has a table in a channel, at whatever node; its name is in whatever case."""
        channel = self._relay.find(name)
        if channel is None or channel.hosting is None:
            return None
        note = read_note(channel.hosting.note)
        return None if note is None else Hosted(channel, note)

    async def ask(self, hosted: Hosted, wanted: Wanted) -> None:
        """Have a host do something, at whatever node; raises `Illegal`."""
        await self._relay.ask_host(hosted.channel, msgspec.msgpack.encode(wanted))

    async def finish(self) -> None:
        """The house is closing."""
        for host in list(self._hosts.values()):
            await host.finish()

    # -- the bus's side ---------------------------------------------------------------

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        host = self._of.get(connections[0])
        if host is not None:
            host.receive(connections, _decode(data))

    async def alive(self, connection: ConnectionId) -> bool:
        """Seats over a relay are nobody's to take over."""
        return connection in self._of

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None:
        host = self._of.pop(connection, None)
        if host is None:
            return
        if not host.watches(connection):
            if code != SERVICE_RESTART:
                host.put_out(connection)
        elif code == SERVICE_RESTART:
            host.attend_again()
        else:
            del self._hosts[host.code]
            host.end()

    # -- the hosts' side --------------------------------------------------------------

    def current(self) -> bool:
        return self._journal.current()

    async def keep_channel(self, host: TableHost) -> None:
        if not host.settings.channel:
            return
        with suppress(Illegal):  # the record is away, and the house closes
            if not await self._claim(host.settings.channel, host.code):
                log.error("table %s: another one is open in %s, too", host.code, host.channel)

    def connection(self, host: TableHost) -> ConnectionId:
        self._last += 1
        self._of[self._last] = host
        return self._last

    async def join(
        self, host: TableHost, connection: ConnectionId, seat: Seat | None, name: str = ""
    ) -> bool:
        where = At(host.code)
        request = JoinRequest(
            connection=connection,
            game=GAME.id,
            wire=GAME.wires[0].name,
            visitor=f"{RELAYED}{'' if seat is None else seat.user}",
            name=name,
            seek=Seek(where=where, watch=seat is None, resumable=True),
        )
        welcomed = isinstance(await self._bus.join(request), Welcome)
        if not welcomed:
            self._of.pop(connection, None)
        return welcomed

    def submit(self, connection: ConnectionId, wish: Wish) -> None:
        self._bus.submit(connection, wish)

    def leave(self, connection: ConnectionId) -> None:
        self._of.pop(connection, None)
        self._bus.disconnect(connection)


def _taken() -> Illegal:
    return Illegal("channel-taken", "A table is open in this channel already.")
