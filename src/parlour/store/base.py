"""The log's interface: what a table was told, in order, kept before anybody hears of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

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


class Store(Protocol):
    """The log. Writing never blocks: it gives a ticket, and `on_commit` says when it is kept.

    Reading may have to wait for a network. When the log can't be written any more, `lifecycle`
    says so, and writing raises `closing()`.
    """

    lifecycle: Lifecycle
    codes: Codes
    last_ticket: Ticket
    """The last one given out."""

    def on_commit(self, hear: Callable[[Ticket], None]) -> None:
        """`hear` is called in the event loop with the highest ticket that is safe now."""
        ...

    async def settled(self) -> bool:
        """Returns once everything handed in so far is kept; False: it never will be."""
        ...

    def current(self) -> bool:
        """Whether what was read and kept so far is surely all there is.

        False where others may write to the same log and might have taken over: then nothing may
        be told. Once that is cleared up, `on_commit` is called again.
        """
        ...

    async def now(self) -> int | None:
        """Milliseconds since the epoch by the clock that all who share this log go by; None: nobody
        shares it."""
        ...

    def open_table(self, row: TableRow) -> Ticket: ...

    def append(self, table: str, seq: int, at: int, data: bytes) -> Ticket: ...

    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        """Put these, moments and bytes, in place of all that was handed in for a table; all of
        them or none. The next one appended is the one behind them."""
        ...

    def close_table(self, table: str, at: int) -> Ticket: ...

    def forget_table(self, table: str) -> Ticket:
        """Drop a table nothing was ever played at."""
        ...

    def remember(self, key: str, value: bytes | None) -> Ticket:
        """Keep a small fact that is no table's: a visitor's name, an account. None: forget it."""
        ...

    def forget_unless(self, key: str, prefix: str) -> Ticket:
        """Forget a fact, unless by then there is one whose key starts so, whoever wrote it."""
        ...

    def amend(self, keys: Sequence[str], change: Amend) -> Ticket:
        """Change facts by what they are when this is committed, whoever wrote them last.

        They are read, changed and kept in the transaction that keeps what was handed in before.
        `change` may be called in another thread, and again where a commit had to be tried again:
        its last answer counts. Who watches these facts learns of them with the commit. They are
        only ever changed in this way.
        """
        ...

    async def claim(self, facts: Mapping[str, bytes]) -> dict[str, bytes]:
        """Keep all of these facts or, if any of these keys is taken, none of them.

        Returns the facts that were there, once that is committed: nothing if these are kept. Of
        several nodes that claim the same key at once, one is first. Raises `Illegal`.
        """
        ...

    async def remember_first(self, key: str, value: bytes) -> bytes:
        """Keep a fact unless its key is taken; returns, once committed, the fact that is kept."""
        ...

    def sat_down(self, table: str, visitor: str, game: str) -> None:
        """Where `last_table` is to lead this visitor from now on, until that table closes. Kept
        where others run tables, too."""
        ...

    def seated(self, table: str, visitor: str, game: str) -> None:
        """The same for who sits there already, unless it is known where they sat down last."""
        ...

    async def recall(self, prefix: str) -> dict[str, bytes]:
        """All such facts whose key starts so. Read at start and kept in memory by who asks."""
        ...

    def watch(self, prefix: str, learn: Learn, reload: Callable[[], Awaitable[None]]) -> None:
        """Let who keeps facts in memory know when one is amended, or changed by another process.

        `reload` is called when changes may have been missed, and recalls them all.
        """
        ...

    async def live_tables(self) -> list[TableRow]:
        """Those that are this process's to run."""
        ...

    async def find_table(self, table: str) -> TableRow | None: ...

    async def entries(self, table: str) -> list[LogEntry]:
        """All of one table, in order; raises `Damaged` if they are not what was handed in."""
        ...

    def reader(self, table: str) -> LogReader:
        """For another process, which may take its time over a long log."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None:
        """Returns once everything handed in is kept."""
        ...
