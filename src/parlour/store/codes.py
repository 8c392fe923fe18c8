"""Codes of tables, and names that only one live table may have, among all nodes of a database.

Six digits are few: a node reserves some hundreds at a time, so that it can open a table without
waiting for the database.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from typing import Final

import asyncpg

from parlour.kit import Illegal
from parlour.store import Codes, StoreTrouble, closing
from parlour.store.lease import Lease
from parlour.store.ownership import UNUSED_CODES
from parlour.store.postgres_link import reason
from parlour.store.postgres_reading import Readers

log = logging.getLogger("parlour.store")

RESERVED: Final = 400
"""Codes that are held ready."""
GIVING_BACK: Final = 1.0
"""Seconds that a store which stops takes to give its codes back."""


class ReservedCodes(Codes):
    """The codes that this node has reserved."""

    def __init__(self, readers: Readers, lease: Lease) -> None:
        self._readers = readers
        self._lease = lease
        self._free: list[str] = []
        self._reserving: asyncio.Task[None] | None = None

    def free(self) -> str:
        if len(self._free) < RESERVED // 2 and not self._reserving:
            self._reserving = asyncio.get_running_loop().create_task(self.reserve())
        if not self._free:
            raise Illegal("house-full", "The house has no free table.")
        return self._free.pop()

    async def reserve(self) -> None:
        """Get codes that no node has. They are this node's until the tables with them close."""
        try:
            wanted = {f"{secrets.randbelow(1_000_000):06d}" for _ in range(RESERVED)}
            async with self._readers.one() as connection:
                rows = await connection.fetch(
                    "INSERT INTO codes SELECT code, $1 FROM unnest($2::text[]) AS code "
                    "ON CONFLICT DO NOTHING RETURNING code",
                    self._lease.node,
                    list(wanted),
                )
            self._free += [row[0] for row in rows]
        except (asyncpg.PostgresError, StoreTrouble) as wrong:
            log.warning("no codes for tables can be had: %s", reason(wrong))
        finally:
            self._reserving = None

    async def claim_name(self, name: str, code: str) -> bool:
        try:
            async with self._readers.one() as connection:
                claimed = await connection.fetchval(
                    "INSERT INTO codes (code, node, holder) VALUES ($1, $2, $3) "
                    "ON CONFLICT (code) DO UPDATE SET node = $2 WHERE codes.holder = $3 "
                    "RETURNING true",
                    name,
                    self._lease.node,
                    code,
                )
                return bool(claimed)
        except asyncpg.ForeignKeyViolationError:  # the table has closed meanwhile
            return False
        except StoreTrouble:
            raise closing() from None

    async def give_back(self, code: str) -> None:
        with suppress(StoreTrouble):  # otherwise it is free when the lease has ended
            await self._readers.read("DELETE FROM codes WHERE holder = $1", code)
            self._free.append(code)

    async def give_all_back(self) -> None:
        """At a stop; without waiting long, because they are free when the lease has ended."""
        with suppress(StoreTrouble, TimeoutError):
            async with asyncio.timeout(GIVING_BACK):
                if self._reserving:
                    await self._reserving
                await self._readers.read(f"{UNUSED_CODES} AND node = $1", self._lease.node)
