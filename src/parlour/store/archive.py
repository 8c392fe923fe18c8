"""Reads the log of a house without being one, beside a running server or without."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from parlour.store import LogEntry, LogReader, StoreTrouble, TableRow
from parlour.store.backup import DATABASE
from parlour.store.compact import beside_a_server
from parlour.store.packed import replace_entries
from parlour.store.schema import MIGRATIONS, check_format
from parlour.store.sqlite import SqliteReader

_TABLES: Final = "SELECT id, code, game, opened, closed FROM tables ORDER BY opened DESC"

Replace: TypeAlias = Callable[[str, list[LogEntry]], None]
"""Writes some entries of a table anew; all of them or none."""


class Archive(Protocol):
    """Where a house keeps its log."""

    def tables(self) -> list[TableRow]:
        """The newest first."""
        ...

    def reader(self, table: str) -> LogReader: ...

    def changing(self) -> AbstractContextManager[Replace]:
        """Lets entries of closed tables be written anew; what they were is not kept."""
        ...


def archive_of(place: Path | str) -> Archive:
    """Of a data folder, or of the database with this address."""
    return SqliteArchive(place) if isinstance(place, Path) else PostgresArchive(place)


class SqliteArchive:
    """A data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = (folder / DATABASE).absolute()
        if not self._path.is_file():
            raise StoreTrouble(f"There is no {self._path}.")

    def tables(self) -> list[TableRow]:
        try:
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as db:
                if check_format(db, self._path) < len(MIGRATIONS):
                    raise StoreTrouble(f"{self._path} is of an older version: start a server once.")
                return [TableRow(*row) for row in db.execute(_TABLES)]
        except sqlite3.Error as wrong:
            raise StoreTrouble(f"{self._path} can't be read: {wrong}.") from None

    def reader(self, table: str) -> LogReader:
        return SqliteReader(self._path, table)

    @contextmanager
    def changing(self) -> Generator[Replace]:
        with beside_a_server(self._path.parent) as db:
            # Or the bytes would stay in the file.
            db.execute("PRAGMA secure_delete = ON")
            numbers = dict(db.execute("SELECT id, no FROM tables").fetchall())
            yield lambda table, new: replace_entries(db, numbers[table], table, new)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class PostgresArchive:
    """A database."""

    def __init__(self, url: str) -> None:
        self._url = url

    def tables(self) -> list[TableRow]:
        return asyncio.run(self._tables())

    async def _tables(self) -> list[TableRow]:
        from parlour.store.postgres_link import connected

        async with connected(self._url) as connection:
            return [TableRow(*row) for row in await connection.fetch(_TABLES)]

    def reader(self, table: str) -> LogReader:
        from parlour.store.postgres_reading import PostgresReader

        return PostgresReader(self._url, table)

    @contextmanager
    def changing(self) -> Generator[Replace]:
        from parlour.store import postgres_compact as postgres

        yield lambda table, new: asyncio.run(postgres.replace_entries(self._url, table, new))
