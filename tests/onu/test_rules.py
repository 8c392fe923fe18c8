"""The rules of ONU, point by point (spec: "Rules")."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.onu import cards as c
from parlour.games.onu.moves import (
    ASKED_FOR,
    FORCED,
    LIMIT,
    NOTHING_TO_DRAW,
    Dealt,
    Draw,
    Drew,
    Ended,
    Passed,
    Play,
    Played,
    Prompted,
    Reshuffled,
    Skipped,
)
from parlour.games.onu.settings import Settings
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.onu.tools import (
    SEATS,
    SEEDS,
    SETTINGS,
    card,
    cards,
    fingerprint,
    hand,
    kinds,
    new_match,
    places,
    position,
    refused,
    wander,
)

RNG = FastRng(1)


# Cards


def test_the_compact_deck_has_54_cards() -> None:
    deck = c.compact_deck()
    assert len(set(deck)) == len(deck) == 54
    faces = Counter((c.colour_of(x), c.number_of(x), c.effect_of(x)) for x in deck)
    for colour in range(4):
        for number in range(9):
            assert faces[colour, number, c.NONE] == 1
        for effect in (c.REVERSE, c.SKIP_TURN, c.PICK_2):
            assert faces[colour, -1, effect] == 1
    assert faces[c.SPECIAL, -1, c.WILD_CARD] == 3
    assert faces[c.SPECIAL, -1, c.WILD_PICK_4] == 3


def test_the_classic_deck_has_108_cards() -> None:
    deck = c.classic_deck()
    assert len(set(deck)) == len(deck) == 108
    faces = Counter((c.colour_of(x), c.number_of(x), c.effect_of(x)) for x in deck)
    for colour in range(4):
        assert faces[colour, 0, c.NONE] == 1
        for number in range(1, 10):
            assert faces[colour, number, c.NONE] == 2
        for effect in (c.REVERSE, c.SKIP_TURN, c.PICK_2):
            assert faces[colour, -1, effect] == 2
    assert faces[c.SPECIAL, -1, c.WILD_CARD] == 4
    assert faces[c.SPECIAL, -1, c.WILD_PICK_4] == 4


def test_a_hidden_card_shows_as_a_blank() -> None:
    assert c.number_of(c.HIDDEN) == -1
    assert c.effect_of(c.HIDDEN) == c.NONE
    assert c.described(c.HIDDEN) == "hidden card"


def test_cards_are_described_in_words() -> None:
    assert c.described(card("red 7")) == "red 7"
    assert c.described(card("green pick 2")) == "green pick 2"
    assert c.described(card("wild pick 4"), c.YELLOW) == "wild pick 4 (yellow)"


def test_a_refusal_names_the_card_and_the_colour_that_was_chosen() -> None:
    match = position("blue 1", "red 2", top="wild", colour=c.YELLOW)
    with pytest.raises(Illegal) as no:
        match.apply(0, Play(0), RNG, 0)
    assert no.value.sentence == "A blue 1 does not go on a wild (yellow)."


# The deal


@given(SETTINGS, SEATS, SEEDS)
def test_everybody_gets_seven_and_the_start_card_is_no_wild(
    options: Settings, seats: int, seed: int
) -> None:
    match, events = new_match(options, seats, FastRng(seed), 1_000)
    assert kinds(events) == ["Dealt", "Prompted"]
    dealt, prompt = events
    assert isinstance(dealt, Dealt)
    assert isinstance(prompt, Prompted)
    assert [len(cards) for cards in dealt.hands] == [7] * seats
    assert c.colour_of(dealt.start) != c.SPECIAL
    whole = c.classic_deck() if options.deck == "classic" else c.compact_deck()
    everywhere = [*dealt.deck, dealt.start, *(x for cards in dealt.hands for x in cards)]
    assert sorted(everywhere) == sorted(whole)
    assert (prompt.seat, prompt.effect, prompt.first) == (0, c.NONE, True)
    assert prompt.deadline == 1_000 + options.turnTimeout * 1_000
    assert match.core.direction == 1
    assert dealt.players == [f"player-{seat}" for seat in range(seats)]
    assert dealt.settings == options


@given(SEEDS, st.integers(1, 3))
def test_a_dealt_match_keeps_the_limit_of_draws_it_was_given(seed: int, most: int) -> None:
    match, _ = new_match(Settings(maxDraws=most), 2, FastRng(seed))
    for _ in range(most - 1):
        assert Passed not in map(type, match.apply(0, Draw(), RNG, 0))
    assert Passed(0, LIMIT) in match.apply(0, Draw(), RNG, 0)


def test_the_start_cards_effect_is_not_applied() -> None:
    for seed in range(200):
        match, events = new_match(Settings(), 3, FastRng(seed))
        dealt = events[0]
        assert isinstance(dealt, Dealt)
        if c.effect_of(dealt.start) == c.PICK_2:
            assert match.core.turn == 0
            assert len(hand(match, 0)) == 7
            return
    raise AssertionError("no deal began with a pick 2")


def test_every_card_but_a_wild_can_be_the_start_card() -> None:
    starts = {new_match(Settings(), 2, FastRng(seed))[0].core.top() for seed in range(1000)}
    assert starts == {x for x in c.compact_deck() if c.colour_of(x) != c.SPECIAL}


# What fits


@pytest.mark.parametrize(
    ("top", "colour", "fitting", "not_fitting"),
    [
        ("red 7", None, "red 2, blue 7, red skip, wild, wild pick 4", "blue 2, green skip"),
        ("red skip", None, "red 2, blue skip, wild", "blue 2, blue reverse, green pick 2"),
        ("wild", c.GREEN, "green 1, green pick 2, wild, wild pick 4", "red 1, blue skip"),
        ("wild pick 4", c.BLUE, "blue 0, wild", "red pick 2, yellow 0"),
        ("blue 0", None, "green 0, blue reverse", "green 1, red reverse"),
    ],
)
def test_what_fits_by_colour_number_and_effect(
    top: str, colour: int | None, fitting: str, not_fitting: str
) -> None:
    match = position(f"{fitting}, {not_fitting}", "red 1", top=top, colour=colour)
    listed = {action.index for action in match.legal(0) if isinstance(action, Play)}
    assert listed == set(range(len(cards(fitting))))
    for index in range(len(cards(fitting)), len(cards(f"{fitting}, {not_fitting}"))):
        assert refused(match, 0, Play(index, c.RED)) == "does-not-fit"


def test_a_wild_is_listed_with_each_colour_and_other_cards_once() -> None:
    match = position("wild, red 1", "red 2", top="red 5")
    assert match.legal(0) == [*(Play(0, colour) for colour in range(4)), Play(1), Draw()]
    assert match.legal(1) == []


def test_a_wilds_colour_is_in_force_and_other_cards_ignore_it() -> None:
    match = position("wild, red 1, red 2", "red 2", top="red 5")
    played = match.apply(0, Play(0, c.GREEN), RNG, 0)[0]
    assert played == Played(0, 0, card("wild"), c.GREEN, 1)
    assert match.core.colour == c.GREEN
    match = position("wild, red 1, red 2", "red 2", top="red 5")
    match.apply(0, Play(1, c.GREEN), RNG, 0)
    assert match.core.colour == c.RED
    match = position("wild, red 1, red 2", "red 2", top="red 5")
    match.apply(0, Play(1, 99), RNG, 0)
    assert match.core.colour == c.RED


def test_the_hand_closes_up_and_keeps_its_order() -> None:
    match = position("red 1, red 2, red 3, red 4", "red 2", top="red 5")
    match.apply(0, Play(1), RNG, 0)
    assert hand(match, 0) == ["red 1", "red 3", "red 4"]


# Effects


def test_reverse_flips_the_direction() -> None:
    match = position("red reverse, red 1", "red 2", "red 3, blue reverse", top="red 5")
    events = match.apply(0, Play(0), RNG, 0)
    assert events[0] == Played(0, 0, card("red reverse"), c.RED, -1)
    assert events[1:] == [Prompted(2, c.REVERSE, True, 60_000)]
    assert match.apply(2, Play(1), RNG, 0)[1:] == [Prompted(0, c.REVERSE, True, 60_000)]


def test_reverse_with_two_players_passes_the_turn_on() -> None:
    match = position("red reverse, red 1", "red 2", top="red 5")
    events = match.apply(0, Play(0), RNG, 0)
    assert events[1:] == [Prompted(1, c.REVERSE, True, 60_000)]


@pytest.mark.parametrize(("seats", "skipped", "after"), [(2, 1, 0), (3, 1, 2), (7, 1, 2)])
def test_skip_jumps_exactly_one_player_and_tells_no_effect(
    seats: int, skipped: int, after: int
) -> None:
    others = ["red 2, red 3"] * (seats - 1)
    match = position("red skip, red 1", *others, top="red 5")
    events = match.apply(0, Play(0), RNG, 0)
    assert events[1:] == [Skipped(skipped), Prompted(after, c.NONE, True, 60_000)]


def test_skip_to_the_left_jumps_to_the_left() -> None:
    match = position("red skip, red 1", *["red 2, red 3"] * 4, top="red 5")
    match.core.direction = -1
    events = match.apply(0, Play(0), RNG, 0)
    assert events[1:] == [Skipped(4), Prompted(3, c.NONE, True, 60_000)]


@pytest.mark.parametrize(
    ("effect", "made", "told"), [("red pick 2", 2, c.PICK_2), ("wild pick 4", 4, c.WILD_PICK_4)]
)
def test_the_next_player_draws_and_then_plays_normally(effect: str, made: int, told: int) -> None:
    match = position(
        f"{effect}, blue 1",
        "red pick 2, red 2",
        "red 3",
        top="red 5",
        deck="green 1, green 2, blue 2, blue 3, blue 4, blue 5",
    )
    events = match.apply(0, Play(0, c.RED), RNG, 0)
    drawn = cards("blue 5, blue 4, blue 3, blue 2")[:made]
    assert events[1:] == [Drew(1, drawn, FORCED), Prompted(1, told, True, 60_000)]
    # No stacking: who answers with a pick 2 has drawn all the same, and the next draws two.
    events = match.apply(1, Play(0), RNG, 0)
    two = [x for x in events if isinstance(x, Drew)]
    assert [(x.seat, len(x.cards)) for x in two] == [(2, 2)]
    assert len(hand(match, 1)) == 1 + made


def test_forced_draws_end_where_there_is_nothing_left() -> None:
    match = position("wild pick 4, blue 1", "red 2, red 3", top="red 5", deck="blue 2")
    events = match.apply(0, Play(0, c.RED), RNG, 0)
    assert kinds(events) == ["Played", "Drew", "Reshuffled", "Drew", "Prompted"]
    assert events[1] == Drew(1, [card("blue 2")], FORCED)
    assert events[2] == Reshuffled([card("red 5")])
    assert events[3] == Drew(1, [card("red 5")], FORCED)
    assert Draw() in match.legal(1)
    assert len(hand(match, 1)) == 4


# Drawing


def test_a_draw_gives_one_card_and_the_same_player_is_asked_again() -> None:
    match = position("blue 1", "red 2", top="red 5", deck="blue 2, blue 3")
    events = match.apply(0, Draw(), RNG, 0)
    assert events == [Drew(0, [card("blue 3")], ASKED_FOR), Prompted(0, c.NONE, False, 60_000)]
    assert hand(match, 0) == ["blue 1", "blue 3"]


def test_who_could_play_may_draw_too() -> None:
    match = position("red 1", "red 2", top="red 5", deck="blue 2")
    assert isinstance(match.apply(0, Draw(), RNG, 0)[0], Drew)


def test_after_a_draw_no_effect_is_told_again() -> None:
    match = position("red pick 2, blue 1", "blue 2", top="red 5", deck="blue 1, blue 2, blue 3")
    assert match.apply(0, Play(0), RNG, 0)[-1] == Prompted(1, c.PICK_2, True, 60_000)
    assert match.apply(1, Draw(), RNG, 0)[-1] == Prompted(1, c.NONE, False, 60_000)


def test_an_empty_deck_is_made_of_the_stack_below_its_top() -> None:
    match = position(
        "blue 1", "red 2", top="wild", colour=c.RED, buried="red 5, wild pick 4, red 6"
    )
    events = match.apply(0, Draw(), RNG, 0)
    assert kinds(events) == ["Reshuffled", "Drew", "Prompted"]
    reshuffled = events[0]
    assert isinstance(reshuffled, Reshuffled)
    assert sorted(reshuffled.deck) == sorted(cards("red 5, wild pick 4, red 6"))
    assert match.core.stack_size == 1
    assert c.described(match.core.top(), match.core.colour) == "wild (red)"


def test_a_wild_from_the_reshuffled_stack_has_no_colour_again() -> None:
    match = position("red 1, blue 1", "green 9", top="red 5", buried="wild")
    match.apply(0, Draw(), RNG, 0)
    assert hand(match, 0)[-1] == "wild"
    assert refused(match, 0, Play(2, c.SPECIAL)) == "choose-a-colour"
    assert {x.colour for x in match.legal(0) if isinstance(x, Play) and x.index == 2} == {
        0,
        1,
        2,
        3,
    }


def test_with_nothing_to_draw_drawing_passes_the_turn() -> None:
    match = position("blue 1", "red 2", top="red 5")
    events = match.apply(0, Draw(), RNG, 0)
    assert events == [Passed(0, NOTHING_TO_DRAW), Prompted(1, c.NONE, True, 60_000)]
    assert hand(match, 0) == ["blue 1"]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_draws_ends_the_turn(most: int) -> None:
    options = Settings(maxDraws=most, pace=0)
    deck = "blue 2, blue 3, blue 4, blue 5"
    match = position("blue 1", "red 2, red 3", top="red 5", deck=deck, settings=options)
    for _ in range(most - 1):
        assert match.apply(0, Draw(), RNG, 0)[-1] == Prompted(0, c.NONE, False, 60_000)
    events = match.apply(0, Draw(), RNG, 0)
    assert events[1:] == [Passed(0, LIMIT), Prompted(1, c.NONE, True, 60_000)]
    # The next turn counts from nothing.
    assert match.core.draws == 0


def test_forced_draws_do_not_count_for_max_draws() -> None:
    options = Settings(maxDraws=1, pace=0)
    match = position(
        "red pick 2, blue 1", "red 2", top="red 5", deck="blue 1, blue 2, blue 3", settings=options
    )
    assert match.apply(0, Play(0), RNG, 0)[-1] == Prompted(1, c.PICK_2, True, 60_000)


# The end


@pytest.mark.parametrize("last", ["red 1", "red skip", "red reverse", "red pick 2", "wild pick 4"])
def test_the_first_empty_hand_wins_and_the_last_effect_does_not_happen(last: str) -> None:
    match = position(last, "red 2", "red 3", top="red 5", deck="blue 1, blue 2, blue 3, blue 4")
    events = match.apply(0, Play(0, c.RED), RNG, 0)
    assert kinds(events) == ["Played", "Ended"]
    assert events[1] == Ended(0, "empty-hand")
    assert hand(match, 1) == ["red 2"]
    outcome = match.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.how) == ((0,), "empty-hand")
    assert match.core.winner == 0
    assert match.due() is None
    assert match.legal(0) == match.legal(1) == []
    assert refused(match, 0, Draw()) == "match-over"


# Properties


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=40)
def test_every_card_is_in_exactly_one_place_after_everything(
    options: Settings, seats: int, seed: int
) -> None:
    chance = FastRng(seed)
    match, _ = new_match(options, seats, chance)
    whole = sorted(c.classic_deck() if options.deck == "classic" else c.compact_deck())
    for _ in wander(match, FastRng(seed + 1), chance, 150):
        assert sorted(places(match)) == whole


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=30)
def test_legal_means_legal_and_everything_else_is_refused(
    options: Settings, seats: int, seed: int
) -> None:
    chance = FastRng(seed)
    match, _ = new_match(options, seats, chance)
    for _ in wander(match, FastRng(seed + 1), chance, seed % 80):
        pass
    for seat in range(seats):
        legal = match.legal(seat)
        for action in legal:
            match.copy().apply(seat, action, FastRng(seed), 0)
        for index in range(-2, match.core.held[seat] + 2):
            for colour in range(-1, 6):
                said = Play(index, colour)
                if said not in legal and Play(index) not in legal:
                    assert refused(match, seat, said)


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=20)
def test_a_copy_goes_its_own_way(options: Settings, seats: int, seed: int) -> None:
    chance = FastRng(seed)
    match, _ = new_match(options, seats, chance)
    for _ in wander(match, FastRng(seed + 1), chance, seed % 60):
        pass
    twin = match.copy()
    assert fingerprint(twin) == fingerprint(match)
    assert twin.cards is not match.cards
    before = fingerprint(match)
    for _ in wander(twin, FastRng(2), FastRng(3), 40):
        pass
    assert fingerprint(match) == before
    other = match.copy()
    for _ in wander(other, FastRng(2), FastRng(3), 40):
        pass
    assert fingerprint(other) == fingerprint(twin)


@given(SETTINGS, SEATS, SEEDS)
@settings(max_examples=25)
def test_random_games_of_every_size_end(options: Settings, seats: int, seed: int) -> None:
    chance = FastRng(seed)
    match, _ = new_match(options, seats, chance)
    for _ in wander(match, FastRng(seed), chance, 20_000, disturbed=False):
        pass
    assert match.ended is not None
    outcome = match.outcome()
    assert outcome is not None
    if match.ended.winner is not None:
        assert match.core.held[match.ended.winner] == 0
