"""Packs the logs of closed tables in a data folder, and deletes old ones if it is asked to.

It may run beside a server: closed tables are never written to, and each table is one short
transaction. Nothing is deleted unless an age or a size is given.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from parlour.store import Damaged, InUse, StoreTrouble
from parlour.store.backup import DATABASE
from parlour.store.claim import Claim
from parlour.store.packed import pack_table
from parlour.store.schema import MIGRATIONS, check_format
from parlour.store.wal import check_files

PATIENCE: Final = 30.0
"""Seconds for which it waits for a server's commit."""
DAY: Final = 86_400_000

_CLOSED: Final = "FROM tables WHERE closed IS NOT NULL"
_SIZES: Final = f"""
    SELECT no, id, coalesce((SELECT length(data) FROM packed WHERE "table" = no), 0)
        + coalesce((SELECT sum(length(data)) FROM log WHERE "table" = no), 0)
    {_CLOSED} ORDER BY closed DESC
"""  # noqa: S608 - ours


class Compacted(msgspec.Struct):
    """How much was done."""

    packed: int = 0
    before: int = 0
    """Bytes of the entries that were packed."""
    after: int = 0
    """Bytes of their records."""
    deleted: int = 0
    damages: list[Damaged] = []
    """Of tables that stay as they are."""
    detached: list[str] = []
    """Partitions of a database."""
    shrunk: bool = False
    """Whether the file gave its free space back: only if no server uses it."""


def compact(
    data: Path, *, keep_days: int | None = None, keep_bytes: int | None = None
) -> Compacted:
    """Delete closed tables older than so many days, and the oldest ones above so many bytes of
    logs; pack all others."""
    made = Compacted()
    with beside_a_server(data) as db:
        if keep_days is not None:
            oldest = time.time_ns() // 1_000_000 - keep_days * DAY
            old = db.execute(f"SELECT no, id {_CLOSED} AND closed < ?", (oldest,))
            for number, table in old.fetchall():
                _delete(db, number, table, made)
        _pack(db, made)
        if keep_bytes is not None:
            _delete_oldest(db, keep_bytes, made)
        _shrink(db, data / DATABASE, made)
    return made


@contextmanager
def beside_a_server(data: Path) -> Generator[sqlite3.Connection]:
    """A connection that may write to a data folder, in use or not."""
    path = data / DATABASE
    check_files(path)
    if not path.is_file():
        raise StoreTrouble(f"There is no {path}.")
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as db:
            if check_format(db, path) < len(MIGRATIONS):
                raise StoreTrouble(f"{path} is of an older version: start a server once.")
            db.execute("PRAGMA synchronous = FULL")
            yield db
    except sqlite3.Error as wrong:
        raise StoreTrouble(f"The data file {path} can't be used: {wrong}.") from None


def _pack(db: sqlite3.Connection, made: Compacted) -> None:
    rows = db.execute(f'SELECT no, id {_CLOSED} AND no NOT IN (SELECT "table" FROM packed)')  # noqa: S608
    for number, table in rows.fetchall():
        try:
            before, after = pack_table(db, number, table)
        except Damaged as damage:
            made.damages.append(damage)
            continue
        made.packed += 1
        made.before += before
        made.after += after


def _delete_oldest(db: sqlite3.Connection, keep: int, made: Compacted) -> None:
    total = 0
    for number, table, size in db.execute(_SIZES).fetchall():
        total += size
        if total > keep:
            _delete(db, number, table, made)


def _delete(db: sqlite3.Connection, number: int, table: str, made: Compacted) -> None:
    """A closed table, and the facts that are kept for it alone."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        for kept in ("entries", "staging", "doubled", "packed"):
            db.execute(f'DELETE FROM {kept} WHERE "table" = ?', (number,))  # noqa: S608 - ours
        db.execute("DELETE FROM tables WHERE no = ?", (number,))
        db.execute("DELETE FROM facts WHERE key = ?", (f"matches:{table}",))
        mine = db.execute("SELECT key FROM facts WHERE key LIKE ?", (f"brought:%:{table}",))
        for (key,) in mine.fetchall():
            # Content that somebody brought to this table, unless another table needs it, too.
            db.execute("DELETE FROM facts WHERE key = ?", (key,))
            digest = key.split(":")[1]
            db.execute(
                "DELETE FROM facts WHERE key = ? "
                "AND NOT EXISTS (SELECT 1 FROM facts WHERE key LIKE ?)",
                (f"content:{digest}", f"brought:{digest}:%"),
            )
    made.deleted += 1


def _shrink(db: sqlite3.Connection, path: Path, made: Compacted) -> None:
    try:
        claim = Claim(path)
    except InUse:
        return
    with closing(claim):
        db.execute("VACUUM")
        made.shrunk = True
