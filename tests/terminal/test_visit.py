"""Tables of a running server, played at from a terminal."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
from rich.console import Console
from typer.testing import CliRunner

from parlour.cli import app
from parlour.terminal.remote import Refused, Server
from parlour.terminal.visit import Visit, Wanted
from tests.cambia.guests import Watch
from tests.support import Opener, soon
from tests.terminals import paper, printed

pytestmark = pytest.mark.slow


class Typist:
    """Somebody at a terminal of their own."""

    def __init__(self, base: str, wanted: Wanted) -> None:
        self.out: Console = paper()
        read, self._write = os.pipe()
        self._task = asyncio.create_task(self._play(base, wanted, read))
        self.meanwhile: Callable[[], None] = lambda: None
        """Called every two milliseconds while this person waits."""

    async def _play(self, base: str, wanted: Wanted, read: int) -> None:
        try:
            await Visit(self.out, Server(base), wanted, read).play()
        finally:
            os.close(read)

    @property
    def text(self) -> str:
        return printed(self.out)

    def type(self, line: str) -> None:
        os.write(self._write, f"{line}\n".encode())

    async def sees(self, pattern: str, after: int = 0) -> re.Match[str]:
        def there() -> bool:
            self.meanwhile()
            return self._task.done() or bool(re.search(pattern, self.text[after:], re.MULTILINE))

        await soon(there)
        found = re.search(pattern, self.text[after:], re.MULTILINE)
        assert found, self.text
        return found

    async def leaves(self, how: Callable[[], object]) -> None:
        how()
        await self._task

    def hang_up(self) -> None:
        os.close(self._write)

    def interrupt(self) -> None:
        """As Ctrl-C does."""
        self._task.cancel()

    async def ends(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError, Refused):
            await self._task


@asynccontextmanager
async def typist(base: str, wanted: Wanted) -> AsyncGenerator[Typist]:
    person = Typist(base, wanted)
    try:
        yield person
    finally:
        await person.ends()


@pytest.mark.parametrize("game", ["rummy", "cambia", "quips", "onu", "mo"])
async def test_a_table_of_every_game_is_opened_and_played_at(game: str, open_house: Opener) -> None:
    house = await open_house(bot_pace=0)
    async with typist(house.base, Wanted(game, "Ada")) as ada:
        # Countdowns and turns pass ten times as fast.
        ada.meanwhile = partial(Watch(house).forward, 20)
        if game != "mo":
            await ada.sees(r"^Here: Ada$")
            ada.type("")
        await ada.sees(r"^1 ")
        start = len(ada.text)
        ada.type("1")
        await ada.sees(r"Ada draws|Ada |^\w+ goes to|^.. goes to|Which\? >", start)
        assert "{0}" not in ada.text
        ada.type("q")
        await ada.leaves(lambda: None)
        assert ada.text.endswith("Goodbye.\n")


async def test_two_terminals_play_at_one_table(open_house: Opener) -> None:
    house = await open_house()
    async with typist(house.base, Wanted("rummy", "Ada", bots=0)) as ada:
        code = (await ada.sees(r"^Table (\d+) of Super Rummy"))[1]
        async with typist(house.base, Wanted("rummy", "Ben", code)) as ben:
            await ada.sees("^Here: Ada, Ben$")
            ada.type("")
            await ada.sees(r"^Your hand: ")
            await ben.sees(r"^Your hand: ")
            await soon(lambda: "1 [D]raw" in ada.text + ben.text)
            # Both have a part in the seed of the deal.
            [table] = house.tables
            assert len(table.nonces[0]) == 2
            first, other = (ada, ben) if "1 [D]raw" in ada.text else (ben, ada)
            name = "Ada" if first is ada else "Ben"
            first.type("d")
            await first.sees(rf"^{name} draws \S+\.$")
            await other.sees(rf"^{name} draws a card\.$")
            # The place of who has left is free.
            await ben.leaves(lambda: ben.type("q"))
            await ada.sees("^Here: Ada$")


async def test_people_are_ready_where_a_match_waits_for_that(open_house: Opener) -> None:
    house = await open_house()
    async with typist(house.base, Wanted("cambia", "Ada", bots=0)) as ada:
        code = (await ada.sees(r"^Table (\d+) of Cambia"))[1]
        async with typist(house.base, Wanted("cambia", "Ben", code)) as ben:
            await ada.sees("^Here: Ada, Ben$")
            ben.type("")
            ada.type("")
            await ada.sees("^Look at your cards and remember them.$")


async def test_hints_moves_and_undo_of_a_solitaire(open_house: Opener) -> None:
    house = await open_house()
    wanted = Wanted("mo", "Ada", settings={"seed": "parlour"})
    async with typist(house.base, wanted) as ada:
        await ada.sees("^1 ")
        ada.type("h")
        to = (await ada.sees(r"^Hint: ([a-e]\d): \w"))[1]
        ada.type(to)
        await ada.sees(rf"goes to {to}\.$")
        ada.type("u")
        await ada.sees(r"^A move is taken back\.$")
        ada.type("r")
        await ada.sees(rf"(?s)taken back.*goes to {to}\.$")


async def test_the_end_of_the_input_and_ctrl_c_leave_the_table(open_house: Opener) -> None:
    house = await open_house()
    async with typist(house.base, Wanted("onu", "Ada", bots=0)) as ada:
        code = (await ada.sees(r"^Table (\d+) of ONU"))[1]
        async with typist(house.base, Wanted("onu", "Ben", code)) as ben:
            await ada.sees("^Here: Ada, Ben$")
            await ben.leaves(ben.hang_up)
            await ada.sees("(?s)Ada, Ben.*^Here: Ada$")
        async with typist(house.base, Wanted("onu", "Cleo", code)) as cleo:
            await ada.sees("^Here: Ada, Cleo$")
            start = len(ada.text)
            cleo.interrupt()
            await ada.sees("^Here: Ada$", start)


async def test_what_is_wrong_is_said(open_house: Opener) -> None:
    house = await open_house()
    for wanted, why in (
        (Wanted("rummy", "Ada", "123456"), "There is no table with that code."),
        (Wanted("whist", "Ada"), "The game whist can't be drawn."),
        (Wanted("rummy", "Ada", settings={"no": 1}), "no"),
    ):
        with pytest.raises(Refused, match=why):
            await Visit(paper(), Server(house.base), wanted).play()
    async with typist(house.base, Wanted("rummy", "Ada")) as ada:
        code = (await ada.sees(r"^Table (\d+) of"))[1]
        with pytest.raises(Refused, match=f"The game at table {code} is rummy."):
            await Visit(paper(), Server(house.base), Wanted("onu", "Ben", code)).play()


def test_a_server_that_is_not_there_is_said_so() -> None:
    result = CliRunner().invoke(app, ["play", "rummy", "--url", "http://127.0.0.1:9"])
    assert result.exit_code == 2
    assert "http://127.0.0.1:9 can't be reached" in " ".join(result.stderr.split())
