"""Choices as data: what is listed, admitted and offered is the same set of actions."""

from __future__ import annotations

import doctest
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour import choices as module
from parlour.cards import Suit
from parlour.choices import (
    Choice,
    Number,
    One,
    Some,
    Text,
    action_of,
    admits,
    factored,
    listed,
    name_of,
    offers,
)


@dataclass(frozen=True)
class Draw:
    pass


@dataclass(frozen=True)
class PlayCard:
    index: int
    suit: Suit | None = None


@dataclass
class Lay:
    cards: list[int] = field(default_factory=list)


KINDS: dict[str, type[Any]] = {name_of(kind): kind for kind in (Draw, PlayCard, Lay)}

plays = st.sets(
    st.builds(PlayCard, st.integers(0, 4), st.none() | st.integers(0, 3)) | st.just(Draw()),
    min_size=1,
)
domains = st.one_of(
    st.builds(One, st.lists(st.integers(0, 5), min_size=1, unique=True)),
    st.builds(lambda at, more: Number(at, at + more), st.integers(-2, 2), st.integers(0, 3)),
)


def test_its_examples_are_true() -> None:
    assert doctest.testmod(module).failed == 0


@given(plays)
def test_a_list_of_actions_becomes_choices_of_the_same_actions(legal: set[Any]) -> None:
    made = factored(legal)
    found = listed(made, KINDS.values())
    assert len(found) == len(legal), "each once"
    assert set(found) == legal
    for index in range(6):
        for suit in (None, 0, 1, 2, 3, 4):
            action = PlayCard(index, suit)
            assert admits(made, action) == (action in legal)


@given(plays)
def test_lists_as_fields_are_kept_whole(legal: set[Any]) -> None:
    lays = [Lay([1, 2, 3]), Lay([1, 2]), Lay([4, 5, 6])]
    made = factored([*legal, *lays])
    assert all(admits(made, lay) for lay in lays)
    assert not admits(made, Lay([1, 4]))
    assert not admits(made, Lay([]))


@given(st.lists(st.builds(lambda of: Choice("play_card", {"index": of}), domains), max_size=3))
def test_offers_lead_to_every_action_and_to_no_other(made: list[Choice]) -> None:
    reached = set()
    for _, name in offers(made):
        for step in offers(made, [("", name)]):
            assert offers(made, [("", name), step]) == []
            reached.add(PlayCard(step[1]))  # type: ignore[arg-type]
    assert reached == set(listed(made, KINDS.values()))


def test_a_list_is_offered_in_its_order_and_ends_where_it_may() -> None:
    made = [Choice("lay", {"cards": Some([7, 8, 9], 2, 2)})]
    begun = [("", "lay"), ("cards", 7)]
    assert offers(made, [("", "lay")]) == [("cards", 7), ("cards", 8)]
    assert offers(made, begun) == [("cards", 8), ("cards", 9)]
    assert offers(made, [*begun, ("cards", 9)]) == [("cards!", None)]
    assert offers(made, [*begun, ("cards", 9), ("cards!", None)]) == []
    assert [lay.cards for lay in listed(made, KINDS.values())] == [[7, 8], [7, 9], [8, 9]]


def test_sets_are_all_there_are_unless_they_say_otherwise() -> None:
    whole = Some([7, 8, 9], 2, 3, rule="a pair", sets=[[0, 1]])
    assert admits([Choice("lay", {"cards": whole})], Lay([8, 7]))
    assert not admits([Choice("lay", {"cards": whole})], Lay([7, 9]))
    part = Some([7, 8, 9], 2, 3, rule="a pair", sets=[[0, 1]], whole=False)
    assert admits([Choice("lay", {"cards": part})], Lay([7, 9]))
    assert not admits([Choice("lay", {"cards": part})], Lay([7, 7]))


def test_texts_may_stand_in_a_list_and_have_a_length() -> None:
    made = [Choice("lay", {"cards": Some([7, 8], 1, 2, ordered=True, texts=1, longest=3)})]
    assert action_of(made, KINDS, "lay", {"cards": [8, "abc"]}) == Lay([8, "abc"])  # type: ignore[list-item]
    assert action_of(made, KINDS, "lay", {"cards": ["abc", "d"]}) is None
    assert action_of(made, KINDS, "lay", {"cards": ["abcd"]}) is None
    assert action_of(made, KINDS, "lay", {"cards": [""]}) is None
    with pytest.raises(ValueError, match="listed"):
        listed(made, KINDS.values())
    assert offers(made, [("", "lay"), ("cards", 8)]) == [
        ("cards", 7),
        ("cards", ""),
        ("cards!", None),
    ]


@pytest.mark.parametrize(
    "given",
    [{"index": wrong} for wrong in (True, "1", 1.0, [1], None)] + [{"seat": 1}, {}],
)
def test_a_value_of_another_type_is_not_taken(given: dict[str, object]) -> None:
    made = [Choice("play_card", {"index": One([0, 1])})]
    assert action_of(made, KINDS, "play_card", {"index": 1}) == PlayCard(1)
    assert action_of(made, KINDS, "play_card", given) is None
    assert action_of(made, KINDS, "fly", {}) is None


def test_fields_may_have_to_differ() -> None:
    made = [Choice("play_card", {"index": One([0, 1]), "suit": One([0, 1], unlike="index")})]
    assert set(listed(made, KINDS.values())) == {PlayCard(0, 1), PlayCard(1, 0)}
    assert offers(made, [("", "play_card"), ("index", 0)]) == [("suit", 1)]


def test_numbers_and_texts_have_bounds() -> None:
    number = [Choice("play_card", {"index": Number(2, 3)})]
    assert [admits(number, PlayCard(n)) for n in (1, 2, 3, 4)] == [False, True, True, False]
    text = [Choice("play_card", {"index": Text(2)})]
    assert action_of(text, KINDS, "play_card", {"index": "ab"}) is not None
    assert action_of(text, KINDS, "play_card", {"index": "abc"}) is None
    assert offers(text, [("", "play_card")]) == [("index", "")]


def test_suits_are_said_in_words() -> None:
    (made,) = factored([PlayCard(1, suit) for suit in (0, 3)])
    suit = made.fields["suit"]
    assert isinstance(suit, One)
    assert list(suit.words) == ["hearts", "spades"]


def test_too_many_actions_are_not_listed() -> None:
    made = [Choice("lay", {"cards": Some(list(range(30)), 0, 30)})]
    with pytest.raises(ValueError, match="more than 100"):
        listed(made, KINDS.values(), most=100)
