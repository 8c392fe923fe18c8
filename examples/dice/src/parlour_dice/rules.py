"""Liar's Dice: say how many dice show a number, though you see only your own.

Rules only: no clock, no sockets, no JSON. A match is several rounds. Each begins with a roll, ends
with a challenge, and costs somebody a die. Whoever is the last to have dice has won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from parlour.choices import Choice, Choices, One
from parlour.kit import Illegal, Millis, Outcome, Seat, Setup
from parlour.rng import Rng
from parlour.turns import Turn, TurnMatch
from parlour_dice.settings import Settings

NUMBERS: Final = ("", "ones", "twos", "threes", "fours", "fives", "sixes")
"""How numbers are called in bids."""


# Actions


@dataclass(slots=True)
class Bid:
    """Say that so many dice show this number, all players' together. A bid must be higher than the
    last one: more dice, or as many of a higher number."""

    count: int
    number: int


@dataclass(slots=True)
class Challenge:
    """Say that the last bid is a lie. All dice are shown: whoever is wrong loses one."""


Action: TypeAlias = Bid | Challenge
ACTIONS: Final = (Bid, Challenge)


# Events


@dataclass(slots=True)
class Rolled:
    """A player's dice for a new round. Only their owner sees them."""

    seat: Seat
    dice: list[int | None]


@dataclass(slots=True)
class Raised:
    """A player has made a bid."""

    seat: Seat
    count: int
    number: int


@dataclass(slots=True)
class Shown:
    """A player has challenged the last bid, and everybody shows their dice."""

    seat: Seat
    bidder: Seat
    dice: list[list[int]]
    """By seat."""
    count: int
    """How many dice match the bid."""


@dataclass(slots=True)
class Lost:
    """A player loses a die, and has so many left; without any they are out."""

    seat: Seat
    left: int


Event: TypeAlias = Rolled | Turn | Raised | Shown | Lost
EVENTS: Final = (Rolled, Turn, Raised, Shown, Lost)


def view(event: Event, seat: Seat | None) -> Event:
    """What `seat` may know of `event`; a spectator is None."""
    if isinstance(event, Rolled) and event.seat != seat:
        return Rolled(event.seat, [None] * len(event.dice))
    return event


def matches(die: int, number: int, wild: bool) -> bool:
    """Whether a die counts for a bid on this number."""
    return die == number or (wild and die == 1)


class LiarsDice(TurnMatch[Action, Event]):
    """A game of Liar's Dice, changed in place."""

    def __init__(self, settings: Settings, players: int, first: Seat) -> None:
        super().__init__(players, first)
        self.settings = settings
        self.dice: list[list[int]] = [[0] * settings.dice for _ in range(players)]
        self.lost: list[int] = []
        """Dice that are out of the game, as they were shown last."""
        self.bid: Raised | None = None
        """The last one in this round."""

    # Actions

    def _raises(self) -> list[tuple[list[int], list[int]]]:
        """Higher bids: any count of the first list with any number of the second."""
        numbers = list(range(2 if self.settings.wild else 1, 7))
        total = sum(map(len, self.dice))
        if self.bid is None:
            return [(list(range(1, total + 1)), numbers)]
        higher = [number for number in numbers if number > self.bid.number]
        more = list(range(self.bid.count + 1, total + 1))
        return [pair for pair in (([self.bid.count], higher), (more, numbers)) if all(pair)]

    def moves(self) -> list[Action]:
        bids: list[Action] = [
            Bid(count, number)
            for counts, numbers in self._raises()
            for count in counts
            for number in numbers
        ]
        return bids if self.bid is None else [Challenge(), *bids]

    def choices(self, seat: Seat) -> Choices:
        """The same as `moves`, in words."""
        if not self.legal(seat):
            return []
        bids = [
            Choice(
                "bid",
                {
                    "count": One(counts, words=[f"{count} dice" for count in counts]),
                    "number": One(numbers, words=[NUMBERS[number] for number in numbers]),
                },
                label="Bid",
            )
            for counts, numbers in self._raises()
        ]
        return bids if self.bid is None else [Choice("challenge", label="Liar!"), *bids]

    # Events

    def why_not(self, action: Action) -> Illegal:
        if isinstance(action, Challenge):
            return Illegal("no-bid", "There is no bid yet that you could challenge.")
        if action.number not in range(2 if self.settings.wild else 1, 7):
            return Illegal("no-such-number", "Nobody can bid on that number.")
        if not 0 < action.count <= sum(map(len, self.dice)):
            return Illegal("no-such-count", "There are not so many dice in the game.")
        return Illegal("too-low", "Bid more dice, or as many of a higher number.")

    def do(self, action: Action, rng: Rng, now: Millis) -> list[Event]:
        seat = self.turn
        if isinstance(action, Bid):
            self.bid = Raised(seat, action.count, action.number)
            self.turn = self._next(seat)
            return [self.bid, Turn(self.turn)]
        assert self.bid is not None, "without a bid nothing is challenged"
        bid, wild = self.bid, self.settings.wild
        all_dice = [die for dice in self.dice for die in dice]
        count = sum(matches(die, bid.number, wild) for die in all_dice)
        shown = Shown(seat, bid.seat, [[*dice] for dice in self.dice], count)
        loser = seat if count >= bid.count else bid.seat
        self.lost.append(self.dice[loser].pop())
        lost = Lost(loser, len(self.dice[loser]))
        left = [seat for seat, dice in enumerate(self.dice) if dice]
        if len(left) == 1:
            self.result = Outcome((left[0],), "last")
            return [shown, lost]
        # The loser begins the next round.
        self.turn = loser if self.dice[loser] else self._next(loser)
        return [shown, lost, *self.roll(rng)]

    def _next(self, seat: Seat) -> Seat:
        """The next player who has dice."""
        order = [(seat + step) % self.seats for step in range(1, self.seats + 1)]
        return next(each for each in order if self.dice[each])

    def roll(self, rng: Rng) -> list[Event]:
        """Everybody rolls what they have."""
        self.bid = None
        self.dice = [[rng.below(6) + 1 for _ in dice] for dice in self.dice]
        rolled = [Rolled(seat, [*dice]) for seat, dice in enumerate(self.dice)]
        return [*rolled, Turn(self.turn)]

    def stand_in(self, rng: Rng, now: Millis) -> list[Event]:
        """A player who is away believes nothing, and begins as low as possible."""
        return self.do(self.moves()[0], rng, now)


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[LiarsDice, list[Event]]:
    """A new game; who begins goes round from game to game."""
    match = LiarsDice(setup.settings, len(setup.players), LiarsDice.first_seat(setup))
    return match, match.roll(rng)
