"""Stronger bots win more: a few seeded games of each kind, the same ones every time.

The shares in the documents are measured over more of them (`parlour arena`).
"""

from __future__ import annotations

import pytest

from parlour.arena.duels import compare_strengths, measure

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["rummy", "cambia", "onu", "quips"])
def test_hard_beats_easy(name: str) -> None:
    duel = compare_strengths(name)[-1]
    assert (duel.strength, duel.rivals) == ("hard", "easy")
    tally = measure(duel, range(30))
    assert tally.games == 30
    assert tally.decided > 20
    assert tally.share > 1 / duel.seats


def test_the_same_games_are_played_each_time() -> None:
    duel = compare_strengths("rummy")[1]
    assert measure(duel, range(6)) == measure(duel, range(6))
