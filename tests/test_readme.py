"""The README's bot works as printed; links, commands and options in documents exist."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from parlour.cli import app
from tests.support import OpenHouse

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [
    document.relative_to(ROOT)
    for folder in (ROOT, ROOT / "docs", ROOT / "docs" / "protocols", ROOT / "web")
    for document in sorted(folder.glob("*.md"))
]


async def test_the_readmes_bot_sits_down_and_plays(house: OpenHouse) -> None:
    block = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert block is not None
    code = block[1].replace("localhost:3000", f"127.0.0.1:{house.server.port}")
    program: dict[str, Any] = {}
    exec(code.rsplit("asyncio.run", 1)[0], program)
    person = await house.rummy()
    bot = asyncio.ensure_future(program["main"](person.code))
    try:
        await person.until("lobby")
        await person.send("start")
        for _ in range(3):
            await person.my_turn()
            await person.play_turn()
    finally:
        bot.cancel()
        with suppress(asyncio.CancelledError):
            await bot


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as repository hosts make them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_link_leads_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / document).read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^) ]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / document).parent / path if path else ROOT / document
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


def words_behind(program: str, document: Path) -> list[list[str]]:
    """The words of every command of a program: in inline code, or as a line of a block."""
    text = (ROOT / document).read_text().replace("\\\n", " ")
    found = re.findall(rf"`(?:\S*/)?{program} ([a-z][^`]*)`", text)
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        found += re.findall(rf"^(?:\S*/)?{program} ([a-z].*)", block, re.MULTILINE)
    return [command.partition("#")[0].split() for command in found]


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_command_and_option_exists(document: Path) -> None:
    for words in words_behind("parlour", document):
        command: Any = get_command(app)
        for word in words:
            if not hasattr(command, "commands"):
                break
            assert word in command.commands, words
            command = command.commands[word]
        options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        named = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert named <= options, words


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_make_target_exists(document: Path) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for words in words_behind("make", document):
        assert words[0] in targets, words
