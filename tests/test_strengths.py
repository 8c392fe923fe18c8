"""Stronger bots win more: a few seeded games of each kind, the same ones every time.

The shares in the documents are measured over more of them (`parlour arena strengths`).
"""

from __future__ import annotations

import pytest

from parlour.arena.duels import SEATS, compare_strengths, measure

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SEATS)
def test_hard_beats_easy(name: str) -> None:
    tally = measure(compare_strengths(name)[-1], range(30))
    assert tally.games == 30
    assert tally.decided > 20
    assert tally.share > 1 / SEATS[name]


def test_the_same_games_are_played_each_time() -> None:
    duel = compare_strengths("rummy")[1]
    assert measure(duel, range(6)) == measure(duel, range(6))
