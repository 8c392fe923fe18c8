"""Content that rules read besides the settings (card packs), by its SHA-256.

A table's log names content by its hash and cannot be folded without it. For content that somebody
brought to a table, the store keeps which logs name it. When a log is deleted because nothing was
played there, content that no other log names is deleted, too. The house's own content stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from parlour.kit import Illegal, Millis
from parlour.store import LogReader, Store
from parlour.table import inputs as do

MOST_BROUGHT = 1_000
MOST_BYTES = 256 * 1024 * 1024
"""How much may be brought to all tables until the next restart."""
SHARE = 10
"""A visitor or an address may bring a tenth of the free room, so that some is always left..."""
LEAST_BROUGHT = 10
LEAST_BYTES = 4 * 1024 * 1024
"""...but never less than this."""
PER: Millis = 24 * 3_600_000
"""Content older than this does not count against its visitor or address."""

MOST_HELD = 256
"""How many contents are held in memory besides those that tables hold."""

_CONTENT = "content:"
"""Before a hash: the fact with the bytes."""
_BROUGHT = "brought:"
"""Before a hash, a colon and a table's id: the fact that this table's log names that content."""
_HOUSE = ""
"""In place of a table's id: the house itself needs this content."""


class Brought(NamedTuple):
    """Content that was brought since the house was opened."""

    by: tuple[str, str]
    """The visitor, and the address they came from."""
    size: int
    at: Millis


class Library:
    """Content by its hash, and which tables need it, at this node or another one."""

    def __init__(self, store: Store, clock: Callable[[], Millis]) -> None:
        self._store = store
        self._clock = clock
        self._held: dict[str, bytes] = {}
        """By hash: content that was used last, or is not committed yet."""
        self._brought: dict[str, Brought] = {}
        self._needed: dict[str, set[str]] = {}
        """By hash: the tables whose logs name content that was brought; "": the house itself."""
        store.watch(_BROUGHT, self._learn, self.load)

    async def load(self) -> None:
        """Read which tables need what."""
        for key in await self._store.recall(_BROUGHT):
            self._learn(key, b"")

    def _learn(self, key: str, fact: bytes | None) -> None:
        digest, _, table = key.removeprefix(_BROUGHT).partition(":")
        if fact is not None:
            self._needed.setdefault(digest, set()).add(table)
        elif table in self._needed.get(digest, ()):
            self._needed[digest].remove(table)
            if not self._needed[digest]:
                self._drop(digest)

    # -- reading ----------------------------------------------------------------------

    def held(self, digest: str) -> bytes:
        """Content that was just kept or fetched: a fold cannot wait for the network."""
        return self._held[digest]

    async def fetch(self, digest: str) -> bytes | None:
        """Content, if there is such; afterwards `held` has it."""
        data = self._held.get(digest)
        if data is None:
            data = await self._store.fact(_CONTENT + digest)
            # A concurrent call may have fetched it meanwhile: use the same object.
            data = self._held.get(digest, data)
        if data is not None:
            self._hold(digest, data)
        return data

    async def fetch_pinned(self, entry: do.Input) -> None:
        """Fetch all content that a log entry pins; afterwards `held` has it."""
        if not isinstance(entry, do.Open | do.Pin):
            return
        fetched: dict[str, bytes] = {}
        for digest in entry.content.values():
            data = await self.fetch(digest)
            if data is None:
                raise _missing(digest)
            fetched[digest] = data
        for digest, data in fetched.items():
            # Fetching one may have dropped another from memory.
            self._hold(digest, self._held.get(digest, data))

    def _hold(self, digest: str, data: bytes) -> None:
        """Keep content in memory: before its commit it cannot be read from the store."""
        self._held.pop(digest, None)
        self._held[digest] = data
        if len(self._held) > MOST_HELD:
            del self._held[next(iter(self._held))]

    # -- keeping ----------------------------------------------------------------------

    def keep_own(self, data: bytes) -> str:
        """Keep content of the house's own; returns its hash."""
        digest = hashlib.sha256(data).hexdigest()
        if digest in self._needed and _HOUSE not in self._needed[digest]:
            # Somebody brought the same content before: now it must outlive their table.
            self._need(digest, _HOUSE, data)
        elif digest in self._held:
            self._hold(digest, self._held[digest])
        else:
            self._keep(digest, data)
        return digest

    async def bring(self, table: str, data: bytes, by: tuple[str, str]) -> str:
        """Keep content that somebody brings to a table for as long as that table's log; returns
        its hash. `by` is a visitor and an address ("": not known)."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._needed and await self._is_kept(digest):
            # Brought at another node a moment ago? If not, it is the house's own, and stays.
            for key in await self._store.recall(f"{_BROUGHT}{digest}:"):
                self._learn(key, b"")
            if digest not in self._needed:
                # Or the last tables that needed it closed at two nodes at once and left it: it
                # must not be deleted now that it is needed again.
                self._need(digest, _HOUSE, data)
                return digest
        if digest not in self._needed:
            brought = Brought(by, len(data), self._clock())
            self._check_room(brought)
            self._brought[digest] = brought
        if table not in self._needed.get(digest, ()):
            self._need(digest, table, data)
        return digest

    async def _is_kept(self, digest: str) -> bool:
        if digest in self._held:
            return True
        # It may have been dropped just now: the store knows once that is committed.
        await self._store.settled()
        return await self._store.fact(_CONTENT + digest) is not None

    def _check_room(self, new: Brought) -> None:
        """Raise `Illegal` if there is no room, or its visitor or address has had their share."""
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
        """In one commit with the content, because another node may be deleting it."""
        self._needed.setdefault(digest, set()).add(table)
        self._store.remember(f"{_BROUGHT}{digest}:{table}", b"")
        self._keep(digest, data)

    def _keep(self, digest: str, data: bytes) -> None:
        self._store.remember(_CONTENT + digest, data)
        self._hold(digest, self._held.get(digest, data))

    def forget(self, table: str) -> None:
        """The log of a table is gone: delete content that was kept for it alone."""
        for digest in [each for each, tables in self._needed.items() if table in tables]:
            self._needed[digest].remove(table)
            self._store.remember(f"{_BROUGHT}{digest}:{table}", None)
            if not self._needed[digest]:
                self._drop(digest)

    def _drop(self, digest: str) -> None:
        """This node knows of no table that needs this; the store deletes it if there is none."""
        del self._needed[digest]
        self._brought.pop(digest, None)
        self._held.pop(digest, None)
        self._store.forget_unless(_CONTENT + digest, f"{_BROUGHT}{digest}:")


def content_of(reader: LogReader, digest: str) -> bytes:
    """Content, read in another process."""
    data = reader.fact(_CONTENT + digest)
    if data is None:
        raise _missing(digest)
    return data


def _missing(digest: str) -> LookupError:
    return LookupError(f"there is no content {digest}")
