"""Sentences that the server makes: their translations for the page, and how these are found."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import parlour
from parlour.battery.translations import Translations, texts_in
from parlour.games import installed_games

SOURCES = Path(parlour.__file__).parent
SHARED = SOURCES.parent.parent / "web" / "src" / "lib" / "messages" / "de" / "refusals.json"
EXAMPLES = Path(__file__).parent / "data" / "sentences.json"
# Their refusals are read by programs and at the command line, not by people at the page.
OTHERS = ("arena", "battery", "bus", "relay", "store", "terminal")
UNSEEN = (
    "house/erased.py",
    "house/exported.py",
    "house/failures.py",
    "house/verified.py",
    "server/table_defaults.py",
)


def refusals(file: Path) -> Iterator[str]:
    """The sentences with which this module refuses; an x stands for what is filled in."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "Illegal" and len(node.args) == 2:
                sentence = _text(node.args[1])
                if sentence and " " in sentence:
                    yield sentence


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            "7" if isinstance(part, ast.FormattedValue) else _text(part) for part in node.values
        )
    return ""


def seen(file: Path) -> bool:
    path = file.relative_to(SOURCES).as_posix()
    programs = ("/host/", "/client/", "/wire/")
    return not path.startswith((*OTHERS, *UNSEEN)) and not any(part in path for part in programs)


@pytest.mark.parametrize(
    "game", [None, *installed_games()], ids=lambda game: game.id if game else "shared"
)
def test_every_refusal_has_a_translation(game: object) -> None:
    texts = json.loads(SHARED.read_text())
    folder = SOURCES
    files = [file for file in folder.rglob("*.py") if "games" not in file.relative_to(folder).parts]
    if game is not None:
        folder = SOURCES / "games" / game.id  # type: ignore[attr-defined]
        if not folder.exists():
            pytest.skip("a game of another package")
        texts |= texts_in(game.assets, "de", ["table", "refusals"])  # type: ignore[attr-defined]
        files = list(folder.rglob("*.py"))
    told = {sentence for file in files if seen(file) for sentence in refusals(file)}
    translations = Translations(texts)
    assert told
    assert sorted(each for each in told if translations.find(each) is None) == []


def test_sentences_are_found_by_their_patterns() -> None:
    """The page's test reads the same examples (`sentences.test.ts`)."""
    examples = json.loads(EXAMPLES.read_text())
    translations = Translations(examples["texts"])
    for english, translation in examples["told"].items():
        assert translations.find(english) == translation
