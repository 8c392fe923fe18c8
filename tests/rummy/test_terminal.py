"""Super Rummy in terminals of all kinds."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from parlour.games.rummy import terminal
from tests.terminals import typing


@pytest.mark.parametrize(
    ("encoding", "suits"), [("utf-8", "♥♦♣♠"), ("latin-1", "hdcs"), ("ascii", "hdcs")]
)
def test_a_terminal_without_the_signs_of_suits_is_told_letters(encoding: str, suits: str) -> None:
    paper = io.BytesIO()
    out = Console(file=io.TextIOWrapper(paper, encoding), width=100, color_system=None)
    terminal.play(out, 1, 7, typing("d", "x 1"))
    out.file.flush()
    text = paper.getvalue().decode(encoding)
    hand = next(line for line in text.splitlines() if line.startswith("Hand"))
    assert {card[-1] for card in hand.split()[1:]} == set(suits)


def test_cards_may_be_named_with_commas_between_them() -> None:
    out = Console(file=io.StringIO(), width=100, color_system=None)
    terminal.play(out, 1, 7, typing("d", "m 1,2, 3"))
    assert isinstance(out.file, io.StringIO)
    assert "These cards are neither a set nor a run." in out.file.getvalue()


def test_the_help_fits_into_eighty_columns() -> None:
    assert max(len(line) for line in terminal.HELP.splitlines()) < 80
