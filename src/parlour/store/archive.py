"""Reads the log of a house without being one: beside a running server or without, never writing."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, Protocol

from parlour.store import LogReader, StoreTrouble, TableRow
from parlour.store.backup import DATABASE
from parlour.store.schema import MIGRATIONS, check_format
from parlour.store.sqlite import SqliteReader

_TABLES: Final = "SELECT id, code, game, opened, closed FROM tables ORDER BY opened DESC"


class Archive(Protocol):
    """Where a house keeps its log."""

    def tables(self) -> list[TableRow]:
        """The newest first."""
        ...

    def reader(self, table: str) -> LogReader: ...


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
