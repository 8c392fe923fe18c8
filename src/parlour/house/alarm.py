"""The alarm clock of a live table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from parlour.kit import Millis


class Alarm:
    """Calls `ring` when a moment has come, or earlier.

    The timer is replaced only when the moment comes closer. `ring` sets it again if it is called
    too early, so a deadline that each action pushes back costs no timer per action.
    """

    def __init__(self, clock: Callable[[], Millis], ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None
        self.at: Millis | None = None

    def set(self, at: Millis | None) -> None:
        """Ring at this moment; a moment later than the one set is ignored; None: do not ring."""
        if at is not None and self.at is not None and at >= self.at:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.at = at
        if at is not None:
            wait = max(0.0, (at - self._clock()) / 1000)
            self._timer = asyncio.get_running_loop().call_later(wait, self._now)

    def _now(self) -> None:
        self._timer = self.at = None
        self._ring()
