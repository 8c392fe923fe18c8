"""Facts that other nodes change: read again for the parts that keep them in memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

import asyncpg

from parlour.lifecycle import Lifecycle
from parlour.store import Watchers
from parlour.store.lease import Lease
from parlour.store.postgres_reading import Readers
from parlour.store.postgres_schema import FACTS

log = logging.getLogger("parlour.store")


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
        if self._watchers.watch(key):
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
