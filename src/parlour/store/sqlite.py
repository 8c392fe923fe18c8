"""The log in one SQLite file: write-ahead, fully synchronous, one writer thread.

The event loop gathers writes and goes on; while the thread commits one batch, the next one is
gathered. Under load it is gathered for longer, so that many entries share one sync and the two
threads seldom compete for the interpreter. With little load a write may wait for a second one
(`pairing.py`).

Longer than most modules: most methods of the store are one SQL statement each.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from parlour.lifecycle import Lifecycle
from parlour.store import (
    Amend,
    Away,
    LogEntry,
    LogReader,
    Store,
    StoreTrouble,
    TableRow,
    Ticket,
    after_all,
    closing,
)
from parlour.store.checksum import checked, checksum
from parlour.store.claim import Claim
from parlour.store.packed import Row, rows_of
from parlour.store.pairing import WAIT, Pairing
from parlour.store.schema import check_format, migrate
from parlour.store.wal import check_files, check_wal
from parlour.store.writer import Amendment, Batch, Value, Writer, begin_epoch, move_staged

GATHER_EACH, GATHER_MOST = 0.0001, 0.008
"""Seconds from one commit to the next: the first for every write in that commit, up to the second.
Under load fewer syncs cost less; without load nobody has to wait."""
OPENING_PATIENCE = 10.0
"""Seconds for which the start waits for another program that writes to the file."""
READING_PATIENCE = 1.0
"""The same for reading, which is seldom held up: the event loop waits with it."""

_NUMBER = "(SELECT no FROM tables WHERE id = ?)"
"""Entries name their table by its number, which halves the size of the log and of its index."""

_REWRITE = 'INSERT INTO entries ("table", seq, at, data, sum) VALUES (?, ?, ?, ?, ?)'
_SOME = (
    'SELECT "table", seq, at, data, sum FROM log '  # noqa: S608 - ours
    f'WHERE "table" = {_NUMBER} AND seq >= ? AND seq < ? ORDER BY seq'
)
_NO_END = 1 << 62


@dataclass(frozen=True, slots=True)
class SqliteReader:
    """Reads the file on a connection of its own, and never writes to it."""

    path: Path
    table: str

    def entries(self) -> Iterator[LogEntry]:
        with self._opened() as db:
            yield from checked(self.table, self._rows(db))

    def unchecked(self) -> Iterator[bytes]:
        with self._opened() as db:
            for row in self._rows(db):
                yield row[3]

    def _rows(self, db: sqlite3.Connection) -> Iterator[Row]:
        number = db.execute("SELECT no FROM tables WHERE id = ?", (self.table,)).fetchone()
        return iter(()) if number is None else rows_of(db, number[0], self.table)

    def fact(self, key: str) -> bytes | None:
        with self._opened() as db:
            row = db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
            return None if row is None else row[0]

    @contextlib.contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        file = f"{self.path.as_uri()}?mode=ro"
        try:
            with contextlib.closing(
                sqlite3.connect(file, timeout=OPENING_PATIENCE, uri=True)
            ) as db:
                yield db
        except sqlite3.OperationalError as wrong:
            raise Away(f"The log can't be read: {wrong}.") from wrong


class SqliteStore(Store):
    """One file, one process: `Claim` keeps a second house away.

    The writer thread and the event loop have a connection each, so that reading never waits for a
    sync.
    """

    def __init__(
        self,
        path: Path,
        on_sync: Callable[[float, int], None] = lambda seconds, writes: None,
        lifecycle: Lifecycle | None = None,
    ) -> None:
        """`on_sync` is called in the writer thread, with the seconds and writes of each commit."""
        super().__init__(lifecycle)
        self._path = path
        self._on_sync = on_sync
        self._gathered = Batch()
        self._writing = False
        self._pairing = Pairing()
        self._alone: asyncio.TimerHandle | None = None
        """Runs while a write waits for a second one."""
        self._batches: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._numbers: dict[str, int] = {}
        self._next: dict[str, int] = {}
        self._files = contextlib.ExitStack()
        """Closed in reverse order: the claim last."""
        try:
            self._open()
        except (OSError, sqlite3.Error) as wrong:
            self._files.close()
            raise StoreTrouble(f"The data file {path} can't be used: {wrong}.") from None
        except StoreTrouble:
            self._files.close()
            raise

    def release(self) -> None:
        """Close the files of a store that was never started."""
        self._files.close()

    # -- opening ----------------------------------------------------------------------

    def _open(self) -> None:
        check_files(self._path)
        self._files.enter_context(contextlib.closing(Claim(self._path)))
        # Once more: before the claim, a restore could still begin.
        check_files(self._path)
        check_wal(self._path)
        self._db = db = self._connect(OPENING_PATIENCE)
        version = check_format(db, self._path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("BEGIN IMMEDIATE")
        migrate(db, version)
        self._epoch = begin_epoch(db)
        move_staged(db)
        db.execute("COMMIT")
        self._reader = self._connect(READING_PATIENCE)
        for table, number, seq in self._reader.execute(
            'SELECT id, no, (SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE "table" = no) '
            "FROM tables WHERE closed IS NULL"
        ):
            self._numbers[table], self._next[table] = number, seq
        last = self._reader.execute("SELECT coalesce(max(no), 0) FROM tables").fetchone()
        self._last_number: int = last[0]

    def _connect(self, patience: float) -> sqlite3.Connection:
        db = sqlite3.connect(
            self._path, timeout=patience, isolation_level=None, check_same_thread=False
        )
        return self._files.enter_context(contextlib.closing(db))

    # -- writing, without waiting -----------------------------------------------------

    def open_table(self, row: TableRow) -> Ticket:
        self._last_number += 1
        self._numbers[row.id] = self._last_number
        self._next[row.id] = 0
        return self._write(
            "INSERT INTO tables (no, id, code, game, opened) VALUES (?, ?, ?, ?, ?)",
            (self._last_number, row.id, row.code, row.game, row.opened),
        )

    def append(self, table: str, seq: int, at: int, data: bytes) -> Ticket:
        if seq != self._next[table]:
            # The unique index would find it, too, but only when staged entries are moved.
            raise ValueError(f"entry {seq} of table {table} comes out of order")
        self._next[table] = seq + 1
        number = self._numbers[table]
        self._gathered.entries += (number, seq, at, data, checksum(number, seq, at, data))
        return self._written()

    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        number = self._numbers[table]
        self._gathered.drop_entries(number)
        for kept in ("entries", "staging"):
            self._gathered.first.append((f'DELETE FROM {kept} WHERE "table" = ?', (number,)))  # noqa: S608 - ours
        for seq, (at, data) in enumerate(entries):
            values = (number, seq, at, data, checksum(number, seq, at, data))
            self._gathered.first.append((_REWRITE, values))
        self._next[table] = len(entries)
        return self._written()

    def close_table(self, table: str, at: int) -> Ticket:
        self._done_with(table)
        return self._write("UPDATE tables SET closed = ? WHERE id = ?", (at, table))

    def forget_table(self, table: str) -> Ticket:
        self._done_with(table)
        for kept in ("entries", "staging", "doubled"):
            self._write(f'DELETE FROM {kept} WHERE "table" = {_NUMBER}', (table,))  # noqa: S608 - ours
        return self._write("DELETE FROM tables WHERE id = ?", (table,))

    def remember(self, key: str, value: bytes | None) -> Ticket:
        if value is None:
            return self._write("DELETE FROM facts WHERE key = ?", (key,))
        return self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def forget_unless(self, key: str, prefix: str) -> Ticket:
        return self._write(
            "DELETE FROM facts WHERE key = ? "
            "AND NOT EXISTS (SELECT 1 FROM facts WHERE key BETWEEN ? AND ?)",
            (key, prefix, after_all(prefix)),
        )

    def amend(self, keys: Sequence[str], change: Amend) -> Ticket:
        self._gathered.others.append(Amendment(keys, change))
        return self._written()

    def _done_with(self, table: str) -> None:
        self._numbers.pop(table, None)
        self._next.pop(table, None)

    def _write(self, statement: str, values: tuple[Value, ...]) -> Ticket:
        self._gathered.others.append((statement, values))
        return self._written()

    def _written(self) -> Ticket:
        if self.lifecycle.lost:
            raise closing()
        self.last_ticket += 1
        self._gathered.writes += 1
        if self._loop is None:
            return self.last_ticket
        if not self._writing:
            self._writing = True
            if self._pairing.worth_it():
                self._alone = self._loop.call_later(WAIT, self._stays_alone)
            else:
                # At the end of this iteration of the loop: all its writes share a commit.
                self._loop.call_soon(self._hand_over)
        elif self._alone is not None:
            self._alone.cancel()
            self._alone = None
            self._pairing.came()
            self._loop.call_soon(self._hand_over)
        return self.last_ticket

    def _stays_alone(self) -> None:
        self._alone = None
        self._pairing.nobody_came()
        self._hand_over()

    def _hand_over(self) -> None:
        self._writing = self._gathered.writes > 0
        if self._writing:
            self._batches.put(self._gathered)
            self._gathered = Batch()

    def _committed(self, writes: int, seconds: float, amended: Mapping[str, bytes | None]) -> None:
        """The thread has committed a batch: give it the next one in time, and tell of this one."""
        wait = min(GATHER_EACH * writes, GATHER_MOST) - seconds
        if wait > 0 and self._loop is not None:
            self._loop.call_later(wait, self._hand_over)
        else:
            self._hand_over()
        if amended:
            self._watchers.changed(amended)
        self._kept(self._safe + writes)

    # -- reading ----------------------------------------------------------------------

    async def recall(self, prefix: str) -> dict[str, bytes]:
        rows = self._reader.execute(
            "SELECT key, value FROM facts WHERE key BETWEEN ? AND ?", (prefix, after_all(prefix))
        )
        return dict(rows.fetchall())

    async def recall_last(self, prefix: str, before: str, most: int) -> dict[str, bytes]:
        rows = self._reader.execute(
            "SELECT key, value FROM facts WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?",
            (prefix, before or after_all(prefix), most),
        )
        return dict(rows.fetchall())

    async def look_up(self, keys: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for key in keys:
            row = self._reader.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
            if row is not None:
                found[key] = row[0]
        return found

    async def live_tables(self) -> list[TableRow]:
        rows = self._reader.execute(
            "SELECT id, code, game, opened, closed FROM tables WHERE closed IS NULL ORDER BY no"
        )
        return [TableRow(*row) for row in rows.fetchall()]

    async def find_table(self, table: str) -> TableRow | None:
        row = self._reader.execute(
            "SELECT id, code, game, opened, closed FROM tables WHERE id = ?", (table,)
        ).fetchone()
        return TableRow(*row) if row else None

    def next_seq(self, table: str) -> int:
        return self._next[table]

    async def entries(self, table: str, start: int = 0, stop: int | None = None) -> list[LogEntry]:
        if table not in self._next:
            # Its log may be packed.
            return list(SqliteReader(self._path, table).entries())[start:stop]
        # All at once: an unfinished statement would hold up checkpoints of the write-ahead log.
        end = _NO_END if stop is None else stop
        return list(checked(table, self._reader.execute(_SOME, (table, start, end)), start))

    async def size(self) -> int:
        files = (self._path, self._path.with_name(self._path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def reader(self, table: str) -> LogReader:
        return SqliteReader(self._path.absolute(), table)

    # -- the writer thread ------------------------------------------------------------

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="parlour-log", daemon=True)
        self._thread.start()
        self._hand_over()

    async def stop(self) -> None:
        if self._thread is not None:
            if self._alone is not None:
                self._alone.cancel()
            self._hand_over()
            self._batches.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None
        self._files.close()
        if self.lifecycle.lost:
            raise StoreTrouble(f"The log could not be written: {self.lifecycle.why}")

    def _run(self) -> None:
        try:
            writer = Writer(self._db, self._epoch, self.lifecycle)
            while (batch := self._batches.get()) is not None:
                began = time.perf_counter()
                writer.commit(batch)
                took = time.perf_counter() - began
                self._on_sync(took, batch.writes)
                self._tell(self._committed, batch.writes, took, batch.amended)
                writer.tidy(batch.writes)
        except Exception as wrong:
            # Nobody was told of what this batch held (see `Journal`), so nothing said is lost.
            # From here on nothing can be kept, so the whole process must stop taking inputs.
            self._tell(self.lifecycle.lose, wrong)

    def _tell(self, hear: Callable[..., None], *words: object) -> None:
        # A loop that is closed has nobody left who waits for this.
        with contextlib.suppress(RuntimeError):
            assert self._loop is not None
            self._loop.call_soon_threadsafe(hear, *words)
