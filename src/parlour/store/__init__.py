"""The log: what every table was told, in order, kept before anybody hears of it.

This is the interface, and what all stores have in common. The stores are `memory.MemoryStore`,
`sqlite.SqliteStore` and `postgres.PostgresStore`. Longer than most modules, because all that can be
asked of a store is read in one place.
"""

from __future__ import annotations

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

import msgspec

from parlour.kit import Illegal
from parlour.lifecycle import Lifecycle
from parlour.store.watching import Learn, Watchers


class StoreTrouble(Exception):
    """The log can't be used; the sentence says why and what to do."""


class Away(StoreTrouble):
    """The log can't be read or written now: the database does not answer, or refuses to work."""


class TakenOver(StoreTrouble):
    """Another node may run the tables of this one, which was not heard of for too long."""


class InUse(StoreTrouble):
    """Another process has the data file."""


class Damaged(StoreTrouble):
    """One table's log can't be trusted; the sentence names the table and the entry."""

    def __init__(self, table: str, seq: int, what: str) -> None:
        super().__init__(f"Entry {seq} of table {table} {what}.")
        self.table = table
        self.seq = seq
        self.what = what

    def __reduce__(self) -> tuple[type[Damaged], tuple[str, int, str]]:
        """Worker processes raise it; by default an exception is pickled with its sentence alone."""
        return Damaged, (self.table, self.seq, self.what)


PATIENCE: Final = 30.0
"""Seconds for which a commit is tried again while another program writes to the data file, or the
database is away: better a house that pauses than one that closes."""
PATIENCE_AT_THE_END: Final = 5.0
"""The same for a house that is closing: it has promised to be gone soon."""


def is_temporary(why: BaseException | None, several_nodes: bool) -> bool:
    """Whether a log that was lost for this reason can be opened again later. `several_nodes`:
    whether other nodes and this one may take over each other's tables."""
    if isinstance(why, sqlite3.OperationalError):
        return why.sqlite_errorcode & 0xFF in _TEMPORARY
    return isinstance(why, Away) or (several_nodes and isinstance(why, TakenOver))


_TEMPORARY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL)


def patience(lifecycle: Lifecycle) -> float:
    """For how many seconds a commit is tried again now."""
    return PATIENCE if lifecycle.open else PATIENCE_AT_THE_END


def closing() -> Illegal:
    """Raised by every write once the log is lost: the house can only close."""
    return Illegal("closing", "The house is closing.")


class TableRow(msgspec.Struct, frozen=True):
    """One table the log knows."""

    id: str
    code: str
    game: str
    opened: int
    closed: int | None = None


class LogEntry(msgspec.Struct, frozen=True):
    """One input of one table: its number there, its moment, its bytes."""

    seq: int
    at: int
    data: bytes


COMMON: Final = "common:"
"""Before a game: the fact which table is the house's own."""

Amend: TypeAlias = Callable[[Mapping[str, bytes | None]], Mapping[str, bytes | None]]
"""Called with the current facts, None for one that does not exist; returns those that change."""

Ticket = int
"""The number of a write. Numbers rise by one; a commit covers all writes up to one of them."""


def after_all(prefix: str) -> str:
    """After every key with this prefix."""
    return prefix + chr(0x10FFFF)


class LogReader(Protocol):
    """Reads one table's committed log. It can be pickled for a worker process.

    All of it raises `Away` if nothing can be read now."""

    def entries(self) -> Iterator[LogEntry]:
        """In order; raises `Damaged` at the first entry that is not as it was written."""
        ...

    def unchecked(self) -> Iterator[bytes]:
        """The same without checks, for what can still be read of a damaged log."""
        ...

    def fact(self, key: str) -> bytes | None: ...


class Codes:
    """Codes for new tables, and names that only one live table may have. Raises `Illegal`.

    This is for a log of one process, which knows all tables, their codes and their names.
    """

    def free(self) -> str | None:
        """A code for a new table that no other node gives out; None: any that is unused here."""
        return None

    async def claim_name(self, name: str, code: str) -> bool:
        """Reserve a name for the table with this code until it closes; False: another live table
        has it, on whatever node. Codes count as names."""
        return True

    async def give_back(self, code: str) -> None:
        """No table was opened with this code of `free`: release it and its names."""


class Store(ABC):
    """The log. Writing never blocks: it returns a ticket, and `on_commit` says when it is kept.

    Reading may have to wait for a network. When the log can no longer be written, `lifecycle`
    says so, and writing raises `closing()`.
    """

    def __init__(self, lifecycle: Lifecycle | None) -> None:
        self.lifecycle = lifecycle or Lifecycle()
        self.lifecycle.on_change(self._wake_waiting)
        self.codes = Codes()
        self.last_ticket: Ticket = 0
        """The last one that was returned."""
        self._safe: Ticket = 0
        """All writes up to this one are kept."""
        self._listener: Callable[[Ticket], None] = lambda ticket: None
        self._waiting: deque[tuple[Ticket, asyncio.Future[None]]] = deque()
        self._watchers = Watchers()

    # -- commits ----------------------------------------------------------------------

    def on_commit(self, hear: Callable[[Ticket], None]) -> None:
        """`hear` is called in the event loop with the highest ticket that is safe now."""
        self._listener = hear

    async def settled(self) -> bool:
        """Returns once everything written so far is kept; False: it never will be."""
        ticket = self.last_ticket
        if ticket > self._safe and not self.lifecycle.lost:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((ticket, future))
            await future
        return ticket <= self._safe

    async def kept(self) -> None:
        """The same; raises `closing()` if it never will be."""
        if not await self.settled():
            raise closing()

    def current(self) -> bool:
        """Whether no other node can have taken over.

        False: nothing may be told. Once this node has made sure, `on_commit` is called again.
        """
        return True

    async def now(self) -> int | None:
        """Milliseconds since the epoch by the clock of the database; None: there is none."""
        return None

    def _kept(self, ticket: Ticket) -> None:
        """All up to `ticket` is kept. Called in the event loop."""
        self._safe = ticket
        self._listener(ticket)
        if self._waiting:
            self._wake_waiting()

    def _wake_waiting(self) -> None:
        lost = self.lifecycle.lost
        while self._waiting and (lost or self._waiting[0][0] <= self._safe):
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)

    # -- tables and their entries -----------------------------------------------------

    @abstractmethod
    def open_table(self, row: TableRow) -> Ticket: ...

    @abstractmethod
    def append(self, table: str, seq: int, at: int, data: bytes) -> Ticket: ...

    @abstractmethod
    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        """Replace a table's whole log by these (moment, bytes), in one transaction. The next entry
        appended has the number after them."""

    @abstractmethod
    def close_table(self, table: str, at: int) -> Ticket: ...

    @abstractmethod
    def forget_table(self, table: str) -> Ticket:
        """Delete a table at which nothing was ever played."""

    def sat_down(self, table: str, visitor: str, game: str) -> None:
        """Where other nodes send this visitor from now on, until that table closes. A log of one
        process needs no note: all open tables are its own."""
        return None

    def seated(self, table: str, visitor: str, game: str) -> None:
        """The same for a visitor who sat there before, unless a later table is noted."""
        return None

    @abstractmethod
    async def live_tables(self) -> list[TableRow]:
        """Those that this process runs."""

    @abstractmethod
    async def find_table(self, table: str) -> TableRow | None: ...

    @abstractmethod
    def next_seq(self, table: str) -> int:
        """The number of the next entry of a live table that this process runs."""

    @abstractmethod
    async def entries(self, table: str, start: int = 0, stop: int | None = None) -> list[LogEntry]:
        """The entries of one table from number `start` up to, not including, `stop`, in order;
        raises `Damaged` if they are not as they were written."""

    @abstractmethod
    def reader(self, table: str) -> LogReader:
        """For a worker process, which may take its time over a long log."""

    async def size(self) -> int:
        """Bytes on disk."""
        return 0

    # -- facts ------------------------------------------------------------------------

    @abstractmethod
    def remember(self, key: str, value: bytes | None) -> Ticket:
        """Keep a small fact that belongs to no table: a name, an account. None: delete it."""

    @abstractmethod
    def forget_unless(self, key: str, prefix: str) -> Ticket:
        """Delete a fact, unless at the commit there is one whose key has this prefix."""

    @abstractmethod
    def amend(self, keys: Sequence[str], change: Amend) -> Ticket:
        """Change facts depending on their values when this is committed, whoever wrote them last.

        They are read, changed and kept in the transaction that keeps what was written before.
        `change` may be called in another thread, and again if a commit is tried again: its last
        answer counts. Watchers of these facts learn of them with the commit. Facts that are
        amended may not be changed in any other way.
        """

    async def amended(self, keys: Sequence[str], change: Amend) -> None:
        """The same; returns after the commit. `change` may refuse with `Illegal`, which is raised
        here: then nothing is changed."""
        refused: list[Illegal] = []

        def attempt(facts: Mapping[str, bytes | None]) -> Mapping[str, bytes | None]:
            refused.clear()
            try:
                return change(facts)
            except Illegal as no:
                refused.append(no)
                return {}

        self.amend(keys, attempt)
        await self.kept()
        if refused:
            raise refused[0]

    async def claim(self, facts: Mapping[str, bytes]) -> dict[str, bytes]:
        """Keep all of these facts or, if any of these keys is taken, none of them.

        Returns, after the commit, the facts that existed: nothing if these are kept. If several
        nodes claim a key at once, one of them gets it. Raises `Illegal`.
        """
        there: dict[str, bytes] = {}

        def change(old: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
            there.clear()
            there.update({key: value for key, value in old.items() if value is not None})
            return {} if there else facts

        self.amend(list(facts), change)
        await self.kept()
        return there

    async def remember_first(self, key: str, value: bytes) -> bytes:
        """Keep a fact unless its key is taken; returns, after the commit, the fact that is kept."""
        return (await self.claim({key: value})).get(key, value)

    @abstractmethod
    async def recall(self, prefix: str) -> dict[str, bytes]:
        """All facts whose key has this prefix."""

    @abstractmethod
    async def recall_last(self, prefix: str, before: str, most: int) -> dict[str, bytes]:
        """Of the facts whose key has this prefix, the last `most` in the order of their keys, the
        last one first. `before`: only keys below this one; "": all."""

    @abstractmethod
    async def look_up(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Those of these facts that exist."""

    async def fact(self, key: str) -> bytes | None:
        """One fact; None: there is none."""
        return (await self.look_up([key])).get(key)

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        """For a part that keeps facts in memory: `learn` is called when one of them is amended, or
        changed by another process; `reload` when changes may have been missed."""
        self._watchers.add(prefix, learn, reload)

    async def read_watched(self) -> None:
        """Let all who watch facts read them; called once after `start`."""
        await self._watchers.reload()

    # -- from start to stop -----------------------------------------------------------

    async def start(self) -> None:
        """Begin to commit."""
        return None

    async def stop(self) -> None:
        """Returns once everything written is kept."""
        return None
