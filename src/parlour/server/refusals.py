"""Requests that are refused because of their origin or a missing upgrade: counted and logged.

A badly configured proxy makes all requests fail, and only the operator can fix it. So the log says
what to do, in few lines.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from aiohttp import web

from parlour.server.metrics import Metrics

log = logging.getLogger("parlour.refused")

EVERY: Final = 60.0
"""Seconds between two lines about the same kind of refusal."""


class Refusals:
    """Logs the first refusal of a kind, and once a minute the number of those that followed."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._more: dict[str, int] = {}
        """By kind, how many there were since the last line."""

    def origin(self, request: web.Request, game: str) -> None:
        origin, host = request.headers.get("Origin", ""), request.host
        self._note(
            "origin",
            game,
            f"a page of {origin[:60]!r} may not connect to {host[:60]!r}: if it is our own, set "
            "--public-url; if it is another page that may connect, --origins",
        )

    def upgrade(self, request: web.Request, game: str) -> None:
        """A request without an upgrade. It is logged only if it was meant as a handshake."""
        if "Sec-WebSocket-Key" in request.headers:
            self._note(
                "no-upgrade",
                game,
                "a WebSocket came without its Upgrade header: the proxy in front does not pass "
                "WebSocket upgrades (see docs/hosting.md)",
            )

    def _note(self, kind: str, game: str, sentence: str) -> None:
        self._metrics.rejected.labels(game, kind).inc()
        if kind in self._more:
            self._more[kind] += 1
            return
        log.warning("%s", sentence)
        self._wait(kind)

    def _wait(self, kind: str) -> None:
        self._more[kind] = 0
        asyncio.get_running_loop().call_later(EVERY, self._count, kind)

    def _count(self, kind: str) -> None:
        more = self._more.pop(kind)
        if more:
            log.warning("refused (%s): %d more in the last %d s", kind, more, EVERY)
            self._wait(kind)
