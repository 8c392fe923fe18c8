"""Which players are connected, and how long a turn may take (spec: "Timer per turn").

With the turn timer off a turn waits for its player as long as it takes; only while that player is
gone does it wait for `_UNTIMED`, which is enough for a reload. Once a player has missed
`autoKickTurnCount` turns in a row, gone or not, the timer plays the seat: each turn then lasts
`AWAY_TURN`, until the player moves or comes back.
"""

from __future__ import annotations

from typing import Final, final

from parlour.games.cambia.events import AutoPlayChanged, ClockReset, Event, PresenceChanged
from parlour.games.cambia.settings import HouseRules
from parlour.kit import UNHURRIED, Copyable, Millis, Seat

PRE_GAME: Final[Millis] = 10_000
"""How long everybody looks at their initial cards."""

AWAY_TURN: Final[Millis] = 1_000
"""How long a turn lasts while the timer plays the seat."""

_UNTIMED: Final[Millis] = 15_000
"""With the turn timer off: the time to hand over a card, and to come back after going away."""


@final
class Clock(Copyable):
    """The deadline of the pre-game, then of the turn; None when it waits for its player."""

    def __init__(
        self, rules: HouseRules, seats: int, deadline: Millis, unhurried: bool = False
    ) -> None:
        self.rules = rules
        self.untimed: Millis = _UNTIMED * (UNHURRIED if unhurried else 1)
        self.deadline: Millis | None = deadline
        self.absent = [False] * seats
        self.timer_plays = [False] * seats
        self.missed = [0] * seats

    def debt_deadline(self, now: Millis) -> Millis:
        """When a card owed must be handed over. There is a deadline even if turns have none."""
        return now + (self.rules.turnTimerSec * 1000 or self.untimed)

    def start(self, seat: Seat, now: Millis) -> None:
        """A full turn's time for `seat`; a short one where only the timer plays."""
        seconds = self.rules.turnTimerSec
        if self.timer_plays[seat]:
            self.deadline = now + AWAY_TURN
        elif self.absent[seat]:
            self.deadline = now + (seconds * 1000 or self.untimed)
        else:
            self.deadline = now + seconds * 1000 if seconds else None

    def _runs_on(self, now: Millis) -> bool:
        """Whether turns are timed and this one still has time."""
        timed = self.rules.turnTimerSec > 0
        return timed and self.deadline is not None and self.deadline > now

    def reset(self, seat: Seat, now: Millis) -> ClockReset:
        """Start the time of the current turn again, and tell the players."""
        self.start(seat, now)
        return ClockReset(seat, now, self.deadline)

    def miss(self, seat: Seat) -> list[Event]:
        """A turn has run out of time."""
        if self.timer_plays[seat]:
            return []
        self.missed[seat] += 1
        if self.missed[seat] != self.rules.autoKickTurnCount:
            return []
        self.timer_plays[seat] = True
        return [AutoPlayChanged(seat, True)]

    def leave(self, seat: Seat, in_turn: bool, now: Millis) -> list[Event]:
        """The player is away. Going away and coming back in one's turn gains no time.

        The turn's time is set anew only where there was none (an untimed turn is timed while its
        player is gone), where the timer had played for the player who is back, and where the time
        ran out while the house was shut.
        """
        if self.absent[seat]:
            return []
        self.absent[seat] = True
        events: list[Event] = [PresenceChanged(seat, False)]
        if in_turn and not self._runs_on(now):
            events.append(self.reset(seat, now))
        return events

    def come_back(self, seat: Seat, in_turn: bool, now: Millis) -> list[Event]:
        events: list[Event] = []
        if self.absent[seat]:
            self.absent[seat] = False
            events.append(PresenceChanged(seat, True))
        woke = self.wake(seat)
        if in_turn and (woke or (events and not self._runs_on(now))):
            return [*events, *woke, self.reset(seat, now)]
        return events + woke

    def wake(self, seat: Seat) -> list[Event]:
        """The seat's owner has done something."""
        self.missed[seat] = 0
        if not self.timer_plays[seat]:
            return []
        self.timer_plays[seat] = False
        return [AutoPlayChanged(seat, False)]
