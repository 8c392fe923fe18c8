"""The writer thread of the log: it commits batches, and moves staged entries.

Entries are first appended to the table `staging`, so that a commit touches a page or two however
many tables were played at. After every `STAGED` entries they are moved, sorted, into `entries`,
which is indexed by table and number. The view `log` shows both.

Every start begins an epoch, and every commit checks that it is still the current one: if a second
house opens the file, the first can commit nothing more, and tells nothing more.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from parlour.lifecycle import Lifecycle
from parlour.store import Amend, StoreTrouble, patience

log = logging.getLogger("parlour.store")

VALUES = 5
"""Of one entry: its table's number, its own, its moment, its bytes, its checksum."""
MOST_AT_ONCE = 190
"""Entries in one statement: five values each and one more, and old SQLites take 999."""
STAGED = 2_000
"""How many entries lie in `staging` before they are moved."""
ONE_TRY = 0.1
"""Seconds SQLite waits by itself before we look whether to go on waiting."""

Value: TypeAlias = int | str | bytes | None
Statement: TypeAlias = tuple[str, tuple[Value, ...]]
"""SQL and its values."""

_INSERT = 'INSERT INTO staging ("table", seq, at, data, sum) SELECT * FROM (VALUES (?, ?, ?, ?, ?)'
_IF_OURS = ") WHERE (SELECT epoch FROM owner) = ?"


@dataclass(frozen=True, slots=True)
class Amendment:
    """Facts to be changed by what they are."""

    keys: Sequence[str]
    change: Amend


@dataclass(slots=True)
class Batch:
    """The writes of one commit: logs that are rewritten, then entries, then the rest in order."""

    entries: list[int | bytes] = field(default_factory=list)
    """`VALUES` each, in one flat list, as SQLite takes them."""
    others: list[Statement | Amendment] = field(default_factory=list)
    first: list[Statement] = field(default_factory=list)
    writes: int = 0
    """How many tickets were given out for it."""
    amended: dict[str, bytes | None] = field(default_factory=dict)
    """The facts that the amendments changed, after the commit."""

    def drop_entries(self, table: int) -> None:
        """Drop the entries of one table: its log is rewritten."""
        each = range(0, len(self.entries), VALUES)
        kept = [self.entries[at : at + VALUES] for at in each if self.entries[at] != table]
        self.entries = [value for entry in kept for value in entry]
        self.first = [one for one in self.first if one[1][0] != table]


class Writer:
    """The one connection that writes."""

    def __init__(self, db: sqlite3.Connection, epoch: int, lifecycle: Lifecycle) -> None:
        self._db = db
        self._epoch = epoch
        self._lifecycle = lifecycle
        self._written = 0
        db.execute(f"PRAGMA busy_timeout = {ONE_TRY * 1000:.0f}")

    def commit(self, batch: Batch) -> None:
        """Returns once all of it is on the disk; raises, and nothing of it is."""
        self._patiently(lambda: self._commit(batch))

    def tidy(self, written: int) -> None:
        """Move staged entries if there are many, after so many more writes."""
        self._written += written
        if self._written >= STAGED:
            self._patiently(self._move)
            self._written = 0

    def _patiently(self, work: Callable[[], None]) -> None:
        """Do `work`, a transaction; try again while another program locks the file."""
        began, said = time.monotonic(), False
        while True:
            try:
                return work()
            except sqlite3.OperationalError as wrong:
                locked = wrong.sqlite_errorcode & 0xFF in (
                    sqlite3.SQLITE_BUSY,
                    sqlite3.SQLITE_LOCKED,
                )
                if not locked or time.monotonic() - began > patience(self._lifecycle):
                    raise
            if not said:
                log.warning("another program writes to the data file: the log waits for it")
            said = True
            # SQLite has waited already, unless it sees that waiting alone can't help.
            time.sleep(0.005)

    def _commit(self, batch: Batch) -> None:
        entries = batch.entries
        if not (batch.others or batch.first) and len(entries) <= VALUES * MOST_AT_ONCE:
            # The usual case under load. A single statement is a transaction of its own.
            self._insert(entries)
            return
        with self._transaction() as db:
            for statement, values in batch.first:
                db.execute(statement, values)
            for start in range(0, len(entries), VALUES * MOST_AT_ONCE):
                self._insert(entries[start : start + VALUES * MOST_AT_ONCE])
            batch.amended = {}
            for other in batch.others:
                if isinstance(other, Amendment):
                    batch.amended |= _amend(db, other)
                else:
                    db.execute(*other)

    def _move(self) -> None:
        with self._transaction() as db:
            move_staged(db)

    def _insert(self, entries: list[int | bytes]) -> None:
        """All in one statement, which takes the interpreter's lock twice instead of twice a row."""
        count = len(entries) // VALUES
        statement = _INSERT + ", (?, ?, ?, ?, ?)" * (count - 1) + _IF_OURS
        if self._db.execute(statement, [*entries, self._epoch]).rowcount != count:
            raise _superseded()

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._db as db:
            # Immediate: another program's lock is noticed here, before anything is done.
            db.execute("BEGIN IMMEDIATE")
            if db.execute("SELECT epoch FROM owner").fetchone()[0] != self._epoch:
                raise _superseded()
            yield db


def _amend(db: sqlite3.Connection, amendment: Amendment) -> dict[str, bytes | None]:
    facts: dict[str, bytes | None] = {}
    for key in amendment.keys:
        row = db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        facts[key] = None if row is None else row[0]
    changed = dict(amendment.change(facts))
    for key, value in changed.items():
        if value is None:
            db.execute("DELETE FROM facts WHERE key = ?", (key,))
        else:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))
    return changed


def _superseded() -> StoreTrouble:
    return StoreTrouble("Another Parlour has taken over the data file.")


def begin_epoch(db: sqlite3.Connection) -> int:
    """From now on no process that opened the file before can commit; within a transaction."""
    db.execute("UPDATE owner SET epoch = epoch + 1")
    epoch: int = db.execute("SELECT epoch FROM owner").fetchone()[0]
    return epoch


def move_staged(db: sqlite3.Connection) -> None:
    """Move staged entries into `entries`, sorted; within a transaction.

    A table with two entries of the same number stays in `staging` as it is: only that table can't
    be read (see `Store.entries`). Two houses at once, before there were epochs, wrote such tables.
    """
    try:
        _move(db)
    except sqlite3.IntegrityError:
        db.execute(
            'INSERT OR IGNORE INTO doubled SELECT "table" FROM staging '
            'GROUP BY "table", seq HAVING count(*) > 1 '
            'UNION SELECT "table" FROM staging JOIN entries USING ("table", seq)'
        )
        _move(db)


def _move(db: sqlite3.Connection) -> None:
    db.execute(
        'INSERT INTO entries ("table", seq, at, data, sum) '
        'SELECT "table", seq, at, data, sum FROM staging '
        'WHERE "table" NOT IN (SELECT "table" FROM doubled) ORDER BY "table", seq'
    )
    db.execute('DELETE FROM staging WHERE "table" NOT IN (SELECT "table" FROM doubled)')
