"""The host of one table: seats users of a channel, and hands their answers to the table.

It has one connection to the table that watches, and one for each user of the relay who has a seat
there. `show.py` shows in the channel what happens. "Spec" is the project's page on ONU.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from copy import copy
from typing import ClassVar, Final

from parlour.bus import ConnectionId
from parlour.games.onu import messages as say
from parlour.games.onu import moves
from parlour.games.onu.cards import COLOURS, SPECIAL
from parlour.games.onu.host.show import Seat, Show
from parlour.protocol import Attempt
from parlour.protocol.attending import Greeting, Shown
from parlour.relay.channels import HostNote, Standing
from parlour.relay.hosting import HostedTable
from parlour.table import Player, Roster
from parlour.wcp.message import ALL, DATA, TEXT, Message

log = logging.getLogger("parlour.games.onu")

HOST: Final = "onu-host"
LABEL: Final = "Parlour"
"""The host's name in a pong."""
PROBE: Final = 3.0
"""Seconds in which another host may say that it is one."""
MOST_PUT_OUT: Final = 100
"""How many users that were put out are remembered."""


class OnuHost:
    """One table in one channel (`relay.hosting.TableHost`)."""

    user: ClassVar[str] = HOST

    def __init__(self, table: HostedTable) -> None:
        self._table = table
        self._channel = table.channel
        self._roster: Roster | None = None
        self._names: list[str] = []
        """Display names of the players in the game, by seat."""
        self._early: dict[str, str] = {}
        """By user, the display name of everybody who asked for a seat too early for us."""
        self._tasks: set[asyncio.Task[None]] = set()
        before = self._channel.note
        own = before is not None and before.code == table.code
        self._note = copy(before) if before is not None and own else HostNote(table.code)
        self._show = Show(table)
        self._announce()

    @property
    def standing(self) -> Standing:
        return self._note.standing

    def _stand(self, standing: Standing, other_host: str | None = None) -> None:
        self._note.standing, self._note.other_host = standing, other_host
        self._announce()

    def _announce(self) -> None:
        self._show.hosting = self.standing is Standing.HOSTING
        self._table.announce(say.HOSTS_ONLY if self._show.hosting else (), self._note)

    # -- beginning and ending ---------------------------------------------------------

    def begin(self, played_before: bool) -> None:
        """Attend the table; ask whether somebody hosts here, unless we did before."""
        if played_before and self.standing is Standing.PROBING:
            self._note.standing = Standing.HOSTING
            self._show.hosting = True
        self._start(self._open())

    async def _open(self) -> None:
        await self._table.watch()
        if self._show.hosting:
            self._host()
        elif self.standing is Standing.PROBING:
            await self.probe(self._table.settings.takeOver)
        else:
            self._announce()

    async def probe(self, take_over: bool) -> None:
        """Spec, Other hosts: ask whether somebody hosts here, and yield to them; or take over."""
        if self._show.hosting:
            return
        if take_over:
            self._host()
            # Another host's window leaves its waiting room when it hears this.
            self._show.say(say.IS_HOST, "")
            return
        self._stand(Standing.PROBING)
        if self._channel.sessions:
            self._show.say(say.HAS_HOST, "")
            await asyncio.sleep(PROBE)
        other = self._note.other_host
        if other is None:
            self._host()
        else:
            self._stand(Standing.YIELDED, other)
            self._early.clear()
            log.info("table %s: %s hosts in %s", self._table.code, other, self._channel.name)

    def _host(self) -> None:
        self._stand(Standing.HOSTING)
        self._gather()

    def attend_again(self) -> None:
        self._show.seats.clear()
        self._roster = None
        self._start(self._open())

    async def finish(self) -> None:
        await self._show.finish()

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._show.close()

    def _start(self, work: Coroutine[object, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("hosting table %s failed", self._table.code, exc_info=task.exception())

    # -- seats ------------------------------------------------------------------------

    def _player(self, user: str) -> Player | None:
        players = () if self._roster is None else self._roster.players
        return next((player for player in players if player.id == user), None)

    def _gather(self) -> None:
        """Attend for all users here who have a seat; with `autoSeat`, seat the others, too."""
        if not self._show.hosting or self._roster is None:
            return
        early, self._early = self._early, {}
        for user, name in early.items():
            self._pinged(user, name)
        for user in list(self._channel.of_user):
            player = self._player(user)
            if user in self._note.put_out:
                continue
            if player is not None:
                self._sit(user, player.name)
            elif self._table.settings.autoSeat and self._room:
                self._sit(user, user)

    @property
    def _room(self) -> bool:
        """Whether one more can be seated."""
        roster = self._roster
        if roster is None or roster.running:
            return False
        seats = self._show.seats.values()
        coming = sum(1 for seat in seats if self._player(seat.user) is None)
        return len(roster.players) + coming < roster.max_seats

    def _sit(self, user: str, name: str) -> None:
        """Attend for a user, once."""
        if self._show.seats.get(user) is None:
            connection = self._table.connect()
            seat = self._show.seats[user] = Seat(connection, user)
            self._start(self._sit_down(seat, name))

    async def _sit_down(self, seat: Seat, name: str) -> None:
        seated = False
        try:
            seated = await self._table.join(seat.connection, seat.user, name)
        finally:
            if not seated and self._show.seats.get(seat.user) is seat:
                del self._show.seats[seat.user]
        if seated and self._show.seats.get(seat.user) is not seat:
            # The user left the channel while we waited.
            self._table.leave(seat.connection)

    def forgive(self, user: str) -> None:
        """Seat a user again who was put out."""
        if user in self._note.put_out:
            self._note.put_out.remove(user)
            self._announce()
        self._gather()

    def put_out(self, connection: ConnectionId) -> None:
        """The table has put this user out."""
        for user, seat in list(self._show.seats.items()):
            if seat.connection == connection:
                del self._show.seats[user]
                if user not in self._note.put_out:
                    self._note.put_out = [*self._note.put_out, user][-MOST_PUT_OUT:]
                    self._announce()

    # -- what the relay tells ---------------------------------------------------------

    def arrived(self, connection: ConnectionId, user: str) -> None:
        if self._show.seats.get(user) is not None:
            self._show.add_newcomer(user, connection)
        else:
            self._gather()

    def departed(self, connection: ConnectionId, user: str) -> None:
        seat = self._show.seats.get(user)
        if seat is not None and user not in self._channel.of_user:
            del self._show.seats[user]
            self._table.leave(seat.connection)

    def heard(self, connection: ConnectionId, message: Message) -> None:
        if message.type == TEXT:
            self._talked(message)
        elif message.type != DATA:
            return
        elif self._show.hosting:
            if message.name == say.PLAYER_ACTION:
                self._answered(message.sender, message.content)
            else:
                self._asked(message)
        elif self.standing is Standing.PROBING:
            self._overheard(message)

    def answers(self, message: Message) -> bool:
        return message.name == say.PLAYER_ACTION and message.sender == self._show.asked

    def _overheard(self, message: Message) -> None:
        """Note what matters while we do not know yet whether we host."""
        if message.name == say.IS_HOST or _opens_waiting_room(message):
            self._note.other_host = message.sender
        elif message.name == say.PING and HOST in message.to:
            self._early[message.sender] = message.content

    def _asked(self, message: Message) -> None:
        if message.name == say.PING and HOST in message.to:
            self._pinged(message.sender, message.content)
        elif message.name == say.HAS_HOST or _opens_waiting_room(message):
            self._show.say(say.IS_HOST, "")

    def _pinged(self, user: str, name: str) -> None:
        """Spec, Seats and Coming back: a seat while the table waits, and always a pong."""
        if self._roster is None:
            self._early[user] = name
            return
        self._show.say(say.PONG, LABEL)
        if self._show.seats.get(user) is not None:
            self._show.remind(user)
        elif self._player(user) is None and self._room:
            self.forgive(user)
            self._sit(user, name if any(c.isalnum() for c in name) else user)

    def _talked(self, message: Message) -> None:
        """Repeat at the table what players say, for people who watch it on the page."""
        seat = self._show.seats.get(message.sender)
        if seat is not None and ALL in message.to:
            self._table.repeat(seat.connection, message.sender, message.content)

    def _answered(self, user: str, content: str) -> None:
        """Spec, Rules: only the awaited player's user may act, once, and only when asked."""
        seat = self._show.seats.get(user) if self._show.asked == user else None
        if seat is not None:
            self._show.asked = None
            self._table.submit(seat.connection, Attempt(action_in(content)))

    # -- what the table tells ---------------------------------------------------------

    def greeted(self, connection: ConnectionId, greeting: Greeting) -> None:
        if connection == self._table.watcher:
            self._learn(greeting.roster)
            self._show.add([(greeting.picture, {})], self._names)
        else:
            self._show.add([(None, {connection: greeting.picture})], self._names)

    def told(self, shown: Shown) -> None:
        if shown.roster is not None:
            self._learn(shown.roster)
        self._show.add(shown.events, self._names)

    def _learn(self, roster: Roster) -> None:
        self._roster = roster
        self._names = [player.name for player in roster.seating]
        self._table.settings = roster.settings
        self._gather()


def _opens_waiting_room(message: Message) -> bool:
    """Whether another host begins to wait for players: it pings itself."""
    return message.name == say.PING and message.sender in message.to


def action_in(content: str) -> moves.Action | None:
    """The action in the content of an `onu-player-action`; None: it is not valid."""
    told = say.load(content)
    action = say.whole(told.get("Action"))
    if action == say.PICK_CARD:
        return moves.Draw()
    index = say.whole(told.get("CardIndex"))
    if action != say.PLAY_CARD or index is None or not 0 <= index < 1000:
        return None
    colour = say.whole(told.get("WildColor"))
    if colour is None or not 0 <= colour < COLOURS:
        colour = int(SPECIAL)
    return moves.Play(index, colour)
