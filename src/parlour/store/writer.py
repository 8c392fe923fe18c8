"""What the log's writer thread does with its connection: commits batches, moves what is staged.

Entries are first written into the table `staging`, one behind the other, so that a commit
touches a page or two however many tables were played at; every `STAGED` of them are moved, in
order, into `entries`, which is indexed by table and number. The view `log` shows both.

Every start begins an epoch, and every commit checks that it is still the current one: should a
second house get at the file, nothing of the first one's is kept any more, or told.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

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

_INSERT = 'INSERT INTO staging ("table", seq, at, data, sum) SELECT * FROM (VALUES (?, ?, ?, ?, ?)'
_IF_OURS = ") WHERE (SELECT epoch FROM owner) = ?"


@dataclass(frozen=True, slots=True)
class Amendment:
    """Facts to be changed by what they are."""

    keys: Sequence[str]
    change: Amend


@dataclass(slots=True)
class Batch:
    """What one commit keeps: logs that are written anew, then entries, then the rest in order."""

    entries: list[Any] = field(default_factory=list)
    """`VALUES` each, one behind the other, as SQLite is to be given them."""
    others: list[tuple[str, tuple[Any, ...]] | Amendment] = field(default_factory=list)
    first: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    writes: int = 0
    """How many tickets were given out for it."""
    amended: dict[str, bytes | None] = field(default_factory=dict)
    """What came of the amendments among the others, once it is kept."""

    def drop_entries(self, table: int) -> None:
        """Without the entries of one table: its log is written anew."""
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
        """After so many more writes: move what is staged, if it is much."""
        self._written += written
        if self._written >= STAGED:
            self._patiently(self._move_staged)
            self._written = 0

    def _patiently(self, work: Callable[[], None]) -> None:
        """`work`, a transaction, again and again as long as another program is in its way."""
        began = time.monotonic()
        tries = 0
        while True:
            try:
                return work()
            except sqlite3.OperationalError as wrong:
                waited = time.monotonic() - began
                if not _in_the_way(wrong) or waited > patience(self._lifecycle):
                    raise
            tries += 1
            if tries == 1:
                log.warning("another program writes to the data file: the log waits for it")
            # SQLite has waited already, except where it sees that waiting alone can't help.
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

    def _move_staged(self) -> None:
        with self._transaction() as db:
            move_staged(db)

    def _insert(self, entries: list[Any]) -> None:
        """All in one statement: with two passes of the interpreter's lock, instead of two for
        every row, the other thread is left alone."""
        count = len(entries) // VALUES
        statement = _INSERT + ", (?, ?, ?, ?, ?)" * (count - 1) + _IF_OURS
        if self._db.execute(statement, [*entries, self._epoch]).rowcount != count:
            raise _superseded()

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        db = self._db
        # Immediate: what is in the way is met here, before anything is done.
        db.execute("BEGIN IMMEDIATE")
        try:
            if db.execute("SELECT epoch FROM owner").fetchone()[0] != self._epoch:
                raise _superseded()
            yield db
            db.execute("COMMIT")
        except Exception:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


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


def _in_the_way(wrong: sqlite3.OperationalError) -> bool:
    """Whether another connection's lock is all that is wrong."""
    return wrong.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _superseded() -> StoreTrouble:
    return StoreTrouble("Another Parlour has taken over the data file.")


def begin_epoch(db: sqlite3.Connection) -> int:
    """From now on nobody who opened the file before can commit; within a transaction."""
    db.execute("UPDATE owner SET epoch = epoch + 1")
    epoch: int = db.execute("SELECT epoch FROM owner").fetchone()[0]
    return epoch


def move_staged(db: sqlite3.Connection) -> None:
    """Move what is staged into `entries`, neighbours together; within a transaction.

    A table with two entries of the same number stays in `staging` as it is: it can't be read
    back (see `Store.entries`), which is no reason to shut the others, too. Only houses without
    an epoch, two at once, wrote such tables.
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
