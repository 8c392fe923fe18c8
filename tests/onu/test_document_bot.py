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
from parlour.games.onu.document_bot import DocumentBot, answer, optimal_colour
from parlour.games.onu.messages import FACES, Card, top_of
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
    assert optimal_colour([FACES[x] for x in cards(hand)]) == colour


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
    face = FACES[card(top)]
    shown = face if chosen is None else Card(chosen, face.Number, face.Effect)
    assert answer([FACES[x] for x in cards(hand)], shown) == (index, wild_colour)


def test_a_card_that_some_other_host_makes_up() -> None:
    """A blank in the hand weighs 1.0 as any card of colour 4; other colours count for nothing."""
    blank, odd = Card(4, -1, 0), Card(7, 3, 0)
    red = Card(RED, 1, 0)
    assert answer([red, blank], Card(RED, 5, 0)) == (1, RED)
    assert answer([odd, odd], Card(BLUE, 5, 0)) == (None, BLUE)
    assert answer([odd], Card(BLUE, 3, 0)) == (0, BLUE)
    # A start card of colour 4, which other hosts may deal.
    assert answer([red], Card(4, -1, 4)) == (None, RED)


# An independent reading: counts by the definition, weights as decimals, a stable sort.


def read_colour(hand: list[Card]) -> int:
    coloured = [x.Color for x in hand if x.Color in range(4)]
    most = max((coloured.count(colour) for colour in range(4)), default=0)
    if most == 0:
        return 0
    for end in range(1, len(coloured) + 1):
        if coloured[:end].count(coloured[end - 1]) == most:
            return coloured[end - 1]
    raise AssertionError


def read_pick(hand: list[Card], top: Card) -> int | None:
    optimal = read_colour(hand)
    weights: dict[int, float] = {}
    for index, x in enumerate(hand):
        extra = (0.5 if x.Effect else 0.0) + (0.25 if x.Color == optimal else 0.0)
        if x.Color == 4:
            weights[index] = 1.0 + extra
        elif x.Effect and x.Effect == top.Effect:
            weights[index] = 0.75 + extra
        elif x.Color == top.Color or (x.Number == top.Number and x.Number >= 0):
            weights[index] = 0.5 + extra
    ranked = sorted(weights, key=lambda index: -weights[index])
    return ranked[0] if ranked else None


real_cards = st.sampled_from(c.classic_deck()).map(FACES.__getitem__)
any_faces = st.builds(Card, st.integers(0, 4), st.integers(-1, 9), st.integers(0, 5))
tops = real_cards | any_faces | st.builds(Card, st.integers(0, 3), st.just(-1), st.integers(4, 5))


@pytest.mark.slow
@given(st.lists(real_cards | any_faces, max_size=25), tops)
@settings(max_examples=1500)
def test_for_every_hand_and_top_card_the_same_answer(hand: list[Card], top: Card) -> None:
    assert answer(hand, top) == (read_pick(hand, top), read_colour(hand))


@given(st.lists(st.sampled_from(c.classic_deck()), max_size=15, unique=True))
def test_faces_are_the_protocols(hand: list[c.Card]) -> None:
    for x in hand:
        face = FACES[x]
        assert (face.Number == -1) == (face.Effect != c.NONE)
        assert (face.Color == c.SPECIAL) == (face.Effect in (c.WILD_CARD, c.WILD_PICK_4))
    assert FACES[c.HIDDEN] == Card(4, -1, 0)
    picture = Picture(None)
    picture.stack, picture.colour = [card("wild")], RED
    assert top_of(picture) == Card(RED, -1, c.WILD_CARD)


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
