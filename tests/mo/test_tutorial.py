"""The page's tutorial shows what the rules say."""

from __future__ import annotations

from tests.mo.tutorial import FILE, boards, written


def test_the_tutorials_boards_are_those_of_the_rules() -> None:
    assert FILE.read_text() == written(), "run `python -m tests.mo.tutorial`"


def test_the_tutorial_teaches_the_worked_positions() -> None:
    told = boards()
    for moves, only in (("", "a3"), (" a3", "e3"), (" a3 e3", "c5")):
        assert told[f"setup{moves}"]["valid"] == [only]
    assert told["midgame"]["valid"] == ["b2", "b3", "c4"]
    fallen = set(told["midgame b2"]["defeated"]) - set(told["midgame"]["defeated"])
    assert fallen == {"e2", "b5"}
