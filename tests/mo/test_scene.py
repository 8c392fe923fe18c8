"""Moves of MO in words: an event shows only how the table lies after a move."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parlour.games.mo.picture import MoPicture
from parlour.games.mo.rules import Play, Solitaire, Undo, deal, view
from parlour.games.mo.scene import scene, words
from parlour.games.mo.settings import Settings
from parlour.kit import Setup
from parlour.rng import FastRng
from tests.mo.tools import board_of


@given(st.integers(0, 2**32))
def test_a_move_is_told_by_the_card_and_the_pile(seed: int) -> None:
    rng = FastRng(seed)
    match, told = deal(Setup(Settings(), ["a"]), rng, 0)
    picture = MoPicture(0)
    picture.see(view(told[0], 0))
    for _ in range(40):
        plays = [action for action in match.legal(0) if isinstance(action, Play)]
        if not plays:
            break
        play = plays[rng.below(len(plays))]
        shown = view(match.apply(0, play, rng, 0)[0], 0)
        assert f" goes to {play.to}." in words(shown, picture)
        picture.see(shown)
    assert words(view(match.apply(0, Undo(), rng, 0)[0], 0), picture) == "A move is taken back."


def test_a_scene_tells_lanes_ends_and_lost_causes() -> None:
    board = board_of("a2 KH b2 5H,2C c2 5H d2 4C b1 QD c1 JS,2D", "9C 2S 2H", down="b1")
    picture = MoPicture(0)
    picture.see(Solitaire("told", "classic", board).tableau())
    shown = scene(picture, ())
    marks = {zone.id: list(zone.things[0].marks) for zone in shown.zones if zone.things}
    assert marks["a2"] == ["counts 13", "needs 3 more, hearts"]
    assert marks["b1"] == ["Q♦ defeated"]
    assert "This can't be won any more." in shown.prompt
    picture.see(Solitaire("told", "classic", board_of("b2 5H", "")).tableau())
    assert scene(picture, ()).prompt == "The draw pile is empty."
