"""Tables that have closed, whose logs are packed beside the server (`parlour data compact`).

The machine may lose its power before any statement of it: every log is then whole, packed or not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from random import Random
from typing import Any, Final
from unittest.mock import patch

from parlour.store import LogEntry, StoreTrouble
from parlour.store.archive import SqliteArchive
from parlour.store.backup import DATABASE
from parlour.store.compact import compact
from parlour.store.packed import row_of
from simulation.checker import Violation
from simulation.disk import Disk

FIRST: Final = 1 << 40
"""The number of the first of these tables: far above those of the server."""
MOST: Final = 200
"""Entries of one of them."""


class Packing:
    """The closed tables of one data folder."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._logs: list[list[LogEntry]] = []

    def pack(self, rng: Random, crash_before: int, crash: Callable[[], None]) -> None:
        """Close one more table and pack all; `crash` comes before that statement of it."""
        self.check()
        folder = self._disk.folder
        with closing(sqlite3.connect(folder / DATABASE)) as db:
            self._close_one(db, rng)
        connect, left = sqlite3.connect, crash_before

        def count(statement: str) -> None:
            nonlocal left
            if left == 0:
                crash()
            left -= 1

        def traced(*args: Any, **how: Any) -> sqlite3.Connection:
            db = connect(*args, **how)
            db.set_trace_callback(count)
            return db

        with patch.object(sqlite3, "connect", traced):
            try:
                compact(folder)
            except StoreTrouble:
                # After a crash it goes on in the old folder, which is of no use to anybody.
                if left >= 0:
                    raise
        if self._disk.store is not None:
            self._disk.synced(self._disk.store)

    def _close_one(self, db: sqlite3.Connection, rng: Random) -> None:
        number = len(self._logs)
        row = (FIRST + number, _name(number), f"closed {number}", "rummy", number, number + 1)
        db.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)", row)
        log = [
            LogEntry(seq, 1_000 + seq, b'{"do":"Act","place":%d}' % rng.randrange(10))
            for seq in range(rng.randrange(1, MOST))
        ]
        rows = [row_of(FIRST + number, each) for each in log]
        db.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", rows)
        db.commit()
        self._logs.append(log)

    def check(self) -> None:
        """Their logs are what they were."""
        archive = SqliteArchive(self._disk.folder)
        for number, log in enumerate(self._logs):
            if list(archive.reader(_name(number)).entries()) != log:
                raise Violation(f"the log of closed table {number} has changed")


def _name(number: int) -> str:
    return f"closed table {number}"
