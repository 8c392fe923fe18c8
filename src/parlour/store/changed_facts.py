"""Facts that other nodes have changed: read again for those who keep them in memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from parlour.lifecycle import Lifecycle
from parlour.store.postgres_reading import Readers
from parlour.store.postgres_schema import FACTS

log = logging.getLogger("parlour.store")


class ChangedFacts:
    """Listens on the database, and hands on what others have changed in their order."""

    def __init__(
        self,
        readers: Readers,
        lifecycle: Lifecycle,
        *,
        node: Callable[[], int],
        watched: Callable[[str], bool],
        amended: Callable[[Mapping[str, bytes | None]], None],
        reload: Callable[[], Awaitable[None]],
    ) -> None:
        """`watched` says whether somebody keeps a fact in memory; `amended` is called with facts
        that have changed; `reload` is awaited when any of them may have."""
        self._readers = readers
        self._lifecycle = lifecycle
        self._node = node
        self._watched = watched
        self._amended = amended
        self._reload = reload
        self._news: asyncio.Queue[str | None] = asyncio.Queue()
        """Keys of facts that have changed; None: any of them may have."""
        self._reading: set[str] = set()
        """The fact that is being read, unless this node has changed it meanwhile."""
        self._task: asyncio.Task[None] | None = None

    async def listen(self, connection: Any) -> None:
        """On a new connection: what was notified before it was made is lost."""
        await connection.add_listener(FACTS, self._hear)
        self._news.put_nowait(None)

    def _hear(self, connection: Any, process: int, channel: str, told: str) -> None:
        node, _, key = told.partition(" ")
        if node != str(self._node()):
            self._changed(key)

    def committed(self, keys: Iterable[str]) -> None:
        """This node has amended these facts. Another one may have since: what is heard of that is
        not in order with what is known of this, so they are read again."""
        for key in keys:
            self._changed(key)
        self._reading.difference_update(keys)

    def _changed(self, key: str) -> None:
        if self._watched(key):
            self._news.put_nowait(key)

    def start(self) -> None:
        # Those who keep facts in memory read them when they start: what came before is no news.
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
                    await self._reload()
                    continue
                self._reading = {key}
                rows = await self._readers.read("SELECT value FROM facts WHERE key = $1", key)
                # What this node has committed meanwhile may be newer, and will be read again.
                if key in self._reading:
                    self._amended({key: bytes(rows[0][0]) if rows else None})
            except Exception:
                if self._lifecycle.lost:
                    return
                log.exception("facts that other nodes have changed can't be read")
                await asyncio.sleep(1.0)
                self._news.put_nowait(None)
