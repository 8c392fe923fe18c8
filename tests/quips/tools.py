"""What the tests of Quips share: a pack made for them, and a table in virtual time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, MutableSequence, Sequence
from typing import Any, TypeVar

import msgspec

from parlour.battery.state import fingerprint
from parlour.games.quips.actions import Action, Judge, Play
from parlour.games.quips.events import (
    JUDGING,
    PLAYING,
    ROUND_END,
    Event,
    HandChanged,
    Over,
    PlayersChanged,
    PlayShown,
    StateChanged,
    view,
)
from parlour.games.quips.picture import Picture
from parlour.games.quips.rules import Quips, deal
from parlour.games.quips.settings import Settings
from parlour.kit import Illegal, Millis, PutOut, Seat, Setup
from parlour.rng import FastRng, Rng

T = TypeVar("T")

START: Millis = 1_700_000_000_000


def white(number: int, **fields: Any) -> dict[str, Any]:
    return {"id": f"w_{number}", "content": {"en": f"answer {number}"}, **fields}


def black(number: int, pick: int = 1, draw: int = 0) -> dict[str, Any]:
    text = " and ".join(["______"] * pick)
    return {"id": f"b_{number}", "content": {"en": f"{number}: {text}"}, "pick": pick, "draw": draw}


def tiered(number: int, costs: Sequence[int]) -> list[dict[str, Any]]:
    """A white card with its upgrades: `w_7`, `w_7_1`, `w_7_2`..."""
    ids = [f"w_{number}"] + [f"w_{number}_{tier}" for tier in range(1, len(costs) + 1)]
    return [
        {
            "id": ids[tier],
            "content": {"en": f"answer {number}, tier {tier}"},
            "tier": tier,
            "tier_cost": costs[tier - 1] if tier else 0,
            "next_tier_id": ids[tier + 1] if tier < len(costs) else "",
        }
        for tier in range(len(ids))
    ]


def pack(
    cards: Iterable[dict[str, Any]], trophies: Sequence[Any] = (), id: str = "test"
) -> dict[str, bytes]:
    """The content of a table with this one pack."""
    body = {
        "id": id,
        "name": "A pack for tests",
        "author": "The Parlour authors",
        "license": "MIT",
        "cards": list(cards),
        "trophies": list(trophies),
    }
    return {id: msgspec.json.encode(body)}


def plain_cards(whites: int = 200, blacks: Sequence[tuple[int, int]] = ((1, 0),) * 8) -> list[Any]:
    """So many white cards without tiers, and black ones with these picks and draws."""
    return [white(n) for n in range(whites)] + [black(n, *pd) for n, pd in enumerate(blacks)]


def mixed_cards() -> list[Any]:
    """So few cards that piles run out, a third of the white ones with tiers, all kinds of black."""
    cards: list[Any] = []
    for number in range(80):
        cards += tiered(number, (1, 2)) if number % 3 == 0 else [white(number)]
    kinds = [(1, 0), (2, 0), (3, 2), (1, 1), (1, 0), (2, 1)]
    return cards + [black(number, *kind) for number, kind in enumerate(kinds)]


class StackedRng(Rng):
    """Chance whose shuffles put these cards on top, first to be drawn first."""

    def __init__(self, *tops: str, seed: int = 0) -> None:
        self.tops = list(tops)
        self._rng = FastRng(seed)

    def bits(self, count: int) -> int:
        return self._rng.bits(count)

    def shuffle(self, cards: MutableSequence[T]) -> None:
        self._rng.shuffle(cards)
        top: list[Any] = [card for card in self.tops if card in cards]
        rest = [card for card in cards if card not in top]
        cards[:] = rest + top[::-1]


def whites_of(match: Quips) -> Counter[str]:
    """Every white card, wherever it lies, as the card it is dealt as."""
    cards = Counter([*match.supply.whites.cards, *match.supply.whites.discards])
    for player in match.board.players:
        cards.update(held.base for held in [*player.hand, *player.play] if held.base)
    return cards


def blacks_of(match: Quips) -> Counter[str]:
    pile = match.supply.blacks
    return Counter([*pile.cards, *pile.discards, match.board.black])


class Table:
    """A match, its clock, and everybody's picture of it. Every step is checked (`check`)."""

    def __init__(
        self,
        seats: int = 4,
        rng: Rng | None = None,
        content: dict[str, bytes] | None = None,
        computers: Iterable[Seat] = (),
        previous: Quips | None = None,
        players: Sequence[str] | None = None,
        edition: int = 0,
        asleep: Iterable[Seat] = (),
        **settings: Any,
    ) -> None:
        self.rng = rng or FastRng(1)
        self.now = START
        self.settings = Settings(**settings)
        names = list(players or [f"p{seat}" for seat in range(seats)])
        self.told: dict[Seat | None, list[Event]] = {}
        self.pictures: dict[Seat | None, Picture] = {}
        self.story: list[Event] = []
        for viewer in (None, *range(len(names))):
            self._attend(viewer)
        content = content if content is not None else pack(plain_cards())
        setup = Setup(
            self.settings,
            names,
            frozenset(computers),
            previous,
            content,
            edition,
            frozenset(asleep),
        )
        self.match, events = deal(setup, self.rng, self.now)
        self._tell(events)

    def _attend(self, viewer: Seat | None) -> None:
        self.told[viewer] = []
        self.pictures[viewer] = Picture(viewer)
        for event in self.story:
            self._show(viewer, event)

    def _show(self, viewer: Seat | None, event: Event) -> None:
        shown = view(event, viewer)
        if shown is not None:
            self.told[viewer].append(shown)
            self.pictures[viewer].see(shown)

    def _tell(self, events: list[Event]) -> list[Event]:
        for event in events:
            self.story.append(event)
            for viewer in self.told:
                self._show(viewer, event)
        self.check()
        return events

    # Doing things

    def do(self, seat: Seat, action: Action) -> list[Event]:
        return self._tell(self.match.apply(seat, action, self.rng, self.now))

    def wait(self, seconds: float) -> list[Event]:
        """Let time pass, as the table does: tick at every deadline on the way."""
        until = self.now + int(seconds * 1000)
        events: list[Event] = []
        while (due := self.match.due()) is not None and due <= until:
            self.now = max(self.now, due)
            events += self._tell(self.match.tick(self.rng, self.now))
        self.now = until
        return events

    def join(self, computer: bool = False) -> list[Event]:
        seat = len(self.board.players)
        self._attend(seat)
        return self._tell(self.match.join(f"p{seat}", computer, self.rng, self.now))

    def leave(self, seat: Seat) -> list[Event]:
        return self._tell(self.match.leave(seat, self.rng, self.now))

    def gone(self, seat: Seat) -> list[Event]:
        return self._tell(self.match.gone(seat, self.rng, self.now))

    def back(self, seat: Seat) -> list[Event]:
        return self._tell(self.match.back(seat, self.rng, self.now))

    def stir(self, seat: Seat) -> list[Event]:
        return self._tell(self.match.stirred(seat, self.rng, self.now))

    # Doing the usual

    def play(self, seat: Seat) -> list[Event]:
        """The first cards of the hand."""
        slots = [slot for slot, _ in self.pictures[seat].hand]
        return self.do(seat, Play([*slots[: self.board.pick]]))

    def play_all(self) -> list[Event]:
        events: list[Event] = []
        for seat in self.board.pending():
            if not self.board.players[seat].idle:
                events += self.play(seat)
        return events

    def judge(self, winner: Seat) -> list[Event]:
        return self.do(self.board.judge, Judge(self.board.order.index(winner)))

    def round(self, winner: Seat | None = None) -> list[Event]:
        """A round from its beginning to the beginning of the next, won by somebody."""
        events = self.play_all()
        events += self.judge(self.board.order[0] if winner is None else winner)
        return events + self.wait(self.settings.round_end_timeout / 1000)

    # Reading it

    @property
    def board(self) -> Any:
        return self.match.board

    @property
    def state(self) -> StateChanged:
        state = self.pictures[None].state
        assert state is not None
        return state

    def hand(self, seat: Seat) -> list[str]:
        return [card for _, card in self.pictures[seat].hand]

    def idle(self) -> list[Seat]:
        return [entry.seat for entry in self.pictures[None].players if entry.idle]

    # What is always true

    def check(self) -> None:
        match = self.match
        board = match.board
        assert whites_of(match) == Counter(match.shelf.dealt())
        assert blacks_of(match) == Counter(list(match.shelf.blacks))
        if match.over is not None:
            return
        state = self.state
        here = board.here()
        assert [entry.seat for entry in self.pictures[None].players] == here
        assert state.judge not in state.pending
        assert set(state.pending) <= set(here)
        if state.stage in (PLAYING, JUDGING):
            assert state.judge in here
            self._check_judge()
        assert (state.plays == []) == (state.stage == PLAYING) or state.stage == "game_end"
        assert (state.winning_player >= 0) == (state.stage == ROUND_END) or (
            state.stage == "game_end"
        )
        for seat in here:
            self._check_seat(seat)

    def _check_judge(self) -> None:
        """An idle person or a bot judges only where nobody else could."""
        board = self.board
        judge = board.players[board.judge]
        able = [
            p
            for p in board.players
            if p.here and not p.idle and p.gone_since is None and not p.computer
        ]
        if able:
            assert not judge.idle
        elif not any(p.here and not p.computer for p in board.players):
            assert judge.computer

    def _check_seat(self, seat: Seat) -> None:
        """What a seat was told is what it has, and nobody else was told."""
        player = self.board.players[seat]
        picture = self.pictures[seat]
        assert picture.hand == [(held.slot, held.card) for held in player.hand]
        assert (picture.blanks, picture.discards) == (player.blanks, player.discards)
        assert picture.played == [held.card for held in player.play]
        assert picture.points == player.points
        entry = picture.entry(seat)
        assert entry is not None
        assert (entry.score, entry.points) == (player.score, player.points)
        assert (entry.idle, entry.voted_skip) == (player.idle, player.voted)
        own = len(player.hand) + sum(1 for held in player.play if held.base)
        assert own <= self.match.supply.share
        assert player.blanks >= 0
        if seat in self.board.pending():
            assert len(player.hand) >= self.board.pick


def kinds(events: Iterable[Event], seat: Seat | None) -> list[str]:
    """The names of what a viewer is told of these."""
    return [type(e).__name__ for e in events if view(e, seat) is not None]


def states(events: Iterable[Event]) -> list[StateChanged]:
    return [event for event in events if isinstance(event, StateChanged)]


def all_of(match: Quips) -> Any:
    """Everything a match is made of but its cards' texts, to compare."""
    whites, blacks = match.supply.whites, match.supply.blacks
    return fingerprint((match.board, match.changes, match.over, whites, blacks))


def refused(table: Table, seat: Seat, action: Action) -> str:
    """The code with which an action is refused; it has changed nothing."""
    before = all_of(table.match)
    try:
        table.do(seat, action)
    except Illegal as no:
        assert all_of(table.match) == before
        return no.code
    raise AssertionError(f"{action} was not refused")


__all__ = [
    "START",
    "HandChanged",
    "Over",
    "PlayShown",
    "PlayersChanged",
    "PutOut",
    "StackedRng",
    "Table",
    "all_of",
    "black",
    "kinds",
    "mixed_cards",
    "pack",
    "plain_cards",
    "refused",
    "states",
    "tiered",
    "white",
]


def brought(cards: list[Any], id: str = "mine") -> Any:
    """A pack as somebody brings it to a table."""
    return msgspec.json.decode(pack(cards, id=id)[id])
