"""Small games made up for the battery, each with one thing that is hard to test for leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from parlour.battery import Trial
from parlour.kit import Bot, Bots, Illegal, Match, Outcome, Plan, Seat, Setup, Story
from parlour.protocol import Game, plain_wire
from parlour.rng import Rng
from parlour.table import Lobby


class Settings(msgspec.Struct, frozen=True):
    pass


@dataclass(slots=True)
class Over:
    winners: list[Seat]


class Small(Match[Any, Any]):
    """Players take turns; those who are away are passed over."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.turn = 0
        self.absent = [False] * players
        self.over: Over | None = None

    def moves(self, seat: Seat) -> list[Any]:
        raise NotImplementedError

    def legal(self, seat: Seat) -> list[Any]:
        return self.moves(seat) if self.over is None and seat == self.turn else []

    def apply(self, seat: Seat, action: Any, rng: Rng, now: int) -> list[Any]:
        if action not in self.legal(seat):
            raise Illegal("no", "You can't do that now.")
        return self.done(seat, action, rng)

    def done(self, seat: Seat, action: Any, rng: Rng) -> list[Any]:
        raise NotImplementedError

    def ends(self, winners: list[Seat]) -> list[Any]:
        self.over = Over(winners)
        return [self.over]

    def gone(self, seat: Seat, rng: Rng, now: int) -> list[Any]:
        self.absent[seat] = True
        return self.pass_over(rng)

    def back(self, seat: Seat, rng: Rng, now: int) -> list[Any]:
        self.absent[seat] = False
        return []

    def pass_over(self, rng: Rng) -> list[Any]:
        """Make the moves of those who are away: the first that they could make."""
        events: list[Any] = []
        while self.over is None and self.absent[self.turn] and not all(self.absent):
            events += self.done(self.turn, self.moves(self.turn)[0], rng)
        return events

    def abandon(self, rng: Rng, now: int) -> list[Any]:
        return self.ends([])

    def outcome(self) -> Outcome | None:
        return None if self.over is None else Outcome(tuple(self.over.winners), "played")


class SmallBot(Bot[Any, Any, Any]):
    def plan(self, legal: Sequence[Any], now: int) -> Plan[Any]:
        return Plan(now, legal[self.rng.below(len(legal))])


def small(name: str, actions: Any, events: Any, **rest: Any) -> Game:
    """The record of a small game."""
    return Game(
        id=name,
        name=name.title(),
        blurb="Made up.",
        min_seats=2,
        max_seats=4,
        settings=Settings,
        actions=actions,
        picture=Story,
        lobby=Lobby(),
        wires=(plain_wire(name, actions, (*events, Over)),),
        bots=Bots(SmallBot, ("Ada", "Bo")),
        **rest,
    )


# Several deals in a match


@dataclass(slots=True)
class Play:
    card: int


@dataclass(slots=True)
class Hand:
    """A new deal begins, and this is somebody's hand."""

    seat: Seat
    cards: list[int | str | None]


@dataclass(slots=True)
class Played:
    seat: Seat
    card: int


@dataclass(slots=True)
class Taken:
    """The highest card takes the trick, which is a bad thing."""

    seat: Seat


class Low(Small):
    """Two tricks, then it is dealt anew, until somebody has taken six. The fewest win.

    Everybody keeps a card that nobody else sees."""

    def __init__(self, players: int) -> None:
        super().__init__(players)
        self.hands: list[list[int]] = []
        self.rest: list[int] = []
        self.trick: dict[Seat, int] = {}
        self.taken: list[int] = []
        self.points = [0] * players

    def deal(self, rng: Rng) -> list[Any]:
        cards = list(range(20))
        rng.shuffle(cards)
        self.hands = [[cards.pop() for _ in range(3)] for _ in range(self.players)]
        self.rest, self.taken = cards, []
        return [Hand(seat, list(hand)) for seat, hand in enumerate(self.hands)]

    def moves(self, seat: Seat) -> list[Any]:
        return [Play(card) for card in self.hands[seat]]

    def done(self, seat: Seat, action: Any, rng: Rng) -> list[Any]:
        self.hands[seat].remove(action.card)
        self.trick[seat] = action.card
        self.turn = (seat + 1) % self.players
        events: list[Any] = [Played(seat, action.card)]
        if len(self.trick) == self.players:
            self.turn = max(self.trick, key=self.trick.__getitem__)
            self.points[self.turn] += 1
            self.taken += self.trick.values()
            self.trick = {}
            events.append(Taken(self.turn))
            if max(self.points) == 6:
                fewest = min(self.points)
                winners = [s for s, points in enumerate(self.points) if points == fewest]
                return [*events, *self.ends(winners)]
            if len(self.hands[0]) == 1:
                events += self.deal(rng)
        return events + self.pass_over(rng)


def _deal_low(setup: Setup[Any], rng: Rng, now: int) -> tuple[Low, list[Any]]:
    match = Low(len(setup.players))
    return match, match.deal(rng)


def _view_hands(event: Any, seat: Seat | None) -> Any:
    if isinstance(event, Hand) and event.seat != seat:
        return Hand(event.seat, [None] * len(event.cards))
    return event


def _low_cards(match: Low) -> list[int]:
    hands = [card for hand in match.hands for card in hand]
    return [*hands, *match.rest, *match.trick.values(), *match.taken]


def _low_knows(match: Low, seat: Seat | None) -> list[int]:
    own = [] if seat is None else match.hands[seat]
    return [*own, *match.trick.values(), *match.taken]


LOW = Trial(
    game=small("low", (Play,), (Hand, Played, Taken), deal=_deal_low, view=_view_hands),
    cards=_low_cards,
    knows=_low_knows,
    # The last card of a deal is seen, and all are shuffled again in the same input.
    reveals=lambda event: [event.card] if isinstance(event, Played) else [],
    bot_games=10,
)


# What follows from hidden cards and is told to everybody


@dataclass(slots=True)
class Compare:
    """Compare hands with somebody. The lower one is out."""

    with_: Seat


@dataclass(slots=True)
class Compared:
    seats: list[Seat]
    loser: Seat


class Duel(Small):
    """Everybody holds one card. Cards are compared in secret, and everybody hears who lost."""

    def __init__(self, players: int, cards: list[str]) -> None:
        super().__init__(players)
        self.hands = [[cards.pop()] for _ in range(players)]
        self.rest = cards
        self.left = list(range(players))

    def moves(self, seat: Seat) -> list[Any]:
        return [Compare(other) for other in self.left if other != seat]

    def done(self, seat: Seat, action: Any, rng: Rng) -> list[Any]:
        loser = min(seat, action.with_, key=lambda each: (self.hands[each], each))
        self.left.remove(loser)
        events = [Compared([seat, action.with_], loser)]
        if len(self.left) == 1:
            return [*events, *self.ends(self.left)]
        later = [each for each in self.left if each > seat]
        self.turn = (later or self.left)[0]
        return events + self.pass_over(rng)


def _deal_duel(setup: Setup[Any], rng: Rng, now: int) -> tuple[Duel, list[Any]]:
    """Some cards look alike."""
    cards = list("aabbbcddeefgghhh")
    rng.shuffle(cards)
    match = Duel(len(setup.players), cards)
    return match, [Hand(seat, list(hand)) for seat, hand in enumerate(match.hands)]


DUEL = Trial(
    game=small("duel", (Compare,), (Hand, Compared), deal=_deal_duel, view=_view_hands),
    cards=lambda match: [*match.rest, *(card for hand in match.hands for card in hand)],
    knows=lambda match, seat: [] if seat is None else match.hands[seat],
    follows=lambda event: event.loser if isinstance(event, Compared) else None,
    bot_games=10,
)


# A move by default


class Lowest(Low):
    """For those who are away, the lowest card is played: others see it, and not the rest."""

    def done(self, seat: Seat, action: Any, rng: Rng) -> list[Any]:
        if self.absent[seat]:
            action = Play(min(self.hands[seat]))
        return super().done(seat, action, rng)


def _deal_lowest(setup: Setup[Any], rng: Rng, now: int) -> tuple[Low, list[Any]]:
    match = Lowest(len(setup.players))
    return match, match.deal(rng)


LOWEST = replace(LOW, game=replace(LOW.game, id="lowest", deal=_deal_lowest))


# Dice


@dataclass(slots=True)
class Bid:
    pips: int


@dataclass(slots=True)
class Call:
    """The last bid is too high."""


@dataclass(slots=True)
class Rolled:
    """Everybody has new dice; a bid must be higher than the one before."""

    seat: Seat
    dice: list[int | None]


@dataclass(slots=True)
class Shown:
    """All dice, once a bid was called."""

    dice: list[list[int]]
    loser: Seat


class Dice(Small):
    """Two dice each, under a cup. Bid on the sum of all; the first to lose three times loses."""

    def __init__(self, players: int) -> None:
        super().__init__(players)
        self.dice: list[list[int]] = []
        self.bid = 0
        self.lost = [0] * players

    def roll(self, rng: Rng) -> list[Any]:
        self.bid = 0
        self.dice = [[rng.below(6) + 1, 1 + rng.below(6)] for _ in range(self.players)]
        return [Rolled(seat, list(dice)) for seat, dice in enumerate(self.dice)]

    def moves(self, seat: Seat) -> list[Any]:
        highest = min(self.bid + 4, 12 * self.players)
        bids = [Bid(pips) for pips in range(self.bid + 1, highest + 1)]
        return [*bids, Call()] if self.bid else bids

    def done(self, seat: Seat, action: Any, rng: Rng) -> list[Any]:
        self.turn = (seat + 1) % self.players
        if isinstance(action, Bid):
            self.bid = action.pips
            return [Made(seat, self.bid), *self.pass_over(rng)]
        right = sum(map(sum, self.dice)) < self.bid
        loser = (seat - 1) % self.players if right else seat
        self.lost[loser] += 1
        shown = Shown([list(each) for each in self.dice], loser)
        if self.lost[loser] == 3:
            winners = [each for each in range(self.players) if each != loser]
            return [shown, *self.ends(winners)]
        return [shown, *self.roll(rng), *self.pass_over(rng)]


@dataclass(slots=True)
class Made:
    """Somebody made a bid."""

    seat: Seat
    pips: int


def _deal_dice(setup: Setup[Any], rng: Rng, now: int) -> tuple[Dice, list[Any]]:
    match = Dice(len(setup.players))
    return match, match.roll(rng)


def view_dice(event: Any, seat: Seat | None) -> Any:
    if isinstance(event, Rolled) and event.seat != seat:
        return Rolled(event.seat, [None] * len(event.dice))
    return event


def _all_dice(match: Dice) -> list[tuple[Seat, int, int]]:
    """With their places: two dice may show the same."""
    return [(s, n, die) for s, dice in enumerate(match.dice) for n, die in enumerate(dice)]


DICE = Trial(
    game=small("dice", (Bid, Call), (Rolled, Made, Shown), deal=_deal_dice, view=view_dice),
    cards=_all_dice,
    knows=lambda match, seat: [] if seat is None else match.dice[seat],
    reveals=lambda event: event.dice if isinstance(event, Shown) else [],
    bot_games=10,
)
