"""Moves of MO in words: an event shows only how the table lies after a move."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parlour.games.mo.picture import MoPicture
from parlour.games.mo.rules import Play, Undo, deal, view
from parlour.games.mo.scene import words
from parlour.games.mo.settings import Settings
from parlour.kit import Setup
from parlour.rng import FastRng


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
