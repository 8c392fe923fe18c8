"""What a game is: a match under way, and the few types all games share.

Ring one. No clock, no sockets, no JSON, no randomness of its own: time and
chance come in as arguments. This file and every `rules.py` compile with mypyc
as they are; settings live beside them, in `settings.py`, interpreted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, final

from parlour.rng import Rng

Seat = int
"""A place in one match: 0, 1, 2... in playing order. `None` in its stead is a spectator."""

Millis = int
"""A moment, in milliseconds since the epoch; or a span, where the name says so."""

A = TypeVar("A")
E = TypeVar("E")


class Illegal(Exception):
    """An action the rules refuse: a code for programs, a sentence for people.

    Whoever raises it has changed nothing.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    def __reduce__(self) -> tuple[type[Illegal], tuple[str, str]]:
        """It may come from another process; an exception's own way takes the sentence alone."""
        return Illegal, (self.code, self.sentence)


@final
@dataclass(slots=True)
class Outcome:
    """How a match ended. `winners` is empty when nobody won."""

    winners: tuple[Seat, ...]
    how: str
    scores: dict[Seat, int] = field(default_factory=dict)


class Match(Generic[A, E]):
    """One match under way, changed in place. Every game's `rules.py` has one subclass.

    Events are complete facts; hiding happens in the game's `view` function and nowhere else.
    Everything is checked before anything changes, so an `Illegal` leaves no trace.
    """

    def legal(self, seat: Seat) -> Sequence[A]:
        """What `seat` may do now. Everything listed applies; some games do not list everything."""
        raise NotImplementedError

    def apply(self, seat: Seat, action: A, rng: Rng, now: Millis) -> list[E]:
        """Do it, and say what happened; or raise `Illegal`."""
        raise NotImplementedError

    def due(self) -> Millis | None:
        """When something happens by itself, if anything does."""
        return None

    def tick(self, rng: Rng, now: Millis) -> list[E]:
        """Let happen what is due at `now`. Nothing due: nothing happens."""
        return []

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """The seat's player has left or is given up waiting for."""
        return []

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[E]:
        """The seat's player has come back."""
        return []

    def join(self, player: str, rng: Rng, now: Millis) -> list[E]:
        """Somebody sits down in mid-match, as the next seat."""
        raise Illegal("match-running", "This game can't be joined while a round is running.")

    def abandon(self, rng: Rng, now: Millis) -> list[E]:
        """No person is left at the table: end it, without a winner."""
        return []

    def outcome(self) -> Outcome | None:
        """How it ended, or None while it goes on."""
        raise NotImplementedError

    def copy(self) -> Match[A, E]:
        """An independent twin, cheap enough to search with."""
        raise NotImplementedError


@final
class Plan(Generic[A]):
    """What a bot means to do, and when. (No dataclass: mypyc can't make a generic one.)"""

    __slots__ = ("action", "at")

    def __init__(self, at: Millis, action: A) -> None:
        self.at = at
        self.action = action

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.at == other.at and self.action == other.action

    def __hash__(self) -> int:
        return hash(self.at)


E_contra = TypeVar("E_contra", contravariant=True)


class Bot(Protocol[A, E_contra]):
    """A computer player. It knows what its seat was shown, and nothing else."""

    def see(self, event: E_contra) -> None:
        """One event, as `view` shows it to this seat."""
        ...

    def plan(self, legal: Sequence[A], now: Millis) -> Plan[A] | None:
        """What to do next, given what is legal; asked again after every change."""
        ...
