"""The record's small facts, for a command: a program that is no node and runs no tables."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from parlour.store import Learn
from parlour.store.postgres_link import connected
from parlour.store.postgres_schema import FACTS, migrate

NOBODY: Final = 0
"""In place of a node's number, in what is notified: every node learns of it."""

RECALL: Final = "SELECT key, value FROM facts WHERE key BETWEEN $1 AND $2"
_PUT: Final = (
    "INSERT INTO facts VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value"
)


class PostgresFacts:
    """See `Store` for what is asked of it."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._changed: dict[str, bytes | None] = {}

    def remember(self, key: str, value: bytes | None) -> None:
        self._changed[key] = value

    async def recall(self, prefix: str) -> dict[str, bytes]:
        rows = await self._connection.fetch(RECALL, prefix, prefix + chr(0x10FFFF))
        return {key: bytes(value) for key, value in rows}

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        """A command ends too soon to hear of changes by others."""

    async def keep(self) -> None:
        """Write what was remembered, and notify all nodes."""
        async with self._connection.transaction():
            for key, value in self._changed.items():
                if value is None:
                    await self._connection.execute("DELETE FROM facts WHERE key = $1", key)
                else:
                    await self._connection.execute(_PUT, key, value)
                await self._connection.execute("SELECT pg_notify($1, $2)", FACTS, f"{NOBODY} {key}")


@asynccontextmanager
async def postgres_facts(url: str) -> AsyncGenerator[PostgresFacts]:
    """The facts of a database; those remembered are written at the end of the block."""
    async with connected(url) as connection:
        await migrate(connection)
        facts = PostgresFacts(connection)
        yield facts
        await facts.keep()
