"""Whose the data file is: a second house is kept away, and what two at once left still opens."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.store import Damaged, StoreTrouble, TableRow, claim, schema, writer
from parlour.store.sqlite import SqliteStore
from tests.support import PARLOUR, PATIENCE, Opener, OpenHouse, Process, Visitor, soon

pytestmark = pytest.mark.slow

Serve = Callable[..., Awaitable[Process]]
Guests = Callable[[Process], Awaitable[Visitor]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parlour.sqlite"


async def second_house(data: Path) -> tuple[int, str]:
    """What becomes of another `parlour serve` on the same data: exit code and complaints."""
    command = [*PARLOUR, "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    how: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 3 * PATIENCE}
    ended = await asyncio.to_thread(lambda: subprocess.run(command, check=False, **how))
    return ended.returncode, ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs locks of open files")
async def test_without_its_lock_file_a_house_still_keeps_others_away(
    serve: Serve, guests: Guests, tmp_path: Path
) -> None:
    process = await serve()
    guest = await (await guests(process)).rummy()
    await guest.expect("lobby")
    (tmp_path / "data" / "parlour.sqlite.lock").unlink()
    for _ in range(2):
        code, complaints = await second_house(tmp_path / "data")
        assert code == 2
        assert "another Parlour is using it" in complaints
    await guest.send("name", name="Ada")
    await guest.expect("lobby")
    await process.kill()
    await serve()


async def opened(path: Path) -> SqliteStore:
    store = SqliteStore(path)
    await store.start()
    return store


def entry(store: SqliteStore) -> None:
    store.append("a", 1, 1, b"too late")


def fact(store: SqliteStore) -> None:
    store.remember("too", b"late")


@pytest.mark.parametrize("late", [entry, fact])
async def test_of_two_houses_only_the_later_one_writes(
    path: Path, monkeypatch: pytest.MonkeyPatch, late: Callable[[SqliteStore], None]
) -> None:
    # As where no lock can be had, or a file system forgets them.
    monkeypatch.setattr(claim.Claim, "_take", lambda self, path: None)
    first = await opened(path)
    heard: list[int] = []
    first.on_commit(heard.append)
    first.open_table(TableRow("a", "123456", "rummy", 1))
    first.append("a", 0, 1, b"told")
    assert await first.settled()
    second = await opened(path)
    second.append("a", 1, 2, b"in time")
    assert await second.settled()
    late(first)
    await soon(lambda: first.lifecycle.lost)
    assert heard[-1] == 2
    second.append("a", 2, 2, b"on and on")
    assert await second.settled()
    with pytest.raises(StoreTrouble, match="Another Parlour has taken over"):
        await first.stop()
    await second.stop()
    third = SqliteStore(path)
    assert [entry.data for entry in await third.entries("a")] == [b"told", b"in time", b"on and on"]
    assert await third.recall("too") == {}
    await third.stop()


def two_at_once(path: Path, *, moved: bool) -> None:
    """What two houses at once could leave in format 3: `twice` has two entries 1."""
    db = sqlite3.connect(path)
    for script in schema.MIGRATIONS[:3]:
        db.executescript(script)
    db.execute("PRAGMA user_version = 3")
    for no, name in enumerate(("good", "twice", "better")):
        db.execute(
            "INSERT INTO tables (no, id, code, game, opened) VALUES (?, ?, ?, 'mo', 1)",
            (no, name, f"{no}" * 6),
        )
    first, second = ("entries" if moved else "staging"), "staging"
    for where, seqs in ((first, (0, 1)), (second, (1, 2))):
        db.executemany(
            f"INSERT INTO {where} VALUES (1, ?, 5, ?)",
            [(seq, where) for seq in seqs],
        )
    db.executemany("INSERT INTO staging VALUES (?, ?, 5, 'x')", [(0, 0), (2, 0), (0, 1)])
    db.commit()
    db.close()


@pytest.mark.parametrize("moved", [True, False])
async def test_one_doubled_table_shuts_no_other(
    path: Path, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    monkeypatch.setattr(writer, "STAGED", 1)
    two_at_once(path, moved=moved)
    for number in range(3):
        store = await opened(path)
        with pytest.raises(Damaged, match="Entry 1 of table twice is there twice"):
            await store.entries("twice")
        assert [entry.seq for entry in await store.entries("good")] == list(range(2 + number))
        assert [entry.seq for entry in await store.entries("better")] == [0]
        store.append("good", 2 + number, 6, b"x")
        await store.stop()
    # Nothing of it is deleted.
    db = sqlite3.connect(path)
    assert db.execute('SELECT count(*) FROM log WHERE "table" = 1').fetchone() == (4,)
    assert db.execute('SELECT count(*) FROM staging WHERE "table" <> 1').fetchone() == (0,)
    db.close()
    store = await opened(path)
    store.forget_table("twice")
    await store.stop()
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM staging").fetchone() == (0,)
    assert db.execute("SELECT count(*) FROM doubled").fetchone() == (0,)
    db.close()


async def test_an_entry_that_is_missing_is_named(path: Path) -> None:
    store = await opened(path)
    store.open_table(TableRow("a", "123456", "rummy", 1))
    for seq in range(4):
        store.append("a", seq, 1, b"x")
    assert await store.settled()
    db = sqlite3.connect(path)
    db.execute("DELETE FROM staging WHERE seq = 2")
    db.commit()
    db.close()
    with pytest.raises(Damaged, match=r"^Entry 2 of table a is missing\.$"):
        await store.entries("a")
    await store.stop()


async def test_a_house_opens_all_tables_but_the_doubled_one(
    open_house: Opener, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    house = await open_house()
    codes = [await hosted(house) for _ in range(3)]
    ids = [table.roster.id for table in house.tables]
    await house.server.stop()
    db = sqlite3.connect(tmp_path / "data" / "parlour.sqlite")
    db.execute(
        'INSERT INTO staging SELECT * FROM log WHERE seq = 1 AND "table" = '
        "(SELECT no FROM tables WHERE id = ?)",
        (ids[1],),
    )
    db.commit()
    db.close()
    house = await open_house()
    assert [table.roster.code for table in house.tables] == [codes[0], codes[2]]
    assert f"Entry 1 of table {ids[1]} is there twice" in caplog.text


async def hosted(house: OpenHouse) -> str:
    """The code of a table whose host will come back."""
    visitor = await house.visitor()
    client = await visitor.rummy(f"?token={await visitor.token()}")
    await client.expect("lobby")
    await client.close()
    return client.code


@pytest.mark.parametrize("kept", [".lock", ""])
def test_each_of_the_two_locks_keeps_a_second_house_away(path: Path, kept: str) -> None:
    """Also where the other file was deleted, and made anew by whoever comes second."""
    first = claim.Claim(path)
    path.with_name(f"{path.name}{'' if kept else '.lock'}").unlink()
    with pytest.raises(StoreTrouble, match=r"can't be used: another Parlour is using it\.$"):
        claim.Claim(path)
    first.close()
    claim.Claim(path).close()


def test_another_trouble_with_the_file_is_not_another_house(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreTrouble, match=r"can't be used: .*directory"):
        claim.Claim(path)
