"""Who is shown what, and what a picture makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import given, settings

from parlour.games.onu import cards as c
from parlour.games.onu.moves import TIMEOUT, Dealt, Drew, Event, Played, Reshuffled, view
from parlour.games.onu.picture import Picture
from parlour.games.onu.rules import Onu
from parlour.games.onu.settings import Settings
from parlour.kit import Seat
from parlour.rng import FastRng
from tests.onu.tools import (
    SEATS,
    SEEDS,
    SETTINGS,
    Input,
    Marked,
    MarkingRng,
    do,
    new_match,
    wander,
)


def picture_of(events: Sequence[Event], viewer: Seat | None, whole: bool = False) -> Picture:
    picture = Picture(viewer)
    for event in events:
        picture.see(event if whole else view(event, viewer))
    return picture


def night(
    options: Settings, seats: int, seed: int, swaps: dict[int, dict[int, int]] | None = None
) -> tuple[Onu, list[Event], list[Input], MarkingRng]:
    """A match under way with marked cards: all its events, and what was done to it."""
    chance = MarkingRng(seed, swaps)
    match, events = new_match(options, seats, chance)
    inputs: list[Input] = []
    for given_, happened in wander(match, FastRng(seed), chance, 20 + seed % 150):
        inputs.append(given_)
        events += happened
    return match, events, inputs, chance


def marks(thing: Any) -> set[tuple[int, int]]:
    """Where every marked card in these events came from."""
    if isinstance(thing, Marked):
        return {thing.origin}
    if isinstance(thing, list):
        return set().union(*map(marks, thing)) if thing else set()
    if hasattr(thing, "__slots__"):
        names = [name for name in type(thing).__slots__ if name != "public"]
        return set().union(*(marks(getattr(thing, name)) for name in names))
    return set()


def test_a_view_hides_faces_and_nothing_else() -> None:
    options = Settings(maxDraws=3)
    _, events = new_match(options, 2, FastRng(5))
    dealt = events[0]
    assert isinstance(dealt, Dealt)
    for viewer in (None, 0, 1):
        hands = [
            hand if seat == viewer else [c.HIDDEN] * 7 for seat, hand in enumerate(dealt.hands)
        ]
        hidden = [c.HIDDEN] * len(dealt.deck)
        assert view(dealt, viewer) == Dealt(dealt.players, hands, dealt.start, hidden, options)
    assert view(Drew(1, [3, 4], TIMEOUT), 0) == Drew(1, [c.HIDDEN, c.HIDDEN], TIMEOUT)


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=30)
def test_a_picture_shows_the_true_table_as_far_as_its_viewer_may_know(
    options: Settings, seats: int, seed: int
) -> None:
    match, events, _, _ = night(options, seats, seed)
    core = match.core
    true_hands = [[core.card(s, at) for at in range(core.held[s])] for s in range(seats)]
    true_stack = list(core.stack[: core.stack_size])
    for viewer in [None, *range(seats)]:
        picture = picture_of(events, viewer)
        for seat in range(seats):
            if seat == viewer:
                assert picture.hands[seat] == true_hands[seat] == picture.hand
            else:
                assert picture.hands[seat] == [c.HIDDEN] * len(true_hands[seat])
        assert picture.deck == [c.HIDDEN] * core.deck_size
        assert picture.stack == true_stack
        assert picture.stack[-1] == core.top()
        assert (picture.colour, picture.direction) == (core.colour, core.direction)
        assert picture.ended == match.ended
        if match.ended is None:
            assert picture.turn == core.turn
            assert picture.awaited == match.open
            if match.open:
                assert picture.deadline == match.due()


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=20)
def test_a_picture_of_whole_events_shows_every_card(
    options: Settings, seats: int, seed: int
) -> None:
    match, events, _, _ = night(options, seats, seed)
    core = match.core
    picture = picture_of(events, None, whole=True)
    assert picture.deck == list(core.deck[: core.deck_size])
    assert picture.hands == [[core.card(s, at) for at in range(core.held[s])] for s in range(seats)]


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=30)
def test_a_seat_is_shown_no_card_but_its_own_and_those_played(
    options: Settings, seats: int, seed: int
) -> None:
    """Said without `view`: from whole events, the cards each seat has had in its own hand."""
    _, events, _, _ = night(options, seats, seed)
    for viewer in [None, *range(seats)]:
        may_know: set[tuple[int, int]] = set()
        for event in events:
            if isinstance(event, Dealt) and viewer is not None:
                may_know |= marks(event.hands[viewer])
            elif isinstance(event, Drew) and event.seat == viewer:
                may_know |= marks(event.cards)
            elif isinstance(event, Played):
                may_know |= marks(event.card)
        shown = marks([view(event, viewer) for event in events])
        assert shown == may_know


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=40)
def test_what_a_seat_cannot_know_changes_nothing_it_is_shown(
    options: Settings, seats: int, seed: int
) -> None:
    _, events, inputs, chance = night(options, seats, seed)
    rnd = Random(seed)
    for viewer in [None, *range(seats)]:
        seen = [view(event, viewer) for event in events]
        known = marks(seen)
        swaps: dict[int, dict[int, int]] = {}
        for number, size in enumerate(chance.sizes):
            hidden = [at for at in range(size) if (number, at) not in known]
            other = hidden[:]
            rnd.shuffle(other)
            swaps[number] = dict(zip(hidden, other, strict=True))
        elsewhere = MarkingRng(seed, swaps)
        twin, told = new_match(options, seats, elsewhere)
        for given_ in inputs:
            told += do(twin, given_, elsewhere)
        assert [view(event, viewer) for event in told] == seen


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=15)
def test_everybody_who_sees_the_same_is_shown_the_same_object(
    options: Settings, seats: int, seed: int
) -> None:
    _, events, _, _ = night(options, seats, seed)
    for event in events:
        public = view(event, None)
        assert view(event, None) is public
        if public is event:
            assert all(view(event, seat) is event for seat in range(seats))
        if isinstance(event, Drew):
            others = [seat for seat in range(seats) if seat != event.seat]
            assert all(view(event, seat) is public for seat in others)
            assert view(event, event.seat) is event
        if isinstance(event, Reshuffled):
            assert all(view(event, seat) is public for seat in range(seats))


def test_before_the_deal_a_picture_is_empty() -> None:
    assert Picture(0).hand == []
    assert Picture(None).hand == []
