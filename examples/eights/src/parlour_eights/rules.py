"""Crazy Eights: lay a card of the last one's rank or suit, or an eight, which names a suit.

Rules only: no clock, no sockets, no JSON. A match is one hand. It ends when somebody is out, or
after the turn in which the stock is used up; whoever has the fewest points left then has won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from parlour.cards import Face, Suit, deck, rank_of, suit_of
from parlour.kit import Illegal, Millis, Outcome, Seat, Setup
from parlour.rng import Rng
from parlour.turns import Dealt, Turn, TurnMatch
from parlour_eights.settings import Settings

EIGHT: Final = 8
MOST_DRAWS: Final = {"one": 1, "three": 3, "any": 52}


# Actions


@dataclass(slots=True)
class Play:
    """Lay a card of your hand: the first is 0. With an eight, name a suit."""

    index: int
    suit: Suit | None = None


@dataclass(slots=True)
class Draw:
    """Take the top card of the stock."""


@dataclass(slots=True)
class Pass:
    """End your turn without a card, once you can't draw any more."""


Action: TypeAlias = Play | Draw | Pass
ACTIONS: Final = (Play, Draw, Pass)


# Events


@dataclass(slots=True)
class TurnedUp:
    """The first card of the pile: the top one of the stock that is no eight."""

    card: Face


@dataclass(slots=True)
class Played:
    """A card was laid; those behind it in the hand move up by one."""

    seat: Seat
    index: int
    card: Face
    suit: Suit
    """The suit to be followed: the card's own, or what an eight was said to be."""


@dataclass(slots=True)
class Drew:
    """A card was drawn, to the end of the hand. Only its owner sees it."""

    seat: Seat
    card: Face | None


@dataclass(slots=True)
class Ended:
    """The hand is over: somebody is `out`, or the `stock` is used up."""

    how: str
    hands: list[list[Face]]
    points: list[int]
    """The points left in each hand, by seat: an eight is 50, a court card 10, an ace 1."""


Event: TypeAlias = Dealt | TurnedUp | Turn | Played | Drew | Ended
EVENTS: Final = (Dealt, TurnedUp, Turn, Played, Drew, Ended)


def view(event: Event, seat: Seat | None) -> Event:
    """What `seat` may know of `event`; a spectator is None."""
    if isinstance(event, Dealt):
        return event.seen_by(seat)
    if isinstance(event, Drew) and event.seat != seat:
        return Drew(event.seat, None)
    return event


class Eights(TurnMatch[Action, Event]):
    """One hand of Crazy Eights, changed in place."""

    def __init__(self, settings: Settings, players: int, first: Seat) -> None:
        super().__init__(players, first)
        self.settings = settings
        self.stock: list[Face] = []
        self.pile: list[Face] = []
        self.hands: list[list[Face]] = [[] for _ in range(players)]
        self.suit: Suit = 0
        """The suit to be followed."""
        self.draws = 0
        """Cards drawn in this turn."""

    def moves(self) -> list[Action]:
        plays: list[Action] = []
        for index, card in enumerate(self.hands[self.turn]):
            if rank_of(card) == EIGHT:
                plays += [Play(index, suit) for suit in range(4)]
            elif suit_of(card) == self.suit or rank_of(card) == rank_of(self.pile[-1]):
                plays.append(Play(index))
        if plays and self.settings.must_play:
            return plays
        may_draw = self.draws < MOST_DRAWS[self.settings.draws]
        return [*plays, Draw() if may_draw and self.stock else Pass()]

    def do(self, action: Action, rng: Rng, now: Millis) -> list[Event]:
        seat, hand = self.turn, self.hands[self.turn]
        match action:
            case Play(index, suit):
                card = hand.pop(index)
                self.pile.append(card)
                self.suit = suit_of(card) if suit is None else suit
                rest = self._end_turn() if hand else [self._end("out")]
                return [Played(seat, index, card, self.suit), *rest]
            case Draw():
                self.draws += 1
                hand.append(self.stock.pop())
                return [Drew(seat, hand[-1])]
            case Pass():
                return self._end_turn()

    def why_not(self, action: Action) -> Illegal:
        if isinstance(action, Play):
            hand = self.hands[self.turn]
            if not 0 <= action.index < len(hand):
                return Illegal("no-such-card", "You hold no such card.")
            if rank_of(hand[action.index]) == EIGHT:
                return Illegal("name-a-suit", "With an eight you name one of the four suits.")
            if action.suit is not None:
                return Illegal("not-an-eight", "Only an eight lets you name a suit.")
            return Illegal("does-not-fit", "That card has neither the suit nor the rank.")
        if self.settings.must_play and isinstance(self.moves()[0], Play):
            return Illegal("must-play", "You hold a card that fits, so you must play.")
        if isinstance(action, Draw):
            return Illegal("no-more-draws", "You can't draw any more in this turn.")
        return Illegal("draw-first", "You can still draw, so you can't pass yet.")

    def _end_turn(self) -> list[Event]:
        if not self.stock:
            return [self._end("stock")]
        self.turn = self.next_seat(present=True)
        self.draws = 0
        return [Turn(self.turn)]

    def _end(self, how: str) -> Ended:
        points = [sum(map(points_of, hand)) for hand in self.hands]
        self.result = Outcome.fewest(points, how)
        return Ended(how, [hand[:] for hand in self.hands], points)

    def stand_in(self, rng: Rng, now: Millis) -> list[Event]:
        return self._end_turn()


def points_of(card: Face) -> int:
    """The points of a card left in a hand."""
    return 50 if rank_of(card) == EIGHT else min(rank_of(card), 10)


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Eights, list[Event]]:
    """A new hand; the first turn goes round from hand to hand."""
    match = Eights(setup.settings, len(setup.players), Eights.first_seat(setup))
    stock = match.stock = deck()
    rng.shuffle(stock)
    for hand in match.hands:
        hand += [stock.pop() for _ in range(setup.settings.hand_size)]
    first = next(card for card in reversed(stock) if rank_of(card) != EIGHT)
    stock.remove(first)
    match.pile, match.suit = [first], suit_of(first)
    dealt = [Dealt(seat, [*hand]) for seat, hand in enumerate(match.hands)]
    return match, [*dealt, TurnedUp(first), Turn(match.turn)]
