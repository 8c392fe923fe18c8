"""The host of one table: seats users of a channel, and hands their answers to the table.

It attends the table over the bus: once watching, and once for each user of the relay who has a
seat there. What it is told there is shown in the channel by `show.py`. "Spec" is the project's
page on ONU.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from enum import Enum
from typing import Any, Final, Protocol

import msgspec

from parlour.bus import ConnectionId
from parlour.games.onu import moves, wire
from parlour.games.onu.cards import COLOURS, SPECIAL
from parlour.games.onu.settings import Settings
from parlour.onu import protocol as say
from parlour.onu.show import Seat, Show
from parlour.server.limits import RateLimiter
from parlour.table import Attempt, Wish
from parlour.table import inputs as do
from parlour.wcp.message import ALL, DATA, TEXT, Message
from parlour.wcp.relay import HOST, Relay

log = logging.getLogger("parlour.onu")

LABEL: Final = "Parlour"
"""What the host calls itself in a pong."""
PROBE: Final = 3.0
"""Seconds in which another host may say that it is one."""
AGAIN: Final = 1.0
"""Seconds before a table is attended again that would not have us."""


class Standing(Enum):
    """Whether this host hosts."""

    PROBING = "probing"
    """It has asked whether somebody else does."""
    HOSTING = "hosting"
    YIELDED = "yielded"
    """Somebody else does."""


class Attendance(Protocol):
    """How a host attends its table: see `parlour.onu.hosts`."""

    def connection(self, host: TableHost) -> ConnectionId:
        """A new one, whose messages this host is told."""
        ...

    async def join(
        self, host: TableHost, connection: ConnectionId, seat: Seat | None, name: str = ""
    ) -> bool:
        """Attend the table for a seat, under that name, or watch; False: it was refused."""
        ...

    def submit(self, connection: ConnectionId, wish: Wish) -> None: ...

    def leave(self, connection: ConnectionId) -> None: ...


class TableHost:
    """One table in one channel. The relay tells it who comes, goes and speaks (`ChannelHost`)."""

    def __init__(self, code: str, settings: Settings, attendance: Attendance, relay: Relay) -> None:
        self.code = code
        self.settings = settings
        self.standing = Standing.PROBING
        self.other_host: str | None = None
        """Who answered that they host here."""
        self._attendance = attendance
        self._relay = relay
        self._lobby: wire.LobbyEvent | None = None
        self._joining: set[str] = set()
        self._put_out: set[str] = set()
        """Who is not played for again unless they ask for it, or the opener does."""
        self._talk = RateLimiter(rate=1.0, burst=10)
        self._tasks: set[asyncio.Task[None]] = set()
        self._channel = relay.host_in(settings.channel or code, self)
        self._show = Show(code, relay, self._channel)
        self._show.settings = settings

    @property
    def channel(self) -> str:
        return self._channel.name

    @property
    def users(self) -> list[str]:
        """Who is in the channel, each once."""
        return list(dict.fromkeys(self._channel.users))

    # -- beginning and ending ---------------------------------------------------------

    def begin(self, standing: Standing) -> None:
        """Attend the table; ask whether somebody hosts here, unless we did before."""
        self._start(self._show.run())
        self._start(self._open(standing))

    async def _open(self, standing: Standing) -> None:
        while True:
            connection = self._attendance.connection(self)
            self._show.watcher = connection
            if await self._attendance.join(self, connection, None):
                break
            await asyncio.sleep(AGAIN)
        if standing is Standing.HOSTING:
            self._host()
        elif standing is Standing.PROBING:
            await self.probe(self.settings.takeOver)

    async def probe(self, take_over: bool) -> None:
        """Spec, Other hosts: ask whether somebody hosts here, and yield to them; or take over."""
        if self.standing is Standing.HOSTING:
            return
        self.standing, self.other_host = Standing.PROBING, None
        if self._channel.sessions and not take_over:
            self._show.say((ALL,), say.HAS_HOST, "")
            await asyncio.sleep(PROBE)
        self._host_unless_answered()

    def _host_unless_answered(self) -> None:
        if self.other_host is None:
            self._host()
        else:
            self.standing = Standing.YIELDED
            log.info("table %s: %s hosts in %s", self.code, self.other_host, self.channel)

    def _host(self) -> None:
        self.standing = Standing.HOSTING
        self._gather()

    def attend_again(self) -> None:
        """The table was set up again from its log: all attendance has ended with it."""
        self._show.seats.clear()
        self._joining.clear()
        self._lobby = None
        self._start(self._open(self.standing))

    async def finish(self) -> None:
        """The house is closing: show what is left."""
        await self._show.finish()
        self.end()

    def end(self) -> None:
        """The table has closed: leave the channel."""
        for task in self._tasks:
            task.cancel()
        self._relay.host_in(self.channel, None)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("hosting table %s failed", self.code, exc_info=task.exception())

    # -- seats ------------------------------------------------------------------------

    def _player(self, user: str) -> wire.PlayerInfo | None:
        players = () if self._lobby is None else self._lobby.players
        return next((player for player in players if player.user == user), None)

    def _gather(self) -> None:
        """Attend for everybody who has a seat and is here; and seat everybody, if that is asked."""
        if self.standing is not Standing.HOSTING or self._lobby is None:
            return
        for user in self.users:
            player = self._player(user)
            if user in self._put_out:
                continue
            if player is not None:
                self._sit(user, player.name)
            elif self.settings.autoSeat and self._room:
                self._sit(user, user)

    @property
    def _room(self) -> bool:
        """Whether one more can be seated."""
        lobby = self._lobby
        if lobby is None or lobby.running:
            return False
        coming = sum(1 for user in self._joining if self._player(user) is None)
        return len(lobby.players) + coming < lobby.max_seats

    def _sit(self, user: str, name: str) -> None:
        """Attend for a user, once."""
        if user not in self._joining and self._show.seat_of(user) is None:
            self._joining.add(user)
            self._start(self._sit_down(user, name))

    async def _sit_down(self, user: str, name: str) -> None:
        connection = self._attendance.connection(self)
        seat = self._show.seats[connection] = Seat(connection, user)
        try:
            seated = await self._attendance.join(self, connection, seat, name)
        finally:
            self._joining.discard(user)
        if not seated:
            self._show.seats.pop(connection, None)
        elif not self._channel.of_user(user):
            # Gone while we waited.
            self._give_up(seat)

    def _give_up(self, seat: Seat) -> None:
        self._show.seats.pop(seat.connection, None)
        self._attendance.leave(seat.connection)

    def watches(self, connection: ConnectionId) -> bool:
        return connection == self._show.watcher

    def forgive(self, user: str) -> None:
        """Play again for somebody who was put out."""
        self._put_out.discard(user)
        self._gather()

    def put_out(self, connection: ConnectionId) -> None:
        """The table has put this user out."""
        seat = self._show.seats.pop(connection, None)
        if seat is not None:
            self._put_out.add(seat.user)

    # -- what the relay tells ---------------------------------------------------------

    def arrived(self, connection: ConnectionId, user: str) -> None:
        if self._show.seat_of(user) is not None:
            self._show.add_newcomer(connection, user)
        else:
            self._gather()

    def departed(self, connection: ConnectionId, user: str) -> None:
        seat = self._show.seat_of(user)
        if seat is not None and not self._channel.of_user(user):
            self._give_up(seat)

    def passes(self, message: Message) -> bool:
        """Spec, Other hosts: while our table is open nobody else speaks as its host."""
        hosting = self.standing is Standing.HOSTING
        return not (hosting and message.type == DATA and message.name in say.HOSTS_ONLY)

    def heard(self, connection: ConnectionId, message: Message) -> None:
        if message.type == TEXT:
            self._talked(message)
        elif message.type != DATA:
            return
        elif self.standing is Standing.HOSTING:
            self._asked(message)
        elif self.standing is Standing.PROBING and message.name == say.IS_HOST:
            self.other_host = message.sender

    def _asked(self, message: Message) -> None:
        if message.name == say.HAS_HOST:
            self._show.say((ALL,), say.IS_HOST, "")
        elif message.name == say.PING and HOST in message.to:
            self._pinged(message.sender, message.content)
        elif message.name == say.PING and message.to == (message.sender,):
            # Somebody opens a waiting room of their own.
            self._show.say((ALL,), say.IS_HOST, "")
        elif message.name == say.PLAYER_ACTION:
            self._answered(message.sender, message.content)

    def _pinged(self, user: str, name: str) -> None:
        """Spec, Seats and Coming back: a seat while the table waits, and always a pong."""
        self._show.say((ALL,), say.PONG, LABEL)
        if self._show.seat_of(user) is not None:
            self._show.add_reminder(user)
        elif self._player(user) is None and self._room:
            self.forgive(user)
            self._sit(user, name if any(c.isalnum() for c in name) else user)

    def _talked(self, message: Message) -> None:
        """What players say is said at the table, too, for who watches it on the page."""
        seat = self._show.seat_of(message.sender)
        if seat is not None and ALL in message.to and self._talk.take(message.sender):
            self._attendance.submit(seat.connection, do.Say(do.ME, message.content))

    def _answered(self, user: str, content: str) -> None:
        """Spec, Rules: only the awaited player's user may act, once, and only when asked."""
        show = self._show
        seat = show.seat_of(user)
        if seat is None or show.asked is None or show.view.users[show.asked] != user:
            return
        show.asked = None
        self._attendance.submit(seat.connection, Attempt(action_in(content)))

    # -- what the table tells ---------------------------------------------------------

    def receive(self, connections: Sequence[ConnectionId], message: Any) -> None:
        """One message for some of our connections."""
        if not isinstance(message, wire.LobbyEvent):
            self._show.add(connections, message)
        elif self._show.watcher in connections:
            self._lobby = message
            self.settings = msgspec.convert(message.settings, Settings)
            self._show.settings = self.settings
            self._gather()


def action_in(content: str) -> moves.Action | None:
    """The action that an `onu-player-action` asks for; None: none that can be."""
    try:
        told = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    action = say.whole(told.get("Action"))
    if action == say.PICK_CARD:
        return moves.Draw()
    index = say.whole(told.get("CardIndex"))
    if action != say.PLAY_CARD or index is None or not 0 <= index < 1000:
        return None
    colour = say.whole(told.get("WildColor"))
    known = colour is not None and 0 <= colour < COLOURS
    return moves.Play(index, colour if known and colour is not None else int(SPECIAL))
