"""Stronger bots win more: a few seeded games of each kind, the same ones every time.

The shares in the documents are measured over more of them (`parlour arena strengths`).
"""

from __future__ import annotations

import pytest

from parlour.arena.strengths import PAIRS, TERMS, measure

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", TERMS)
def test_hard_beats_easy(name: str) -> None:
    strength, rivals = PAIRS[-1]
    tally = measure(name, strength, rivals, range(30))
    assert tally.games == 30
    assert tally.decided > 20
    assert tally.share > 1 / TERMS[name].seats


def test_the_same_games_are_played_each_time() -> None:
    first, second = (measure("rummy", "normal", "easy", range(6)) for _ in range(2))
    assert first == second
