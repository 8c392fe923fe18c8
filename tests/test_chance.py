"""Chance is uniform, repeatable where it must be, and leaves nothing out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cards import BLACK_JOKER, RED_JOKER, deck, face, is_joker, is_red, rank_of, suit_of
from parlour.rng import FastRng, ProvableRng, Rng, commitment, deal_seed

both = pytest.mark.parametrize(
    "make", [FastRng, lambda seed: ProvableRng(seed.to_bytes(8, "big"), "test")]
)


@both
@given(seed=st.integers(0, 2**63), bound=st.integers(1, 2**70))
def test_a_number_lies_below_its_bound(make, seed: int, bound: int) -> None:  # type: ignore[no-untyped-def]
    assert 0 <= make(seed).below(bound) < bound


@both
@given(seed=st.integers(0, 2**63), size=st.integers(0, 110))
def test_a_shuffle_loses_and_invents_nothing(make, seed: int, size: int) -> None:  # type: ignore[no-untyped-def]
    cards = list(range(size))
    make(seed).shuffle(cards)
    assert sorted(cards) == list(range(size))


@both
def test_every_order_of_three_is_as_likely_as_any(make) -> None:  # type: ignore[no-untyped-def]
    rng: Rng = make(7)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(6000):
        cards = [0, 1, 2]
        rng.shuffle(cards)
        seen[tuple(cards)] += 1
    # Six orders, 1000 each; five standard deviations (about 29 each) are far out of reach.
    assert len(seen) == 6
    assert all(abs(count - 1000) < 145 for count in seen.values())


@both
@given(seed=st.integers(0, 2**63), count=st.integers(0, 300))
def test_ids_are_32_hex_digits_and_never_twice(make, seed: int, count: int) -> None:  # type: ignore[no-untyped-def]
    ids = make(seed).tokens(count)
    assert len(set(ids)) == count
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in ids)


@given(st.binary(min_size=1, max_size=40), st.lists(st.integers(1, 200), max_size=60))
def test_the_same_seed_deals_the_same_game(seed: bytes, bounds: list[int]) -> None:
    one, other = ProvableRng(seed, "match"), ProvableRng(seed, "match")
    assert [one.below(b) for b in bounds] == [other.below(b) for b in bounds]
    assert one.tokens(3) == other.tokens(3)


def test_other_labels_are_other_streams() -> None:
    assert ProvableRng(b"seed", "one").tokens(1) != ProvableRng(b"seed", "two").tokens(1)


def test_the_stream_is_what_anybody_can_compute() -> None:
    """These values never change: replays and shared seeds depend on them."""
    assert ProvableRng(b"parlour", "match").tokens(1) == ["6544ce21f187dc97b8bdfca28ce0ead1"]
    assert commitment(b"parlour").startswith("19ba23494df5a916")


def test_nothing_lies_below_zero() -> None:
    with pytest.raises(ValueError, match="below zero"):
        FastRng(1).below(0)


def test_a_deck_has_every_face_once_and_knows_its_suits() -> None:
    cards = deck(2)
    assert len(set(cards)) == 54
    assert all(face(suit_of(c), rank_of(c)) == c for c in cards[:52])
    assert Counter(is_red(c) for c in cards) == {True: 27, False: 27}
    assert [c for c in cards if is_joker(c)] == [RED_JOKER, BLACK_JOKER]
    assert {rank_of(c) for c in cards} == set(range(14))


@given(st.lists(st.integers(1, 100), max_size=20), st.integers(0, 20_000))
def test_a_stream_can_be_entered_anywhere(reads: list[int], more: int) -> None:
    one, other = ProvableRng(b"seed", "match"), ProvableRng(b"seed", "match")
    for bits in reads:
        one.bits(bits)
    one.bits(8 * more)
    other.skip(one.spent)
    assert other.spent == one.spent == sum((bits + 7) // 8 for bits in reads) + more
    assert other.tokens(3) == one.tokens(3)
    assert other.spent == one.spent


def chi_squared(counts: Sequence[Sequence[int]], expected: float) -> float:
    return sum((count - expected) ** 2 / expected for row in counts for count in row)


def bound(freedom: int) -> float:
    """Chi-squared is greater than this once in a million times by chance (Wilson and Hilferty)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + 4.753 * part**0.5) ** 3


def positions(shuffle: Callable[[list[int], int], None], cards: int, times: int) -> float:
    """How unevenly cards come to places: chi-squared over all cards and all places."""
    counts = [[0] * cards for _ in range(cards)]
    for number in range(times):
        deck_ = list(range(cards))
        shuffle(deck_, number)
        for place, card in enumerate(deck_):
            counts[card][place] += 1
    return chi_squared(counts, times / cards)


def shuffle_as_in_play(cards: list[int], number: int) -> None:
    """Each match has a seed of its own, made of a secret and of players' numbers."""
    seed = deal_seed(number.to_bytes(32, "big"), {0: "00" * 32, 2: "ff" * 32})
    ProvableRng(seed, "match").shuffle(cards)


def shuffle_wrongly(cards: list[int], number: int) -> None:
    """A well-known mistake: every card changes places with any card."""
    rng = ProvableRng(number.to_bytes(32, "big"), "match")
    for i in range(len(cards)):
        j = rng.below(len(cards))
        cards[i], cards[j] = cards[j], cards[i]


@pytest.mark.parametrize("cards", [7, 52, 108])
def test_every_card_comes_to_every_place_equally_often(cards: int) -> None:
    assert positions(shuffle_as_in_play, cards, 2_000) < bound((cards - 1) ** 2)


def test_a_biased_shuffle_would_be_found() -> None:
    assert positions(shuffle_wrongly, 52, 2_000) > bound(51**2)


def test_neighbours_are_no_likelier_than_others() -> None:
    """Which card follows which: 51 pairs in each of 2,000 decks."""
    counts = [[0] * 52 for _ in range(52)]
    for number in range(2_000):
        deck_ = list(range(52))
        shuffle_as_in_play(deck_, number)
        for one, next_ in pairwise(deck_):
            counts[one][next_] += 1
    pairs = [
        [count for other, count in enumerate(row) if other != one] for one, row in enumerate(counts)
    ]
    assert chi_squared(pairs, 2_000 / 52) < bound(52 * 51 - 1)


def test_without_numbers_the_seed_is_the_secret() -> None:
    assert deal_seed(b"s" * 32, {}) == b"s" * 32
    assert deal_seed(b"s" * 32, {2: "aa", 0: "bb"}) == deal_seed(b"s" * 32, {0: "bb", 2: "aa"})
    assert deal_seed(b"s" * 32, {2: "aa", 0: "bb"}) != deal_seed(b"s" * 32, {0: "aa", 2: "bb"})
