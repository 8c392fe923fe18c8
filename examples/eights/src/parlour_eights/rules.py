"""Crazy Eights: lay a card of the last one's rank or suit, or an eight, which names a suit.

Rules only: no clock, no sockets, no JSON. A match is one hand. It ends when somebody is out, or
when nobody can move; whoever has the fewest points left then has won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from parlour.cards import Face, Suit, deck, rank_of, suit_of
from parlour.kit import Illegal, Millis, Outcome, Seat, Setup, Turn, TurnMatch
from parlour.rng import Rng
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
class Dealt:
    """A hand was dealt. Only its owner sees the cards."""

    seat: Seat
    hand: list[Face | None]


@dataclass(slots=True)
class TurnedUp:
    """The first card of the pile. If it is an eight, it goes back and another is turned up."""

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
class Reshuffled:
    """All of the pile but its top card is the stock now."""


@dataclass(slots=True)
class Ended:
    """The hand is over: `out` or `blocked`."""

    how: str
    hands: list[list[Face]]
    points: list[int]
    """What is left in each hand, by seat: an eight is 50, a court card 10, an ace 1."""


Event: TypeAlias = Dealt | TurnedUp | Turn | Played | Drew | Reshuffled | Ended
EVENTS: Final = (Dealt, TurnedUp, Turn, Played, Drew, Reshuffled, Ended)


def view(event: Event, seat: Seat | None) -> Event:
    """What `seat` may know of `event`; a spectator is None."""
    if isinstance(event, Dealt) and event.seat != seat:
        return Dealt(event.seat, [None] * len(event.hand))
    if isinstance(event, Drew) and event.seat != seat:
        return Drew(event.seat, None)
    return event


class Eights(TurnMatch[Action, Event]):
    """One hand of Crazy Eights, changed in place."""

    def __init__(self, settings: Settings, players: int, first: Seat) -> None:
        super().__init__(players, first)
        self.settings = settings
        self.first = first
        self.stock: list[Face] = []
        self.pile: list[Face] = []
        self.hands: list[list[Face]] = [[] for _ in range(players)]
        self.suit: Suit = 0
        """The suit to be followed."""
        self.draws = 0
        """Cards drawn in this turn."""
        self.stuck: set[Seat] = set()
        """Who has passed since the last card was laid or drawn."""

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
        return [*plays, Draw() if may_draw and (self.stock or self.pile[1:]) else Pass()]

    def apply(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        # Everything is checked before anything changes: an Illegal leaves no trace.
        self.check_turn(seat)
        if action not in self.moves():
            raise self._why_not(seat, action)
        match action:
            case Play(index, suit):
                return self._play(seat, index, suit)
            case Draw():
                return self._draw(seat, rng)
            case Pass():
                self.stuck.add(seat)
                return self._end_turn()

    def _why_not(self, seat: Seat, action: Action) -> Illegal:
        """Why an action is not legal."""
        if isinstance(action, Play):
            hand = self.hands[seat]
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

    def _play(self, seat: Seat, index: int, suit: Suit | None) -> list[Event]:
        card = self.hands[seat].pop(index)
        self.pile.append(card)
        self.suit = suit_of(card) if suit is None else suit
        self.stuck.clear()
        rest = self._end_turn() if self.hands[seat] else [self._end("out")]
        return [Played(seat, index, card, self.suit), *rest]

    def _draw(self, seat: Seat, rng: Rng) -> list[Event]:
        events: list[Event] = []
        if not self.stock:
            self.stock, self.pile = self.pile[:-1], self.pile[-1:]
            rng.shuffle(self.stock)
            events.append(Reshuffled())
        card = self.stock.pop()
        self.hands[seat].append(card)
        self.draws += 1
        self.stuck.clear()
        return [*events, Drew(seat, card)]

    def _end_turn(self) -> list[Event]:
        if len(self.stuck | self.absent) == self.seats > len(self.absent):
            return [self._end("blocked")]
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
    """What a card left in the hand counts."""
    return 50 if rank_of(card) == EIGHT else min(rank_of(card), 10)


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Eights, list[Event]]:
    """A new hand; the first turn goes round from hand to hand."""
    settings, previous = setup.settings, setup.previous
    players = len(setup.players)
    first = (previous.first + 1) % players if isinstance(previous, Eights) else 0
    match = Eights(settings, players, first)
    stock = match.stock = deck()
    rng.shuffle(stock)
    events: list[Event] = []
    for seat in range(players):
        match.hands[seat] = [stock.pop() for _ in range(settings.hand_size)]
        events.append(Dealt(seat, [*match.hands[seat]]))
    events.append(TurnedUp(stock[-1]))
    while rank_of(stock[-1]) == EIGHT:
        stock.insert(rng.below(len(stock) // 2), stock.pop())
        events.append(TurnedUp(stock[-1]))
    match.pile.append(stock.pop())
    match.suit = suit_of(match.pile[0])
    return match, [*events, Turn(first)]
