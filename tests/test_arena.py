"""Bots in the arena: the same games for everybody, told with their interval."""

from __future__ import annotations

import pytest

from parlour.arena.duels import Duel, Tally, measure, report, run
from parlour.arena.measuring import Meter
from tests.terminals import paper, printed

RUMMY = Duel("rummy", 3, games_per_deal=3)


def test_games_add_up_however_they_are_handed_out() -> None:
    whole = measure(RUMMY, range(60))
    heard: list[int] = []
    assert run([RUMMY], 60, 2, [lambda done, _: heard.append(done)]) == [whole]
    assert heard == list(range(1, 61))
    assert Tally.of([measure(RUMMY, range(25)), measure(RUMMY, range(25, 60))]) == whole
    assert whole.games == 60
    assert 0 < whole.won < whole.decided <= 60


def test_the_bot_sits_in_every_seat_of_a_deal() -> None:
    """Among its equals it wins each decided deal from one seat, and scores what that seat does."""
    equals = Duel("rummy", 2, "hard", "hard", games_per_deal=2)
    tally = measure(equals, range(20))
    assert tally.won == tally.decided // 2 > 0
    assert tally.points == tally.rivals_points


def test_a_share_is_of_the_games_that_somebody_won() -> None:
    assert Tally().share == 0.0
    assert Tally(games=10, won=3, decided=4).share == 0.75
    low, high = Tally(games=100, won=50, decided=100).interval
    assert 0.39 < low < 0.42 < 0.58 < high < 0.61


def test_a_tally_adds_up_counts_and_keeps_the_slowest_decision() -> None:
    tally = Tally.of([Tally(100, 50, 97, 10, 20, 0.2), Tally(100, 70, 99, 1, 2, 0.1)])
    assert tally == Tally(200, 120, 196, 11, 22)
    assert tally.slowest == 0.2


def test_the_report_tells_how_it_went_at_every_size_of_table() -> None:
    out = paper()
    duels = [Duel("rummy", seats, games_per_deal=seats) for seats in (2, 3)]
    tallies = report(out, duels, games=10, workers=1)
    assert [tally.games for tally in tallies] == [10, 10]
    assert all(f"{tally.won}/{tally.decided}" in printed(out) for tally in tallies)


def test_where_no_bar_is_drawn_lines_say_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    out = paper()
    with Meter(out, "What is [measured].") as meter:
        step = meter.row("2 players", 200)
        for done in range(0, 201, 5):
            step(done, done // 2)
    assert printed(out) == "What is [measured].\n"
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"2 players: {n} of 200, {n // 2} won" for n in range(20, 201, 20)]
