"""The log in PostgreSQL: for a house whose tables outlive the machine they run on.

The event loop gathers writes and goes on; while one batch is being committed the next one
gathers, so that under load many entries share one round trip and one sync. Several processes may
share one database, each a node with tables of its own (`parlour.store.lease`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, Final

import asyncpg

from parlour.lifecycle import Lifecycle
from parlour.store.base import (
    Amend,
    Codes,
    LogEntry,
    LogReader,
    Store,
    StoreTrouble,
    TableRow,
    Ticket,
    checked,
    closing,
)
from parlour.store.changed_facts import ChangedFacts
from parlour.store.codes import ReservedCodes
from parlour.store.directory import Directory
from parlour.store.lease import LEASE, Lease, NodeInfo
from parlour.store.ownership import (
    Claim,
    Claimed,
    claim_all,
    claim_tables,
    delete_expired,
    orphans_placed,
)
from parlour.store.postgres_batch import Batch
from parlour.store.postgres_link import LOST, ONE_TRY, Link, first, reason
from parlour.store.postgres_reading import ENTRIES, PostgresReader, Readers
from parlour.store.postgres_schema import SUPERSEDED, migrate

log = logging.getLogger("parlour.store")

PATIENCE: Final = 30.0
"""Seconds for which a batch is tried again while the database is away: better a house that pauses
than one that closes."""
PATIENCE_AT_THE_END: Final = 5.0
"""The same for a house that is closing: it has promised to be gone soon."""


class PostgresStore(Store):
    """One node of a database."""

    def __init__(
        self,
        url: str,
        on_sync: Callable[[float, int], None] = lambda seconds, writes: None,
        lifecycle: Lifecycle | None = None,
        claim: Claim = claim_all,
        info: NodeInfo | None = None,
        lease: float = LEASE,
    ) -> None:
        """`claim` says which tables are ours when we start: all, unless there are other nodes.
        `lease` is for how many seconds we may be out of touch before other nodes take over.
        """
        super().__init__(lifecycle or Lifecycle())
        self._url = url
        self._claim = claim
        self._on_sync = on_sync
        self._gathered = Batch()
        self._some = asyncio.Event()
        self._stopping = False
        self._writer = Link(url)
        self._task: asyncio.Task[None] | None = None
        self._batch = 0
        self._committed_to: Ticket = 0
        """All up to this one are in the database; told of only while the lease is current."""
        self._numbers: dict[str, tuple[int, int]] = {}
        """By table of ours: its number and its epoch."""
        self._next: dict[str, int] = {}
        self._claiming: list[Any] = []
        """Tables that are ours to claim, until it is known which of them we have."""
        self._last_number = 0
        self._readers = Readers(url, self.lifecycle)
        self._read = self._readers.read
        self.directory = Directory(self._read)
        self._codes = ReservedCodes(self._readers, lambda: self.node)
        self.codes: Codes = self._codes
        self._changed_facts = ChangedFacts(
            self._readers,
            self.lifecycle,
            node=lambda: self.node,
            watched=self._watched,
            amended=self._amended,
            reload=self._reload_all,
        )
        self._lease = Lease(
            url,
            info=info or NodeInfo(secrets.randbits(40)),
            seconds=lease,
            renewed=self._tell_of_commits,
            lost=self.lifecycle.lose,
            connected=self._changed_facts.listen,
            patience=lambda: inf if self.lifecycle.open else PATIENCE_AT_THE_END,
        )

    # -- writing, without waiting -----------------------------------------------------

    def open_table(self, row: TableRow) -> Ticket:
        self._last_number += 1
        # Unique among all nodes that ever were, and known without asking.
        number = (self._lease.node << 32) + self._last_number
        self._numbers[row.id] = (number, 1)
        self._next[row.id] = 0
        self._gathered.opened.append((number, row.id, row.code, row.game, row.opened))
        return self._written()

    def append(self, table: str, seq: int, at: int, data: bytes) -> Ticket:
        if seq != self._next[table]:
            raise ValueError(f"entry {seq} of table {table} comes out of order")
        self._next[table] = seq + 1
        number, epoch = self._numbers[table]
        self._gathered.add(number, epoch, seq, at, data)
        return self._written()

    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        number, epoch = self._numbers[table]
        self._gathered.drop_entries(number)
        self._gathered.rewritten.append(number)
        for seq, (at, data) in enumerate(entries):
            self._gathered.add(number, epoch, seq, at, data)
        self._next[table] = len(entries)
        return self._written()

    def close_table(self, table: str, at: int) -> Ticket:
        self._nobody_sits_at(table)
        self._gathered.closed.append((table, at))
        return self._written()

    def forget_table(self, table: str) -> Ticket:
        self._nobody_sits_at(table)
        self._gathered.forgotten.append(table)
        return self._written()

    def remember(self, key: str, value: bytes | None) -> Ticket:
        self._gathered.facts[key] = value
        self._gathered.unless.pop(key, None)
        return self._written()

    def forget_unless(self, key: str, prefix: str) -> Ticket:
        self._gathered.unless[key] = prefix
        return self._written()

    def amend(self, keys: Sequence[str], change: Amend) -> Ticket:
        self._gathered.amendments.append((keys, change))
        return self._written()

    def sat_down(self, table: str, visitor: str, game: str) -> None:
        self._gathered.seats[visitor, game] = self._numbers[table][0]
        self._written()

    def seated(self, table: str, visitor: str, game: str) -> None:
        self._gathered.seated[visitor, game] = self._numbers[table][0]
        self._written()

    def _nobody_sits_at(self, table: str) -> None:
        if table in self._numbers:
            self._gathered.done.append(self._numbers[table][0])
        self._done_with(table)

    def _done_with(self, table: str) -> None:
        self._numbers.pop(table, None)
        self._next.pop(table, None)

    def _written(self) -> Ticket:
        if self.lifecycle.lost:
            raise closing()
        self._gathered.writes += 1
        self.last_ticket += 1
        self._some.set()
        return self.last_ticket

    # -- committing -------------------------------------------------------------------

    async def _write_batches(self) -> None:
        try:
            while not (self._stopping and not self._gathered.writes):
                await self._some.wait()
                self._some.clear()
                batch, self._gathered = self._gathered, Batch()
                if not batch.writes:
                    continue
                began = time.perf_counter()
                await self._commit(batch)
                self._on_sync(time.perf_counter() - began, batch.writes)
                self._committed_to += batch.writes
                self._amended(batch.amended)
                self._changed_facts.committed(batch.amended.keys())
                if self.current():
                    self._tell_of_commits()
        except Exception as wrong:
            # What this batch held was told to nobody (see `Journal`), so nothing said is lost.
            self.lifecycle.lose(wrong)

    async def _commit(self, batch: Batch) -> None:
        """Returns once all of it is kept; raises, and nothing of it is."""
        self._batch += 1
        began, in_trouble = time.monotonic(), False
        while True:
            try:
                async with asyncio.timeout(ONE_TRY):
                    connection = await self._writer.get()
                    # A connection that was lost in mid-commit does not say how that ended.
                    if not in_trouble or await self._last_kept(connection) < self._batch:
                        await batch.commit(connection, self._lease.node, self._batch)
                if in_trouble:
                    log.warning("the database is back: nothing is lost")
                return
            except LOST as wrong:
                self._writer.drop()
                patience = PATIENCE if self.lifecycle.open else PATIENCE_AT_THE_END
                if self.lifecycle.lost or time.monotonic() - began > patience:
                    raise StoreTrouble(f"The database is away: {reason(wrong)}.") from None
                if not in_trouble:
                    log.error("the database is away, and the log waits: %s", reason(wrong))
                in_trouble = True
                await asyncio.sleep(0.05)
            except asyncpg.PostgresError as wrong:
                if getattr(wrong, "sqlstate", None) == SUPERSEDED:
                    raise StoreTrouble("Another node has taken over.") from None
                raise

    async def _last_kept(self, connection: Any) -> int:
        number: int | None = await connection.fetchval(
            "SELECT batch FROM nodes WHERE no = $1", self._lease.node
        )
        if number is None:
            # Whether it was kept before that nobody can say any more; it was not told.
            raise StoreTrouble("Another node has taken over.")
        return number

    def current(self) -> bool:
        return self._lease.current()

    def _tell_of_commits(self) -> None:
        """What is committed may be told while nobody else can have taken over."""
        self._kept(self._committed_to)

    async def settled(self) -> bool:
        kept = await super().settled()
        writing = self._task is not None and not self._task.done()
        while kept and writing and not self.current():
            if self.lifecycle.lost:
                return False
            await asyncio.sleep(0.02)
        return kept

    # -- reading ----------------------------------------------------------------------

    async def now(self) -> int | None:
        rows = await self._read("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        return int(rows[0][0])

    async def recall(self, prefix: str) -> dict[str, bytes]:
        end = prefix + chr(0x10FFFF)
        rows = await self._read(
            "SELECT key, value FROM facts WHERE key BETWEEN $1 AND $2", prefix, end
        )
        return {key: bytes(value) for key, value in rows}

    async def live_tables(self) -> list[TableRow]:
        rows = await self._read(
            "SELECT id, code, game, opened, closed FROM tables "
            'JOIN owners ON owners."table" = no WHERE node = $1 ORDER BY no',
            self._lease.node,
        )
        return [TableRow(*row) for row in rows]

    async def find_table(self, table: str) -> TableRow | None:
        rows = await self._read(
            "SELECT id, code, game, opened, closed FROM tables WHERE id = $1", table
        )
        return TableRow(*rows[0]) if rows else None

    async def entries(self, table: str) -> list[LogEntry]:
        rows = await self._read(ENTRIES, table)
        return list(checked(table, rows))

    def reader(self, table: str) -> LogReader:
        return PostgresReader(self._url, table)

    # -- with other nodes -------------------------------------------------------------

    def on_order(self, hear: Callable[[str], None], connections: Callable[[], int]) -> None:
        """`hear` is called with what an operator wants of this node (`RUN`, `DRAIN`, `CLOSE`),
        some times a second; `connections` says how many it holds, for operators to see."""
        self._lease.ordered, self._lease.connections = hear, connections

    @property
    def node(self) -> int:
        """Our number among all nodes that ever were."""
        return self._lease.node

    @property
    def claiming(self) -> bool:
        """Whether tables may be ours of which we do not know yet: `take_over` finds out."""
        return bool(self._claiming)

    async def take_over(self) -> list[TableRow]:
        """Tables whose nodes are gone and that are ours to run from now on."""
        async with self._readers.one() as connection:
            if self._lease.sees_others():
                await delete_expired(connection, self.node)
            self._claiming = self._claiming or await orphans_placed(connection, self.node)
            claimed = await claim_tables(connection, self.node, self._claiming)
        self._claiming = []
        self._own(claimed)
        return [each.row for each in claimed]

    async def give_up(self, table: str) -> None:
        """Let another node have this table: all of it is kept, and nothing more is written."""
        if not await self.settled():
            return
        number, epoch = self._numbers[table]
        await self._read(
            'UPDATE owners SET node = 0 WHERE "table" = $1 AND epoch = $2', number, epoch
        )
        self._done_with(table)

    async def take_tables(self, *, willing: bool) -> None:
        """Whether we take tables that nobody runs, and new ones."""
        await self._read("UPDATE nodes SET runs_tables = $2 WHERE no = $1", self.node, willing)

    async def others_take_tables(self) -> bool:
        """Whether there is another node that can have ours."""
        return bool(
            await self._read(
                "SELECT FROM nodes WHERE runs_tables AND expires > clock_timestamp() "
                "AND no <> $1 LIMIT 1",
                self.node,
            )
        )

    @property
    def owned(self) -> list[str]:
        """The tables that are ours to run, those among them that stay shut, too."""
        return list(self._numbers)

    # -- from start to stop -----------------------------------------------------------

    async def start(self) -> None:
        connection = await first(self._writer, self._url)
        try:
            await migrate(connection)
            await self._lease.begin()
            self._own(await self._claim(connection, self._lease.node))
            await self._codes.reserve()
        except BaseException:
            await self.stop()
            raise
        self._task = asyncio.get_running_loop().create_task(self._write_batches())
        self._changed_facts.start()

    def _own(self, claimed: Iterable[Claimed]) -> None:
        for each in claimed:
            self._numbers[each.row.id] = (each.number, each.epoch)
            self._next[each.row.id] = each.next_seq

    async def stop(self) -> None:
        self._stopping = True
        self._some.set()
        if self._task is not None:
            await self._task
        await self._changed_facts.stop()
        if self._task is not None and not self.lifecycle.lost:
            await self._codes.give_all_back()
        await self._lease.end()
        await asyncio.gather(self._writer.close(), self._readers.close())
        if self.lifecycle.lost:
            raise StoreTrouble(f"The log could not be written: {self.lifecycle.why}")
