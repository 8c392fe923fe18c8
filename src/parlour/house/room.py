"""Room for tables: how many one address may have, and which tables are closed to make room.

An address that has a tenth of all tables may have more only while it has less than is free, so that
no address fills the house alone. To make room, tables are closed at which nobody is connected and
nobody has ever played, first those of the address with most tables. A table that was played at is
never closed for another one: then the house is full.

Shares are counted by address, because anybody can get new visitors' sessions for free.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from parlour.house.asleep import Asleep
from parlour.kit import Illegal
from parlour.table import inputs as do

if TYPE_CHECKING:
    from parlour.house.index import Entry
    from parlour.house.services import Services

_KEY = "source-key"
"""The fact with the key of the addresses' hashes."""


class Room:
    """Room for so many tables, and a share of it for each address."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._index = services.index
        self._tables = services.limits.tables
        self._share = max(1, self._tables // 10)
        self._store = services.journal.store
        self._key = b""

    async def load(self) -> None:
        """Read the key; the first time, make it."""
        self._key = await self._store.remember_first(_KEY, secrets.token_bytes(16))

    def mark(self, address: str) -> str:
        """A hash that stands for a network address in the log, the same after a restart."""
        if not address:
            return ""
        return hashlib.blake2b(address.encode(), key=self._key, digest_size=16).hexdigest()

    def make(self, whose: str | None) -> None:
        """Make room for one more table of this owner (None: the house), or raise `Illegal`."""
        if whose is not None and self._has_enough(whose):
            # Close their own tables before anybody else's.
            self._close([entry for entry in self._index if entry.taken_by == whose])
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

    def _close(self, tables: list[Entry]) -> None:
        """Close unused tables among these; several at once, because the search is slow."""
        unused = [entry for entry in tables if not entry.in_use]
        unused.sort(key=lambda live: (-self._index.taken[live.taken_by], live.left_at))
        for live in unused[: 1 + self._tables // 100]:
            if isinstance(live, Asleep):
                self._services.loader.forget(live)
            else:
                live.note(do.Close())
