"""What happens at a table, shown in a channel: one thing after the other, at the pace of windows.

Everything the table tells its attendants goes through one queue, in the order it was told. What
each may know is folded as it is shown, so a State is never ahead of what was animated.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from parlour.bus import ConnectionId
from parlour.games.onu import messages as say
from parlour.games.onu import moves, wire
from parlour.games.onu.host.mirror import Mirror
from parlour.games.onu.rules import AFTER_DRAW, ANIMATION, PAUSE
from parlour.relay.hosting import HostedTable
from parlour.wcp.message import ALL

log = logging.getLogger("parlour.games.onu")

PROMPT_AGAIN: Final = 1.0
"""Seconds before a session that has just come is asked for the move that is awaited."""
UNSURE: Final = 0.05
"""Seconds between two looks whether the table is still ours."""
TOO_FAR_BEHIND: Final = 200
"""So many things left to show, and nothing is waited for any more."""


@dataclass(eq=False)
class Seat:
    """One user's seat as we attend it: the connection, and what it has been told."""

    connection: ConnectionId
    user: str
    mirror: Mirror = field(default_factory=Mirror)


class Show:
    """The telling of one table's games in one channel."""

    def __init__(self, table: HostedTable, hosting: Callable[[], bool]) -> None:
        """`hosting`: whether we host; in another host's channel nothing is shown."""
        self.seats: dict[ConnectionId, Seat] = {}
        self.asked: int | None = None
        """The seat whose answer is awaited, once they have been asked for it."""
        self.view = Mirror()
        """What anybody may know."""
        self._table = table
        self._channel = table.channel
        self._current = table.current
        self._hosting = hosting
        self._newcomers: list[tuple[str, ConnectionId]] = []
        """Sessions of players that are to be told the game as it has been shown so far."""
        self._prompts: dict[ConnectionId, asyncio.TimerHandle] = {}
        """By session that came of late: when it is asked for the move that is awaited."""
        self._queue: deque[tuple[Sequence[ConnectionId], Any]] = deque()
        self._more = asyncio.Event()
        self._hurry = asyncio.Event()
        self._idle = asyncio.Event()
        self._pause_owed = 0

    # -- what is to be shown ----------------------------------------------------------

    def add(self, connections: Sequence[ConnectionId], message: Any) -> None:
        """A message of the wire, as some of our connections were told it."""
        self._queue.append((connections, message))
        self._idle.clear()
        self._more.set()

    def add_newcomer(self, user: str, session: ConnectionId) -> None:
        """A new session of somebody whose seat we attend: it hears of the game before the next
        thing is shown."""
        self._newcomers.append((user, session))
        if self._current():
            self._greet_newcomers()
        self._more.set()

    def remind(self, user: str) -> None:
        """Somebody whose seat we attend wants to know how the game stands."""
        if self._current():
            self._tell_start(user, self._channel.of_user(user))

    def seat_of(self, user: str) -> Seat | None:
        return next((seat for seat in self.seats.values() if seat.user == user), None)

    async def run(self) -> None:
        """For as long as the table is hosted."""
        while True:
            await self._until_current()
            while self._queue:
                connections, message = self._queue.popleft()
                await self._until_current()
                try:
                    await self._show(connections, message)
                except Exception:
                    # One thing that can't be shown must not be the end of the game.
                    log.exception("table %s: %s", self._table.code, type(message).__name__)
            self._idle.set()
            self._more.clear()
            await self._more.wait()

    async def finish(self) -> None:
        """Show what is left, at once."""
        self._hurry.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._idle.wait()

    def close(self) -> None:
        """Say nothing any more."""
        for timer in self._prompts.values():
            timer.cancel()

    # -- one thing after the other ----------------------------------------------------

    async def _show(self, connections: Sequence[ConnectionId], message: Any) -> None:
        public = self._table.watcher in connections
        if public:
            # Who has won is told at once: no state follows that could end an animation.
            if not isinstance(message, wire.EndedEvent):
                await self._pause(self._pause_owed)
            self._pause_owed = 0
        for connection in connections:
            if connection in self.seats:
                self.seats[connection].mirror.hear(message)
        if public:
            self.view.hear(message)
            if self._hosting():
                await self._tell(message)
        elif type(message) is wire.StateEvent:
            # Somebody is attended for again: all their sessions are new.
            for connection in connections:
                if connection in self.seats:
                    user = self.seats[connection].user
                    self._come_back(user, self._channel.of_user(user))

    async def _tell(self, message: Any) -> None:
        if not self.view.awaited:
            self.asked = None
        match message:
            case wire.DealtEvent():
                self._tell_states(say.START)
            case wire.StateEvent(winner=winner, over=over):
                # We attend the table again: whoever was asked still is.
                self.asked = self.view.turn if self.view.awaited else None
                if over:
                    # Whoever hosted here before may not have told all of them.
                    self._table.end(say.WON, self._winner(winner), self._table.code)
            case wire.PlayedEvent(seat, _, card):
                anim = say.PlayAnim(
                    self.view.users[seat], say.Card(card.Color, card.Number, card.Effect)
                )
                self.say((ALL,), say.PLAY_ANIM, say.dump(anim))
                await self._pause(ANIMATION)
                self._tell_states(say.TURN)
                self._pause_owed = PAUSE
            case wire.DrewEvent(why=why) if why != moves.FORCED:
                self._tell_states(say.TURN)
                self._pause_owed = AFTER_DRAW
            case wire.PromptedEvent(seat, _, first):
                if first:
                    self._tell_states(say.TURN)
                self.asked = seat
                user = self.view.users[seat]
                self._prompt(user, self._channel.of_user(user))
            case wire.EndedEvent(winner):
                self.say((ALL,), say.WON, self._winner(winner))
            case _:
                pass

    async def _pause(self, millis: int) -> None:
        seconds = millis * self._table.settings.pace / 1000
        if seconds > 0 and len(self._queue) < TOO_FAR_BEHIND:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._hurry.wait()
            await self._until_current()

    async def _until_current(self) -> None:
        """Nothing is shown while another node may have taken the table over."""
        while not self._current():  # noqa: ASYNC110 - time decides it
            await asyncio.sleep(UNSURE)
        self._greet_newcomers()

    # -- what is told to whom ---------------------------------------------------------

    def say(self, to: Sequence[str], label: str, content: str) -> None:
        """As the host, to these users."""
        if self._current():
            story = self._table.code if label in (say.START, say.TURN) else None
            story = "" if label == say.WON else story
            self._table.say(to, label, content, story)

    def _winner(self, seat: int | None) -> str:
        return "Nobody" if seat is None else self.view.names[seat]

    def _tell_states(self, label: str) -> None:
        """To each user their own; to all without a seat the same.

        Players whose seats we are about to attend are told nothing: `onu-start` follows, with
        their own hands.
        """
        others: list[str] = []
        for user in dict.fromkeys(self._channel.users):
            seat = self.seat_of(user)
            if seat is not None and seat.mirror.running:
                self.say((user,), label, self._state(seat.mirror))
            elif seat is None or user not in self.view.users:
                others.append(user)
        if others:
            self.say(others, label, self._state(self.view))

    def _state(self, mirror: Mirror) -> str:
        hands = mirror.hands
        if self._table.settings.openState:
            hands = [
                hand if seat is None or not seat.mirror.users else seat.mirror.hands[number]
                for number, hand in enumerate(hands)
                for seat in (self.seat_of(mirror.users[number]),)
            ]
        return say.dump(mirror.state(self._table.user, hands))

    def _prompt(self, user: str, sessions: Sequence[ConnectionId]) -> None:
        """Ask the player in turn, if they are on the relay."""
        for session in sessions:
            if session in self._prompts:
                self._prompts.pop(session).cancel()
        seat = self.seat_of(user)
        if seat is not None and seat.mirror.running:
            turn = say.dump(seat.mirror.turn_info())
            self._table.send(sessions, (user,), say.PLAYER_TURN, turn)

    def _greet_newcomers(self) -> None:
        newcomers, self._newcomers = self._newcomers, []
        for user, session in newcomers:
            self._come_back(user, [session])

    def _come_back(self, user: str, sessions: Sequence[ConnectionId]) -> None:
        """Spec, Coming back: the game as it is; and a second later the prompt, for each session
        that has not been asked by then."""
        self._tell_start(user, sessions)
        for session in sessions:
            self._prompt_later(user, session, PROMPT_AGAIN)

    def _prompt_later(self, user: str, session: ConnectionId, seconds: float) -> None:
        if session in self._prompts:
            self._prompts[session].cancel()
        loop = asyncio.get_running_loop()
        self._prompts[session] = loop.call_later(seconds, self._prompt_again, user, session)

    def _tell_start(self, user: str, sessions: Sequence[ConnectionId]) -> None:
        seat = self.seat_of(user)
        if seat is not None and seat.mirror.running:
            state = self._state(seat.mirror)
            self._table.send(sessions, (user,), say.START, state, self._table.code)

    def _prompt_again(self, user: str, session: ConnectionId) -> None:
        if not self._current():
            self._prompt_later(user, session, UNSURE)
            return
        del self._prompts[session]
        asked = self.asked is not None and self.view.users[self.asked] == user
        if asked and session in self._channel.sessions:
            self._prompt(user, [session])
