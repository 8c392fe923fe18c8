"""What was brought to tables from outside (card packs), and when it may be thrown away.

A table's log names content by its hash, and can't be folded without it. So the record keeps, for
everything that somebody brought, which tables' logs name it; where a log is dropped because nothing
was ever played there, what no other log names goes with it. Content of the house's own is not
counted: it stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from parlour.house.journal import Journal
from parlour.kit import Illegal, Millis

MOST_BROUGHT = 1_000
MOST_BYTES = 256 * 1024 * 1024
"""How much may be brought to all tables and kept, from one start of the house to the next."""
SHARE = 10
"""One visitor, or one address, may bring a tenth of what there is room for, so that however many
bring all they may, some room is left for others..."""
LEAST_BROUGHT = 10
LEAST_BYTES = 4 * 1024 * 1024
"""...but never less than this."""
PER: Millis = 24 * 3_600_000
"""Packs older than this no longer count against their visitor or address."""

_BROUGHT = "brought:"
"""Before a hash, a colon and a table's id: the fact that this table's log names that content."""
_HOUSE = ""
"""In place of a table's id, where the house has the very same as somebody who brought it."""


class Brought(NamedTuple):
    """Something that was brought since the house was opened."""

    by: tuple[str, str]
    """The visitor, and the address they came from."""
    size: int
    at: Millis


class Library:
    """Content by its hash, and which tables need what of it, at this node or another one."""

    def __init__(self, journal: Journal, clock: Callable[[], Millis]) -> None:
        self._journal = journal
        self._clock = clock
        self._brought: dict[str, Brought] = {}
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

    async def bring(self, table: str, data: bytes, by: tuple[str, str]) -> str:
        """Keep what somebody brings to a table as long as that table's log; gives its hash.

        `by` is a visitor and an address ("": not known).
        """
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
            brought = Brought(by, len(data), self._clock())
            self._check_room(brought)
            self._brought[digest] = brought
        if table not in self._needed.get(digest, ()):
            self._need(digest, table, data)
        return digest

    def _check_room(self, new: Brought) -> None:
        """Whether there is room for this, and whoever brings it has not had their share of it."""
        room = MOST_BROUGHT - len(self._brought)
        room_bytes = MOST_BYTES - sum(each.size for each in self._brought.values())
        if room < 1 or room_bytes < new.size:
            raise Illegal("house-full", "The house has no room for more of these.")
        for who in filter(None, new.by):
            theirs = [
                each.size
                for each in self._brought.values()
                if who in each.by and each.at > new.at - PER
            ]
            many = len(theirs) >= max(LEAST_BROUGHT, room // SHARE)
            if many or sum(theirs) + new.size > max(LEAST_BYTES, room_bytes // SHARE):
                raise Illegal("too-much-content", "You have brought enough of these for today.")

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
                self._drop(digest)

    def _drop(self, digest: str) -> None:
        """Nobody needs this any more, as far as this node knows; the record knows for sure."""
        del self._needed[digest]
        self._brought.pop(digest, None)
        self._journal.drop_content(digest, unless=f"{_BROUGHT}{digest}:")
