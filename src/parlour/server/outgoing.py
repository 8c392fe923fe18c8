"""All open connections: how many bytes wait for them, and which ones are written to next.

A message to thousands of spectators is written in slices, so that other tables go on in between.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from parlour.server.connection import WebSocket

_SLICE: Final = 128
"""How many connections are written to in one iteration of the loop: about a millisecond."""

LATER: Final = 0.02
"""Seconds for which a message waits for the next one to its connection (`WebSocket.send_later`)."""


@dataclass(slots=True)
class Outgoing:
    """All open connections, and how many bytes wait to be sent to them."""

    bound: int
    """How many bytes may wait for all connections together."""
    open: dict[WebSocket, None] = field(default_factory=dict)
    queued: int = 0
    """Bytes that wait for all connections, as far as each has counted its own."""
    unwritten: deque[WebSocket] = field(default_factory=deque)
    """Those for which something is gathered. While there are any, a write is scheduled."""
    late: dict[WebSocket, float] = field(default_factory=dict)
    """Those whose messages wait for the next one, and since when: the oldest first. They are
    removed when it comes, or once they have waited for `LATER`; one timer serves all of them."""
    _timer: asyncio.TimerHandle | None = None
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

    def write_later(self) -> None:
        """Soon look for those in `late` that have waited long enough."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LATER, self._write_late)

    def _write_late(self) -> None:
        self._timer = None
        until = monotonic() - LATER
        for connection, since in list(self.late.items()):
            if since > until:
                self.write_later()
                return
            del self.late[connection]
            connection.flush()

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
        self.open.pop(connection, None)
        if self._none_left is not None and not self.open:
            self._none_left.set()

    async def until_none_is_left(self) -> None:
        self._none_left = asyncio.Event()
        if self.open:
            await self._none_left.wait()
