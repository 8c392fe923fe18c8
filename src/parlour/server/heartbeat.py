"""Visits all connections in turns, a few at a time, to find those that are silent.

A timer for each connection would take memory, and timers set together fire together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final, Generic, TypeVar

C = TypeVar("C")

_GROUPS: Final = 32
_VISITS: Final = 8
"""How often a connection is visited in the time after which it is pinged."""


class Heartbeat(Generic[C]):
    """All connections of a gateway, in groups that are visited one after the other."""

    def __init__(self, every: float, visit: Callable[[C, float], None]) -> None:
        """`every`: the shortest time, in seconds, that visits must notice. `visit` gets each
        connection, and the time (`monotonic`)."""
        self._pause = every / _VISITS / _GROUPS
        self._visit = visit
        self._groups: list[set[C]] = [set() for _ in range(_GROUPS)]
        self._next = 0
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: C) -> None:
        self._groups[hash(connection) % _GROUPS].add(connection)
        self._count += 1
        if self._timer is None:
            self._later()

    def remove(self, connection: C) -> None:
        self._groups[hash(connection) % _GROUPS].remove(connection)
        self._count -= 1
        if not self._count and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._visit_group)

    def _visit_group(self) -> None:
        self._later()
        self._next = (self._next + 1) % _GROUPS
        now = monotonic()
        # A copy: a visit may end a connection.
        for connection in list(self._groups[self._next]):
            self._visit(connection, now)
