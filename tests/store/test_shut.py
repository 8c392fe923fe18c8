"""A table that can't be opened says so to those who look for it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.support import Opener, OpenHouse


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "parlour.sqlite"


def change(path: Path, statement: str) -> None:
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    db.close()


async def table(open_house: Opener) -> str:
    """The code of a table in the log of a house that has closed."""
    house = await open_house()
    visitor = await house.visitor()
    host = await visitor.rummy(f"?token={await visitor.token()}")
    await host.expect("lobby")
    await house.shut(host)
    return host.code


async def why(house: OpenHouse, code: str) -> str:
    """What the house says of this table, and not of others."""
    visitor = await house.visitor()
    status, answer = await visitor.call("GET", f"/api/tables/{code}")
    assert (status, answer["error"]["code"]) == (409, "table-shut")
    status, other = await visitor.call("GET", "/api/tables/000000x")
    assert (status, other["error"]["code"]) == (404, "no-such-table")
    return str(answer["error"]["message"])


@pytest.mark.parametrize(
    ("harm", "mend", "because"),
    [
        ("UPDATE staging SET at = at + 1", "UPDATE entries SET at = at - 1", "can't be read back"),
        ("UPDATE tables SET game = 'gone'", "UPDATE tables SET game = 'rummy'", "not installed"),
    ],
)
async def test_a_shut_table_says_so_until_it_opens_again(
    open_house: Opener, path: Path, harm: str, mend: str, because: str
) -> None:
    code = await table(open_house)
    change(path, harm)
    house = await open_house()
    assert house.tables == []
    sentence = await why(house, code)
    assert because in sentence

    visitor = await house.visitor()
    late = await visitor.rummy(f"?table={code}")
    assert (await late.expect("error"))["code"] == "table-shut"
    assert await late.closed() == 4403
    other = await house.rummy()
    await other.send("join", code=code)
    told = await other.expect("error")
    assert (told["code"], told["message"]) == ("table-shut", sentence)
    status, answer = await visitor.call("POST", f"/api/tables/{code}/bots")
    assert (status, answer["error"]["message"]) == (409, sentence)
    if because != "not installed":
        (row,) = [row for row in await house.server.store.live_tables() if row.code == code]
        status, answer = await visitor.call("GET", f"/api/replays/{row.id}-1")
        assert (status, answer["error"]["message"]) == (409, sentence)
    await house.shut(other)

    # Since when: the first time, not the last start.
    change(path, "UPDATE facts SET value = '1000000000000' WHERE key LIKE 'shut:%'")
    house = await open_house()
    assert "shut since 9 September 2001: " in await why(house, code)
    await house.server.stop()

    change(path, mend)
    house = await open_house()
    assert [here.roster.code for here in house.tables] == [code]
    await house.server.stop()
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM facts WHERE key LIKE 'shut:%'").fetchone() == (0,)
    db.close()


async def test_the_code_of_a_shut_table_is_no_other_tables(
    open_house: Opener, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = await table(open_house)
    change(path, "UPDATE staging SET at = at + 1")
    house = await open_house()
    numbers = iter([int(code), int(code), 7])
    monkeypatch.setattr("parlour.house.index.secrets.randbelow", lambda below: next(numbers))
    assert house.server.house.index.free_code() == "000007"


@pytest.mark.parametrize("address", ["/rummy", "/mo"])
async def test_who_comes_back_to_a_shut_table_is_told_instead_of_dealt_a_new_game(
    open_house: Opener, path: Path, address: str
) -> None:
    house = await open_house()
    visitor = await house.visitor()
    token = await visitor.token()
    table = await visitor.socket(f"{address}?token={token}")
    first = await table.receive_json()
    await house.server.stop()
    change(path, "UPDATE entries SET at = at + 1")
    change(path, "UPDATE staging SET at = at + 1")

    house = await open_house()
    visitor = await house.visitor()
    table = await visitor.socket(f"{address}?token={token}")
    told = await table.receive_json()
    assert (told["type"], told["code"]) == ("error", "table-shut")
    assert told["message"].endswith("Connect again for a new table.")
    assert (await table.receive()).data == 4403
    table = await visitor.socket(f"{address}?token={token}")
    assert (await table.receive_json())["type"] == first["type"]
