"""Requests that are refused before anybody at a table hears of them: counted, and logged once.

Behind a proxy that is set up wrong every page is refused, and only whoever runs the house can
mend that: they are told in the log, in as few lines as it takes.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from aiohttp import web

from parlour.server.metrics import Metrics

log = logging.getLogger("parlour.refused")

EVERY: Final = 60.0
"""Seconds after which refusals of one kind are written down again, as a number."""


class Refusals:
    """One line for the first of a kind, and one a minute for all that follow."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._more: dict[str, int] = {}
        """By kind, how many there were since a line was written."""

    def origin(self, request: web.Request, game: str) -> None:
        """A page of another origin wanted something."""
        origin, host = request.headers.get("Origin", ""), request.host
        self._note(
            "origin",
            game,
            f"a page of {origin[:60]!r} may not connect to {host[:60]!r}: if it is our own, say "
            "so with --public-url; if it is a friend's, with --origins",
        )

    def upgrade(self, request: web.Request, game: str) -> None:
        """Somebody came without upgrading. Only who meant to, and did not get to, is noted."""
        if "Sec-WebSocket-Key" in request.headers:
            self._note(
                "no-upgrade",
                game,
                "a WebSocket came without its Upgrade header: the proxy before us does not pass "
                "WebSocket upgrades (docs/hosting.md says how it does)",
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
