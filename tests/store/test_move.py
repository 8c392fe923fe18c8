"""A house that moves from a folder into a database, and back, is the same house."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from parlour.cli import app
from parlour.server.keys import KEY_FACT
from parlour.store import StoreTrouble, TableRow, move
from parlour.store.backup import check
from parlour.store.postgres import PostgresStore
from parlour.store.sqlite import SqliteStore
from tests.support import Opener

LANDED = sorted(folder for folder in Path(__file__).parents[1].glob("data/0*") if folder.is_dir())


def whole(folder: Path) -> tuple[list[Any], ...]:
    """All there is in a data folder."""
    db = sqlite3.connect(folder / "parlour.sqlite")
    queries = (
        "SELECT * FROM tables ORDER BY no",
        'SELECT * FROM log ORDER BY "table", seq',
        "SELECT * FROM facts ORDER BY key",
    )
    found = tuple(db.execute(query).fetchall() for query in queries)
    db.close()
    return (*found, [(folder / "session.key").read_bytes()])


@pytest.mark.parametrize("landed", LANDED, ids=[folder.name for folder in LANDED])
async def test_there_and_back_again_nothing_has_changed(
    landed: Path, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move, "AT_ONCE", 3)
    here, there = tmp_path / "here", tmp_path / "over" / "there"
    shutil.copytree(landed, here)
    if not (here / "session.key").exists():
        (here / "session.key").write_bytes(b"a key")
    SqliteStore(here / "parlour.sqlite")._files.close()
    gone = await move.move(str(here), database)
    back = await move.move(database, str(there))
    assert gone == back
    assert gone.entries > 0
    # An empty folder will do, too.
    (tmp_path / "empty").mkdir()
    assert await move.move(database, str(tmp_path / "empty")) == gone
    assert whole(there) == whole(here)
    # The codes of open tables are taken there, and no others.
    connection = await asyncpg.connect(database)
    codes = await connection.fetch("SELECT code FROM codes")
    await connection.close()
    live = [row for row in whole(here)[0] if row[5] is None]
    assert sorted(code for (code,) in codes) == sorted(row[2] for row in live)
    assert len(live) == gone.live
    assert check(there).damages == ()
    assert (there / "session.key").stat().st_mode & 0o077 == 0


async def test_codes_that_opening_the_database_reserved_are_no_hindrance(
    open_house: Opener, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_house()
    host = await house.rummy()
    await house.shut(host)
    connect = move._connect

    async def reserving(url: str, until_end: AsyncExitStack) -> asyncpg.Connection:
        there = await connect(url, until_end)
        await there.execute(
            "UPDATE codes SET code = $1 WHERE code = (SELECT min(code) FROM codes)", host.code
        )
        return there

    monkeypatch.setattr(move, "_connect", reserving)
    assert (await move.move(str(tmp_path / "data"), database)).live == 1


def test_a_database_is_known_by_its_address() -> None:
    assert move.is_database("postgresql://db/cards")
    assert move.is_database("postgres://db/cards")
    assert not move.is_database("data/postgres")


async def test_a_moved_house_goes_on_in_the_database(
    open_house: Opener, database: str, tmp_path: Path
) -> None:
    house = await open_house()
    visitor = await house.visitor()
    token = await visitor.token()
    host = await visitor.rummy(f"?token={token}")
    await host.expect("lobby")
    await house.shut(host)
    await move.move(str(tmp_path / "data"), database)
    again = await open_house(store=database)
    assert [table.roster.code for table in again.tables] == [host.code]
    back = await (await again.visitor()).rummy(f"?token={token}&table={host.code}")
    assert (await back.expect("lobby"))["lobby"]["code"] == host.code


async def test_numbers_that_came_from_a_database_are_never_given_out_again(
    database: str, tmp_path: Path
) -> None:
    """A file whose tables were numbered by node 7 of some other database."""
    store = SqliteStore(tmp_path / "parlour.sqlite")
    (tmp_path / "session.key").write_bytes(b"a key")
    store._last_number = 7 << 32
    await store.start()
    store.open_table(TableRow("old", "123456", "rummy", 1))
    store.append("old", 0, 1, b"{}")
    await store.stop()
    await move.move(str(tmp_path), database)
    numbers = set()
    for name in "abcdefghij":
        node = PostgresStore(database)
        await node.start()
        node.open_table(TableRow(name, "123456", "rummy", 1))
        assert await node.settled()
        numbers.add(node._tables[name].number)
        await node.stop()
    assert min(numbers) >= 8 << 32
    assert len(numbers) == 10


async def test_nothing_is_moved_over_a_house_or_from_nowhere(database: str, tmp_path: Path) -> None:
    for source, target, why in (
        (str(tmp_path / "none"), database, "There is no"),
        (database, str(tmp_path / "new"), "holds no house"),
        (str(tmp_path), str(tmp_path / "new"), "One of the two"),
        (database, database, "One of the two"),
    ):
        with pytest.raises(StoreTrouble, match=why):
            await move.move(source, target)
    assert not (tmp_path / "new" / "parlour.sqlite").exists()
    shutil.copytree(LANDED[-1], tmp_path / "here")
    (tmp_path / "here" / "session.key").write_bytes(b"a key")
    await move.move(str(tmp_path / "here"), database)
    with pytest.raises(StoreTrouble, match="holds a house already"):
        await move.move(str(tmp_path / "here"), database)
    with pytest.raises(StoreTrouble, match="holds data already"):
        await move.move(database, str(tmp_path / "here"))
    node = PostgresStore(database)
    await node.start()
    assert await node.recall(KEY_FACT) == {KEY_FACT: b"a key"}
    with pytest.raises(StoreTrouble, match="another Parlour is using it"):
        await move.move(database, str(tmp_path / "other"))
    await node.stop()


def test_the_command_says_what_it_moved(database: str, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    shutil.copytree(LANDED[-1], tmp_path / "here")
    (tmp_path / "here" / "session.key").write_bytes(b"a key")
    said = CliRunner().invoke(app, ["data", "move", str(tmp_path / "here"), database])
    assert said.exit_code == 0, said.output
    assert "entries" in said.output
    again = CliRunner().invoke(app, ["data", "move", str(tmp_path / "here"), database])
    assert again.exit_code == 2
