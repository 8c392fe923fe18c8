"""Lessons in the terminal: followed by hints, with something else in between."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.games import installed_games
from parlour.teaching import TaughtLesson, taught
from parlour.terminal.lesson import Learning
from tests.terminals import paper, printed, typing

GAMES = [game for game in installed_games() if game.lessons]


def lesson_of(game: str) -> TaughtLesson:
    return next(taught(each, each.lessons[0]) for each in GAMES if each.id == game)


class Pupil:
    """Asks for a hint, and types the numbers of what it says."""

    def __init__(self) -> None:
        self.out = paper()
        self._read = 0
        self._menu: dict[str, str] = {}
        self._hint = ""

    def ask(self, prompt: str) -> str:
        text = printed(self.out)[self._read :]
        self._read += len(text)
        menu = re.findall(r"(?:^|   )(\d+) (.*?)(?=   \d+ |$)", text, re.MULTILINE)
        self._menu = {re.sub(r"[\[\]]", "", each): number for number, each in menu} or self._menu
        if prompt.startswith("Enter"):
            return ""
        hints = re.findall(r"Hint: (.*)", text)
        if prompt == "> " and not hints:
            return "h"
        self._hint = hints[-1] if hints else self._hint
        if self._hint in self._menu:
            return self._menu[self._hint]
        begun = [label for label in self._menu if label.endswith(" …")]
        if prompt == "> ":
            return next(self._menu[each] for each in begun if self._hint.startswith(each[:-2]))
        # Cards, one after the other, in the order of the hint.
        named = {self._hint.find(label): number for label, number in self._menu.items()}
        return " ".join(named[at] for at in sorted(named) if at >= 0)


@pytest.mark.parametrize("game", [game.id for game in GAMES])
def test_a_lesson_is_followed_to_its_end(game: str) -> None:
    lesson, pupil = lesson_of(game), Pupil()
    assert Learning(lesson, pupil.out, pupil.ask, "Ada").learn()
    text = printed(pupil.out)
    assert f"[{len(lesson.steps)}/{len(lesson.steps)}]" in text
    assert "{" not in text
    assert all(step.otherwise not in text for step in lesson.steps if step.expected)


def test_something_else_is_answered_and_changes_nothing() -> None:
    out = paper()
    assert not Learning(lesson_of("rummy"), out, typing("", "", "", "2", "h", "q")).learn()
    text = printed(out)
    assert "J♣ helps you with nothing." in text
    assert text.count("[4/13] Every turn begins with a card.") == 2
    assert "Hint: Draw" in text
    assert "[5/13]" not in text
    assert text.endswith("Goodbye.\n")


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["learn", *words], input="\n")
    return f"{result.exit_code} {' '.join((result.stdout + result.stderr).split())}"


def test_the_command_begins_the_lesson_or_says_why_not() -> None:
    assert run("rummy", "--name", "Ada").startswith("0 ▸ Ada")
    assert run("cambia") == run("cambia", "first-game") != run("onu")
    assert "MO has no lesson." in run("mo")
    assert "Lessons of ONU are: first-game." in run("onu", "nothing")
    assert "No game called whist" in run("whist")
