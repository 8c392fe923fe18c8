"""The data file's format: one script per version, and how an older file is brought up to date."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from parlour.store import StoreTrouble

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
    """
    CREATE TABLE packed (
        "table" INTEGER PRIMARY KEY, count INTEGER NOT NULL, size INTEGER NOT NULL,
        data BLOB NOT NULL, sum INTEGER NOT NULL
    );
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
