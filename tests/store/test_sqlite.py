"""The log's file: who may read it, who may open it, what becomes of it when things go wrong."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.kit import Illegal
from parlour.store import StoreTrouble, TableRow, schema, writer
from parlour.store.sqlite import SqliteStore
from tests.support import PATIENCE, soon


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parlour.sqlite"


async def written(path: Path) -> None:
    """A log with one table and one entry in it."""
    store = SqliteStore(path)
    await store.start()
    store.open_table(TableRow("a", "123456", "rummy", 1))
    store.append("a", 0, 1, b"{}")
    await store.stop()


async def test_nobody_but_its_owner_reads_the_log(path: Path) -> None:
    store = SqliteStore(path)
    await store.start()
    store.remember("key", b"value")
    for file in path.parent.glob("parlour.sqlite*"):
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
    await store.stop()


async def test_a_second_house_is_kept_away_and_let_in_afterwards(path: Path) -> None:
    store = SqliteStore(path)
    with pytest.raises(StoreTrouble, match="another Parlour is using it"):
        SqliteStore(path)
    code = "import sys; from pathlib import Path; from parlour.store.sqlite import SqliteStore;"
    code += "SqliteStore(Path(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(path)]
    other = await asyncio.to_thread(
        lambda: subprocess.run(command, check=False, capture_output=True, text=True)
    )
    assert other.returncode != 0
    assert "another Parlour is using it" in other.stderr
    await store.stop()
    await SqliteStore(path).stop()


def test_a_log_of_a_newer_parlour_is_left_alone(path: Path) -> None:
    asyncio.run(written(path))
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreTrouble, match=r"newer Parlour \(data format 99;"):
            SqliteStore(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_log_is_left_alone(path: Path) -> None:
    content = b"not a database at all, but long enough" * 50
    path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(StoreTrouble, match="can't be used"):
            SqliteStore(path)
    assert path.read_bytes() == content


def test_a_damaged_file_is_trouble(path: Path) -> None:
    asyncio.run(written(path))
    with path.open("r+b") as file:
        # The second page is the root of `tables`.
        file.seek(4096)
        file.write(bytes(4096))
    with pytest.raises(StoreTrouble, match="malformed"):
        SqliteStore(path)


def test_a_folder_in_the_files_place_is_trouble(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreTrouble, match="can't be used"):
        SqliteStore(path)


async def test_an_older_log_is_brought_up_to_date(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await written(path)
    step = "ALTER TABLE tables ADD COLUMN room TEXT; UPDATE tables SET room = 'green'"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
    store = SqliteStore(path)
    assert len(await store.entries("a")) == 1
    await store.stop()
    db = sqlite3.connect(path)
    assert db.execute("SELECT room FROM tables").fetchall() == [("green",)]
    assert db.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
    db.close()


async def test_a_log_from_before_staging_is_read_and_gone_on_with(path: Path) -> None:
    db = sqlite3.connect(path)
    db.executescript(schema.MIGRATIONS[0])
    db.execute("PRAGMA user_version = 1")
    db.execute("INSERT INTO tables (no, id, code, game, opened) VALUES (7, 'a', '123456', 'mo', 1)")
    db.execute("INSERT INTO entries VALUES (7, 0, 1, 'old')")
    db.commit()
    db.close()
    store = SqliteStore(path)
    await store.start()
    store.append("a", 1, 2, b"new")
    await store.stop()
    again = SqliteStore(path)
    assert [(e.seq, e.at) for e in await again.entries("a")] == [(0, 1), (1, 2)]
    await again.stop()


async def test_what_is_staged_is_in_its_place_after_a_restart(path: Path) -> None:
    await written(path)
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM staging").fetchone() == (1,)
    await SqliteStore(path).stop()
    assert db.execute("SELECT count(*) FROM staging").fetchone() == (0,)
    assert db.execute("SELECT count(*) FROM entries").fetchone() == (1,)
    db.close()


async def test_numbering_goes_on_where_it_was(path: Path) -> None:
    await written(path)
    store = SqliteStore(path)
    await store.start()
    with pytest.raises(ValueError, match="out of order"):
        store.append("a", 0, 1, b"{}")
    store.append("a", 1, 1, b"{}")
    await store.stop()


async def test_a_step_that_fails_leaves_the_log_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await written(path)
    known = schema.MIGRATIONS
    wrong = "ALTER TABLE tables ADD COLUMN room TEXT; UPDATE nowhere SET room = 'green'"
    monkeypatch.setattr(schema, "MIGRATIONS", (*known, wrong))
    with pytest.raises(StoreTrouble, match="no such table"):
        SqliteStore(path)
    monkeypatch.setattr(schema, "MIGRATIONS", known)
    store = SqliteStore(path)
    assert len(await store.entries("a")) == 1
    await store.stop()


async def test_a_full_disk_loses_nothing_that_was_said_to_be_kept(path: Path) -> None:
    store = SqliteStore(path)
    heard: list[int] = []
    store.on_commit(heard.append)
    await store.start()
    store._db.execute("PRAGMA max_page_count = 40")
    store.open_table(TableRow("a", "123456", "rummy", 1))
    seq = 0
    while not store.lifecycle.lost:
        try:
            store.append("a", seq, 1, b"x" * 1000)
        except Illegal:
            break
        seq += 1
        await asyncio.sleep(0)
    await soon(lambda: store.lifecycle.lost)
    with pytest.raises(Illegal, match="closing"):
        store.append("a", seq, 1, b"x")
    with pytest.raises(StoreTrouble, match="disk is full"):
        await store.stop()
    again = SqliteStore(path)
    kept = [e.seq for e in await again.entries("a")]
    assert kept == list(range(len(kept)))
    # The first ticket was the table's own.
    assert len(kept) >= heard[-1] - 1 > 0
    await again.stop()


async def test_whatever_goes_wrong_with_a_write_is_heard_of(path: Path) -> None:
    store = SqliteStore(path)
    heard: list[int] = []
    store.on_commit(heard.append)
    await store.start()
    store.remember("number", 2**80)  # type: ignore[arg-type]
    waiting = asyncio.create_task(store.settled())
    await soon(lambda: store.lifecycle.lost)
    assert heard == []
    assert not await waiting
    assert not await store.settled()
    with pytest.raises(StoreTrouble):
        await store.stop()


async def test_every_commit_is_synced_to_the_disk(path: Path) -> None:
    """FULL is 2: with less, a power cut could take back what was told."""
    store = SqliteStore(path)
    await store.start()
    store.remember("key", b"value")
    assert await store.settled()
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    await store.stop()


@pytest.mark.parametrize("staged", [1, 2_000], ids=["moved already", "still staged"])
async def test_a_forgotten_table_leaves_nothing_for_the_next_one(
    path: Path, monkeypatch: pytest.MonkeyPatch, staged: int
) -> None:
    """After a restart its number is given out again: to a table that must find it empty."""
    monkeypatch.setattr(writer, "STAGED", staged)
    store = SqliteStore(path)
    await store.start()
    store.open_table(TableRow("kept", "111111", "rummy", 1))
    store.append("kept", 0, 1, b"kept")
    store.open_table(TableRow("forgotten", "222222", "rummy", 1))
    store.append("forgotten", 0, 1, b"old")
    store.append("forgotten", 1, 1, b"older")
    assert await store.settled()
    # One more commit, so that what was to be moved has been.
    store.remember("key", b"value")
    assert await store.settled()
    store.forget_table("forgotten")
    await store.stop()
    db = sqlite3.connect(path)
    assert [bytes(data) for (data,) in db.execute("SELECT data FROM log")] == [b"kept"]
    db.close()
    again = SqliteStore(path)
    await again.start()
    again.open_table(TableRow("later", "333333", "mo", 2))
    again.append("later", 0, 2, b"new")
    assert await again.settled()
    assert [entry.data for entry in await again.entries("later")] == [b"new"]
    assert [entry.data for entry in await again.entries("kept")] == [b"kept"]
    await again.stop()
    await SqliteStore(path).stop()


async def test_how_long_a_commit_took_is_told_with_what_was_in_it(path: Path) -> None:
    told: list[tuple[float, int]] = []
    store = SqliteStore(path, on_sync=lambda seconds, writes: told.append((seconds, writes)))
    await store.start()
    store.open_table(TableRow("a", "123456", "rummy", 1))
    store.append("a", 0, 1, b"{}")
    assert await store.settled()
    await store.stop()
    assert sum(writes for _, writes in told) == 2
    assert all(0 <= seconds < PATIENCE for seconds, _ in told)


@pytest.mark.parametrize("how", ["close", "forget"])
async def test_a_log_takes_nothing_more_of_a_table_that_is_over(path: Path, how: str) -> None:
    store = SqliteStore(path)
    await store.start()
    store.open_table(TableRow("a", "123456", "rummy", 1))
    store.append("a", 0, 1, b"{}")
    if how == "close":
        store.close_table("a", 2)
    else:
        store.forget_table("a")
    with pytest.raises(KeyError):
        store.append("a", 1, 2, b"{}")
    assert await store.settled()
    await store.stop()
