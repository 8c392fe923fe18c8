"""A game from outside in the terminal, by its scene and choices alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import cycle

import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.scene_terminal import DescribedGame
from tests.examples.conftest import ROOT
from tests.terminals import paper, printed, typing

sys.path.insert(0, str(ROOT / "examples" / "eights" / "src"))

from parlour_eights import GAME


def answering(*lines: str) -> Callable[[str], str]:
    """These answers over and over, until the match is over."""
    rest = cycle(lines)

    def ask(prompt: str) -> str:
        return "q" if prompt.startswith("Enter") else next(rest)

    return ask


def evening(seed: int, ask: Callable[[str], str], bots: int = 2) -> str:
    out = paper()
    DescribedGame(GAME, out, bots, seed, ask).play()
    return printed(out)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bots", [1, 4])
def test_a_match_is_played_to_its_end(seed: int, bots: int) -> None:
    text = evening(seed, answering("1", "2", "1"), bots)
    assert "wins." in text
    assert "Points: Player " in text
    assert "{" not in text, "every name is filled in"


def test_the_same_seed_is_the_same_match() -> None:
    assert evening(5, answering("1")) == evening(5, answering("1")) != evening(6, answering("1"))


def test_it_says_what_can_be_typed() -> None:
    text = evening(1, typing("?", "77", "word", "-1", "0", "1"))
    assert "begin again with another action" in text
    assert text.count("Type a number from 1 to") == 3
    assert text.endswith("Goodbye.\n")


def test_an_unknown_game_is_named() -> None:
    result = CliRunner().invoke(app, ["play", "game", "whist"])
    assert result.exit_code == 2
    assert "No game called whist" in result.output
