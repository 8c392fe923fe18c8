"""Replays as somebody would ask for them who means no good: too soon, too long, too often."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.games import installed_games
from parlour.house import replay as replays
from parlour.house.replay import Replay, replay_of
from parlour.store import MemoryStore, TableRow
from parlour.table import inputs as do
from tests import highcard
from tests.server import slow
from tests.support import PATIENCE, Client, Opener, OpenHouse, Visitor, soon


async def seated(house: OpenHouse, public: bool = False) -> tuple[Visitor, Client, dict[str, Any]]:
    """Somebody who sits with a bot at a table of High Card, and the table."""
    visitor = await house.visitor()
    body = {"game": "high", "public": public, "bots": 1, "settings": {"tricks": 1}}
    status, table = await visitor.call("POST", "/api/tables", body)
    assert status == 201, table
    client = Client(await visitor.socket(f"/high?table={table['code']}"))
    await client.until("hello")
    return visitor, client, table


async def begin(client: Client, visitor: Visitor, code: str) -> int:
    """Start a match of one trick; gives the card in this player's hand."""
    await visitor.call("POST", f"/api/tables/{code}/start")
    while True:
        for card in (await client.until("dealt"))["cards"]:
            if card != highcard.HIDDEN:
                return int(card)


async def play(client: Client, visitor: Visitor, code: str) -> None:
    """A match of one trick, to its end."""
    await client.send("lay", card=await begin(client, visitor, code))
    await client.until("over")


def spoil(folder: Path) -> None:
    """Let no fold of any log come to anything from now on."""
    with sqlite3.connect(folder / "data" / "parlour.sqlite") as db:
        for kept in ("entries", "staging"):
            db.execute(f"UPDATE {kept} SET data = CAST('spoilt' AS BLOB)")


async def test_what_is_not_over_is_refused_without_a_look_at_the_log(
    high: None, open_house: Opener, tmp_path: Path
) -> None:
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    await begin(client, visitor, table["code"])
    # The first is over, and told from now on whatever becomes of the log; the second is not.
    status, _ = await visitor.call("GET", f"/api/replays/{table['id']}-1")
    assert status == 200
    spoil(tmp_path)
    for number in (0, 2, 3, 999_999_999):
        status, told = await visitor.call("GET", f"/api/replays/{table['id']}-{number}")
        assert (status, told["error"]["code"]) == (404, "no-such-replay"), number
    assert (await visitor.call("GET", f"/api/replays/{table['id']}-1"))[0] == 200


async def test_a_spoilt_log_is_refused_not_folded_over_and_over(
    high: None, open_house: Opener, tmp_path: Path
) -> None:
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    spoil(tmp_path)
    status, told = await visitor.call("GET", f"/api/replays/{table['id']}-1")
    assert (status, told["error"]["code"]) == (409, "damaged")


async def test_a_replay_that_takes_for_ever_holds_up_nobody_and_not_the_end(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = (*installed_games(), slow.ENDLESS)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    asked = [
        asyncio.ensure_future(visitor.call("GET", f"/api/replays/{table['id']}-1"))
        for _ in range(20)
    ]
    await soon(lambda: bool(house.server.house._replays._under_way))
    assert (await visitor.call("GET", "/api/games"))[0] == 200
    async with asyncio.timeout(PATIENCE):
        await house.server.stop()
    await asyncio.gather(*asked, return_exceptions=True)


async def test_a_replay_that_takes_too_long_is_given_up(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "LONGEST", 0.01)
    games = (*installed_games(), slow.ENDLESS)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)
    house = await open_house()
    visitor, client, table = await seated(house)
    await play(client, visitor, table["code"])
    status, told = await visitor.call("GET", f"/api/replays/{table['id']}-1")
    assert (status, told["error"]["code"]) == (503, "too-busy")


@pytest.mark.parametrize("public", [True, False])
async def test_what_was_said_at_a_private_table_stays_with_those_who_were_there(
    high: None, open_house: Opener, public: bool
) -> None:
    house = await open_house()
    visitor, client, table = await seated(house, public)
    card = await begin(client, visitor, table["code"])
    await client.send("say", text="between us")
    await client.until("said")
    await client.send("lay", card=card)
    await client.until("over")
    stranger = await house.visitor()
    bodies = [
        (await someone.get(f"/api/replays/{table['id']}-1")).body for someone in (visitor, stranger)
    ]
    told = [msgspec.json.decode(body) for body in bodies]
    assert [b"between us" in body for body in bodies] == [True, public]
    # All else is the same.
    quiet = [[step for step in replay["steps"] if step["input"]["do"] != "Say"] for replay in told]
    assert quiet[0] == quiet[1]
    assert told[0]["seed"] == told[1]["seed"]


def test_a_replay_is_no_larger_than_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "LARGEST", 1000)
    store = MemoryStore()
    store.open_table(TableRow("t", "123456", "high", 0))
    opening = do.Open("t", "123456", "high", "00" * 32, {"tricks": 1})
    log: list[do.Input] = [opening, do.Join("ada", "Ada"), do.AddBot(do.HOUSE), do.Start(0)]
    log += [do.Say(0, f"word {number}") for number in range(100)]
    log += [do.Leave(0)]
    for seq, entry in enumerate(log):
        store.append("t", seq, seq, do.encode(entry))
    made = replay_of(highcard.GAME, store.reader("t"), 1)
    assert isinstance(made, Replay)
    replay = msgspec.json.decode(made.whole)
    assert len(made.whole) < 3000
    assert replay["left_out"] == 102 - len(replay["steps"])
    assert len(replay["seed"]) == 64
    # For others nothing is left out but the talk.
    others = msgspec.json.decode(made.without_talk)
    assert [step["input"]["do"] for step in others["steps"]] == ["Start", "Leave"]
    assert "left_out" not in others
