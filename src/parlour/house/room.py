"""Room in the house: how much of it one may take, and which tables are closed for a newcomer's.

Whoever has a tenth of the house may have more only while as much again is free, so that nobody
fills it alone. Where room is needed, tables are closed at which nobody is connected and nobody has
ever played, those of whoever takes most of the house before all others. A game that was played is
never dropped for another: where nothing else is left the house is full.

"Whoever" is an address, because a visitor's session costs nothing to make.
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress

from parlour.house.index import TableIndex
from parlour.house.live import LiveTable
from parlour.kit import Illegal
from parlour.store import Store
from parlour.table import inputs as do

_KEY = "source-key"
"""The fact that marks of addresses are made with."""


class Room:
    """Room for so many tables, and a share of it for everybody."""

    def __init__(self, index: TableIndex, store: Store, tables: int) -> None:
        self._index = index
        self._tables = tables
        self._share = max(1, tables // 10)
        self._store = store
        self._key = b""

    async def load(self) -> None:
        """Read the key, which is made when first needed."""
        self._key = await self._store.remember_first(_KEY, secrets.token_bytes(16))

    def mark(self, address: str) -> str:
        """What stands for a network address in this house's log: the same after a restart."""
        if not address:
            return ""
        return hashlib.blake2b(address.encode(), key=self._key, digest_size=16).hexdigest()

    def make(self, whose: str | None) -> None:
        """Room for one more table of theirs, or `Illegal`; None: it is the house's own."""
        if whose is not None and self._has_enough(whose):
            # Of their own, before anybody else's table is closed for them.
            self._close([live for live in self._index if live.taken_by == whose])
            if self._has_enough(whose) and not self._full:
                raise Illegal(
                    "too-many-tables", "Your network has enough games here: finish or leave one."
                )
        elif self._full:
            self._close(list(self._index))
        if self._full:
            raise Illegal("house-full", "The house has no free table.")

    @property
    def _full(self) -> bool:
        return len(self._index) >= self._tables

    def _has_enough(self, whose: str) -> bool:
        free = self._tables - len(self._index)
        return self._index.taken[whose] >= max(self._share, free)

    def _close(self, tables: list[LiveTable]) -> None:
        """Some of these that nobody will miss; many at once, for looking is work."""
        missed_by_nobody = [
            live for live in tables if not live.audience.attachments and not live.table.played
        ]
        missed_by_nobody.sort(key=lambda live: (-self._index.taken[live.taken_by], live.left_at))
        for live in missed_by_nobody[: 1 + self._tables // 100]:
            with suppress(Illegal):  # a fault there is no reason not to sit down here
                live.receive(do.Close())
