"""The shape of the house: what shared code may know, and what it may not."""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

import parlour
from parlour.games import installed_games
from parlour.protocol import Game

ROOT = Path(parlour.__file__).parent
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SHARED = ("house", "server", "protocol", "table", "bus", "store")


@pytest.mark.parametrize("package", SHARED)
def test_shared_code_names_no_game(package: str) -> None:
    names = [name for game in installed_games() for name in (game.id, game.name)]
    word = re.compile(rf"(?<![A-Za-z])({'|'.join(map(re.escape, names))})(?![A-Za-z])", re.I)
    for path in sorted((ROOT / package).rglob("*.py")):
        found = word.search(path.read_text())
        assert found is None, f"{path.relative_to(ROOT)} names {found and found[0]}"


def test_every_part_of_a_games_record_serves_more_than_one_game() -> None:
    games = installed_games()
    for field in fields(Game):
        if field.default is MISSING:
            continue
        users = [game.id for game in games if getattr(game, field.name) is not field.default]
        assert len(users) != 1, f"Game.{field.name} is there for {users[0]} alone"


def test_the_way_of_a_move_names_methods_that_there_are() -> None:
    there: set[str] = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                methods = [m for m in node.body if isinstance(m, FUNCTIONS)]
                there |= {f"{node.name}.{method.name}" for method in methods}
    text = (ROOT.parent.parent / "docs" / "architecture.md").read_text()
    way = text.partition("\n## The way of a move\n")[2].partition("\n- ")[0]
    named = re.findall(r"`([A-Z]\w+\.\w+)`", way)
    assert len(named) > 10
    assert [name for name in named if name not in there] == []
