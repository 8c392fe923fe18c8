"""Other processes at the data file: what the log does while another program writes to it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from parlour.store import StoreTrouble, TableRow, writer
from parlour.store.sqlite import SqliteStore
from tests.support import Process, Visitor, another_writer, soon

pytestmark = pytest.mark.slow

Serve = Callable[..., Awaitable[Process]]
Guests = Callable[[Process], Awaitable[Visitor]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "parlour.sqlite"


MEDDLE = """
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
print("here", flush=True)
for turn in range(12):
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT OR REPLACE INTO facts VALUES ('other', ?)", (turn,))
    time.sleep(0.05)
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    time.sleep(0.01)
"""
"""A program that writes for 50 ms at a time, and puts the write-ahead log in its place."""


async def meddled(path: Path) -> asyncio.subprocess.Process:
    """A process that is busy with the file."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MEDDLE, str(path)), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    return process


@pytest.mark.parametrize("staged", [1, 2_000], ids=["moving", "staging"])
async def test_the_log_waits_for_another_writer(
    path: Path, monkeypatch: pytest.MonkeyPatch, staged: int
) -> None:
    monkeypatch.setattr(writer, "STAGED", staged)
    store = SqliteStore(path)
    heard: list[int] = []
    store.on_commit(heard.append)
    await store.start()
    store.open_table(TableRow("a", "123456", "rummy", 1))
    assert await store.settled()
    for seq in range(3):
        before = list(heard)
        with another_writer(path):
            store.append("a", seq, 1, b"alone")
            if seq == 1:
                store.remember("with", b"a fact")
            await asyncio.sleep(0.15)
            assert not store.lifecycle.lost
            assert heard == before
        assert await store.settled()
    await store.stop()
    again = SqliteStore(path)
    assert [entry.seq for entry in await again.entries("a")] == [0, 1, 2]
    assert set(await again.recall("")) == {"other", "with"}
    await again.stop()


async def test_a_house_plays_on_while_another_program_works_on_its_file(
    serve: Serve, guests: Guests, tmp_path: Path
) -> None:
    process = await serve()
    visitor = await guests(process)
    token = await visitor.token()
    guest = await visitor.rummy(f"?token={token}")
    await guest.expect("lobby")
    other = await meddled(tmp_path / "data" / "parlour.sqlite")
    number = 0
    while other.returncode is None or number < 20:
        number += 1
        await guest.send("name", name=f"Ada {number}")
        await guest.until("lobby")
    assert other.returncode == 0
    process.process.terminate()
    assert await guest.closed() == 1001
    assert (await process.ended())[0] == 0
    again = await (await guests(await serve())).rummy(f"?token={token}")
    await again.expect("lobby")
    assert again.names == [f"Ada {number}"]


async def test_opening_waits_for_another_writer(path: Path) -> None:
    await SqliteStore(path).stop()
    with another_writer(path):
        opening = asyncio.create_task(asyncio.to_thread(SqliteStore, path))
        await asyncio.sleep(0.1)
        assert not opening.done()
    await (await opening).stop()


async def test_who_never_ends_writing_is_not_waited_for_for_ever(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE", 0.3)
    store = SqliteStore(path)
    heard: list[int] = []
    store.on_commit(heard.append)
    await store.start()
    store.open_table(TableRow("a", "123456", "rummy", 1))
    store.append("a", 0, 1, b"kept")
    assert await store.settled()
    with another_writer(path):
        store.append("a", 1, 1, b"lost")
        await soon(lambda: store.lifecycle.lost)
        assert heard[-1] == 2
    with pytest.raises(StoreTrouble, match="locked"):
        await store.stop()
    again = SqliteStore(path)
    assert [entry.data for entry in await again.entries("a")] == [b"kept"]
    await again.stop()


async def test_a_house_that_closes_waits_less(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE", 3600.0)
    monkeypatch.setattr("parlour.store.PATIENCE_AT_THE_END", 0.3)
    store = SqliteStore(path)
    await store.start()
    with another_writer(path):
        store.remember("key", b"value")
        store.lifecycle.close()
        with pytest.raises(StoreTrouble, match="locked"):
            await store.stop()
