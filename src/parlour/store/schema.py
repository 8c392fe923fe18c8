"""The data file's format: one script per version, and how an older file is brought up to date."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from parlour.store.base import StoreTrouble

log = logging.getLogger("parlour.store")

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE tables (
        no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, code TEXT NOT NULL,
        game TEXT NOT NULL, opened INTEGER NOT NULL, closed INTEGER
    );
    CREATE INDEX live_tables ON tables (no) WHERE closed IS NULL;
    CREATE TABLE entries (
        "table" INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL
    );
    CREATE UNIQUE INDEX entry_order ON entries ("table", seq);
    CREATE TABLE facts (key TEXT PRIMARY KEY, value BLOB NOT NULL);
    """,
    """
    CREATE TABLE daybook (
        "table" INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL
    );
    CREATE VIEW log AS
        SELECT "table", seq, at, data FROM entries
        UNION ALL SELECT "table", seq, at, data FROM daybook;
    """,
    """
    DROP VIEW log;
    ALTER TABLE daybook RENAME TO staging;
    CREATE VIEW log AS
        SELECT "table", seq, at, data FROM entries
        UNION ALL SELECT "table", seq, at, data FROM staging;
    """,
    """
    CREATE TABLE owner (epoch INTEGER NOT NULL);
    INSERT INTO owner VALUES (0);
    CREATE TABLE doubled ("table" INTEGER PRIMARY KEY);
    """,
    """
    DROP VIEW log;
    ALTER TABLE entries ADD COLUMN sum INTEGER;
    ALTER TABLE staging ADD COLUMN sum INTEGER;
    CREATE VIEW log AS
        SELECT "table", seq, at, data, sum FROM entries
        UNION ALL SELECT "table", seq, at, data, sum FROM staging;
    """,
)
"""One script per format; format n is the first n of them applied in order."""


def check_format(db: sqlite3.Connection, path: Path) -> int:
    """The file's format; a file of a newer version is refused, and not changed in any way."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise StoreTrouble(
            f"The data file {path} was written by a newer Parlour "
            f"(data format {version}; this one knows {len(MIGRATIONS)})."
        )
    return version


def migrate(db: sqlite3.Connection, version: int) -> None:
    """From this format to the newest; within a transaction."""
    for number in range(version, len(MIGRATIONS)):
        for statement in MIGRATIONS[number].split(";"):
            if statement.strip():
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {number + 1}")


def set_aside_stale_wal(path: Path) -> None:
    """Rename a write-ahead log that can't be this file's, before SQLite replays it over the file.

    A backup is in SQLite's other journal mode, which has none. Where there is one all the same,
    somebody has copied the backup over the database it belongs to.
    """
    wal = path.with_name(f"{path.name}-wal")
    if not wal.exists():
        return
    with path.open("rb") as file:
        file.seek(_WRITE_VERSION)
        if file.read(1) != _ROLLBACK:
            return
    stale = wal.with_name(f"{wal.name}.stale")
    wal.replace(stale)
    log.warning("%s is not the write-ahead log of %s: renamed to %s", wal, path.name, stale.name)


_WRITE_VERSION, _ROLLBACK = 18, b"\x01"
"""Where a database's header says how it is written, and how without a write-ahead log."""
