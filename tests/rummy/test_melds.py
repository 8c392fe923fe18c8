"""What a set and a run are, how they lie, and what a hand holds."""

from __future__ import annotations

from itertools import combinations, product
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.cards import deck
from parlour.games.rummy.melds import (
    Card,
    MeldRules,
    arrange,
    meld_rules,
    melds_in,
    place_in_hand,
    room_on,
    value_of,
)
from parlour.games.rummy.settings import Settings
from tests.rummy import ANY_SETTINGS, cards, texts

PLAIN = meld_rules(Settings())


def laid(text: str, **options: object) -> str | None:
    meld = arrange(cards(text), meld_rules(Settings(**options)))  # type: ignore[arg-type]
    return None if meld is None else texts(meld)


@pytest.mark.parametrize(
    ("text", "lying"),
    [
        ("5S 5H 5C", "5H 5C 5S"),
        ("5S 5D 5H 5C", "5H 5C 5D 5S"),
        ("7H 5H 6H", "5H 6H 7H"),
        ("3S AS 2S", "AS 2S 3S"),
        ("TC JC QC KC 9C", "9C TC JC QC KC"),
    ],
)
def test_sets_lie_by_suit_and_runs_by_rank(text: str, lying: str) -> None:
    assert laid(text) == lying


@pytest.mark.parametrize(
    "text", ["5H 5C", "5H 6H", "5H 6H 7C", "5H 6H 8H", "5H 5C 6H", "QH KH AH", "KH AH 2H", "5H"]
)
def test_what_is_neither_set_nor_run_is_no_meld(text: str) -> None:
    assert laid(text) is None


def test_the_ace_stands_where_the_settings_put_it_and_never_wraps() -> None:
    assert laid("AH QH KH", ace_rank="high") == "QH KH AH"
    assert laid("AH 2H 3H", ace_rank="high") is None
    assert laid("KH AH 2H", ace_rank="high") is None
    assert laid("AH AC AS", ace_rank="high") == "AH AC AS"


def test_no_suit_twice_in_a_set_unless_allowed() -> None:
    assert laid("5H 5H' 5C") is None
    assert laid("5C 5H 5H'", allow_set_duplicate_suit=True) == "5H 5H 5C"
    assert laid("5H 5H' 5C 5C' 5S", allow_set_duplicate_suit=True) == "5H 5H 5C 5C 5S"


def test_mixed_suits_in_a_run_only_when_allowed() -> None:
    assert laid("5H 6C 7S", allow_run_mixed_suit=True) == "5H 6C 7S"
    assert laid("5H 5C 6C", allow_run_mixed_suit=True) is None


@pytest.mark.parametrize("limit", [3, 4])
def test_no_meld_grows_beyond_the_limit(limit: Literal[3, 4]) -> None:
    run = "5H 6H 7H 8H 9H".split()
    assert laid(" ".join(run[:limit]), limit_meld_size=limit) is not None
    assert laid(" ".join(run[: limit + 1]), limit_meld_size=limit) is None
    assert room_on(cards(" ".join(run[:limit])), meld_rules(Settings(limit_meld_size=limit))) == 0


@pytest.mark.parametrize(
    ("text", "lying"),
    [
        ("W1 5H 7H", "5H W1 7H"),
        ("5H 6H W1", "5H 6H W1"),
        ("QH KH W1", "W1 QH KH"),
        ("5H W1 W2 8H", "5H W1 W2 8H"),
        ("W1 5H 5S", "5H W1 5S"),
        ("5H 5C W1", "5H 5C W1"),
        ("W1 W2 5H", "5H W1 W2"),
    ],
)
def test_jokers_lie_where_they_stand_in(text: str, lying: str) -> None:
    assert laid(text) == lying


def test_a_set_with_jokers_holds_no_more_cards_than_there_are_suits() -> None:
    assert laid("5H 5C 5D 5S W1") is None
    assert laid("5H 5C 5D 5S W1", allow_set_duplicate_suit=True) == "5H 5C 5D 5S W1"


def test_values_are_as_printed() -> None:
    high = meld_rules(Settings(ace_rank="high"))
    assert [value_of(card.face, PLAIN) for card in cards("AH 2C TD JS QH KC W1")] == [
        1, 2, 10, 10, 10, 10, 15,
    ]  # fmt: skip
    assert value_of(cards("AH")[0].face, high) == 11


# Against the plain definition


def is_natural_meld(faces: tuple[int, ...], rules: MeldRules) -> bool:
    """The definition itself, for cards without jokers."""
    ranks = sorted(rules.rank[face] for face in faces)
    suits = [face // 13 for face in faces]
    as_set = len(set(ranks)) == 1 and (rules.duplicate_suits or len(set(suits)) == len(suits))
    as_run = ranks == list(range(ranks[0], ranks[0] + len(ranks))) and (
        rules.mixed_suits or len(set(suits)) == 1
    )
    return as_set or as_run


def stands_for_a_meld(faces: list[int], rules: MeldRules) -> bool:
    """Whether any cards in the jokers' stead make it one."""
    if not 3 <= len(faces) <= rules.most:
        return False
    naturals = tuple(face for face in faces if face < 52)
    return any(
        is_natural_meld(naturals + standing_in, rules)
        for standing_in in product(range(52), repeat=len(faces) - len(naturals))
    )


FEW_RANKS = st.sampled_from([0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 25, 26, 28, 38, 40, 51])
SOME_CARDS = st.lists(FEW_RANKS | st.just(52), min_size=2, max_size=5).filter(
    lambda faces: faces.count(52) <= 2
)


@st.composite
def melds(draw: st.DrawFn) -> tuple[list[Card], MeldRules]:
    """A meld as it lies, by any settings: random cards hardly ever are one."""
    rules = meld_rules(draw(ANY_SETTINGS))
    as_set = draw(st.booleans())
    longest = 4 if as_set and not rules.duplicate_suits else 7
    count = draw(st.integers(3, min(rules.most, longest)))
    suits = st.integers(0, 3)
    if as_set:
        rank = draw(st.integers(0, 12))
        several = st.lists(suits, min_size=count, max_size=count, unique=not rules.duplicate_suits)
        faces = [suit * 13 + rank for suit in draw(several)]
    else:
        first = draw(st.integers(rules.lowest, rules.lowest + 13 - count))
        suit = draw(suits)
        faces = [
            (draw(suits) if rules.mixed_suits else suit) * 13 + (rank - 1) % 13
            for rank in range(first, first + count)
        ]
    for at in draw(st.sets(st.integers(0, count - 1), max_size=2)):
        faces[at] = 52
    meld = arrange([Card(str(i), face) for i, face in enumerate(faces)], rules)
    assert meld is not None
    return meld, rules


@settings(max_examples=300, deadline=None)
@given(SOME_CARDS, ANY_SETTINGS)
def test_a_meld_is_what_some_cards_in_the_jokers_stead_would_make_one(
    faces: list[int], options: Settings
) -> None:
    rules = meld_rules(options)
    meld = arrange([Card(str(i), face) for i, face in enumerate(faces)], rules)
    assert (meld is not None) == stands_for_a_meld(faces, rules)


@settings(max_examples=200, deadline=None)
@given(melds(), st.randoms(use_true_random=False))
def test_how_a_meld_lies_does_not_hang_on_the_order_it_was_named_in(
    lying: tuple[list[Card], MeldRules], random: Random
) -> None:
    meld, rules = lying
    shuffled = meld[:]
    random.shuffle(shuffled)
    again = arrange(shuffled, rules)
    assert again is not None
    assert texts(again) == texts(meld)
    assert sorted(card.id for card in again) == sorted(card.id for card in meld)


@settings(max_examples=400, deadline=None)
@given(melds())
def test_room_is_exactly_what_can_be_laid(lying: tuple[list[Card], MeldRules]) -> None:
    meld, rules = lying
    fits = [arrange([*meld, Card("new", face)], rules) is not None for face in range(54)]
    assert room_on(meld, rules) == sum(1 << face for face in range(54) if fits[face])


@given(st.integers(3, 14), ANY_SETTINGS)
def test_room_on_jokers_alone_is_exactly_what_can_be_laid(count: int, options: Settings) -> None:
    rules = meld_rules(options)
    meld = arrange([Card(str(i), 52) for i in range(count)], rules)
    if meld is None:
        return
    fits = [arrange([*meld, Card("new", face)], rules) is not None for face in range(54)]
    assert room_on(meld, rules) == sum(1 << face for face in range(54) if fits[face])


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("ace_rank", ["low", "high"])
@pytest.mark.parametrize("jokers", [0, 1])
def test_room_on_every_run_is_exactly_what_can_be_laid(
    ace_rank: Literal["low", "high"], mixed: bool, jokers: int
) -> None:
    rules = meld_rules(Settings(ace_rank=ace_rank, allow_run_mixed_suit=mixed))
    for suit, first, size in product(range(4), range(13), (2, 3, 4, 11, 12, 13)):
        ranks = range(first, first + size)
        if first + size > 13 or size + jokers < 3:
            continue
        faces = [suit * 13 + (rank + (ace_rank == "high")) % 13 for rank in ranks]
        meld = arrange(
            [Card(str(i), face) for i, face in enumerate([*faces, *[52] * jokers])], rules
        )
        if meld is None:
            assert size + jokers > 13, "longer than a suit"
            continue
        fits = [arrange([*meld, Card("new", face)], rules) is not None for face in range(54)]
        assert room_on(meld, rules) == sum(1 << face for face in range(54) if fits[face])


def test_no_run_is_longer_than_a_suit() -> None:
    suit = " ".join(f"{rank}H" for rank in "A23456789TJQK")
    assert laid(suit) == suit
    assert laid(f"{suit} W1") is None
    assert laid(suit.replace("7H", "W1")) == suit.replace("7H", "W1")


def test_every_joker_of_a_run_lies_in_it_once_in_the_order_named() -> None:
    meld = arrange(cards("W1 5H W2 9H W1'"), PLAIN)
    assert meld is not None
    assert [card.id for card in meld] == ["5H", "W1", "W2", "W1'", "9H"]
    meld = arrange(cards("W1 W2 W1' W2' AH"), PLAIN)
    assert meld is not None
    assert [card.id for card in meld] == ["AH", "W1", "W2", "W1'", "W2'"]


# Hands

HANDS = st.lists(st.sampled_from(deck(2) * 4), min_size=3, max_size=13)


def sorted_hand(faces: list[int], rules: MeldRules) -> list[Card]:
    hand: list[Card] = []
    for i, face in enumerate(faces):
        hand.insert(place_in_hand(hand, face, rules), Card(str(i), face))
    return hand


@given(HANDS)
def test_a_hand_is_kept_by_suit_then_rank(faces: list[int]) -> None:
    hand = sorted_hand(faces, PLAIN)
    order = {0: 0, 2: 1, 1: 2, 3: 3, 4: 4}
    keys = [(order[card.face // 13], PLAIN.rank[card.face]) for card in hand]
    assert keys == sorted(keys)


def test_the_high_ace_is_kept_behind_the_king() -> None:
    faces = [card.face for card in cards("AH KH 2H")]
    assert texts(sorted_hand(faces, meld_rules(Settings(ace_rank="high")))) == "2H KH AH"
    assert texts(sorted_hand(faces, PLAIN)) == "AH 2H KH"


@settings(max_examples=200, deadline=None)
@given(HANDS, ANY_SETTINGS)
def test_melds_listed_are_melds_distinct_and_few(faces: list[int], options: Settings) -> None:
    rules = meld_rules(options)
    found = melds_in(sorted_hand(faces, rules), rules)
    assert len(found) <= 60
    assert all(arrange(meld, rules) is not None for meld in found)
    distinct = {tuple(sorted(card.id for card in meld)) for meld in found}
    assert len(distinct) == len(found)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(deck(2)), min_size=3, max_size=9), ANY_SETTINGS)
def test_a_hand_with_a_meld_is_never_said_to_have_none(faces: list[int], options: Settings) -> None:
    rules = meld_rules(options)
    hand = sorted_hand(faces, rules)
    holds_one = any(arrange(list(three), rules) is not None for three in combinations(hand, 3))
    assert bool(melds_in(hand, rules)) == holds_one


def is_listed(cards: tuple[Card, ...], hand: list[Card], rules: MeldRules) -> bool:
    """Short melds and the longest runs; with jokers, between natural cards and of a few."""
    jokers = [card for card in hand if card.face >= 52]
    naturals = [card for card in cards if card.face < 52]
    ranks = sorted(rules.rank[card.face] for card in naturals)
    used = [card for card in cards if card.face >= 52]
    if arrange(list(cards), rules) is None or used != jokers[: len(used)]:
        return False
    if not naturals:
        return len(used) == 3
    one_rank = [card for card in hand if rules.rank[card.face] == ranks[0]]
    if not used:
        # Of a long run only what nothing in the hand lengthens upwards.
        longer = [arrange([*cards, card], rules) for card in hand if card not in cards]
        tops = [rules.rank[meld[-1].face] for meld in longer if meld is not None]
        return len(cards) <= 5 or max(tops, default=0) <= ranks[-1]
    if len(naturals) == 1:
        return len(used) == 2 and naturals[0] is one_rank[0]
    if ranks[0] == ranks[-1]:
        return len(naturals) == 2 and len(used) == 1
    span = ranks[-1] - ranks[0] + 1
    return span <= 5 and len(used) == max(span - len(naturals), 3 - span)


ONE_DECK = st.lists(st.sampled_from([*range(2, 9), *range(15, 22), 0, 12, 27, 28, 40, 41, 52, 53]))


@settings(max_examples=200, deadline=None)
@given(ONE_DECK, ANY_SETTINGS)
def test_exactly_the_short_and_the_longest_melds_are_listed_those_without_jokers_first(
    faces: list[int], options: Settings
) -> None:
    rules = meld_rules(options)
    faces = list(dict.fromkeys(faces))[:9]
    if rules.mixed_suits:
        # Of several cards of a rank one stands in a mixed run, and not every choice is listed.
        faces = list({rules.rank[face] or face: face for face in faces}.values())
    hand = sorted_hand(faces, rules)
    found = melds_in(hand, rules)
    expected = {
        tuple(sorted(card.id for card in chosen))
        for size in range(3, len(hand) + 1)
        for chosen in combinations(hand, size)
        if is_listed(chosen, hand, rules)
    }
    assert {tuple(sorted(card.id for card in meld)) for meld in found} == expected
    wild = [any(card.face >= 52 for card in meld) for meld in found]
    assert wild == sorted(wild)


def listed(text: str, **options: object) -> list[str]:
    rules = meld_rules(Settings(**options))  # type: ignore[arg-type]
    return [" ".join(card.id for card in meld) for meld in melds_in(cards(text), rules)]


def test_sets_are_listed_up_to_the_limit_and_pairs_with_one_joker() -> None:
    threes = ["5C 5D 5S", "5H 5D 5S", "5H 5C 5S", "5H 5C 5D"]
    assert listed("5H 5C 5D 5S") == ["5H 5C 5D 5S", *threes]
    assert listed("5H 5C 5D 5S", limit_meld_size=4) == ["5H 5C 5D 5S", *threes]
    assert listed("5H 5C 5D 5S", limit_meld_size=3) == threes
    # Of more than four, those that lie together; with a joker, pairs of the first four.
    five = listed("5H 5H' 5C 5D 5S W1", allow_set_duplicate_suit=True)
    first = ["5H", "5H'", "5C", "5D"]
    pairs = [f"{one} {other} W1" for one, other in combinations(first, 2)]
    assert five == ["5H 5H' 5C 5D 5S", "5H 5H' 5C", "5H' 5C 5D", "5C 5D 5S", *pairs]


def test_jokers_alone_and_beside_one_card_are_listed_once() -> None:
    assert listed("5H W1 W2") == ["5H W1 W2"]
    assert listed("W1 W2") == []
    assert listed("W1 W2 W1'") == ["W1 W2 W1'"]
    assert listed("W1 W2 W1' W2'") == ["W1 W2 W1'"]


def test_runs_are_listed_up_to_five_long_and_as_long_as_can_be() -> None:
    six = "2H 3H 4H 5H 6H 7H"
    names = six.split()
    short = [
        " ".join(names[first : first + size])
        for first in range(6)
        for size in (3, 4, 5)
        if first + size <= 6
    ]
    assert sorted(listed(six)) == sorted([*short, six])
    assert sorted(listed(six, limit_meld_size=3)) == sorted(x for x in short if len(x) == 8)
    assert "2H 3H 4H 5H 6H 7H" not in listed(f"{six} 8H"), "seven are longer"
    assert listed("2H 4H W1") == ["2H 4H W1"]
    assert listed("2H 6H W1 W2 W1'") == ["2H W1 W2", "6H W1 W2", "2H 6H W1 W2 W1'", "W1 W2 W1'"]
    assert "2H 7H W1 W2 W1' W2'" not in listed("2H 7H W1 W2 W1' W2'"), "six are too long"


def test_no_more_than_sixty_melds_are_listed() -> None:
    options = Settings(allow_set_duplicate_suit=True, allow_run_mixed_suit=True, deck_count=4)
    rules = meld_rules(options)
    hand = sorted_hand([*range(13), *range(13, 26), 0, 0, 1, 1, 2, 2, 52, 53, 52], rules)
    assert len(melds_in(hand, rules)) == 60


def test_the_longest_melds_are_listed_too() -> None:
    hand = sorted_hand([card.face for card in cards("3H 4H 5H 6H 7H 8H 9H 2C 2D 2S 2H")], PLAIN)
    listed = [texts(meld) for meld in melds_in(hand, PLAIN)]
    assert "2H 3H 4H 5H 6H 7H 8H 9H" in listed
    assert "2H 2C 2D 2S" in listed
