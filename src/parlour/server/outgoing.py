"""All open connections: how many bytes wait for them, and which ones are written to next.

A message to thousands of spectators is written in slices, so that other tables go on in between.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from parlour.server.connection import WebSocket

_SLICE: Final = 128
"""How many connections are written to in one iteration of the loop: about a millisecond."""


@dataclass(slots=True)
class Outgoing:
    """All open connections, and how many bytes wait to be sent to them."""

    bound: int
    """How many bytes may wait for all connections together."""
    open: set[WebSocket] = field(default_factory=set)
    queued: int = 0
    """Bytes that wait for all connections, as far as each has counted its own."""
    unwritten: deque[WebSocket] = field(default_factory=deque)
    """Those for which something is gathered. While there are any, a write is scheduled."""
    _none_left: asyncio.Event | None = None

    def write_soon(self) -> None:
        """Write what is gathered, from the loop's next iteration on."""
        asyncio.get_running_loop().call_soon(self._write_some)

    def _write_some(self) -> None:
        unwritten = self.unwritten
        for _ in range(min(_SLICE, len(unwritten))):
            unwritten.popleft().flush()
        if unwritten:
            self.write_soon()

    def cut_largest(self) -> None:
        """Cut the connections for which most bytes wait, until an eighth of the bound is free.

        So all connections are looked at again only after that much more was queued.
        """
        for connection in self.open:
            connection.recount()
        allowed = self.bound - self.bound // 8
        for connection in sorted(self.open, key=lambda each: each.queued, reverse=True):
            if self.queued <= allowed:
                return
            connection.cut("too-much-waits")

    def remove(self, connection: WebSocket) -> None:
        self.open.discard(connection)
        if self._none_left is not None and not self.open:
            self._none_left.set()

    async def until_none_is_left(self) -> None:
        self._none_left = asyncio.Event()
        if self.open:
            await self._none_left.wait()
