"""The log: what every table was told, in order, kept before anybody hears of it.

Here is what all stores have in common: their interface, tickets and commits, who learns of changed
facts, and the checksums of entries.
"""

from __future__ import annotations

import asyncio
import struct
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol, TypeAlias
from zlib import crc32

import msgspec

from parlour.kit import Illegal
from parlour.lifecycle import Lifecycle


class StoreTrouble(Exception):
    """The log can't be used; the sentence says why and what to do."""


def closing() -> Illegal:
    """Raised by every write once the log is lost: the house can only close."""
    return Illegal("closing", "The house is closing.")


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
        """It may come from another process; an exception's own way takes the sentence alone."""
        return Damaged, (self.table, self.seq, self.what)


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


_place = struct.Struct("<qqq").pack


def checksum(number: int, seq: int, at: int, data: bytes) -> int:
    """CRC-32 of one entry: of its table's number, its own and its moment (three little-endian
    64-bit integers), and its bytes.

    It finds what a disk or a memory has changed. It is no seal: whoever can write the file can
    write a checksum. It is not chained to the entry before: a missing entry is found by the gap in
    the numbers, a missing end would not be found by a chain either, and each entry can be judged
    by itself.
    """
    return crc32(data, crc32(_place(number, seq, at)))


def checked(
    table: str, rows: Iterable[tuple[int, int, int, bytes, int | None]]
) -> Iterator[LogEntry]:
    """The entries of one table, given in order with their checksums; raises `Damaged`.

    Entries from before there were checksums have none, and are taken as they are.
    """
    summed = False
    for expected, (number, seq, at, data, kept) in enumerate(rows):
        if seq < expected:
            raise Damaged(table, seq, "is there twice")
        if seq > expected:
            raise Damaged(table, expected, "is missing")
        if kept is None and summed:
            raise Damaged(table, seq, "has lost its checksum")
        if kept is not None:
            summed = True
            if not _fits(number, seq, at, data, kept):
                raise Damaged(table, seq, "is not what was written: its checksum differs")
        yield LogEntry(seq, at, data)


def _fits(number: int, seq: int, at: int, data: bytes, kept: int) -> bool:
    try:
        return checksum(number, seq, at, data) == kept
    except (TypeError, struct.error):  # SQLite keeps any type in any column
        return False


Learn: TypeAlias = Callable[[str, bytes | None], None]
"""Called with a fact's key and its value; None: it is forgotten."""

COMMON: Final = "common:"
"""Before a game: the fact which table is the house's own."""

Amend: TypeAlias = Callable[[Mapping[str, bytes | None]], Mapping[str, bytes | None]]
"""Called with facts as they are, None for one that is not there; gives those that become others."""

Ticket = int
"""Numbers given out by `append` and the rest, in order; a commit covers all up to one."""


class LogReader(Protocol):
    """Reads one table's log as far as it is kept. It can be sent to another process."""

    def entries(self) -> Iterator[LogEntry]:
        """In order; raises `Damaged` on the way if they are not what was handed in."""
        ...

    def unchecked(self) -> Iterator[bytes]:
        """The same without any check, for what may still be read of a log that is damaged."""
        ...

    def fact(self, key: str) -> bytes | None: ...


class Codes(Protocol):
    """Codes for new tables, and names that only one live table may have. Raises `Illegal`."""

    def free(self) -> str | None:
        """A code for a new table that nobody else gives out; None: all tables are known here."""
        ...

    async def claim_name(self, name: str, code: str) -> bool:
        """Let the table with this code have a name until it closes; False: another live table has
        it, at whatever process. Codes are names, too."""
        ...

    async def give_back(self, code: str) -> None:
        """No table was opened with this code of `free`: it, and its names, are free again."""
        ...


class OwnCodes:
    """Of a log of one process, which knows all tables, their codes and their names."""

    def free(self) -> str | None:
        return None

    async def claim_name(self, name: str, code: str) -> bool:
        return True

    async def give_back(self, code: str) -> None:
        """None was given out."""


class Store(ABC):
    """The log. Writing never blocks: it gives a ticket, and `on_commit` says when it is kept.

    Reading may have to wait for a network. When the log can't be written any more, `lifecycle`
    says so, and writing raises `closing()`. What is implemented here fits a log of one process.
    """

    def __init__(self, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        lifecycle.on_change(self._wake_waiting)
        self.codes: Codes = OwnCodes()
        self.last_ticket: Ticket = 0
        """The last one given out."""
        self._safe: Ticket = 0
        """All up to this one are kept."""
        self._listener: Callable[[Ticket], None] = lambda ticket: None
        self._waiting: deque[tuple[Ticket, asyncio.Future[None]]] = deque()
        self._watchers: list[tuple[str, Learn, Callable[[], Awaitable[None]]]] = []

    @abstractmethod
    async def start(self) -> None: ...

    @abstractmethod
    async def stop(self) -> None:
        """Returns once everything handed in is kept."""

    # -- commits ----------------------------------------------------------------------

    def on_commit(self, hear: Callable[[Ticket], None]) -> None:
        """`hear` is called in the event loop with the highest ticket that is safe now."""
        self._listener = hear

    async def settled(self) -> bool:
        """Returns once everything handed in so far is kept; False: it never will be."""
        ticket = self.last_ticket
        if ticket > self._safe and not self.lifecycle.lost:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((ticket, future))
            await future
        return ticket <= self._safe

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

    def current(self) -> bool:
        """Whether no other process can have taken over.

        While it is False nothing may be told. Once it is True again, `on_commit` is called again.
        """
        return True

    async def now(self) -> int | None:
        """Milliseconds since the epoch by the clock that all who share this log go by; None: nobody
        shares it."""
        return None

    # -- tables -----------------------------------------------------------------------

    @abstractmethod
    def open_table(self, row: TableRow) -> Ticket: ...

    @abstractmethod
    def append(self, table: str, seq: int, at: int, data: bytes) -> Ticket: ...

    @abstractmethod
    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        """Put these, moments and bytes, in place of all that was handed in for a table; all of
        them or none. The next one appended is the one behind them."""

    @abstractmethod
    def close_table(self, table: str, at: int) -> Ticket: ...

    @abstractmethod
    def forget_table(self, table: str) -> Ticket:
        """Drop a table nothing was ever played at."""

    @abstractmethod
    async def live_tables(self) -> list[TableRow]:
        """Those that are this process's to run."""

    @abstractmethod
    async def find_table(self, table: str) -> TableRow | None: ...

    @abstractmethod
    async def entries(self, table: str) -> list[LogEntry]:
        """All of one table, in order; raises `Damaged` if they are not what was handed in."""

    @abstractmethod
    def reader(self, table: str) -> LogReader:
        """For another process, which may take its time over a long log."""

    def sat_down(self, table: str, visitor: str, game: str) -> None:  # noqa: B027 - not all need it
        """Where `last_table` is to lead this visitor from now on, until that table closes. Only
        where several processes share a log does it have to be kept."""

    def seated(self, table: str, visitor: str, game: str) -> None:  # noqa: B027 - the same
        """The same for who sits there already, unless it is known where they sat down last."""

    # -- facts ------------------------------------------------------------------------

    @abstractmethod
    async def recall(self, prefix: str) -> dict[str, bytes]:
        """All such facts whose key starts so. Read at start and kept in memory by who asks."""

    @abstractmethod
    def remember(self, key: str, value: bytes | None) -> Ticket:
        """Keep a small fact that is no table's: a visitor's name, an account. None: forget it."""

    @abstractmethod
    def forget_unless(self, key: str, prefix: str) -> Ticket:
        """Forget a fact, unless by then there is one whose key starts so, whoever wrote it."""

    @abstractmethod
    def amend(self, keys: Sequence[str], change: Amend) -> Ticket:
        """Change facts by what they are when this is committed, whoever wrote them last.

        They are read, changed and kept in the transaction that keeps what was handed in before.
        `change` may be called in another thread, and again where a commit had to be tried again:
        its last answer counts. Who watches these facts learns of them with the commit. They are
        only ever changed in this way.
        """

    async def claim(self, facts: Mapping[str, bytes]) -> dict[str, bytes]:
        """Keep all of these facts or, if any of these keys is taken, none of them.

        Returns the facts that were there, once that is committed: nothing if these are kept. Of
        several nodes that claim the same key at once, one is first. Raises `Illegal`.
        """
        there: dict[str, bytes] = {}

        def change(old: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
            there.clear()
            there.update({key: value for key, value in old.items() if value is not None})
            return {} if there else facts

        self.amend(list(facts), change)
        if not await self.settled():
            raise closing()
        return there

    async def remember_first(self, key: str, value: bytes) -> bytes:
        """Keep a fact unless its key is taken; returns, once committed, the fact that is kept."""
        return (await self.claim({key: value})).get(key, value)

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        """Let who keeps facts in memory know when one is amended, or changed by another process.

        `reload` is called when changes may have been missed, and recalls them all.
        """
        self._watchers.append((prefix, learn, reload))

    def _watched(self, key: str) -> bool:
        return any(key.startswith(prefix) for prefix, _, _ in self._watchers)

    async def _reload_all(self) -> None:
        for reload in dict.fromkeys(reload for _, _, reload in self._watchers):
            await reload()

    def _amended(self, facts: Mapping[str, bytes | None]) -> None:
        """These facts have become others. Called in the event loop."""
        for key, value in facts.items():
            for prefix, learn, _ in self._watchers:
                if key.startswith(prefix):
                    learn(key, value)
