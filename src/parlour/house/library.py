"""What was brought to tables from outside (card packs), and when it may be thrown away.

A table's log names content by its hash, and can't be folded without it. So the record keeps, for
everything that somebody brought, which tables' logs name it; where a log is dropped because nothing
was ever played there, what no other log names goes with it. Content of the house's own is not
counted: it stays.
"""

from __future__ import annotations

import hashlib

from parlour.house.journal import Journal
from parlour.kit import Illegal

MOST_BROUGHT = 1_000
"""How much may be brought to all tables and kept, from one start of the house to the next."""

_BROUGHT = "brought:"
"""Before a hash, a colon and a table's id: the fact that this table's log names that content."""


class Library:
    """Content by its hash, and which tables need what of it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._brought = 0
        self._needed: dict[str, set[str]] = {}
        """By hash, the tables whose logs name something that was brought."""

    async def load(self) -> None:
        """Recall what was brought."""
        for key in await self._journal.recall(_BROUGHT):
            digest, _, table = key.removeprefix(_BROUGHT).partition(":")
            self._needed.setdefault(digest, set()).add(table)

    def keep_own(self, data: bytes) -> str:
        """Keep something of the house's own, for good; gives its hash."""
        digest = hashlib.sha256(data).hexdigest()
        for table in self._needed.pop(digest, ()):
            # Somebody brought the very same before: it is not theirs any more.
            self._journal.remember(f"{_BROUGHT}{digest}:{table}", None)
        self._journal.keep_content(digest, data)
        return digest

    async def bring(self, table: str, data: bytes) -> str:
        """Keep what somebody brings to a table as long as that table's log; gives its hash."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._needed:
            if await self._journal.has_content(digest):
                return digest
            # Somebody may have brought the very same while that was found out.
            if digest in self._needed:
                return await self.bring(table, data)
            if self._brought >= MOST_BROUGHT:
                raise Illegal("house-full", "The house has no room for more of these.")
            self._brought += 1
            self._journal.keep_content(digest, data)
            self._needed[digest] = set()
        if table not in self._needed[digest]:
            self._needed[digest].add(table)
            self._journal.remember(f"{_BROUGHT}{digest}:{table}", b"")
        return digest

    def forget(self, table: str) -> None:
        """The log of a table is gone: throw away what was kept for it alone."""
        for digest in [each for each, tables in self._needed.items() if table in tables]:
            self._needed[digest].remove(table)
            self._journal.remember(f"{_BROUGHT}{digest}:{table}", None)
            if not self._needed[digest]:
                del self._needed[digest]
                self._brought = max(0, self._brought - 1)
                self._journal.drop_content(digest)
