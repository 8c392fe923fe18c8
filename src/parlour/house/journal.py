"""Committed before told: the one way into the record, and the one way out to anybody.

A table goes on in memory at once. What it has to say, to sockets, to who asked by HTTP or to
who counts, is handed in together with the entry it follows from and waits here until that
entry can no longer be lost.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeAlias, TypeVar

from parlour.bus import Bus, ConnectionId, Farewell, Letter
from parlour.kit import Illegal, Millis
from parlour.store import Amend, Learn, LogEntry, LogReader, Store, StoreTrouble, TableRow, Ticket
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

T = TypeVar("T")

MOST_HELD = 256
"""How much content is held in memory besides what tables do."""


MOST_WAITING: Final = 268_435_456
"""Bytes that may wait for their commit unless told otherwise."""
SERVICE_RESTART: Final = 1012
"""The close code of connections that are to come back at once."""

__all__ = ["Farewell", "Journal", "Letter", "closing"]


def closing() -> Illegal:
    return Illegal("closing", "The house is closing.")


Waiting: TypeAlias = tuple[Ticket, Sequence[Letter], str, int, str, int]
"""A ticket, the letters to send once it is committed, their table and its version, the game of an
input that is to be counted ("": none), and the size of the letters in bytes."""


class Journal:
    """The record, and what waits for it."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        on_kept: Callable[[str], None] = lambda game: None,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        """`on_kept` is called with the game of every counted entry once it is kept."""
        self._store = store
        self.lifecycle = store.lifecycle
        self._bus = bus
        self._on_kept = on_kept
        self._waiting: deque[Waiting] = deque()
        """In the order of their tickets."""
        self._queued = 0
        """Bytes of all that waits."""
        self._most_waiting = most_waiting
        self._kept: Ticket = 0
        self._content: dict[str, bytes] = {}
        """By hash: what was asked for, or is not committed yet."""
        self._dropped: dict[str, Ticket] = {}
        """By hash: what is still there to be read, but not after the next commit."""
        store.on_commit(self._committed)

    # -- writing ----------------------------------------------------------------------

    def free_code(self) -> str | None:
        """See `Store.free_code`."""
        try:
            return self._store.free_code()
        except StoreTrouble:
            raise Illegal("house-full", "The house has no free table.") from None

    async def claim_name(self, name: str, code: str) -> bool:
        """See `Store.claim_name`."""
        try:
            return await self._store.claim_name(name, code)
        except StoreTrouble:
            raise closing() from None

    async def return_code(self, code: str) -> None:
        """See `Store.return_code`."""
        with suppress(StoreTrouble):  # it is free again when the lease has ended
            await self._store.return_code(code)

    def open_table(self, row: TableRow, opening: do.Open) -> None:
        """A new table and its first entry."""
        try:
            self._store.open_table(row)
            self._store.append(row.id, 0, row.opened, do.encode(opening))
        except StoreTrouble:
            raise closing() from None

    def append(
        self,
        table: str,
        seq: int,
        at: Millis,
        entry: do.Input,
        letters: Sequence[Letter] = (),
        counted: str = "",
    ) -> None:
        """One entry, and what is to be said once it is kept. `counted`: of which game.

        The table has moved on already: if the record is lost, nobody will ever hear of it.
        """
        try:
            ticket = self._store.append(table, seq, at, do.encode(entry))
        except StoreTrouble:
            raise closing() from None
        if letters or counted:
            self._send_after(ticket, letters, table, seq, counted)

    def rewrite(self, table: str, entries: Sequence[tuple[Millis, do.Input]]) -> None:
        """In place of all of a table's entries, these: they lead to the same table."""
        try:
            self._store.rewrite(table, [(at, do.encode(entry)) for at, entry in entries])
        except StoreTrouble:
            raise closing() from None

    def close_table(self, table: str, at: Millis, *, keep: bool) -> None:
        """A table has closed. Without `keep` its entries go too: nothing was played there."""
        try:
            if keep:
                self._store.close_table(table, at)
            else:
                self._store.forget_table(table)
        except StoreTrouble:
            raise closing() from None

    def remember(self, key: str, value: bytes | None) -> Ticket:
        """Keep a small fact that is no table's; None: forget it."""
        try:
            return self._store.remember(key, value)
        except StoreTrouble:
            raise closing() from None

    def sat_down(self, table: str, visitor: str, game: str) -> None:
        """See `Store.sat_down`."""
        try:
            self._store.sat_down(table, visitor, game)
        except StoreTrouble:
            raise closing() from None

    def seated(self, table: str, visitor: str, game: str) -> None:
        """See `Store.seated`."""
        try:
            self._store.seated(table, visitor, game)
        except StoreTrouble:
            raise closing() from None

    def amend(self, keys: Sequence[str], change: Amend) -> None:
        """Change facts by what they are at the commit of what was handed in last: see `Store`."""
        try:
            self._store.amend(keys, change)
        except StoreTrouble:
            raise closing() from None

    async def claim(self, facts: Mapping[str, bytes]) -> dict[str, bytes]:
        """Keep all of these facts or, where there is one of any of these keys, none of them.

        Gives, once that is settled, those that there were: nothing, if these are kept. Of several
        who claim the same at once, at whatever node, one is first.
        """
        there: dict[str, bytes] = {}

        def change(old: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
            there.clear()
            there.update({key: value for key, value in old.items() if value is not None})
            return {} if there else facts

        self.amend(list(facts), change)
        return await self.kept(there)

    async def remember_first(self, key: str, value: bytes) -> bytes:
        """Keep a fact unless there is one of that key; gives, once it is kept, which it is."""
        return (await self.claim({key: value})).get(key, value)

    # -- telling ----------------------------------------------------------------------

    def say(self, letters: Sequence[Letter]) -> None:
        """Send these once everything written so far is kept."""
        if letters and not self.lifecycle.lost:
            self._send_after(self._store.last_ticket, letters, "", 0, "")

    async def kept(self, answer: T) -> T:
        """`answer`, once everything it may follow from is kept.

        It must not change any more: what happens while we wait is not committed yet.
        """
        if not await self._store.settled():
            raise closing()
        return answer

    def _send_after(
        self, ticket: Ticket, letters: Sequence[Letter], table: str, version: int, counted: str
    ) -> None:
        size = 0
        for _, data in letters:
            if type(data) is bytes:
                size += len(data)
        self._waiting.append((ticket, letters, table, version, counted, size))
        self._queued += size
        if ticket <= self._kept and self._store.current():
            self._flush()
        elif self._queued > self._most_waiting:
            self._cut_largest()

    def _cut_largest(self) -> None:
        """Close the connections for which most waits, and drop that, until an eighth is free."""
        held: Counter[ConnectionId] = Counter()
        for _, letters, *_ in self._waiting:
            for connections, data in letters:
                if isinstance(data, bytes):
                    # One copy serves all its readers, so each holds a share of it.
                    share = len(data) // len(connections) + 1
                    held.update(dict.fromkeys(connections, share))
        over = self._queued - self._most_waiting * 7 // 8
        cut: set[ConnectionId] = set()
        for connection, size in held.most_common():
            if over <= 0:
                break
            cut.add(connection)
            over -= size
        log.warning("too much waits for its commit: %d connections are closed", len(cut))
        self._waiting = deque(_without(cut, waiting) for waiting in self._waiting)
        self._queued = sum(size for *_, size in self._waiting)
        farewell = Farewell(SERVICE_RESTART, "too much waits to be sent")
        self._bus.tell([([connection], farewell) for connection in cut])

    def _committed(self, ticket: Ticket) -> None:
        self._kept = ticket
        if self._dropped:
            self._dropped = {d: when for d, when in self._dropped.items() if when > ticket}
        self._flush()

    def _flush(self) -> None:
        waiting, kept, tell = self._waiting, self._kept, self._bus.tell
        while waiting and waiting[0][0] <= kept:
            _, letters, table, version, counted, size = waiting.popleft()
            self._queued -= size
            if counted:
                self._on_kept(counted)
            if letters:
                tell(letters, table, version)

    # -- reading ----------------------------------------------------------------------

    async def recall(self, prefix: str) -> dict[str, bytes]:
        """All facts whose key starts so. Read at the start and kept in memory by who asks."""
        return await self._store.recall(prefix)

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        """See `Store.watch`."""
        self._store.watch(prefix, learn, reload)

    def current(self) -> bool:
        """Whether nobody else can have taken our tables over: see `Store.current`."""
        return self._store.current()

    async def now(self) -> Millis | None:
        return await self._store.now()

    async def live_tables(self) -> list[TableRow]:
        return await self._store.live_tables()

    async def find_table(self, table: str) -> TableRow | None:
        return await self._store.find_table(table)

    async def entries(self, table: str) -> list[LogEntry]:
        return await self._store.entries(table)

    def reader(self, table: str) -> LogReader:
        """For another process. Only what is kept by now is to be read with it: see `kept`."""
        return self._store.reader(table)

    # -- content that rules depend on -------------------------------------------------

    def keep_content(self, digest: str, data: bytes) -> None:
        """Keep what a table pins by its hash, so that it can always be folded."""
        held = self._content.pop(digest, None)
        if held is None:
            self.remember(_CONTENT + digest, data)
        self._hold(digest, held or data)

    def keep_content_again(self, digest: str, data: bytes) -> None:
        """The same where another process might be throwing it away just now."""
        held = self._content.pop(digest, data)
        self.remember(_CONTENT + digest, data)
        self._hold(digest, held)

    async def fetch_content(self, entry: do.Open | do.Pin) -> None:
        """What an entry pins. Then `content` has it: a fold can't wait for a network."""
        fetched: dict[str, bytes] = {}
        for digest in entry.content.values():
            data = await self.fetch(digest)
            if data is None:
                raise LookupError(f"there is no content {digest}")
            fetched[digest] = data
        for digest, data in fetched.items():
            # One may have pushed out another.
            self._hold(digest, self._content.pop(digest, data))

    async def fetch(self, digest: str) -> bytes | None:
        """What was kept under this hash, if it is still there; then `content` has it."""
        data = self._content.pop(digest, None)
        if data is None:
            data = (await self._store.recall(_CONTENT + digest)).get(_CONTENT + digest)
            # Somebody else may have asked for the same meanwhile: the same object for both.
            data = self._content.pop(digest, data)
        if data is not None:
            self._hold(digest, data)
        return data

    async def has_content(self, digest: str) -> bool:
        if digest in self._content:
            return True
        return digest not in self._dropped and bool(await self._store.recall(_CONTENT + digest))

    def drop_content(self, digest: str, unless: str) -> None:
        """Throw away what no log names any more, unless there is a fact whose key starts so."""
        self._content.pop(digest, None)
        try:
            self._dropped[digest] = self._store.forget_unless(_CONTENT + digest, unless)
        except StoreTrouble:
            raise closing() from None

    def content(self, digest: str) -> bytes:
        """What was kept or fetched under this hash: the same object, while it is in use."""
        return self._content[digest]

    def _hold(self, digest: str, data: bytes) -> None:
        """In memory, what was used last: what was just written can't be read before its commit."""
        self._content[digest] = data
        if len(self._content) > MOST_HELD:
            del self._content[next(iter(self._content))]


def _without(cut: set[ConnectionId], waiting: Waiting) -> Waiting:
    """The same without messages for these connections."""
    ticket, letters, table, version, counted, _ = waiting
    left: list[Letter] = []
    size = 0
    for connections, data in letters:
        if isinstance(data, bytes):
            connections = [each for each in connections if each not in cut]
            if not connections:
                continue
            size += len(data)
        left.append((connections, data))
    return ticket, left, table, version, counted, size


def content_of(reader: LogReader, digest: str) -> bytes:
    """What was kept under this hash, read in another process."""
    data = reader.fact(_CONTENT + digest)
    if data is None:
        raise LookupError(f"there is no content {digest}")
    return data


_CONTENT = "content:"
