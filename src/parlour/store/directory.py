"""Which nodes there are, which tables they run, and who sits where, as the database has it.

See `parlour.bus.lookup.Directory` for what the methods promise.
"""

from __future__ import annotations

from collections.abc import Iterable

import asyncpg

from parlour.kit import Illegal
from parlour.store import COMMON, StoreTrouble
from parlour.store.ownership import NODES, placed
from parlour.store.postgres_reading import Readers


class Directory:
    """Looks it all up in the tables that nodes write."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self.quiet = 0.0

    async def _read(self, query: str, *values: object) -> list[asyncpg.Record]:
        try:
            return await self._readers.read(query, *values)
        except StoreTrouble:
            sentence = "The house can't look that up just now: try again in a moment."
            raise Illegal("try-again", sentence) from None

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        rows = await self._read(NODES)
        self.quiet = min((max(0.0, quiet) for *_, quiet in rows), default=0.0)
        return {address: (key, speaks) for address, key, speaks, _ in rows}

    async def running(self) -> list[int]:
        # A drained node has tables until all of them are handed over.
        rows = await self._read(
            "SELECT address FROM nodes WHERE expires > clock_timestamp() AND (runs_tables "
            "OR EXISTS (SELECT FROM owners WHERE owners.node = nodes.no))"
        )
        return [row[0] for row in rows]

    async def place(self, key: str) -> int | None:
        rows = await self._read(
            "SELECT address FROM nodes WHERE runs_tables AND expires > clock_timestamp()"
        )
        return placed(key, [row[0] for row in rows]) if rows else None

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        rows = await self._read(
            "SELECT asked, nodes.address FROM unnest($1::text[]) AS asked "
            "JOIN tables ON id = asked OR (code = asked AND closed IS NULL) "
            'JOIN owners ON owners."table" = tables.no '
            "LEFT JOIN nodes ON nodes.no = owners.node",
            list(tables),
        )
        return {row["asked"]: row["address"] for row in rows}

    async def common_table(self, game: str) -> str | None:
        rows = await self._read(
            "SELECT id FROM facts JOIN tables ON id = convert_from(value, 'UTF8') "
            "WHERE key = $1 AND closed IS NULL",
            COMMON + game,
        )
        return str(rows[0][0]) if rows else None

    async def last_table(self, visitor: str, game: str) -> str | None:
        rows = await self._read(
            'SELECT id FROM seats JOIN tables ON no = "table" '
            "WHERE visitor = $1 AND seats.game = $2 AND closed IS NULL",
            visitor,
            game,
        )
        return str(rows[0][0]) if rows else None
