"""Hearts: follow suit, and take no hearts, and above all not the queen of spades.

Rules only: no clock, no sockets, no JSON. A match is a whole game of several deals. It ends when
somebody has 100 points; whoever has the fewest then has won.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, TypeAlias

from parlour.cards import CLUBS, DIAMONDS, HEARTS, QUEEN, SPADES, Face, deck, face, rank_of, suit_of
from parlour.choices import Choice, Choices, Some
from parlour.kit import Illegal, Millis, Outcome, Seat, Setup
from parlour.rng import Rng
from parlour.turns import Dealt, Turn, TurnMatch
from parlour_hearts.settings import Settings

QUEEN_OF_SPADES: Final = face(SPADES, QUEEN)
PASSED: Final = 3
"""Cards that each player passes on."""
ALL_POINTS: Final = 26
NOBODY: Final = -1
"""Whose turn it is while cards are passed."""

Direction: TypeAlias = Literal["left", "right", "across", "none"]
STEPS: Final[dict[Direction, int]] = {"left": 1, "right": -1, "across": 2, "none": 0}
"""How many seats further cards are passed."""


def strength(card: Face) -> int:
    """0 for a two, 12 for an ace."""
    return (rank_of(card) - 2) % 13


def points_of(card: Face) -> int:
    return 13 if card == QUEEN_OF_SPADES else int(suit_of(card) == HEARTS)


# Actions


@dataclass(slots=True)
class Pass:
    """Choose the three cards that you pass on."""

    cards: list[Face]


@dataclass(slots=True)
class Play:
    """Play a card to the trick."""

    card: Face


Action: TypeAlias = Pass | Play
ACTIONS: Final = (Pass, Play)


# Events


@dataclass(slots=True)
class Passing:
    """Everybody chooses three cards to pass on in this direction."""

    direction: Direction


@dataclass(slots=True)
class Chosen:
    """A player has chosen what to pass on. Only they see the cards."""

    seat: Seat
    cards: list[Face | None]


@dataclass(slots=True)
class Passed:
    """Cards went from one hand to another. Only these two see them."""

    seat: Seat
    to: Seat
    cards: list[Face | None]


@dataclass(slots=True)
class Played:
    """A card was played to the trick."""

    seat: Seat
    card: Face


@dataclass(slots=True)
class Taken:
    """The trick is complete. This seat takes it, and leads to the next one."""

    seat: Seat
    points: int


@dataclass(slots=True)
class Scored:
    """The deal is over."""

    points: list[int]
    """The points that each seat gets for it."""
    totals: list[int]
    moon: Seat | None
    """The seat that took all the points. It gets none then, and everybody else gets 26."""


Event: TypeAlias = Dealt | Passing | Chosen | Passed | Turn | Played | Taken | Scored
EVENTS: Final = (Dealt, Passing, Chosen, Passed, Turn, Played, Taken, Scored)


def view(event: Event, seat: Seat | None) -> Event:
    """What `seat` may know of `event`; a spectator is None."""
    match event:
        case Dealt():
            return event.seen_by(seat)
        case Chosen(owner, cards) if seat != owner:
            return Chosen(owner, [None] * len(cards))
        case Passed(owner, to, cards) if seat not in (owner, to):
            return Passed(owner, to, [None] * len(cards))
        case _:
            return event


class Hearts(TurnMatch[Action, Event]):
    """A game of Hearts, changed in place."""

    def __init__(self, settings: Settings, players: int) -> None:
        super().__init__(players)
        self.settings = settings
        self.totals = [0] * players
        self.deals = 0
        self.hands: list[list[Face]] = []
        self.direction: Direction = "none"
        self.chosen: dict[Seat, list[Face]] = {}
        """By seat, the cards to pass on. They stay in the hands until everybody has chosen."""
        self.trick: list[Face] = []
        """In the order of playing; `turn` plays the next."""
        self.taken: list[list[Face]] = []
        self.broken = False
        """Whether hearts may be led."""

    @property
    def passing(self) -> bool:
        return self.direction != "none" and len(self.chosen) < self.seats

    # Actions

    def legal(self, seat: Seat) -> list[Action]:
        if not self.passing:
            return [*super().legal(seat)]
        if seat in self.chosen or self.result is not None:
            return []
        return [Pass([*cards]) for cards in combinations(self.hands[seat], PASSED)]

    def choices(self, seat: Seat) -> Choices:
        if self.passing and self.legal(seat):
            cards = Some(self.hands[seat], PASSED, PASSED)
            return [Choice("pass", {"cards": cards}, label=f"Pass {self.direction}")]
        return super().choices(seat)

    def moves(self) -> list[Action]:
        hand = self.hands[self.turn]
        first = not any(self.taken)
        if not self.trick:
            fitting = hand if self.broken else [card for card in hand if suit_of(card) != HEARTS]
            if first:
                fitting = [lowest_club(self.seats)]
        else:
            fitting = [card for card in hand if suit_of(card) == suit_of(self.trick[0])]
            if first and not fitting:
                fitting = [card for card in hand if not points_of(card)]
        return [Play(card) for card in fitting or hand]

    # Events

    def apply(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        # Everything is checked before anything changes: an Illegal leaves no trace.
        match action:
            case Pass(cards):
                if not self.passing or seat in self.chosen or self.result is not None:
                    raise Illegal("not-passing", "There is nothing for you to pass on now.")
                if len(set(cards)) != PASSED or len(cards) != PASSED:
                    raise Illegal("three-cards", "Choose three different cards.")
                if not set(cards) <= set(self.hands[seat]):
                    raise Illegal("no-such-card", "You can pass only cards that you hold.")
                return [*self._choose(seat, cards), *self.go_on(rng, now)]
            case Play():
                if self.passing:
                    raise Illegal("pass-first", "First everybody passes three cards.")
                return super().apply(seat, action, rng, now)

    def why_not(self, action: Action) -> Illegal:
        hand = self.hands[self.turn]
        if isinstance(action, Play) and action.card not in hand:
            return Illegal("no-such-card", "You hold no such card.")
        if not self.trick and not any(self.taken):
            return Illegal("lowest-club", "The lowest club is led to the first trick.")
        if not self.trick:
            return Illegal("not-broken", "Hearts can't be led before one has been played.")
        if any(suit_of(each) == suit_of(self.trick[0]) for each in hand):
            return Illegal("follow-suit", "You must follow suit.")
        return Illegal("no-points-yet", "No points may be played to the first trick.")

    def _choose(self, seat: Seat, cards: list[Face]) -> list[Event]:
        self.chosen[seat] = cards
        events: list[Event] = [Chosen(seat, [*cards])]
        if self.passing:
            return events
        for giver in range(self.seats):
            to = (giver + STEPS[self.direction]) % self.seats
            given = self.chosen[giver]
            self.hands[giver] = [card for card in self.hands[giver] if card not in given]
            self.hands[to] = [*self.hands[to], *given]
            events.append(Passed(giver, to, [*given]))
        return [*events, self._lead()]

    def _lead(self) -> Turn:
        """The lowest club leads to the first trick."""
        lowest = lowest_club(self.seats)
        self.turn = next(seat for seat, hand in enumerate(self.hands) if lowest in hand)
        return Turn(self.turn)

    def do(self, action: Action, rng: Rng, now: Millis) -> list[Event]:
        assert isinstance(action, Play), "`apply` handles the others"
        seat, card = self.turn, action.card
        self.hands[seat].remove(card)
        self.trick.append(card)
        self.broken |= suit_of(card) == HEARTS
        events: list[Event] = [Played(seat, card)]
        self.turn = self.next_seat()
        if len(self.trick) == self.seats:
            self.turn = (self.turn + winning(self.trick)) % self.seats
            self.taken[self.turn] += self.trick
            events.append(Taken(self.turn, sum(map(points_of, self.trick))))
            self.trick = []
        if any(self.hands):
            return [*events, Turn(self.turn)]
        return [*events, *self._score(rng)]

    def _score(self, rng: Rng) -> list[Event]:
        points = [sum(map(points_of, cards)) for cards in self.taken]
        moon = points.index(ALL_POINTS) if ALL_POINTS in points else None
        if moon is not None:
            points = [0 if seat == moon else ALL_POINTS for seat in range(self.seats)]
        self.totals = [total + new for total, new in zip(self.totals, points, strict=True)]
        scored = Scored(points, [*self.totals], moon)
        if max(self.totals) >= self.settings.points:
            self.result = Outcome.fewest(self.totals, "played")
            return [scored]
        return [scored, *self.deal(rng)]

    def deal(self, rng: Rng) -> list[Event]:
        """The next deal. Cards are passed left, then right, then across if there are four players,
        and then once not at all."""
        cards = playing_deck(self.seats)
        rng.shuffle(cards)
        self.hands = [cards[seat :: self.seats] for seat in range(self.seats)]
        self.taken = [[] for _ in self.hands]
        self.chosen = {}
        self.broken = False
        ways: tuple[Direction, ...] = ("left", "right", "across", "none")
        if self.seats != 4:
            ways = ("left", "right", "none")
        self.direction = ways[self.deals % len(ways)] if self.settings.passing else "none"
        self.deals += 1
        dealt = [Dealt(seat, [*hand]) for seat, hand in enumerate(self.hands)]
        if not self.passing:
            return [*dealt, self._lead()]
        self.turn = NOBODY
        return [*dealt, Passing(self.direction)]

    # People who come and go

    def go_on(self, rng: Rng, now: Millis) -> list[Event]:
        """For those who are away, the highest cards are passed and the lowest played."""
        events = super().go_on(rng, now)
        if self.passing and self.result is None and len(self.absent) < self.seats:
            away = sorted(self.absent - self.chosen.keys())
            for seat in away:
                events += self._choose(seat, sorted(self.hands[seat], key=strength)[-PASSED:])
            return [*events, *self.go_on(rng, now)] if away else events
        return events

    def stand_in(self, rng: Rng, now: Millis) -> list[Event]:
        plays = [move for move in self.moves() if isinstance(move, Play)]
        return self.do(min(plays, key=lambda play: strength(play.card)), rng, now)


def winning(trick: list[Face]) -> int:
    """The position of the card that takes a trick."""
    suit = suit_of(trick[0])
    return max(
        range(len(trick)), key=lambda at: strength(trick[at]) if suit_of(trick[at]) == suit else -1
    )


def playing_deck(players: int) -> list[Face]:
    """All cards, without as many low ones as are left over."""
    without = {3: [face(DIAMONDS, 2)], 5: [face(DIAMONDS, 2), face(CLUBS, 2)]}.get(players, [])
    return [card for card in deck() if card not in without]


def lowest_club(players: int) -> Face:
    return face(CLUBS, 3 if players == 5 else 2)


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Hearts, list[Event]]:
    """A new game, with its first deal."""
    match = Hearts(setup.settings, len(setup.players))
    return match, match.deal(rng)
