"""Who hears of a log's commits: the half of a store that is the same wherever it is kept."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from parlour.store.base import Ticket


class Commits:
    """Gives out tickets, and tells who listens and who waits how far the log has kept them."""

    def __init__(self) -> None:
        self._ticket: Ticket = 0
        """The last one given out."""
        self._safe: Ticket = 0
        """All up to this one are kept."""
        self._lost = False
        self._listener: Callable[[Ticket], None] = lambda ticket: None
        self._waiting: deque[tuple[Ticket, asyncio.Future[None]]] = deque()

    def on_commit(self, hear: Callable[[Ticket], None]) -> None:
        self._listener = hear

    async def settled(self) -> bool:
        ticket = self._ticket
        if ticket > self._safe and not self._lost:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((ticket, future))
            await future
        return ticket <= self._safe

    def _hear(self, ticket: Ticket) -> None:
        """All up to `ticket` is kept; below 0: no more ever will be. Called in the event loop."""
        if ticket < 0:
            self._lost = True
        else:
            self._safe = ticket
        self._listener(ticket)
        while self._waiting and (self._lost or self._waiting[0][0] <= self._safe):
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
