"""TCP connections before anything was asked on them: how many of an address, and how long.

A connection that asks for nothing holds a file handle all the same, and a process has only so
many. WebSockets are counted by the gateway too; this counts everything.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from aiohttp import web

from parlour.server.limits import address_block
from parlour.server.logs import log

SOCKETS_EACH: Final = 4
"""A page opens a few connections to fetch itself, besides the one it plays on."""
EVERY: Final = 1.0
"""Seconds between two looks."""


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
