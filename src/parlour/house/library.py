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
_HOUSE = ""
"""In place of a table's id, where the house has the very same as somebody who brought it."""


class Library:
    """Content by its hash, and which tables need what of it, at this node or another one."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._brought = 0
        self._needed: dict[str, set[str]] = {}
        """By hash, the tables whose logs name something that was brought; "": the house itself."""
        journal.watch(_BROUGHT, self._learn, self.load)

    async def load(self) -> None:
        """Recall what was brought."""
        for key in await self._journal.recall(_BROUGHT):
            self._learn(key, b"")

    def _learn(self, key: str, fact: bytes | None) -> None:
        digest, _, table = key.removeprefix(_BROUGHT).partition(":")
        if fact is not None:
            self._needed.setdefault(digest, set()).add(table)
        elif table in self._needed.get(digest, ()):
            self._needed[digest].remove(table)
            if not self._needed[digest]:
                self._drop(digest)

    def keep_own(self, data: bytes) -> str:
        """Keep something of the house's own, for good; gives its hash."""
        digest = hashlib.sha256(data).hexdigest()
        if digest in self._needed and _HOUSE not in self._needed[digest]:
            # Somebody brought the very same before: it is not theirs alone any more.
            self._need(digest, _HOUSE, data)
        self._journal.keep_content(digest, data)
        return digest

    async def bring(self, table: str, data: bytes) -> str:
        """Keep what somebody brings to a table as long as that table's log; gives its hash."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._needed:
            if await self._journal.has_content(digest):
                # Brought at another node, a moment ago? Else it is the house's own, and stays.
                for key in await self._journal.recall(f"{_BROUGHT}{digest}:"):
                    self._learn(key, b"")
                if digest not in self._needed:
                    # Or what the last tables left that needed it, if they closed at two nodes at
                    # once: it must not be thrown away any more, now that it is needed again.
                    self._need(digest, _HOUSE, data)
                    return digest
        if digest not in self._needed:
            if self._brought >= MOST_BROUGHT:
                raise Illegal("house-full", "The house has no room for more of these.")
            self._brought += 1
        if table not in self._needed.get(digest, ()):
            self._need(digest, table, data)
        return digest

    def _need(self, digest: str, table: str, data: bytes) -> None:
        """In one commit with the content, which another node may be throwing away just now."""
        self._needed.setdefault(digest, set()).add(table)
        self._journal.remember(f"{_BROUGHT}{digest}:{table}", b"")
        self._journal.keep_content_again(digest, data)

    def forget(self, table: str) -> None:
        """The log of a table is gone: throw away what was kept for it alone."""
        for digest in [each for each, tables in self._needed.items() if table in tables]:
            self._needed[digest].remove(table)
            self._journal.remember(f"{_BROUGHT}{digest}:{table}", None)
            if not self._needed[digest]:
                self._brought = max(0, self._brought - 1)
                self._drop(digest)

    def _drop(self, digest: str) -> None:
        """Nobody needs this any more, as far as this node knows; the record knows for sure."""
        del self._needed[digest]
        self._journal.drop_content(digest, unless=f"{_BROUGHT}{digest}:")
