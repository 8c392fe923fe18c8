"""Committed before told: what tables have to say, held back until the log has kept why.

One queue for all tables, in order. A table goes on in memory at once; nobody hears of it
until the entry it follows from can no longer be lost.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from parlour.bus import Bus, Line
from parlour.store import Store, Ticket

log = logging.getLogger("parlour.house")


@dataclass(frozen=True)
class Farewell:
    """In place of a message: the last thing a connection hears."""

    code: int
    reason: str


Letter: TypeAlias = tuple[list[Line], bytes | Farewell]


class Outbox:
    """Letters waiting for their entry's commit."""

    def __init__(self, store: Store, bus: Bus, on_lost: Callable[[], None]) -> None:
        self._bus = bus
        self._on_lost = on_lost
        self._letters: deque[tuple[Ticket, Sequence[Letter]]] = deque()
        self._kept: Ticket = 0
        self.handed: Ticket = 0
        """The last ticket the log gave out: what is put now goes out after it."""
        self.lost = False
        """The log can't be written any more."""
        store.on_commit(self._committed)

    def put(self, letters: Sequence[Letter]) -> None:
        """Send these once everything handed to the log so far is kept."""
        if letters:
            self._letters.append((self.handed, letters))
            if self.handed <= self._kept:
                self._flush()

    def give_up(self) -> None:
        """The log can't be written: a house that can't keep its word gives no more of it."""
        if self.lost:
            return
        self.lost = True
        log.critical("the log can't be written any more: the house closes")
        self._on_lost()

    def _committed(self, ticket: Ticket) -> None:
        if ticket < 0:
            self.give_up()
            return
        self._kept = ticket
        self._flush()

    def _flush(self) -> None:
        letters, kept, deliver = self._letters, self._kept, self._bus.deliver
        while letters and letters[0][0] <= kept:
            for lines, data in letters.popleft()[1]:
                if isinstance(data, Farewell):
                    for line in lines:
                        self._bus.cut(line, data.code, data.reason)
                else:
                    deliver(lines, data)
