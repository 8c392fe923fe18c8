"""Cambia in the terminal: whole games by scripted input, and what is said to bad input."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from parlour.cli import app
from parlour.games.cambia import terminal
from parlour.games.cambia.rules import Cambia, deal
from parlour.games.cambia.settings import HouseRules, Settings
from parlour.kit import Setup
from parlour.rng import ProvableRng
from tests.terminals import paper, printed, typing

ANSWERS = {
    "Enter when": [""],
    "Draw": ["d", "d", "d", "d", "d", "c"],
    "Replace": ["x", "x", "r 1", "r 2", "x", "r 1"],
    "Look at a card": ["n", "1", "2"],
    "Look at somebody": ["a1", "n", "a2"],
    "Swap two": ["1 a1", "n", "a1 a2"],
    "Look at two": ["1 a1", "n"],
    "Swap the two": ["y", "n"],
}
"""What somebody types who has no plan, by how the prompt begins."""


def careless(games: int) -> Callable[[str], str]:
    """Somebody who answers every question with something, for so many games."""
    asked = dict.fromkeys(ANSWERS, 0)
    played = count(1)

    def ask(prompt: str) -> str:
        if prompt.startswith("Enter for another"):
            return "q" if next(played) == games else ""
        for begins, answers in ANSWERS.items():
            if prompt.startswith(begins):
                asked[begins] += 1
                return answers[asked[begins] % len(answers)]
        # Asked about a snap: now and then, right or wrong.
        assert "lies on the pile" in prompt
        asked.setdefault("snap", 0)
        asked["snap"] += 1
        return "s 1" if asked["snap"] % 9 == 0 else ""

    return ask


@pytest.mark.parametrize("bots", [1, 2, 7])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_games_are_played_to_their_end_and_counted(bots: int, seed: int) -> None:
    out = paper()
    wins = terminal.play(out, bots, seed, careless(2))
    text = printed(out)
    assert len(wins) == bots + 1
    assert sum(wins) >= 2
    assert text.count("Games won: ") == 2
    assert "You draw " in text
    assert "Alma discards " in text


def test_the_same_seed_is_the_same_evening() -> None:
    evenings = []
    for seed in (5, 5, 6):
        out = paper()
        terminal.play(out, 2, seed, careless(1))
        evenings.append(printed(out))
    assert evenings[0] == evenings[1] != evenings[2]


def dealt(seed: int, bots: int) -> Cambia:
    """The first game of an evening, as the rules deal it."""
    rules = Settings(houseRules=HouseRules(turnTimerSec=0))
    rng = ProvableRng(f"{seed}".encode(), "game 1")
    return deal(Setup(rules, ["You", *["bot"] * bots]), rng, 0)[0]


def test_only_the_two_cards_looked_at_are_shown() -> None:
    layout = dealt(4, 1).layout
    out = paper()
    terminal.play(out, 1, 4, typing("", "", "?"))
    faces = [terminal.TerminalCambia(out, 1, 4).face(layout.faces[c]).plain for c in range(54)]
    shown = printed(out)
    hands = layout.hands
    for card in (*hands[0][:2], layout.discards[-1]):
        assert faces[card] in shown
    for card in (*hands[0][2:], *hands[1]):
        assert not re.search(rf"\b{re.escape(faces[card])}", shown), faces[card]


def test_whatever_is_said_wrong_is_answered_and_asked_again() -> None:
    out = paper()
    lines = {
        "x": "Draw a card first.",
        "r": "Name one card",
        "r 9": "There is no card 9.",
        "s a1": "You can only snap your own cards.",
        "help": "Hold the lowest cards at the end.",
        "?": "Hold the lowest cards at the end.",
        "[red]": "There is no command [red] now; ? lists them.",
        "d": "You draw ",
        "c": "You have drawn",
        "r a1": "You can only replace a card of your own.",
        "quit": "Goodbye.",
    }
    terminal.play(out, 1, 5, typing("", "", *lines))
    text = printed(out)
    for answer in lines.values():
        assert answer in text


@given(st.integers(0, 10_000), st.lists(st.text(max_size=8), max_size=60))
def test_nothing_that_is_typed_ends_the_evening_but_the_end_of_it(
    seed: int, lines: list[str]
) -> None:
    out = paper()
    terminal.play(out, 2, seed, typing(*lines))
    assert printed(out)


def test_the_command_plays_until_the_input_ends() -> None:
    result = CliRunner().invoke(app, ["play", "cambia", "--seed", "7"], input="\n\nd\n")
    assert result.exit_code == 0
    assert "Goodbye." in result.stdout
    for bots in ("0", "8"):
        assert CliRunner().invoke(app, ["play", "cambia", "--bots", bots]).exit_code == 2
