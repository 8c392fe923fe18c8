"""Super Rummy in the arena: the same rounds for everybody, told with their interval."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from parlour.arena.measuring import Meter
from parlour.arena.rummy import Score, play_round, play_rounds, report, run
from tests.terminals import paper, printed


def test_rounds_add_up_however_they_are_handed_out() -> None:
    whole = play_rounds(0, 60, 3)
    assert run(60, 3, workers=2) == whole
    parts = play_rounds(0, 25, 3)
    parts.add(play_rounds(25, 35, 3))
    assert parts == whole
    assert whole.rounds == 60
    assert 0 < whole.won < whole.decided <= 60


def test_the_bot_sits_in_every_seat_of_a_deal() -> None:
    winners = [play_round(seed, 2, seat).winner == seat for seed in (0, 1) for seat in (0, 1)]
    assert play_rounds(0, 4, 2).won == sum(winners)


def test_a_share_is_of_the_rounds_that_somebody_won() -> None:
    assert Score().share == 0.0
    assert Score(rounds=10, won=3, lost=1).share == 0.75
    low, high = Score(rounds=100, won=50, lost=50).interval
    assert 0.39 < low < 0.42 < 0.58 < high < 0.61


def test_the_report_tells_how_it_went_at_every_size_of_table() -> None:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    scores = report(console, rounds=10, workers=1)
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()
    assert [score.rounds for score in scores] == [10, 10, 10]
    assert all(f"{score.won}/{score.decided}" in said for score in scores)


def test_where_no_bar_is_drawn_lines_say_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    out = paper()
    with Meter(out, "What is [measured].") as meter:
        step = meter.row("2 players", 200)
        for done in range(0, 201, 5):
            step(done, done // 2)
    assert printed(out) == "What is [measured].\n"
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"2 players: {n} of 200, {n // 2} won" for n in range(20, 201, 20)]
