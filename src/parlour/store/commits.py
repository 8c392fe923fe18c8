"""Who hears of a log's commits: the half of a store that is the same wherever it is kept."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence

from parlour.lifecycle import Lifecycle
from parlour.store.base import Amend, Codes, Learn, Ticket, closing


class OwnCodes:
    """Of a log of one process, which knows all tables, their codes and their names."""

    def free(self) -> str | None:
        return None

    async def claim_name(self, name: str, code: str) -> bool:
        return True

    async def give_back(self, code: str) -> None:
        """None was given out."""


class Commits:
    """Gives out tickets, and tells who listens and who waits how far the log has kept them."""

    def __init__(self, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        lifecycle.on_change(self._wake_waiting)
        self.last_ticket: Ticket = 0
        self._safe: Ticket = 0
        """All up to this one are kept."""
        self._listener: Callable[[Ticket], None] = lambda ticket: None
        self._waiting: deque[tuple[Ticket, asyncio.Future[None]]] = deque()
        self.codes: Codes = OwnCodes()
        self._watchers: list[tuple[str, Learn, Callable[[], Awaitable[None]]]] = []

    def on_commit(self, hear: Callable[[Ticket], None]) -> None:
        self._listener = hear

    def current(self) -> bool:
        """A log of one process is its own for as long as it can be written."""
        return True

    async def now(self) -> int | None:
        return None

    def sat_down(self, table: str, visitor: str, game: str) -> None:
        """In a log of one process all tables that are open are that process's."""

    def seated(self, table: str, visitor: str, game: str) -> None:
        """So nothing has to be known about any."""

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        self._watchers.append((prefix, learn, reload))

    def _watched(self, key: str) -> bool:
        return any(key.startswith(prefix) for prefix, _, _ in self._watchers)

    async def _reload_all(self) -> None:
        for reload in dict.fromkeys(reload for _, _, reload in self._watchers):
            await reload()

    def _amended(self, facts: Mapping[str, bytes | None]) -> None:
        """These facts have become others. Called in the event loop."""
        for key, value in facts.items():
            for prefix, learn, _ in self._watchers:
                if key.startswith(prefix):
                    learn(key, value)

    def amend(self, keys: Sequence[str], change: Amend) -> Ticket:
        raise NotImplementedError

    async def claim(self, facts: Mapping[str, bytes]) -> dict[str, bytes]:
        there: dict[str, bytes] = {}

        def change(old: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
            there.clear()
            there.update({key: value for key, value in old.items() if value is not None})
            return {} if there else facts

        self.amend(list(facts), change)
        if not await self.settled():
            raise closing()
        return there

    async def remember_first(self, key: str, value: bytes) -> bytes:
        return (await self.claim({key: value})).get(key, value)

    def _check_not_lost(self) -> None:
        if self.lifecycle.lost:
            raise closing()

    async def settled(self) -> bool:
        ticket = self.last_ticket
        if ticket > self._safe and not self.lifecycle.lost:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((ticket, future))
            await future
        return ticket <= self._safe

    def _kept(self, ticket: Ticket) -> None:
        """All up to `ticket` is kept. Called in the event loop."""
        self._safe = ticket
        self._listener(ticket)
        if self._waiting:
            self._wake_waiting()

    def _wake_waiting(self) -> None:
        lost = self.lifecycle.lost
        while self._waiting and (lost or self._waiting[0][0] <= self._safe):
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
