"""TCP connections before anything was asked on them: how many of an address, and how long.

A connection that asks for nothing holds a file handle all the same, and a process has only so
many. WebSockets are counted by the gateway too; this counts everything.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware

from parlour.server.limits import address_block

SOCKETS_EACH: Final = 4
"""A page opens a few connections to fetch itself, besides the one it plays on."""
EVERY: Final = 1.0
"""Seconds between two looks."""

log = logging.getLogger("parlour.http")


class TcpLimiter:
    """Counts the TCP connections of each address once a second, and closes those over the limit."""

    def __init__(self, connections: int, exempt: Callable[[str], bool]) -> None:
        """`exempt`: addresses of proxies, through which everybody comes."""
        self._exempt = exempt
        self._most = SOCKETS_EACH * connections
        self._alarm: asyncio.TimerHandle | None = None

    def watch(self, server: web.Server) -> None:
        """Count now, and again in a while."""
        here: Counter[str] = Counter()
        # aiohttp lists connections in the order they came, so the newest are over the limit.
        for handler in server.connections:
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
        self._alarm = asyncio.get_running_loop().call_later(EVERY, self.watch, server)

    def rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()


def bodies_within(seconds: float) -> Middleware:
    """Read what comes behind a request's head, if it comes in time."""

    @web.middleware
    async def read(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.can_read_body:
            try:
                async with asyncio.timeout(seconds):
                    await request.read()
            except TimeoutError:
                raise web.HTTPRequestTimeout from None
        return await handler(request)

    return read


class _Quiet(logging.Filter):
    """Bad HTTP and connections that break off are no errors of ours.

    aiohttp logs them as errors and prints what was sent, tokens and all.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        wrong = record.exc_info[1] if record.exc_info else None
        if not isinstance(wrong, HttpProcessingError | ConnectionError):
            return True
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        record.msg += f": {type(wrong).__name__}"
        record.exc_info = record.exc_text = None
        return log.isEnabledFor(logging.DEBUG)


log.addFilter(_Quiet())
