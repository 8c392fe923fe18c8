"""Limits on HTTP connections: how many an address has, and how many bytes wait.

Even a connection without a request takes a file handle, of which a process has only so many; one
that never reads keeps its answer in memory. WebSockets are not among them: after their handshake
the gateway has its own, stricter limits for them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from parlour.server.limits import address_block
from parlour.server.logs import log

SOCKETS_EACH: Final = 4
"""HTTP connections for each WebSocket that an address may have: a browser opens a few to load the
page."""
EVERY: Final = 1.0
"""Seconds between two checks."""
PROGRESS: Final = 65_536
"""Bytes that a client must read in `timeout` seconds, unless fewer wait."""


class TcpLimiter:
    """Checks all HTTP connections once a second.

    It closes the newest of an address that has too many, those whose clients do not read, and, if
    too many bytes wait for all together, those for which most wait.
    """

    def __init__(
        self, connections: int, exempt: Callable[[str], bool], timeout: float, most_waiting: int
    ) -> None:
        """`exempt`: whether an address is a trusted proxy, which many clients share."""
        self._exempt = exempt
        self._most = SOCKETS_EACH * connections
        self._timeout = timeout
        self._most_waiting = most_waiting
        self._marks: dict[asyncio.Transport, tuple[int, float]] = {}
        """By connection: how many bytes waited when its client last read enough, and when."""
        self._alarm: asyncio.TimerHandle | None = None

    def watch(self, server: web.Server) -> None:
        """Check now and regularly."""
        loop = asyncio.get_running_loop()
        handlers = server.connections
        self._close_the_newest(handlers)
        self._cut_who_does_not_read(handlers, loop.time())
        self._alarm = loop.call_later(EVERY, self.watch, server)

    def rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _close_the_newest(self, handlers: list[RequestHandler]) -> None:
        here: Counter[str] = Counter()
        # aiohttp lists connections in the order they came, so the newest are over the limit.
        for handler in handlers:
            peer = handler.peername
            if isinstance(peer, tuple) and self._exempt(peer[0]):
                continue
            address = address_block(peer[0]) if isinstance(peer, tuple) else "unknown"
            here[address] += 1
            if here[address] > self._most:
                handler.force_close()
        for address, count in here.items():
            if count > self._most:
                log.info("%s has %d connections: the newest are closed", address, count)

    def _cut_who_does_not_read(self, handlers: list[RequestHandler], now: float) -> None:
        marks: dict[asyncio.Transport, tuple[int, float]] = {}
        waiting: dict[asyncio.Transport, int] = {}
        for handler in handlers:
            transport = handler.transport
            if transport is None or not (size := transport.get_write_buffer_size()):
                continue
            waiting[transport] = size
            mark, since = self._marks.get(transport, (size, now))
            # More bytes wait than before: aiohttp writes the next part when the last was sent.
            progressed = size > mark or size <= mark - PROGRESS
            marks[transport] = (size, now) if progressed else (mark, since)
        self._marks = marks
        deaf = [each for each, (_, since) in marks.items() if now - since >= self._timeout]
        total = sum(waiting.values())
        if total > self._most_waiting:
            allowed = self._most_waiting - self._most_waiting // 8
            for transport in sorted(waiting, key=lambda each: waiting[each], reverse=True):
                if total <= allowed:
                    break
                total -= waiting[transport]
                deaf.append(transport)
        for transport in deaf:
            transport.abort()
        if deaf:
            log.info("%d connections were cut: they do not read their answers", len(deaf))
