"""The commands that play, solve and measure games."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner, Result

from parlour.arena.duels import Duel, compare_strengths
from parlour.arena.mo import PLAYERS
from parlour.cli import app
from parlour.games.mo.solver import Solution


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=typed)


def test_the_command_plays_until_the_input_ends() -> None:
    result = run("play", "rummy", "--bots", "1", "--seed", "7", "--name", "Ada", typed="1\n")
    assert result.exit_code == 0
    assert "Ada draws " in result.stdout
    assert result.stdout.endswith("Goodbye.\n")
    assert run("play", "rummy", "--seed", "7", typed="1\nq\n").exit_code == 0


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("whist",), "No game called whist can be played here. These can: rummy, cambia,"),
        (("rummy", "--bots", "0"), "Super Rummy is for 2 to 4 players."),
        (("rummy", "--bots", "4"), "Super Rummy is for 2 to 4 players."),
        (("mo", "--bots", "1"), "MO is for 1 to 1 players."),
        (("rummy", "--strength", "mean"), "bots of Super Rummy are: easy, normal, hard."),
        (("mo", "--seed", "a_b"), "--seed: MO has no deal called a_b."),
        (("onu", "--set", "deck"), "deck is not NAME=VALUE."),
        (("onu", "--set", "deck=tarot"), "--set: These settings can't be:"),
        (("cambia", "--set", "houseRules.numJokers=9"), "--set: These settings can't be:"),
    ],
)
def test_a_wrong_word_is_answered_in_one_sentence(words: tuple[str, ...], answer: str) -> None:
    result = run("play", *words)
    assert result.exit_code == 2
    assert answer in " ".join(result.stderr.split())


def test_settings_are_set_by_name_also_inside_of_others() -> None:
    assert "Deck: 93" in run("play", "onu", "--bots", "1", "--set", "deck=classic").stdout
    cambia = run("play", "cambia", "--set", "houseRules.initialViewCount=4", "--bots", "1").stdout
    own = next(line for line in cambia.splitlines() if line.startswith("Your cards"))
    assert "▒" not in own


def test_the_help_lists_the_installed_games() -> None:
    assert "cambia  Cambia" in run("play", "--help").stdout


def test_mo_is_played_and_solved_by_command() -> None:
    result = run("play", "mo", "--set", "seed=arena-1", typed="?\nq\n")
    assert result.exit_code == 0
    assert "seed arena-1" in result.stdout
    result = run("play", "mo", "--set", "seed=arena-1", typed="new\nq\n")
    assert result.stdout.count("Moves 0") == 2
    assert result.stdout.count("seed arena-1") == 1, "it names one deal, not all"
    result = run("mo", "solve", "--seed", "arena-1")
    assert result.exit_code == 0
    assert "Won in " in result.stdout
    assert run("mo", "solve").exit_code == 2


def test_a_seed_that_is_none_is_refused_in_one_sentence() -> None:
    result = run("mo", "solve", "--seed", "no [/] seed")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "parlour: --seed: A seed is 1 to 32 letters, digits and hyphens.\n"


def test_a_deal_that_no_way_to_win_was_found_for_is_exit_code_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.games.mo.solution.solve", lambda board: Solution(None, 7))
    result = CliRunner().invoke(app, ["mo", "solve", "--seed", "abc"])
    assert result.exit_code == 1
    assert "No way to win deal abc (classic) was found" in result.stdout


def test_the_arena_is_told_what_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(
        "parlour.arena.mo.report",
        lambda console, *told: asked.append(told),
    )
    options = ["--deals", "3", "--profile", "printed", "--workers", "1"]
    options += ["--first", "9", "--player", "honest"]
    assert CliRunner().invoke(app, ["mo", "arena", *options]).exit_code == 0
    assert CliRunner().invoke(app, ["mo", "arena"]).exit_code == 0
    assert asked == [(3, "printed", ("honest",), 1, 9), (200, "classic", PLAYERS, None, 1)]


def test_the_arena_is_told_which_bots_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("parlour.arena.duels.report", lambda console, *told: asked.append(told))
    options = ["--games", "30", "--workers", "1", "--seats", "2", "--seats", "3"]
    onu = ["--set", "deck=classic", "--strength", "normal", "--rivals", "normal", "--new-deals"]
    for words in (["rummy", *options, "--rivals", "normal"], ["onu", *onu], ["quips"]):
        assert CliRunner().invoke(app, ["arena", *words]).exit_code == 0
    assert asked == [
        ([Duel("rummy", seats, games_per_deal=seats) for seats in (2, 3)], 30, 1),
        ([Duel("onu", 2, "normal", "normal", {"deck": "classic"})], 1000, None),
        (compare_strengths("quips"), 1000, None),
    ]
    assert [(duel.strength, duel.rivals, duel.seats) for duel in compare_strengths("quips")] == [
        ("hard", "normal", 3),
        ("normal", "easy", 3),
        ("hard", "easy", 3),
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mo"], "No game called mo has bots. These have: rummy, cambia, quips, onu"),
        (["rummy", "--seats", "5"], "--seats: Super Rummy is for 2 to 4 players."),
        (["onu", "--rivals", "weak"], "Bots of ONU are: easy, normal, hard."),
        (["onu", "--set", "deck=blue"], "--set: These settings can't be: "),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_arena_says_what_cannot_be_measured(words: list[str], sentence: str) -> None:
    result = CliRunner().invoke(app, ["arena", *words])
    assert result.exit_code == 2
    assert sentence in result.stderr
