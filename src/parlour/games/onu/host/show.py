"""Shows in a channel what happens at a table: one event after the other, at the pace of windows.

Everything the table tells its host goes through one queue, in the order it was told. The picture is
folded as it is shown, so a State is never ahead of what was animated.

What can be shown at once is shown in the call that adds it, so its messages go out in one write.
The methods that may pause are generators of the seconds to wait, and a timer continues them: a task
would show events one iteration of the loop later.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from parlour.bus import ConnectionId
from parlour.games.onu import messages as say
from parlour.games.onu.host import states
from parlour.games.onu.moves import FORCED, Dealt, Drew, Ended, Event, Played, Prompted, Reshuffled
from parlour.games.onu.picture import Picture
from parlour.games.onu.rules import AFTER_DRAW, ANIMATION, PAUSE
from parlour.protocol.attending import Views
from parlour.relay.hosting import HostedTable
from parlour.wcp.message import ALL

log = logging.getLogger("parlour.games.onu")

PROMPT_AGAIN: Final = 1.0
"""Seconds before a new session of the awaited player is prompted."""
UNSURE: Final = 0.05
"""Seconds between two checks whether this node still runs the table."""
TOO_FAR_BEHIND: Final = 200
"""With so many events left to show, pauses are left out."""


@dataclass(eq=False)
class Seat:
    """One user's seat as we attend it."""

    connection: ConnectionId
    user: str
    hand: bytes | None = None
    """As it is written in States; None: not in the game, or we have not been shown it yet."""
    _cards: list[bytes] = field(default_factory=list)

    def see(self, what: object) -> None:
        """Take in what only this seat was shown: the deal, its own draw, or the match so far."""
        if isinstance(what, Dealt):
            self._cards = states.written(what.hands[what.players.index(self.user)])
        elif isinstance(what, Drew) and self.hand is not None:
            self._cards += states.written(what.cards)
        elif isinstance(what, Picture) and what.players and what.viewer is not None:
            self._cards = states.written(what.hand)
        else:
            if isinstance(what, Picture):
                self.hand = None
            return
        self.hand = b",".join(self._cards)

    def lay(self, index: int) -> None:
        """A card of the hand was played."""
        if self.hand is not None:
            del self._cards[index]
            self.hand = b",".join(self._cards)


class Show:
    """Shows the games of one table in one channel."""

    def __init__(self, table: HostedTable) -> None:
        self.hosting = False
        """Whether we host in the channel; if not, nothing is shown."""
        self.seats: dict[str, Seat] = {}
        """By user."""
        self.asked: str | None = None
        """The user who has been prompted and has not answered yet."""
        self.picture = Picture(None)
        """The public picture. Hands are added to it for those who may see them."""
        self._buried = b""
        """The stack of the picture below its top, as it is written in States."""
        self._names: list[str] = []
        """Display names of the players of the game that is shown, by seat."""
        self._table = table
        self._channel = table.channel
        self._current = table.current
        self._newcomers: list[tuple[str, ConnectionId]] = []
        """New sessions of players, which must be told the game as it has been shown so far."""
        self._prompts: dict[ConnectionId, asyncio.TimerHandle] = {}
        """By new session, the timer after which it is prompted."""
        self._queue: deque[tuple[Views, list[str]]] = deque()
        self._steps = self._show_all()
        self._timer: asyncio.TimerHandle | None = None
        """Set in a pause: it continues `_steps`."""
        self._hurry = False
        """Whether pauses are left out."""
        self._pause_owed = 0

    # -- what is to be shown ----------------------------------------------------------

    def add(self, shown: Iterable[Views], names: list[str]) -> None:
        """Events, or pictures in greetings, as our connections were shown them. `names` are those
        of the players in the game, by seat."""
        for views in shown:
            self._queue.append((views, names))
        if self._timer is None:
            self._go_on()

    def add_newcomer(self, user: str, session: ConnectionId) -> None:
        """Tell the game so far to a new session of a player, before the next event is shown."""
        self._newcomers.append((user, session))
        if self._current():
            self._greet_newcomers()
        else:
            # Nothing new to show, but they are greeted once the table is surely ours again.
            self.add([(None, {})], self._names)

    def remind(self, user: str) -> None:
        """Tell a player how the game stands, because they asked."""
        if self._current():
            self._tell_start(user, self._channel.of_user.get(user, ()))

    async def finish(self) -> None:
        """Show the rest without pauses."""
        self._hurry = True
        if self._timer is not None:
            self._timer.cancel()
            self._go_on()
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                while self._timer is not None:  # noqa: ASYNC110 - another node may have the table
                    await asyncio.sleep(UNSURE)

    def close(self) -> None:
        """Send nothing from now on."""
        for timer in self._prompts.values():
            timer.cancel()
        if self._timer is not None:
            self._timer.cancel()
        self._steps.close()

    # -- one thing after the other ----------------------------------------------------

    def _go_on(self) -> None:
        """Show what is left, until the next pause."""
        self._timer = None
        seconds = next(self._steps, None)
        if seconds is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._go_on)

    def _show_all(self) -> Generator[float | None, None, None]:
        """Without an end; None: there is nothing to show now."""
        while True:
            if not self._queue:
                yield None
                continue
            (what, more), names = self._queue.popleft()
            if self._newcomers or not self._current():
                yield from self._until_current()
            try:
                if what is None:
                    self._greet(more)
                else:
                    yield from self._show(what, more, names)
            except Exception:
                # An event that cannot be shown must not end the game.
                log.exception("table %s: %s", self._table.code, type(what).__name__)

    def _greet(self, pictures: Mapping[ConnectionId, object]) -> None:
        """We attend for these users again: all of their sessions are new."""
        for seat in self.seats.values():
            if seat.connection in pictures:
                seat.see(pictures[seat.connection])
                if seat.hand is not None:
                    self._come_back(seat.user, self._channel.of_user.get(seat.user, ()))

    def _show(
        self, what: object, more: Mapping[ConnectionId, object], names: list[str]
    ) -> Iterator[float]:
        """An event, or the picture of the match so far, as anybody may know it; and, by
        connection, as those seats know it that may know more."""
        if not isinstance(what, Event | Picture):
            return
        if self._pause_owed:
            # The winner is told at once: no state follows that could end an animation.
            if not isinstance(what, Ended):
                yield from self._pause(self._pause_owed)
            self._pause_owed = 0
        if isinstance(what, Picture):
            self.picture, self._names = what, names
            self._buried = states.buried(what.stack[:-1])
        else:
            if isinstance(what, Dealt):
                self.picture, self._names = Picture(None), names
                self._buried = b""
            elif isinstance(what, Reshuffled):
                self._buried = b""
            elif isinstance(what, Played):
                self._buried += states.buried(self.picture.stack[-1:])
                player = self.seats.get(self.picture.players[what.seat])
                if player is not None:
                    player.lay(what.index)
            self.picture.see(what)
        for seat in self.seats.values() if more else ():
            if seat.connection in more:
                seat.see(more[seat.connection])
        if self.hosting:
            yield from self._tell(what)

    def _tell(self, what: Event | Picture) -> Iterator[float]:
        """Tell the channel what has just been added to the public picture."""
        view, sessions = self.picture, self._channel.of_user
        if not view.awaited:
            self.asked = None
        if isinstance(what, Prompted):
            if what.first:
                self._tell_states(say.TURN, sessions)
            self.asked = user = view.players[what.seat]
            self._prompt(user, sessions.get(user, ()))
        elif isinstance(what, Drew):
            if what.why != FORCED:
                self._tell_states(say.TURN, sessions)
                self._pause_owed = AFTER_DRAW
        elif isinstance(what, Played):
            anim = say.PlayAnim(view.players[what.seat], say.FACES[what.card])
            self.say(say.PLAY_ANIM, say.dump(anim))
            yield from self._pause(ANIMATION)
            self._tell_states(say.TURN, sessions)
            self._pause_owed = PAUSE
        elif isinstance(what, Dealt):
            self._tell_states(say.START, sessions)
        elif isinstance(what, Ended):
            self.say(say.WON, self._winner(what))
        elif what is view and view.players:
            # We attend the table again: the player who was asked still has to answer.
            self.asked = view.players[view.turn] if view.awaited else None
            if view.ended is not None:
                # An earlier host may not have told everybody.
                self._table.end(say.WON, self._winner(view.ended))

    def _pause(self, millis: int) -> Iterator[float]:
        seconds = millis * self._table.settings.pace / 1000
        if seconds > 0 and len(self._queue) < TOO_FAR_BEHIND:
            if not self._hurry:
                yield seconds
            yield from self._until_current()

    def _until_current(self) -> Iterator[float]:
        """Wait while another node may have taken over the table: until then nothing is shown."""
        while not self._current():
            yield UNSURE
        if self._newcomers:
            self._greet_newcomers()

    # -- what is told to whom ---------------------------------------------------------

    def say(self, label: str, content: str) -> None:
        """Send data to everybody as the host."""
        if self._current():
            self._table.say((ALL,), label, content, "" if label == say.WON else None)

    def _winner(self, ended: Ended) -> str:
        return "Nobody" if ended.winner is None else self._names[ended.winner]

    def _tell_states(self, label: str, sessions: Mapping[str, Sequence[ConnectionId]]) -> None:
        """To each user their own; to all without a seat the same. `sessions` are by user.

        Players whose seats we are about to attend are told nothing: `onu-start` follows, with
        their own hands.
        """
        table, players = self._table, self.picture.players
        shown = self.seats if table.settings.openState else {}
        hands = {user: seat.hand for user, seat in shown.items() if seat.hand is not None}
        shared = states.shared_state(self.picture, self._names, table.user, self._buried, hands)
        others: dict[str, Sequence[ConnectionId]] = {}
        for user, theirs in sessions.items():
            seat = self.seats.get(user)
            if seat is not None and seat.hand is not None:
                content = states.state_for(shared, players, user, seat.hand)
                table.send(theirs, (user,), label, content, table.code)
            elif seat is None or user not in players:
                others[user] = theirs
        if others:
            named = [session for theirs in others.values() for session in theirs]
            table.send(named, list(others), label, shared, table.code)

    def _prompt(self, user: str, sessions: Sequence[ConnectionId]) -> None:
        """Ask the player in turn, if they are on the relay."""
        for session in sessions:
            if session in self._prompts:
                self._prompts.pop(session).cancel()
        seat = self.seats.get(user)
        if seat is not None and seat.hand is not None:
            turn = states.turn_of(self.picture, seat.hand, self._names)
            self._table.send(sessions, (user,), say.PLAYER_TURN, [turn])

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
        seat = self.seats.get(user)
        if self.picture.running and seat is not None and seat.hand is not None:
            self._tell_states(say.START, {user: sessions})

    def _prompt_again(self, user: str, session: ConnectionId) -> None:
        if not self._current():
            self._prompt_later(user, session, UNSURE)
            return
        del self._prompts[session]
        if self.asked == user and session in self._channel.sessions:
            self._prompt(user, [session])
