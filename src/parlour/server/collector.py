"""When Python looks for reference cycles.

By default it looks at all objects again whenever their number has grown by a quarter. A server with
eighteen thousand connections has two million of them: it would stand still for a second and free
nothing. So only new objects are looked at; those that are still in use are then left alone
(`gc.freeze`). A connection that ends leaves no cycle, but a table does. So all are looked at when
half as many tables as there are have closed, and, whatever the reason, when memory has tripled.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import time
from typing import Any, Final

log = logging.getLogger("parlour.server")

YOUNG: Final = 2_000
"""How many new objects are looked at together: a millisecond or two of work."""
EVERY: Final = 10.0
"""Seconds between two looks at how much memory is in use."""
CLOSED: Final = 100
"""Closed tables that are left in memory in any case."""
GROWTH: Final = 3
AT_LEAST: Final = 500_000
"""Growth that is ignored, in blocks of memory (`sys.getallocatedblocks`): some 50 MB."""


class Collector:
    """Takes over from Python's own rules: `start`, then `stop`."""

    def __init__(self, every: float = EVERY, at_least: int = AT_LEAST) -> None:
        self._every = every
        self._at_least = at_least
        self._before = 0
        """Blocks in use after all objects were last looked at."""
        self._tables = 0
        self._awake: int | None = None
        """How many tables were in memory when some fell asleep last."""
        self._closed = 0
        """Tables that have closed, or fallen asleep, since then."""
        self._timer: asyncio.TimerHandle | None = None
        self._thresholds = gc.get_threshold()

    def start(self) -> None:
        """Everything loaded so far is used until the process ends: never look at it again."""
        gc.set_threshold(YOUNG)
        gc.callbacks.append(self._looked)
        self._look_at_all()
        self._later()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        gc.callbacks.remove(self._looked)
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()

    def _looked(self, phase: str, about: dict[str, Any]) -> None:
        """Called by the collector, in any thread."""
        if phase == "stop":
            gc.freeze()

    def _later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._every, self._check)

    def tables_now(self, count: int) -> None:
        """So many tables are open now. Called whenever one opens or closes."""
        self._closed += max(0, self._tables - count)
        self._tables = count

    def slept(self, count: int, awake: int) -> None:
        """So many tables are only notes now; so many are still in memory."""
        self._closed += count
        self._awake = awake

    def _check(self) -> None:
        before = self._before
        in_memory = self._tables if self._awake is None else min(self._tables, self._awake)
        if self._closed > CLOSED + in_memory // 2 or sys.getallocatedblocks() > max(
            before * GROWTH, before + self._at_least
        ):
            self._look_at_all()
        self._later()

    def _look_at_all(self) -> None:
        began = time.perf_counter()
        gc.unfreeze()
        found = gc.collect()
        gc.freeze()
        self._closed = 0
        self._before = sys.getallocatedblocks()
        log.debug(
            "%d unreachable objects in cycles were freed in %.0f ms",
            found,
            1000 * (time.perf_counter() - began),
        )
