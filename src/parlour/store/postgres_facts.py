"""Facts in PostgreSQL: which of them other nodes change, and access to them for a command."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Final

import asyncpg

from parlour.lifecycle import Lifecycle
from parlour.store import after_all
from parlour.store.lease import Lease
from parlour.store.postgres_link import connected
from parlour.store.postgres_reading import Readers
from parlour.store.postgres_schema import FACTS, migrate
from parlour.store.watching import Learn, Watchers

log = logging.getLogger("parlour.store")

NOBODY: Final = 0
"""In place of a node's number, in what is notified: every node learns of it."""

RECALL: Final = "SELECT key, value FROM facts WHERE key BETWEEN $1 AND $2"
RECALL_LAST: Final = (
    "SELECT key, value FROM facts WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT $3"
)
LOOK_UP: Final = "SELECT key, value FROM facts WHERE key = ANY ($1)"
_PUT: Final = (
    "INSERT INTO facts VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value"
)


class ChangedFacts:
    """Listens on the lease's connection, and passes changes on in their order."""

    def __init__(
        self, readers: Readers, lease: Lease, watchers: Watchers, lifecycle: Lifecycle
    ) -> None:
        self._readers = readers
        self._lease = lease
        self._watchers = watchers
        self._lifecycle = lifecycle
        lease.connected = self._listen
        self._news: asyncio.Queue[str | None] = asyncio.Queue()
        """Keys of facts that have changed; None: any of them may have."""
        self._reading: set[str] = set()
        """The fact that is being read, unless this node has changed it meanwhile."""
        self._task: asyncio.Task[None] | None = None

    async def _listen(self, connection: asyncpg.Connection) -> None:
        await connection.add_listener(FACTS, self._hear)
        # Notifications that were sent before this connection was made are lost.
        self._news.put_nowait(None)

    def _hear(self, connection: object, process: int, channel: str, told: str) -> None:
        node, _, key = told.partition(" ")
        if node != str(self._lease.node):
            self._changed(key)

    def committed(self, keys: Iterable[str]) -> None:
        """This node has amended these facts. They are read again, because the notification of a
        later change by another node may already have arrived."""
        for key in keys:
            self._changed(key)
        self._reading.difference_update(keys)

    def _changed(self, key: str) -> None:
        if self._watchers.keep(key):
            self._news.put_nowait(key)

    def start(self) -> None:
        # Watchers read their facts when they start: earlier changes are no news to them.
        self._news = asyncio.Queue()
        self._task = asyncio.get_running_loop().create_task(self._learn())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _learn(self) -> None:
        while True:
            key = await self._news.get()
            try:
                if key is None:
                    await self._watchers.reload()
                    continue
                self._reading = {key}
                rows = await self._readers.read("SELECT value FROM facts WHERE key = $1", key)
                # If this node has changed it meanwhile, that may be newer; it is read again.
                if key in self._reading:
                    self._watchers.changed({key: bytes(rows[0][0]) if rows else None})
            except Exception:
                if self._lifecycle.lost:
                    return
                log.exception("facts that other nodes have changed can't be read")
                await asyncio.sleep(1.0)
                self._news.put_nowait(None)


class PostgresFacts:
    """The facts for a program that is no node; see `Store` for what the methods promise."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._changed: dict[str, bytes | None] = {}

    def remember(self, key: str, value: bytes | None) -> None:
        self._changed[key] = value

    async def recall(self, prefix: str) -> dict[str, bytes]:
        rows = await self._connection.fetch(RECALL, prefix, after_all(prefix))
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
