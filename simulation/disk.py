"""A disk that forgets: what was not synced may be lost or torn in a crash, and it can be full.

The real `SqliteStore` runs on it, with its SQL, its write-ahead log and its recovery. Only its
writer thread is replaced: batches are committed in the event loop, after as long as a disk takes.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from parlour.store import StoreTrouble, Ticket
from parlour.store.sqlite import SqliteStore
from parlour.store.wal import wal_of
from parlour.store.writer import VALUES, Batch, Writer

FILE = "parlour.sqlite"


class Disk:
    """A folder that outlives simulated crashes, except for what was not synced."""

    def __init__(self, folder: Path, rng: Random) -> None:
        self._root = folder
        self._numbers = count(1)
        self.rng = rng
        self.folder = self._new()
        self.full = False
        self.slow = 0.0
        """Seconds that a sync takes at least."""
        self.store: SimulatedSqlite | None = None
        self.open: list[SimulatedSqlite] = []
        """Stores whose files a process has open."""
        self._synced: tuple[bytes, bytes] | None = None
        self.committed: Callable[[list[tuple[str, int, int, bytes]]], None] = lambda entries: None
        """Called with the entries of every commit: table, number, moment, bytes."""
        self.rewritten: Callable[[str, list[tuple[int, bytes]]], None] = lambda table, entries: None
        self.found: Callable[[dict[str, list[tuple[int, bytes]]]], None] = lambda logs: None
        """Called with all logs that are there after a crash."""
        self._crashed = False

    def _new(self) -> Path:
        folder = self._root / str(next(self._numbers))
        folder.mkdir()
        return folder

    def latency(self) -> float:
        """Seconds that a sync takes."""
        return max(self.slow, self.rng.uniform(0.0005, 0.006))

    def crash(self) -> str:
        """The machine has lost its power; says what became of the commit that was under way."""
        store, self.store = self.store, None
        self._crashed = True
        path, before = self.folder / FILE, self.folder
        what = "nothing was being written"
        if store is not None:
            what = self._lose(store, path)
        self.folder = self._new()
        for name in (FILE, f"{FILE}-wal", "session.key"):
            if (before / name).exists():
                shutil.copyfile(before / name, self.folder / name)
        self.process_ended()
        return what

    def process_ended(self) -> None:
        """The files of a process are closed when it ends, in whatever way."""
        while self.open:
            self.open.pop().abandon()

    def _lose(self, store: SimulatedSqlite, path: Path) -> str:
        wal = wal_of(path)
        if store.syncs == 0 and self._synced is not None:
            path.write_bytes(self._synced[0])
            wal.write_bytes(self._synced[1])
            return "what was not synced is lost"
        batch = store.under_way
        if batch is None:
            return "nothing was being written"
        chance = self.rng.random()
        if chance < 0.3:
            return "the commit under way is lost"
        before = wal.read_bytes() if wal.exists() else b""
        store.execute_pragma("PRAGMA wal_autocheckpoint = 0")
        try:
            store.commit_quietly(batch)
        except (sqlite3.Error, StoreTrouble):
            return "the commit under way is lost"
        if chance < 0.5:
            return "the commit under way is kept, but nobody was told"
        after = wal.read_bytes() if wal.exists() else b""
        at = next((n for n, (a, b) in enumerate(zip(before, after)) if a != b), len(before))  # noqa: B905
        cut = self.rng.randrange(at, max(at + 1, len(after)))
        torn = after[:cut] + before[cut:]
        wal.write_bytes(torn)
        return f"the commit under way is torn at byte {cut} of {len(after)}"

    def opened(self, store: SimulatedSqlite) -> None:
        """A process has opened the log: after a crash, it is held against what was told."""
        self.store = store
        if self._crashed:
            self._crashed = False
            self.found(store.logs())
        self.synced(store)

    def fact(self, key: str) -> bytes:
        assert self.store is not None
        return self.store.stored(key)

    def synced(self, store: SimulatedSqlite) -> None:
        """For a store that does not sync: what the disk has by itself, now and then."""
        if store.syncs == 0:
            path = self.folder / FILE
            wal = wal_of(path)
            self._synced = path.read_bytes(), wal.read_bytes() if wal.exists() else b""


class SimulatedSqlite(SqliteStore):
    """The real store; a commit takes simulated time."""

    disk: Disk

    def __init__(self, path: Path, *args: Any) -> None:
        super().__init__(path, *args)
        self.disk.open.append(self)
        self.under_way: Batch | None = None
        self.syncs: int = self._db.execute("PRAGMA synchronous").fetchone()[0] // 2
        self._queue: list[Batch] = []
        self._stopped: asyncio.Event | None = None
        self._batches = self
        self._names: dict[int, str] = {}
        self._replaced: dict[int, list[tuple[str, int, int, bytes]]] = {}
        """By batch: entries that it was to commit, and that are part of a shorter log now."""
        self._commits = 0

    # -- in place of the queue and the thread -----------------------------------------

    def put(self, batch: Batch | None) -> None:
        if batch is not None:
            self._queue.append(batch)
            if self.under_way is None:
                self._take_next()

    def _take_next(self) -> None:
        assert self._loop is not None
        if self._queue:
            self.under_way = self._queue.pop(0)
            self._loop.call_later(self.disk.latency(), self._done)
        elif self._stopped is not None:
            self._stopped.set()

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._writer = Writer(self._db, self._epoch, self.lifecycle)
        self.disk.opened(self)
        self._hand_over()

    def _done(self) -> None:
        batch = self.under_way
        assert batch is not None
        try:
            if self.disk.full:
                raise sqlite3.OperationalError("database or disk is full")
            self.commit_now(batch)
            self._writer.tidy(batch.writes)
        except Exception as wrong:
            self.under_way = None
            self.lifecycle.lose(wrong)
            return
        self.under_way = None
        self._commits += 1
        if self._commits % 50 == 0:
            self.disk.synced(self)
        self._on_sync(0.001, batch.writes)
        self._committed(batch.writes, 0.001, batch.amended)
        self._take_next()

    def commit_now(self, batch: Batch) -> None:
        self._writer.commit(batch)
        self._tell_of(batch)

    def commit_quietly(self, batch: Batch) -> None:
        """Nobody hears of it, because the process is gone before."""
        self._writer.commit(batch)

    def logs(self) -> dict[str, list[tuple[int, bytes]]]:
        """Moment and bytes of every entry of every table."""
        logs: dict[str, list[tuple[int, bytes]]] = {}
        query = 'SELECT id, at, data FROM log JOIN tables ON no = "table" ORDER BY no, seq'
        for table, at, data in self._db.execute(query):
            logs.setdefault(table, []).append((at, data))
        return logs

    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        batch, number = self._gathered, self._numbers[table]
        self._replaced.setdefault(id(batch), []).extend(
            (table, *batch.entries[n + 1 : n + 4])
            for n in range(0, len(batch.entries), VALUES)
            if batch.entries[n] == number
        )
        return super().rewrite(table, entries)

    def _tell_of(self, batch: Batch) -> None:
        """Tell the simulation which entries the disk has now."""
        self.disk.committed(self._replaced.pop(id(batch), []))
        for number in dict.fromkeys(one[1][0] for one in batch.first):
            rows = [one[1] for one in batch.first if len(one[1]) == VALUES and one[1][0] == number]
            assert isinstance(number, int)
            self.disk.rewritten(self._name(number), [(row[2], row[3]) for row in rows])
        entries = batch.entries
        if entries:
            self.disk.committed(
                [
                    (self._name(entries[n]), entries[n + 1], entries[n + 2], entries[n + 3])
                    for n in range(0, len(entries), VALUES)
                ]
            )

    def _name(self, number: int) -> str:
        if number not in self._names:
            row = self._db.execute("SELECT id FROM tables WHERE no = ?", (number,)).fetchone()
            if row is None:
                return ""
            self._names[number] = row[0]
        return self._names[number]

    def execute_pragma(self, pragma: str) -> None:
        self._db.execute(pragma)

    def stored(self, key: str) -> bytes:
        value: bytes = self._db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()[
            0
        ]
        return value

    def abandon(self) -> None:
        """Its process is gone."""
        self._files.close()

    async def stop(self) -> None:
        if self._loop is not None and not self.lifecycle.lost:
            if self._alone is not None:
                self._alone.cancel()
            self._hand_over()
            self._stopped = asyncio.Event()
            if self.under_way is not None:
                await self._stopped.wait()
        self.disk.store = None
        self._files.close()
        if self.lifecycle.lost:
            raise StoreTrouble(f"The log could not be written: {self.lifecycle.why}")
