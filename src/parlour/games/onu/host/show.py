"""What happens at a table, shown in a channel: one thing after the other, at the pace of windows.

Everything the table tells its attendants goes through one queue, in the order it was told. Pictures
are folded as it is shown, so a State is never ahead of what was animated.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from parlour.bus import ConnectionId
from parlour.games.onu import messages as say
from parlour.games.onu.moves import FORCED, Dealt, Drew, Ended, Played, Prompted
from parlour.games.onu.picture import Picture
from parlour.games.onu.rules import AFTER_DRAW, ANIMATION, PAUSE
from parlour.relay.hosting import HostedTable
from parlour.wcp.message import ALL

log = logging.getLogger("parlour.games.onu")

PROMPT_AGAIN: Final = 1.0
"""Seconds before a session that has just come is asked for the move that is awaited."""
UNSURE: Final = 0.05
"""Seconds between two checks whether this node still runs the table."""
TOO_FAR_BEHIND: Final = 200
"""With so many things left to show, pauses are left out."""


def _nothing_seen() -> Picture:
    return Picture(None)


@dataclass(eq=False)
class Seat:
    """One user's seat as we attend it: the connection, and what it has been shown."""

    connection: ConnectionId
    user: str
    picture: Picture = field(default_factory=_nothing_seen)


class Show:
    """The telling of one table's games in one channel."""

    def __init__(self, table: HostedTable) -> None:
        self.hosting = False
        """Whether the channel is ours: in another host's nothing is shown."""
        self.seats: dict[ConnectionId, Seat] = {}
        self.asked: str | None = None
        """The user whose answer is awaited, once they have been asked for it."""
        self.picture = _nothing_seen()
        """What anybody may know."""
        self._names: list[str] = []
        """Of the players of the game that is shown, by seat."""
        self._table = table
        self._channel = table.channel
        self._current = table.current
        self._newcomers: list[tuple[str, ConnectionId]] = []
        """Sessions of players that are to be told the game as it has been shown so far."""
        self._prompts: dict[ConnectionId, asyncio.TimerHandle] = {}
        """By new session: when it is asked for the move that is awaited."""
        self._queue: deque[tuple[Sequence[ConnectionId], Any, list[str]]] = deque()
        self._more = asyncio.Event()
        self._hurry = asyncio.Event()
        self._idle = asyncio.Event()
        self._pause_owed = 0

    # -- what is to be shown ----------------------------------------------------------

    def add(self, connections: Sequence[ConnectionId], what: Any, names: list[str]) -> None:
        """An event, or a picture in a greeting, as some of our connections were shown it. `names`
        are those of the players in the game, by seat."""
        self._queue.append((connections, what, names))
        self._idle.clear()
        self._more.set()

    def add_newcomer(self, user: str, session: ConnectionId) -> None:
        """A new session of a user whose seat we attend: it is told the game as it has been shown,
        before the next thing is shown."""
        self._newcomers.append((user, session))
        if self._current():
            self._greet_newcomers()
        self._more.set()

    def remind(self, user: str) -> None:
        """A user whose seat we attend wants to know how the game stands."""
        if self._current():
            self._tell_start(user, self._channel.of_user(user))

    def seat_of(self, user: str) -> Seat | None:
        return next((seat for seat in self.seats.values() if seat.user == user), None)

    async def run(self) -> None:
        """For as long as the table is hosted."""
        while True:
            await self._until_current()
            while self._queue:
                connections, what, names = self._queue.popleft()
                try:
                    await self._show(connections, what, names)
                except Exception:
                    # One thing that cannot be shown must not end the game.
                    log.exception("table %s: %s", self._table.code, type(what).__name__)
            self._idle.set()
            self._more.clear()
            await self._more.wait()

    async def finish(self) -> None:
        """Show the rest without pauses."""
        self._hurry.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._idle.wait()

    def close(self) -> None:
        """Say nothing any more."""
        for timer in self._prompts.values():
            timer.cancel()

    # -- one thing after the other ----------------------------------------------------

    async def _show(self, connections: Sequence[ConnectionId], what: Any, names: list[str]) -> None:
        public = self._table.watcher in connections
        if public and self._pause_owed:
            # The winner is told at once: no state follows that could end an animation.
            if type(what) is not Ended:
                await self._pause(self._pause_owed)
            self._pause_owed = 0
        attended = [self.seats[each] for each in connections if each in self.seats]
        viewers: list[Seat | Show] = [*attended, self] if public else [*attended]
        for viewer in viewers:
            if isinstance(what, Picture):
                viewer.picture = what
            else:
                if type(what) is Dealt:
                    viewer.picture = _nothing_seen()
                viewer.picture.see(what)
        if public:
            if isinstance(what, Picture | Dealt):
                self._names = names
            if self.hosting:
                await self._tell(what)
        elif isinstance(what, Picture) and what.players:
            # We attend for this user again: all of their sessions are new.
            for seat in attended:
                self._come_back(seat.user, self._channel.of_user(seat.user))

    async def _tell(self, what: Any) -> None:
        """Tell the channel what has just been added to the public picture."""
        view = self.picture
        if not view.awaited:
            self.asked = None
        kind = type(what)
        if kind is Prompted:
            if what.first:
                self._tell_states(say.TURN)
            self.asked = user = view.players[what.seat]
            self._prompt(user, self._channel.of_user(user))
        elif kind is Drew:
            if what.why != FORCED:
                self._tell_states(say.TURN)
                self._pause_owed = AFTER_DRAW
        elif kind is Played:
            anim = say.PlayAnim(view.players[what.seat], say.FACES[what.card])
            self.say((ALL,), say.PLAY_ANIM, say.dump(anim))
            await self._pause(ANIMATION)
            self._tell_states(say.TURN)
            self._pause_owed = PAUSE
        elif kind is Dealt:
            self._tell_states(say.START)
        elif kind is Ended:
            self.say((ALL,), say.WON, self._winner(what))
        elif kind is Picture and view.players:
            # We attend the table again: whoever was asked still is.
            self.asked = view.players[view.turn] if view.awaited else None
            if view.ended is not None:
                # An earlier host may not have told everybody.
                self._table.end(say.WON, self._winner(view.ended), self._table.code)

    async def _pause(self, millis: int) -> None:
        seconds = millis * self._table.settings.pace / 1000
        if seconds > 0 and len(self._queue) < TOO_FAR_BEHIND:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._hurry.wait()
            await self._until_current()

    async def _until_current(self) -> None:
        """Wait while another node may have taken the table over: nothing is shown meanwhile."""
        while not self._current():  # noqa: ASYNC110 - time decides it
            await asyncio.sleep(UNSURE)
        if self._newcomers:
            self._greet_newcomers()

    # -- what is told to whom ---------------------------------------------------------

    def say(self, to: Sequence[str], label: str, content: str) -> None:
        """As the host, to these users."""
        if self._current():
            self._table.say(to, label, content, "" if label == say.WON else None)

    def _winner(self, ended: Ended) -> str:
        return "Nobody" if ended.winner is None else self._names[ended.winner]

    def _tell_states(self, label: str) -> None:
        """To each user their own; to all without a seat the same.

        Players whose seats we are about to attend are told nothing: `onu-start` follows, with
        their own hands.
        """
        seated = {seat.user: seat for seat in self.seats.values()}
        sessions: dict[str, list[ConnectionId]] = {}
        for session, user in self._channel.sessions.items():
            sessions.setdefault(user, []).append(session)
        others: dict[str, list[ConnectionId]] = {}
        for user, theirs in sessions.items():
            seat = seated.get(user)
            if seat is not None and seat.picture.running:
                state = self._state(seat.picture)
                self._table.send(theirs, (user,), label, state, self._table.code)
            elif seat is None or user not in self.picture.players:
                others[user] = theirs
        if others:
            state, named = self._state(self.picture), [c for each in others.values() for c in each]
            self._table.send(named, list(others), label, state, self._table.code)

    def _state(self, picture: Picture) -> str:
        hands = picture.hands
        if self._table.settings.openState:
            known = {seat.user: seat.picture for seat in self.seats.values()}
            hands = [
                known[user].hands[number] if user in known and known[user].players else hand
                for number, (user, hand) in enumerate(zip(picture.players, hands, strict=True))
            ]
        return say.state_of(picture, hands, self._names, self._table.user)

    def _prompt(self, user: str, sessions: Sequence[ConnectionId]) -> None:
        """Ask the player in turn, if they are on the relay."""
        for session in sessions:
            if session in self._prompts:
                self._prompts.pop(session).cancel()
        seat = self.seat_of(user)
        if seat is not None and seat.picture.running:
            turn = say.turn_of(seat.picture, self._names)
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
        if seat is not None and seat.picture.running:
            state = self._state(seat.picture)
            self._table.send(sessions, (user,), say.START, state, self._table.code)

    def _prompt_again(self, user: str, session: ConnectionId) -> None:
        if not self._current():
            self._prompt_later(user, session, UNSURE)
            return
        del self._prompts[session]
        if self.asked == user and session in self._channel.sessions:
            self._prompt(user, [session])
