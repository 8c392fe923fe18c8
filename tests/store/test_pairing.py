"""Two writes share a commit if the first may wait for the second."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parlour.store import TableRow
from parlour.store import sqlite as module
from parlour.store.pairing import Pairing
from parlour.store.sqlite import SqliteStore

FOR_EVER = 600.0


@asynccontextmanager
async def opened(path: Path, commits: list[int], *, lucky: bool) -> AsyncGenerator[SqliteStore]:
    """A store with a table whose opening is kept; `lucky`: its last wait was worth it."""
    store = SqliteStore(path / "log", lambda seconds, writes: commits.append(writes))
    await store.start()
    store.open_table(TableRow("t", "123456", "rummy", 1))
    assert await store.settled()
    commits.clear()
    if lucky:
        store._pairing.came()
    yield store
    await store.stop()


async def some_iterations() -> None:
    for _ in range(200):
        await asyncio.sleep(0)


async def test_a_write_waits_for_a_second_one_and_they_share_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAIT", FOR_EVER)
    commits: list[int] = []
    async with opened(tmp_path, commits, lucky=True) as store:
        store.append("t", 0, 1, b"first")
        await some_iterations()
        assert commits == []
        store.append("t", 1, 1, b"second")
        assert await store.settled()
        assert commits == [2]
        assert [entry.data for entry in await store.entries("t")] == [b"first", b"second"]
        # That was worth it, so one wait in vain does not end it.
        store._pairing.nobody_came()
        assert store._pairing.worth_it()


async def test_a_write_that_stays_alone_is_committed_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAIT", 0.001)
    commits: list[int] = []
    async with opened(tmp_path, commits, lucky=True) as store:
        store.append("t", 0, 1, b"alone")
        assert await store.settled()
        monkeypatch.setattr(module, "WAIT", FOR_EVER)
        # That wait was in vain, so the next one does not wait.
        store.append("t", 1, 1, b"at once")
        assert await store.settled()
        assert commits == [1, 1]


async def test_without_luck_nothing_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT", FOR_EVER)
    commits: list[int] = []
    async with opened(tmp_path, commits, lucky=False) as store:
        for seq in range(10):
            store.append("t", seq, 1, b"entry")
            assert await store.settled()
        assert commits == [1] * 10


async def test_a_store_that_stops_commits_what_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAIT", FOR_EVER)
    commits: list[int] = []
    async with opened(tmp_path, commits, lucky=True) as store:
        store.append("t", 0, 1, b"last")
    assert commits == [1]


def test_waiting_is_tried_now_and_then_and_kept_up_while_it_mostly_helps() -> None:
    pairing = Pairing()
    assert [pairing.worth_it() for _ in range(64)].count(True) == 2
    pairing.came()
    for _ in range(3):
        pairing.came()
        assert pairing.worth_it()
        pairing.nobody_came()
        assert pairing.worth_it()
    for _ in range(20):
        pairing.nobody_came()
    assert [pairing.worth_it() for _ in range(32)].count(True) == 1
