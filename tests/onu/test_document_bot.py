"""The document's bot: worked cases, and the same answers as a plain reading of its example.

The cases were worked out by hand from the document. Weights, in its numbers: a wild 1.0, the top
card's effect 0.75, its colour or number 0.5; besides, 0.5 for any effect and 0.25 for the optimal
colour. Of equal weights the first wins, for JavaScript's sort is stable.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.onu import cards as c
from parlour.games.onu.document_bot import (
    PICK_CARD,
    PLAY_CARD,
    Answer,
    DocumentBot,
    Face,
    answer,
    face_of,
    optimal_colour,
)
from parlour.games.onu.moves import Draw, Play, view
from parlour.games.onu.picture import Picture
from parlour.games.onu.settings import Settings
from parlour.rng import FastRng
from tests.onu.tools import SEATS, SEEDS, card, cards, new_match

BLUE, RED, YELLOW, GREEN = range(4)


@pytest.mark.parametrize(
    ("hand", "colour"),
    [
        ("", BLUE),  # nothing: blue
        ("wild, wild pick 4", BLUE),  # wilds do not count: blue
        ("red 1", RED),
        ("green 1, red 1", GREEN),  # one each: green was first to have one
        ("red 1, green 1, green 2, red 2", GREEN),  # two each: green was first to have two
        ("blue 1, red 1", BLUE),
        ("red 1, blue 1", RED),  # red has more than blue's none; blue then only draws level
        ("red 1, blue 1, blue 2", BLUE),
        ("yellow 1, green 1, green 2, yellow 2, yellow 3", YELLOW),
        ("red skip, red reverse, green 1", RED),  # effects count as cards of their colour
        ("blue 1, wild, yellow 3, wild, yellow 4", YELLOW),
    ],
)
def test_the_optimal_colour_is_the_first_to_reach_the_maximum(hand: str, colour: int) -> None:
    assert optimal_colour([face_of(x) for x in cards(hand)]) == colour


@pytest.mark.parametrize(
    ("hand", "top", "chosen", "index", "wild_colour"),
    [
        # Nothing fits: draw, with an index of null and the optimal colour all the same.
        ("blue 1, blue 2", "red 5", None, None, BLUE),
        ("", "red 5", None, None, BLUE),
        ("green 3, yellow 4, green 9", "red 5", None, None, GREEN),
        # The wild 1.5; the red 3 only 0.75.
        ("red 3, wild", "red 5", None, 1, RED),
        # Two wilds at 1.5: the first in the hand, whichever kind.
        ("wild pick 4, wild, red 3", "red 5", None, 0, RED),
        ("blue 1, wild, wild pick 4", "red 5", None, 1, BLUE),
        # red skip on red skip is not there; blue skip on red skip: 0.75 + 0.5 + 0.25 (blue).
        ("red 2, blue skip, blue 3", "red skip", None, 1, BLUE),
        # The same effect in the optimal colour (1.5) ties with a wild (1.5): the first wins.
        ("blue skip, wild, blue 3", "red skip", None, 0, BLUE),
        ("wild, blue skip, blue 3", "red skip", None, 0, BLUE),
        # The same effect in another colour (1.25) loses to the wild (1.5).
        ("red 1, red 2, blue skip, wild", "yellow skip", None, 3, RED),
        # Same colour with an effect: 0.5 + 0.5 = 1.0, before same colour and optimal 0.75.
        ("green 1, green 2, red reverse, red 3", "red 5", None, 2, GREEN),
        # red 5 by colour 0.5 + 0.25 (optimal); blue 7 by number 0.5.
        ("blue 7, red 5, red 2", "red 7", None, 1, RED),
        # By number in the optimal colour 0.75; by colour elsewhere 0.5.
        ("red 2, blue 7, blue 1", "red 7", None, 1, BLUE),
        # 0.5 each: the first.
        ("red 2, blue 7, green 1, green 3", "red 7", None, 0, GREEN),
        # On a wild its chosen colour counts.
        ("red 2, green 7", "wild", GREEN, 1, RED),
        ("red 2, green 7", "wild pick 4", YELLOW, None, RED),
        # Effects do not match by their number -1.
        ("blue skip, blue pick 2", "red reverse", None, None, BLUE),
        # Numbers do not match by their effect 0.
        ("blue 1", "red 2", None, None, BLUE),
        # Pick 2 on pick 2: 0.75 + 0.5 + 0.25 (red, the first to have one).
        ("red pick 2, green 4", "green pick 2", None, 0, RED),
    ],
)
def test_worked_cases(
    hand: str, top: str, chosen: int | None, index: int | None, wild_colour: int
) -> None:
    said = answer([face_of(x) for x in cards(hand)], face_of(card(top), chosen))
    action = PICK_CARD if index is None else PLAY_CARD
    assert said == Answer(action, index, wild_colour)


def test_a_card_that_some_other_host_makes_up() -> None:
    """A blank in the hand weighs 1.0 as any card of colour 4; other colours count for nothing."""
    blank, odd = Face(4, -1, 0), Face(7, 3, 0)
    red = Face(RED, 1, 0)
    assert answer([red, blank], Face(RED, 5, 0)) == Answer(PLAY_CARD, 1, RED)
    assert answer([odd, odd], Face(BLUE, 5, 0)) == Answer(PICK_CARD, None, BLUE)
    assert answer([odd], Face(BLUE, 3, 0)) == Answer(PLAY_CARD, 0, BLUE)
    # A start card of colour 4, which other hosts may deal.
    assert answer([red], Face(4, -1, 4)) == Answer(PICK_CARD, None, RED)


# An independent reading: counts by the definition, weights as decimals, a stable sort.


def read_colour(hand: list[Face]) -> int:
    coloured = [x.colour for x in hand if x.colour in range(4)]
    most = max((coloured.count(colour) for colour in range(4)), default=0)
    if most == 0:
        return 0
    for end in range(1, len(coloured) + 1):
        if coloured[:end].count(coloured[end - 1]) == most:
            return coloured[end - 1]
    raise AssertionError


def read_pick(hand: list[Face], top: Face) -> int | None:
    optimal = read_colour(hand)
    weights: dict[int, float] = {}
    for index, x in enumerate(hand):
        extra = (0.5 if x.effect else 0.0) + (0.25 if x.colour == optimal else 0.0)
        if x.colour == 4:
            weights[index] = 1.0 + extra
        elif x.effect and x.effect == top.effect:
            weights[index] = 0.75 + extra
        elif x.colour == top.colour or (x.number == top.number and x.number >= 0):
            weights[index] = 0.5 + extra
    ranked = sorted(weights, key=lambda index: -weights[index])
    return ranked[0] if ranked else None


real_cards = st.sampled_from(c.classic_deck()).map(face_of)
any_faces = st.builds(Face, st.integers(0, 4), st.integers(-1, 9), st.integers(0, 5))
tops = real_cards | any_faces | st.builds(Face, st.integers(0, 3), st.just(-1), st.integers(4, 5))


@pytest.mark.slow
@given(st.lists(real_cards | any_faces, max_size=25), tops)
@settings(max_examples=1500)
def test_for_every_hand_and_top_card_the_same_answer(hand: list[Face], top: Face) -> None:
    index = read_pick(hand, top)
    action = PICK_CARD if index is None else PLAY_CARD
    assert answer(hand, top) == Answer(action, index, read_colour(hand))


@given(st.lists(st.sampled_from(c.classic_deck()), max_size=15, unique=True))
def test_faces_are_the_protocols(hand: list[c.Card]) -> None:
    for x in hand:
        face = face_of(x)
        assert (face.number == -1) == (face.effect != c.NONE)
        assert (face.colour == c.SPECIAL) == (face.effect in (c.WILD_CARD, c.WILD_PICK_4))
    assert face_of(c.HIDDEN) == Face(4, -1, 0)
    assert face_of(card("wild"), RED) == Face(RED, -1, c.WILD_CARD)


@given(SEATS, SEEDS)
@settings(max_examples=25)
def test_at_our_tables_its_answers_are_legal(seats: int, seed: int) -> None:
    chance = FastRng(seed)
    match, events = new_match(Settings(), seats, chance)
    bots = [DocumentBot(Picture(seat), FastRng(seat)) for seat in range(seats)]
    for _ in range(200):
        for event in events:
            for seat, bot in enumerate(bots):
                bot.show(view(event, seat))
        if match.ended is not None:
            return
        turn = match.core.turn
        assert bots[turn].plan([], 0) is None
        plan = bots[turn].plan(match.legal(turn), 5)
        assert plan is not None
        assert plan.at > 5
        assert isinstance(plan.action, Play | Draw)
        plays = any(isinstance(x, Play) for x in match.legal(turn))
        assert isinstance(plan.action, Play) == plays
        events = match.apply(turn, plan.action, chance, 0)
