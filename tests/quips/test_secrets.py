"""What nobody may learn: the hands of others, what is to be drawn, and who played what."""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableSequence
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.quips.actions import Judge, Play, VoteSkip
from parlour.games.quips.events import Event, HandChanged, PlayShown, StateChanged, view
from parlour.rng import FastRng, Rng
from tests.quips.tools import START, Table, mixed_cards, pack

CONTENT = pack(mixed_cards())


class Renaming(Rng):
    """Chance that deals the same game with other faces: its first shuffles rename cards."""

    def __init__(self, seed: int, names: dict[str, str]) -> None:
        self._rng = FastRng(seed)
        self._names = names
        self._shuffled = 0

    def bits(self, count: int) -> int:
        return self._rng.bits(count)

    def shuffle(self, cards: MutableSequence[Any]) -> None:
        self._rng.shuffle(cards)
        self._shuffled += 1
        if self._shuffled <= 2:
            cards[:] = [self._names.get(card, card) for card in cards]


def random_game(rng: Rng, seed: int, steps: int, log: list[Any] | None = None) -> Table:
    """Random play by the logged steps, or by new ones that are logged."""
    table = Table(5, rng, CONTENT, max_players=6, hand_size=7, computers=[4])
    rnd = Random(seed)
    replayed = list(log or ())
    for number in range(steps):
        if table.match.over is not None:
            break
        if replayed:
            step = replayed[number] if number < len(replayed) else ("wait", 0)
        else:
            step = _some_step(table, rnd)
            if log is not None:
                log.append(step)
        _take(table, step)
    return table


def _some_step(table: Table, rnd: Random) -> Any:
    dice = rnd.random()
    here = table.board.here()
    if dice < 0.08:
        return "wait", rnd.choice((1, 5, 30, 100))
    if dice < 0.12 and len(here) < 6:
        return "join", rnd.random() < 0.3
    if dice < 0.16 and len(here) > 3:
        return "leave", rnd.choice(here)
    if dice < 0.3:
        seat = rnd.choice(here)
        legal = table.match.legal(seat)
        return ("do", (seat, rnd.choice(legal))) if legal else ("wait", 1)
    moves = [
        (seat, action)
        for seat in here
        for action in table.match.legal(seat)
        if isinstance(action, Play | Judge)
    ]
    return ("do", rnd.choice(moves)) if moves else ("wait", 5)


def _take(table: Table, step: Any) -> None:
    what, value = step
    if what == "wait":
        table.wait(value)
    elif what == "join":
        table.join(value)
    elif what == "leave":
        table.leave(value)
    else:
        table.do(*value)


def _shown(told: list[Event], shelf: Any) -> set[str]:
    """Every card a viewer was shown, as the card it is dealt as."""
    cards: set[str] = set()
    for event in told:
        if isinstance(event, HandChanged):
            cards.update(shelf.bases[card] for _, card in event.cards)
        elif isinstance(event, PlayShown):
            cards.update(shelf.bases.get(card, card) for card in event.cards)
        elif isinstance(event, StateChanged):
            cards.add(event.black)
            cards.update(shelf.bases.get(card, card) for play in event.plays for card in play)
    return cards


def _renamed(table: Table, shown: set[str], rnd: Random) -> dict[str, str]:
    """Names for all cards that were not shown: among those that cost the same to upgrade, because
    what an upgrade costs is told to everybody; and among black cards that play the same."""
    shelf = table.match.shelf
    groups: dict[Any, list[str]] = {}
    for card in shelf.dealt():
        if card not in shown:
            groups.setdefault(bool(shelf.whites[card].next_tier_id), []).append(card)
    for card, black in shelf.blacks.items():
        if card not in shown:
            groups.setdefault((black.pick, black.draw), []).append(card)
    names: dict[str, str] = {}
    for cards in groups.values():
        others = cards[:]
        rnd.shuffle(others)
        names.update(zip(cards, others, strict=True))
    return names


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_what_a_viewer_was_not_shown_changes_nothing_they_are_told(seed: int) -> None:
    log: list[Any] = []
    table = random_game(FastRng(seed), seed, 80, log)
    for viewer, told in table.told.items():
        rnd = Random(seed)
        names = _renamed(table, _shown(told, table.match.shelf), rnd)
        twin = random_game(Renaming(seed, names), seed, len(log), log)
        # The decks are told at the beginning and are the same; everything after it must be.
        assert twin.told[viewer][1:] == told[1:]


def test_the_twin_is_another_world() -> None:
    """The test above means nothing if renaming did nothing."""
    table = random_game(FastRng(5), 5, 60)
    names = _renamed(table, _shown(table.told[0], table.match.shelf), Random(5))
    assert sum(1 for card, name in names.items() if card != name) > 20


def test_the_order_of_plays_says_nothing_about_their_authors() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    rng = FastRng(2)
    tries = 2400
    dealt = Table(5, rng, CONTENT, max_players=5).match
    for number in range(tries):
        match = dealt.copy()
        seats = [1, 2, 3, 4]
        # Whatever order they play in, too.
        Random(number % 7).shuffle(seats)
        for seat in seats:
            match.apply(seat, match.legal(seat)[0], rng, START)
        orders[tuple(match.board.order)] += 1
    expected = tries / 24
    chi_squared = sum(
        (orders[order] - expected) ** 2 / expected for order in permutations((1, 2, 3, 4))
    )
    assert chi_squared < 49.7  # the 99.9 % quantile with 23 degrees of freedom


def test_until_the_verdict_no_event_shown_to_others_names_an_author() -> None:
    table = Table(5)
    for seat in (1, 2, 3, 4):
        before = len(table.story)
        table.play(seat)
        cards = set(table.pictures[seat].played)
        for event in table.story[before:]:
            for viewer in {None, 0, 1, 2, 3, 4} - {seat}:
                shown = view(event, viewer)
                if isinstance(shown, StateChanged) and shown.stage == "playing":
                    assert not cards & {card for play in shown.plays for card in play}
                else:
                    assert shown is None or isinstance(shown, StateChanged)
    assert table.state.winning_player == -1
    table.judge(3)
    assert table.state.winning_player == 3


def test_a_vote_or_a_message_of_others_shows_no_cards() -> None:
    table = Table(4)
    table.do(1, VoteSkip(True))
    table.play(1)
    assert all(not isinstance(event, HandChanged | PlayShown) for event in table.told[None])
