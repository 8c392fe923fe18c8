"""Games in which players take turns: the base class of their matches, and the events they share.

Ring one, like `kit.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from mypy_extensions import mypyc_attr

from parlour.cards import Face
from parlour.kit import A, E, Illegal, Match, Millis, Outcome, Seat, Setup
from parlour.rng import Rng

MOST_STAND_INS: Final = 10_000
"""In a row. Rules that need more would never come to an end."""


@final
@dataclass(slots=True)
class Turn:
    """It is this seat's turn."""

    seat: Seat


@final
@dataclass(slots=True)
class Dealt:
    """A hand was dealt. Only its owner sees the cards."""

    seat: Seat
    hand: list[Face | None]

    def seen_by(self, seat: Seat | None) -> Dealt:
        """The event as `view` shows it to this seat."""
        return self if seat == self.seat else Dealt(self.seat, [None] * len(self.hand))


@mypyc_attr(allow_interpreted_subclasses=True)
class TurnMatch(Match[A, E]):
    """A match in which one seat at a time has the turn. It waits for nobody who is away.

    Subclasses write `moves`, `do` and `stand_in`, set `turn`, and in the end `result`.
    """

    def __init__(self, seats: int, first: Seat = 0) -> None:
        self.seats = seats
        self.first = first
        """The seat that had the first turn."""
        self.turn = first
        self.absent: set[Seat] = set()
        self.result: Outcome | None = None
        """Set it to end the match."""

    @classmethod
    def first_seat(cls, setup: Setup) -> Seat:
        """For `deal`: the first turn goes round from match to match."""
        previous = setup.previous
        return (previous.first + 1) % len(setup.players) if isinstance(previous, cls) else 0

    # The player whose turn it is

    def moves(self) -> Sequence[A]:
        """The legal actions of the player whose turn it is."""
        raise NotImplementedError

    def do(self, action: A, rng: Rng, now: Millis) -> list[E]:
        """Do one of `moves`, and say what happened."""
        raise NotImplementedError

    def why_not(self, action: A) -> Illegal:
        """The refusal of an action that is not among `moves`."""
        return Illegal("not-possible", "You can't do that now.")

    def legal(self, seat: Seat) -> Sequence[A]:
        return self.moves() if seat == self.turn and self.result is None else []

    def apply(self, seat: Seat, action: A, rng: Rng, now: Millis) -> list[E]:
        if seat != self.turn or self.result is not None:
            raise Illegal("not-your-turn", "It is not your turn.")
        if action not in self.moves():
            raise self.why_not(action)
        return [*self.do(action, rng, now), *self.go_on(rng, now)]

    def next_seat(self, present: bool = False) -> Seat:
        """The seat after the one whose turn it is; `present`: the next whose player is there."""
        order = [(self.turn + step) % self.seats for step in range(1, self.seats + 1)]
        return next((s for s in order if not present or s not in self.absent), self.turn)

    # The end

    def outcome(self) -> Outcome | None:
        return self.result

    def abandon(self, rng: Rng, now: Millis) -> list[E]:
        self.result = Outcome((), "abandoned")
        return []

    # People who come and go

    def stand_in(self, rng: Rng, now: Millis) -> list[E]:
        """Move for the player whose turn it is, and who is away. The turn must go on, or the match
        come nearer to its end."""
        raise NotImplementedError

    def go_on(self, rng: Rng, now: Millis) -> list[E]:
        """`stand_in` until it is the turn of somebody who is there."""
        events: list[E] = []
        for _ in range(MOST_STAND_INS):
            if (
                self.result is not None
                or self.turn not in self.absent
                or len(self.absent) >= self.seats
            ):
                return events
            events += self.stand_in(rng, now)
        raise RuntimeError(
            f"{type(self).__name__}.stand_in was called {MOST_STAND_INS} times in a row: it must"
            " lead to the turn of somebody who is there, or to the end of the match"
        )

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        self.absent.add(seat)
        return self.go_on(rng, now)

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        self.absent.discard(seat)
        return self.go_on(rng, now)
