"""How a scene of ONU writes cards, follows them, and says what may be done."""

from __future__ import annotations

from parlour.games.onu.cards import BLUE, HIDDEN
from parlour.games.onu.moves import Dealt, Drew, Play, Played, view
from parlour.games.onu.picture import Picture
from parlour.games.onu.scene import face_of, scene, words
from parlour.games.onu.settings import Settings
from parlour.rng import FastRng
from parlour.scenes import Scene, Thing
from tests.onu.tools import card, cards, position


def things(shown: Scene, zone: str) -> list[Thing]:
    return next(list(each.things) for each in shown.zones if each.id == zone)


def test_a_wild_keeps_its_id_from_the_hand_to_the_stack_and_shows_the_colour_chosen() -> None:
    picture = Picture(0)
    hands = [cards("red 7, wild"), cards("blue skip")]
    dealt = Dealt(["a", "b"], hands, card("red 3"), cards("green 1"), Settings())
    picture.see(view(dealt, 0))
    held = things(scene(picture, ()), "hand 0")
    assert [(thing.face, thing.name) for thing in held] == [("red 7", 0), ("wild", 1)]
    assert [thing.face for thing in things(scene(picture, ()), "hand 1")] == [None]
    picture.see(Played(0, 1, card("wild"), BLUE, 1))
    shown = scene(picture, ())
    assert things(shown, "stack") == [Thing(held[1].id, "blue wild")]
    assert things(shown, "hand 0") == [held[0]]


def test_faces_are_a_colour_and_a_symbol() -> None:
    told = [face_of(each, BLUE) for each in (card("red pick 2"), card("wild pick 4"), HIDDEN)]
    assert told == ["red pick 2", "blue wild pick 4", None]


def test_with_nothing_to_draw_drawing_is_called_a_pass() -> None:
    labels = {
        deck: [
            choice.label
            for choice in position("red 7", "red 8", top="blue 1", deck=deck).choices(0)
        ]
        for deck in ("", "red 1")
    }
    assert labels == {"": ["Pass"], "red 1": ["Draw"]}


def test_only_wilds_are_offered_a_colour() -> None:
    match = position("red 7, wild, blue 2", "red 8", top="red 1", deck="red 2")
    plain, wilds, draw = match.choices(0)
    assert (list(plain.fields), list(wilds.fields), draw.action) == (
        ["index"],
        ["index", "colour"],
        "draw",
    )
    match.apply(0, Play(0), FastRng(1), 0)
    assert list(match.choices(0)) == []


def test_words_name_only_cards_that_their_reader_may_know() -> None:
    drew = Drew(1, cards("red 7, wild"), "forced")
    assert words(view(drew, 1), Picture(1)) == "{1} has to draw red 7, wild."
    assert words(view(drew, 0), Picture(0)) == "{1} has to draw 2 cards."
