"""Reading from PostgreSQL, beside the connection that writes and in processes of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import asyncpg

from parlour.lifecycle import Lifecycle
from parlour.store import Away, LogEntry, StoreTrouble
from parlour.store.checksum import checked
from parlour.store.packed import Row, checked_record
from parlour.store.postgres_link import CONNECTING, LOST, ONE_TRY, Link, reason

READERS: Final = 4
"""Connections at most."""
PATIENCE: Final = 10.0
"""Seconds for which reading is tried again while the database is away."""

ENTRIES: Final = (
    'SELECT "table", seq, at, data, sum FROM entries '
    'WHERE "table" = (SELECT no FROM tables WHERE id = $1) ORDER BY seq'
)
SOME: Final = (
    'SELECT "table", seq, at, data, sum FROM entries '
    'WHERE "table" = (SELECT no FROM tables WHERE id = $1) AND seq >= $2 AND seq < $3 ORDER BY seq'
)
PACKED: Final = (
    'SELECT "table", count, data, sum FROM packed '
    'WHERE "table" = (SELECT no FROM tables WHERE id = $1)'
)
NO_END: Final = 1 << 62


class Readers:
    """A few connections, each made when it is needed.

    Not asyncpg's pool: when the network is gone, that one waits without bound for a query that
    was cancelled.
    """

    def __init__(self, url: str, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle
        self._idle = [Link(url) for _ in range(READERS)]
        self._turn = asyncio.Semaphore(READERS)
        self._closed = False

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[asyncpg.Connection]:
        """A connection, for `ONE_TRY` seconds at most; raises `Away`."""
        try:
            async with asyncio.timeout(ONE_TRY), self._turn:
                self._check_open()
                link = self._idle.pop()
                try:
                    yield await link.get()
                except asyncpg.PostgresError:  # an answer: the connection still works
                    raise
                except BaseException:
                    link.drop()
                    raise
                finally:
                    self._idle.append(link)
                    if self._closed:
                        link.drop()
        except LOST as wrong:
            raise Away(f"The database is away: {reason(wrong)}.") from None

    def _check_open(self) -> None:
        if self._closed:
            raise StoreTrouble("The database is not in use any more.")

    async def read(self, query: str, *values: object) -> list[asyncpg.Record]:
        """The rows; asked again while the database is away for a moment."""
        began = time.monotonic()
        while True:
            try:
                async with self.one() as connection:
                    rows: list[asyncpg.Record] = await connection.fetch(query, *values)
                    return rows
            except asyncpg.CharacterNotInRepertoireError:
                # No text in the database has a NUL, so no row has this one.
                return []
            except Away:
                if self._lifecycle.lost or time.monotonic() - began > PATIENCE:
                    raise
                await asyncio.sleep(0.05)

    async def close(self) -> None:
        """Connections in use are dropped when their query ends."""
        self._closed = True
        await asyncio.gather(*(link.close() for link in self._idle))


@dataclass(frozen=True, slots=True)
class PostgresReader:
    """Reads one table's log on a connection of its own, in a worker process."""

    url: str = field(repr=False)
    table: str

    def entries(self) -> Iterator[LogEntry]:
        return checked(self.table, self._rows())

    def unchecked(self) -> Iterator[bytes]:
        return (row[3] for row in self._rows())

    def _rows(self) -> Iterable[Any]:
        # A log may be packed between the two queries, but never unpacked.
        return self._fetch(ENTRIES, self.table) or self._packed()

    def _packed(self) -> Iterator[Row]:
        for number, count, record, kept in self._fetch(PACKED, self.table):
            yield from checked_record(self.table, number, count, record, kept)

    def fact(self, key: str) -> bytes | None:
        rows = self._fetch("SELECT value FROM facts WHERE key = $1", key)
        return bytes(rows[0][0]) if rows else None

    def _fetch(self, query: str, value: str) -> list[asyncpg.Record]:
        async def fetch() -> list[asyncpg.Record]:
            connection = await asyncpg.connect(self.url, timeout=CONNECTING)
            try:
                rows: list[asyncpg.Record] = await connection.fetch(query, value)
                return rows
            finally:
                await connection.close()

        try:
            return asyncio.run(fetch())
        except LOST as wrong:
            raise Away(f"The database is away: {reason(wrong)}.") from None
