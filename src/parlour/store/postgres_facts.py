"""The record's small facts, for a program that is no node and runs no tables: a command, say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self

import asyncpg

from parlour.store.base import Learn, StoreTrouble
from parlour.store.postgres_link import LOST, Link, first, reason
from parlour.store.postgres_schema import FACTS, migrate

NOBODY: Final = 0
"""In place of a node's number, in what is notified: every node learns of it."""

_TROUBLE: Final = (*LOST, asyncpg.PostgresError)
_PUT: Final = (
    "INSERT INTO facts VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value"
)


class PostgresFacts:
    """`async with`: what was remembered is kept, and running nodes told of it, at the end."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._link = Link(url)
        self._connection: Any = None
        self._changed: dict[str, bytes | None] = {}

    async def __aenter__(self) -> Self:
        self._connection = await first(self._link, self._url)
        await migrate(self._connection)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        wrong: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if wrong is None:
                await self._keep()
            elif isinstance(wrong, _TROUBLE):
                raise wrong
        except _TROUBLE as trouble:
            raise StoreTrouble(f"The database can't be used: {reason(trouble)}.") from None
        finally:
            await self._link.close()

    async def _keep(self) -> None:
        async with self._connection.transaction():
            for key, value in self._changed.items():
                if value is None:
                    await self._connection.execute("DELETE FROM facts WHERE key = $1", key)
                else:
                    await self._connection.execute(_PUT, key, value)
                await self._connection.execute("SELECT pg_notify($1, $2)", FACTS, f"{NOBODY} {key}")

    def remember(self, key: str, value: bytes | None) -> None:
        """Keep a fact; None: forget it."""
        self._changed[key] = value

    async def recall(self, prefix: str) -> dict[str, bytes]:
        """All facts whose key starts so."""
        rows = await self._connection.fetch(
            "SELECT key, value FROM facts WHERE key BETWEEN $1 AND $2",
            prefix,
            prefix + chr(0x10FFFF),
        )
        return {key: bytes(value) for key, value in rows}

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        """What others change meanwhile is not looked for."""
