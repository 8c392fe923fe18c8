"""Faults seen in the original host that are faults of rules, each with its test."""

from __future__ import annotations

from parlour.games.onu import cards as c
from parlour.games.onu.moves import Draw, Drew, Play
from parlour.games.onu.rules import deal
from parlour.games.onu.settings import Settings
from parlour.kit import Setup
from parlour.rng import FastRng
from tests.onu.tools import new_match, places, position, refused

RNG = FastRng(1)


def test_any_number_on_any_number() -> None:
    match = position("blue 3", "red 2", top="red 5")
    assert refused(match, 0, Play(0)) == "does-not-fit"


def test_two_effect_cards_do_not_match_by_their_missing_number() -> None:
    """Effect cards carry Number -1, which must not be compared."""
    match = position("blue skip, blue pick 2", "red 2", top="red reverse")
    assert refused(match, 0, Play(0)) == "does-not-fit"
    assert refused(match, 0, Play(1)) == "does-not-fit"


def test_two_number_cards_do_not_match_by_their_missing_effect() -> None:
    """Number cards carry Effect 0, which must not be compared."""
    match = position("blue 4", "red 2", top="green 7")
    assert refused(match, 0, Play(0)) == "does-not-fit"


def test_skip_off_by_one() -> None:
    for seats in range(2, 8):
        match = position("red skip, red 1", *["red 2, red 3"] * (seats - 1), top="red 5")
        match.apply(0, Play(0), RNG, 0)
        assert match.core.turn == 2 % seats


def test_anybody_may_act_for_anybody() -> None:
    match = position("red 1, red 2", "red 3, red 4", "red 6", top="red 5")
    for seat in (1, 2):
        assert refused(match, seat, Play(0)) == "not-your-turn"
        assert refused(match, seat, Draw()) == "not-your-turn"


def test_wild_colour_4_accepted() -> None:
    match = position("wild, wild pick 4, red 1", "red 2", top="red 5")
    for index in (0, 1):
        for colour in (c.SPECIAL, 5, -1, 2**70):
            assert refused(match, 0, Play(index, colour)) == "choose-a-colour"


def test_two_prompts_per_bad_answer() -> None:
    match = position("red 1, red 3", "red 2", top="red 5")
    events = match.fumble(0, RNG, 0)
    events += match.tick(RNG, 1_000)
    events += match.tick(RNG, 1_001)
    assert [type(x).__name__ for x in events] == ["Fumbled", "Prompted"]


def test_index_minus_1_taken_as_the_last_card() -> None:
    match = position("blue 1, red 1", "red 2", top="red 5")
    for index in (-1, -2, 2, 2**70, -(2**70)):
        assert refused(match, 0, Play(index)) == "no-such-card"


def test_null_cards_from_an_empty_deck() -> None:
    match = position("blue 1", "blue 2", top="red 5", deck="blue 3", buried="blue 4")
    drawn = []
    for _ in range(3):
        drawn += [x for x in match.apply(0, Draw(), RNG, 0) if isinstance(x, Drew)]
    assert [len(x.cards) for x in drawn] == [1, 1]
    assert all(card >= 0 for x in drawn for card in x.cards)
    assert match.core.turn == 1


def test_a_second_game_inheriting_the_first_ones_stack() -> None:
    rng = FastRng(7)
    first, _ = new_match(Settings(), 2, rng)
    while first.ended is None:
        first.apply(first.core.turn, first.legal(first.core.turn)[0], rng, 0)
    second, _ = deal(Setup(Settings(), ["a", "b"], previous=first), rng, 0)
    assert second.core.stack_size == 1
    assert sorted(places(second)) == sorted(c.compact_deck())
