"""Tables of a running server, watched from a terminal."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner
from yarl import URL

from parlour.cli import app
from parlour.terminal.remote import Refused, Server, Watcher, watching
from tests.support import PATIENCE, Client, Opener, soon
from tests.terminals import paper, printed

pytestmark = pytest.mark.slow

START: dict[str, tuple[str, dict[str, Any] | None]] = {
    "rummy": ("/rummy?table={}", {"type": "start"}),
    "cambia": ("/ws/{}", {"type": "ready"}),
    "quips": ("/play?table={}", {"msg": "c_ready_up", "status": True}),
    "onu": ("/onu?table={}", {"type": "start"}),
    "mo": ("/mo?table={}", None),
}
"""By game, where its players connect, and how they begin a match."""


@pytest.mark.parametrize("game", START)
async def test_a_table_of_every_game_is_watched(game: str, open_house: Opener) -> None:
    house = await open_house(bot_pace=0)
    visitor = await house.visitor()
    await visitor.token()
    bots = 0 if game == "mo" else 2
    _, table = await visitor.call("POST", "/api/tables", {"game": game, "bots": bots})
    path, start = START[game]
    player = Client(await visitor.socket(path.format(table["code"])))
    out = paper()
    watcher = Watcher(out, Server(house.base), table["code"])
    watched = asyncio.create_task(watcher.watch())
    try:
        if start is not None:
            await player.send_raw(msgspec.json.encode(start).decode())
        await soon(lambda: printed(out).count("\n") > 3)
    finally:
        watched.cancel()
        with suppress(asyncio.CancelledError):
            await watched
    assert "{0}" not in printed(out)


async def test_a_watcher_is_told_that_no_match_runs_and_that_the_table_closes(
    open_house: Opener,
) -> None:
    house = await open_house(bot_pace=0)
    visitor = await house.visitor()
    await visitor.token()
    _, table = await visitor.call("POST", "/api/tables", {"game": "rummy", "bots": 1})
    player = Client(await visitor.socket(f"/rummy?table={table['code']}&extras=scene"))
    out = paper()
    watched = asyncio.create_task(Watcher(out, Server(house.base), table["code"]).watch())
    await soon(lambda: "No match is running yet." in printed(out))
    assert "can't be drawn" not in printed(out)
    await player.send_raw('{"type":"start"}')
    await soon(lambda: "'s turn" in printed(out) or "'s hand: " in printed(out))
    assert printed(out).count("No match is running yet.") == 1
    await player.send_raw('{"type":"extras_leave"}')
    with pytest.raises(Refused, match=r"^Connection closed: the table has closed\.$"):
        await asyncio.wait_for(watched, PATIENCE)


def test_spectators_have_an_address_of_their_own_in_some_protocols() -> None:
    server = URL("https://example.org/cards")
    found = [
        watching(server, sockets, "123456").path
        for sockets in (["/onu"], ["/ws/{id}", "/game/{id}"], ["/play", "/spectate"])
    ]
    assert found == ["/cards/onu", "/cards/ws/123456", "/cards/spectate"]


async def test_a_table_that_is_not_there_is_said_so(open_house: Opener) -> None:
    house = await open_house()
    with pytest.raises(Refused, match=r"There is no table with that code\."):
        await Watcher(paper(), Server(house.base), "123456").watch()


def test_a_server_that_is_not_there_is_said_so() -> None:
    result = CliRunner().invoke(app, ["watch", "123456", "--url", "http://127.0.0.1:9"])
    assert result.exit_code == 2
    assert "http://127.0.0.1:9 can't be reached" in " ".join(result.stderr.split())
