"""Solutions of MO as they are printed, and MO in the arena."""

from __future__ import annotations

import signal
from io import BytesIO, TextIOWrapper

from rich.console import Console

from parlour.arena.measuring import interval, pool, run
from parlour.arena.mo import play_deal, report
from parlour.games.mo.rules import opening
from parlour.games.mo.solution import short, show_solution
from parlour.games.mo.solver import solve
from tests.mo.tools import face_of
from tests.terminals import paper, printed


def test_cards_are_short() -> None:
    assert [short(face_of(text)) for text in ("10H", "AC", "QD", "2S", "*")] == [
        "10♥",
        "A♣",
        "Q♦",
        "2♠",
        "★",
    ]


def test_a_terminal_without_signs_for_suits_is_told_letters() -> None:
    """Strict, as a terminal's encoding is: what it can't print would be an exception."""
    told = BytesIO()
    console = Console(file=TextIOWrapper(told, "ascii"), width=100)
    assert show_solution(console, "parlour")
    console.file.flush()
    assert any(f" {rank}{suit} ".encode() in told.getvalue() for rank in "JQK" for suit in "hdcs")


def test_a_solution_is_printed_move_by_move() -> None:
    console = paper()
    assert show_solution(console, "parlour")
    line = solve(opening("parlour", "classic")).line
    assert line is not None
    said = printed(console)
    assert f"Won in {len(line)} moves" in said
    assert said.count("defeats") >= 6


def test_the_arena_plays_the_same_deals_for_everybody_and_tells_how_it_went() -> None:
    heard: list[tuple[int, int]] = []
    seeds = ["arena-7", "arena-8", "arena-9"]
    rows = [[("greedy", "printed", seed) for seed in seeds]]
    steps = [lambda done, won: heard.append((done, won))]
    (deals,) = run(play_deal, rows, workers=1, steps=steps)
    assert [deal.seed for deal in deals] == seeds
    assert heard[-1] == (3, sum(deal.won for deal in deals))
    assert len(heard) == 3
    console = paper()
    report(console, 2, "printed", ("greedy",), workers=1, first=7)
    said = printed(console)
    assert "arena-7 to arena-8" in said
    reasons = [deal.reason for deal in deals]
    assert f"greedy did not win: arena-7 ({reasons[0]}), arena-8 ({reasons[1]})" in said


def test_the_arenas_processes_leave_ctrl_c_to_the_one_that_began_them() -> None:
    heeded = signal.getsignal(signal.SIGINT)
    with pool(1) as processes:
        assert processes.apply(signal.getsignal, (signal.SIGINT,)) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is heeded


def test_a_rate_comes_with_its_interval() -> None:
    assert interval(0, 0) == (0.0, 1.0)
    low, high = interval(95, 100)
    assert 0.88 < low < 0.95 < high < 0.98
    assert interval(10, 10)[1] == 1.0
