"""MO in a terminal and in the arena: what a person types, what they get to read."""

from __future__ import annotations

import signal
from io import BytesIO, TextIOWrapper

from rich.console import Console

from parlour.arena.measuring import interval, pool, run
from parlour.arena.mo import play_deal, report
from parlour.games.mo.board import PILES
from parlour.games.mo.rules import Solitaire, opening
from parlour.games.mo.solver import solve
from parlour.games.mo.tableau import Tableau
from parlour.games.mo.terminal import HELP, play, short, show, show_solution
from parlour.rng import FastRng
from tests.mo.tools import board_of, face_of, new_game
from tests.terminals import paper, printed, typing


def session(*lines: str, seed: str = "parlour") -> tuple[Tableau, str]:
    console = paper()
    tableau = play(console, FastRng(1), seed, "classic", typing(*lines))
    return tableau, printed(console)


def first_pile(seed: str = "parlour") -> str:
    return new_game(seed, "classic").tableau().valid[0]


def test_a_pile_by_name_is_a_move_and_u_and_r_go_back_and_forth() -> None:
    to = first_pile()
    assert session(to)[0].moves == 1
    assert session(to.upper(), "u")[0].moves == 0
    assert session(to, "u", "r")[0].moves == 1


def test_q_and_a_closed_terminal_both_leave() -> None:
    assert session("q", first_pile())[0].moves == 0
    assert session()[0].moves == 0


def test_n_deals_anew_fresh_or_by_seed() -> None:
    assert session("n")[0].seed != "parlour"
    tableau, said = session(first_pile(), "n daily-2031-05-09")
    assert (tableau.seed, tableau.moves) == ("daily-2031-05-09", 0)
    assert "Deal daily-2031-05-09 (classic)" in said


def test_a_question_mark_explains_and_nonsense_is_answered_with_a_sentence() -> None:
    assert HELP.splitlines()[0] in session("?")[1]
    tableau, said = session("z9", "[/]", "[red]x", "e5", "u", "n a_b")
    assert tableau.moves == 0
    for sentence in (
        "There is no pile called 'z9'.",
        "There is no pile called '[/]'.",
        "There is no pile called '[red]x'.",
        "The next card may not go to e5.",
        "There is no move to take back.",
        "A seed is 1 to 32 letters",
    ):
        assert sentence in said


def test_h_names_a_valid_pile_and_changes_nothing() -> None:
    to = first_pile()
    tableau, said = session(to, "h")
    assert tableau.moves == 1
    assert any(f"{pile}: " in said for pile in tableau.valid)


def test_a_whole_deal_can_be_won_from_the_prompt() -> None:
    line = solve(opening("parlour", "classic")).line
    assert line is not None
    tableau, said = session(*[PILES[pile] for pile in line], "h")
    assert tableau.status == "won"
    assert "Won: All twelve royals are defeated." in said
    assert "This game is over" in said


def test_the_screen_tells_lanes_ends_and_lost_causes() -> None:
    console = paper()
    board = board_of("a2 KH b2 5H,2C c2 5H d2 4C b1 QD c1 JS,2D", "9C 2S 2H", down="b1")
    show(console, Solitaire("told", "classic", board).tableau())
    said = printed(console)
    assert "needs 3 more, hearts" in said
    assert "2 deep" in said
    assert "down" in said
    assert "This can't be won any more." in said
    console = paper()
    show(console, Solitaire("told", "classic", board_of("b2 5H", "")).tableau())
    assert "Lost: The draw pile is empty." in printed(console)


def test_nothing_hidden_reaches_the_screen() -> None:
    """Every card but those on the grid and the top of the draw pile is unseen at first."""
    said = session()[1]
    board = new_game("parlour", "classic").board
    for card in board.draw[1:]:
        assert f" {short(card)} " not in said


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
    line = solve(opening("parlour", "classic")).line or []
    play(console, FastRng(1), "parlour", "classic", typing(*[PILES[pile] for pile in line], "h"))
    assert show_solution(console, "parlour")
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
