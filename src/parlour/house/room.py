"""Room in a full house: which tables are closed for a newcomer's, and which never.

Only tables that nobody is connected to are. First go those where nobody has played, those of
whoever takes most of the house before all others; then games that were played and are kept for
their players, but only of whoever has more than their share of the house, those played least
before all others. A game of anybody else is never dropped for a stranger's: then the house is full.

"Whoever" is an address, because a visitor's session costs nothing to make.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from contextlib import suppress

from parlour.house.index import TableIndex
from parlour.house.journal import Journal
from parlour.house.live import LiveTable
from parlour.kit import Illegal
from parlour.table import inputs as do

_KEY = "source-key"
"""The fact that marks of addresses are made with."""


class Room:
    """Room for so many tables, and a share of it for everybody."""

    def __init__(self, index: TableIndex, journal: Journal, tables: int, share: int) -> None:
        self._index = index
        self._tables = tables
        self._share = max(share, tables // 10)
        self._journal = journal
        self._key = b""

    async def load(self) -> None:
        """Recall the key, which is made when first needed."""
        self._key = await self._journal.remember_first(_KEY, secrets.token_bytes(16))

    def mark(self, address: str) -> str:
        """What stands for a network address in this house's log: the same after a restart."""
        if not address:
            return ""
        return hashlib.blake2b(address.encode(), key=self._key, digest_size=16).hexdigest()

    def make(self) -> None:
        """Room for one more table, or `Illegal`; for many at once, for looking is work."""
        if len(self._index) < self._tables:
            return
        for live in self._to_close(1 + self._tables // 100):
            with suppress(Illegal):  # a fault there is no reason not to sit down here
                live.receive(do.Close())
        if len(self._index) >= self._tables:
            raise Illegal("house-full", "The house has no free table.")

    def _to_close(self, count: int) -> list[LiveTable]:
        held = Counter(_whose(live) for live in self._index)
        deserted = [live for live in self._index if not live.audience.attachments]

        def rank(live: LiveTable) -> tuple[bool, int, int, int]:
            played = live.table.played
            return played, -held[_whose(live)], live.table.version if played else 0, live.left_at

        chosen: list[LiveTable] = []
        for live in sorted(deserted, key=rank):
            whose = _whose(live)
            if live.table.played and held[whose] <= self._share:
                continue
            held[whose] -= 1
            chosen.append(live)
            if len(chosen) == count:
                break
        return chosen


def _whose(live: LiveTable) -> str:
    """Who takes the room: an address, or, for tables of older logs, the visitor."""
    opening = live.table.opening
    return opening.source or opening.opener or ""
