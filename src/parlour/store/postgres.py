"""The log in PostgreSQL: for a house whose tables outlive the machine they run on.

The event loop gathers writes and goes on; while one batch is being committed the next one
gathers, so that under load many entries share one round trip and one sync. Several processes may
share one database, each a node with tables of its own (`parlour.store.lease`).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Sequence

import asyncpg

from parlour.lifecycle import Lifecycle
from parlour.store import (
    Amend,
    LogEntry,
    LogReader,
    Store,
    StoreTrouble,
    TableRow,
    Ticket,
    after_all,
    closing,
)
from parlour.store.checksum import checked
from parlour.store.codes import ReservedCodes
from parlour.store.directory import Directory
from parlour.store.lease import ALONE, LEASE, Lease, NodeInfo
from parlour.store.ownership import (
    OwnTable,
    claim_all,
    claim_tables,
    delete_expired,
    orphans_placed,
)
from parlour.store.postgres_facts import LOOK_UP, RECALL, RECALL_LAST, ChangedFacts
from parlour.store.postgres_link import Link, first
from parlour.store.postgres_reading import NO_END, SOME, PostgresReader, Readers
from parlour.store.postgres_schema import migrate
from parlour.store.postgres_writer import Batch, Writer


class PostgresStore(Store):
    """One node of a database."""

    def __init__(
        self,
        url: str,
        on_sync: Callable[[float, int], None] = lambda seconds, writes: None,
        lifecycle: Lifecycle | None = None,
        info: NodeInfo | None = None,
        lease: float = LEASE,
    ) -> None:
        """`lease` is for how many seconds this node may be out of touch before others take over."""
        super().__init__(lifecycle)
        self._url = url
        self._on_sync = on_sync
        self._gathered = Batch()
        self._some = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self._committed_to: Ticket = 0
        """All up to this one are in the database; told of only while the lease is current."""
        self._tables: dict[str, OwnTable] = {}
        """By id: the tables that this node runs."""
        self._claiming: list[asyncpg.Record] = []
        """Tables that this node may have claimed: the answer is not known yet."""
        self._last_number = 0
        self._lease = Lease(url, info or NodeInfo(secrets.randbits(40)), lease, self.lifecycle)
        self._lease.late = self._tell_of_commits
        self._link = Link(url)
        self._writer = Writer(self._link, self._lease, self.lifecycle)
        self._readers = Readers(url, self.lifecycle)
        self._read = self._readers.read
        self.directory = Directory(self._readers)
        self.codes: ReservedCodes = ReservedCodes(self._readers, self._lease)
        self._changed_facts = ChangedFacts(
            self._readers, self._lease, self._watchers, self.lifecycle
        )

    # -- writing, without waiting -----------------------------------------------------

    def open_table(self, row: TableRow) -> Ticket:
        self._last_number += 1
        # Unique among all nodes that ever were, and known without asking the database.
        number = (self._lease.node << 32) + self._last_number
        self._tables[row.id] = OwnTable(row, number)
        self._gathered.opened.append((number, row.id, row.code, row.game, row.opened))
        return self._written()

    def append(self, table: str, seq: int, at: int, data: bytes) -> Ticket:
        own = self._tables[table]
        if seq != own.next_seq:
            raise ValueError(f"entry {seq} of table {table} comes out of order")
        own.next_seq = seq + 1
        self._gathered.add(own.number, own.epoch, seq, at, data)
        return self._written()

    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        own = self._tables[table]
        self._gathered.drop_entries(own.number)
        self._gathered.rewritten.append(own.number)
        for seq, (at, data) in enumerate(entries):
            self._gathered.add(own.number, own.epoch, seq, at, data)
        own.next_seq = len(entries)
        return self._written()

    def close_table(self, table: str, at: int) -> Ticket:
        self._ended(table)
        self._gathered.closed.append((table, at))
        return self._written()

    def forget_table(self, table: str) -> Ticket:
        self._ended(table)
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
        self._gathered.seats[visitor, game] = self._tables[table].number
        self._written()

    def seated(self, table: str, visitor: str, game: str) -> None:
        self._gathered.seated[visitor, game] = self._tables[table].number
        self._written()

    def _ended(self, table: str) -> None:
        own = self._tables.pop(table, None)
        if own is not None:
            self._gathered.done.append(own.number)

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
                await self._writer.commit(batch)
                self._on_sync(time.perf_counter() - began, batch.writes)
                self._committed_to += batch.writes
                if batch.amended:
                    self._watchers.changed(batch.amended)
                    self._changed_facts.committed(batch.amended.keys())
                if self.current():
                    self._tell_of_commits()
        except Exception as wrong:
            # Nobody was told of what this batch held (see `Journal`), so nothing said is lost.
            self.lifecycle.lose(wrong)

    def current(self) -> bool:
        return self._lease.current()

    def _tell_of_commits(self) -> None:
        """Only while no other node can have taken over."""
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
        rows = await self._read(RECALL, prefix, after_all(prefix))
        return {key: bytes(value) for key, value in rows}

    async def recall_last(self, prefix: str, before: str, most: int) -> dict[str, bytes]:
        rows = await self._read(RECALL_LAST, prefix, before or after_all(prefix), most)
        return {key: bytes(value) for key, value in rows}

    async def look_up(self, keys: Sequence[str]) -> dict[str, bytes]:
        rows = await self._read(LOOK_UP, list(keys))
        return {key: bytes(value) for key, value in rows}

    async def size(self) -> int:
        rows = await self._read("SELECT pg_database_size(current_database())")
        return int(rows[0][0])

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

    def next_seq(self, table: str) -> int:
        return self._tables[table].next_seq

    async def entries(self, table: str, start: int = 0, stop: int | None = None) -> list[LogEntry]:
        rows = await self._read(SOME, table, start, NO_END if stop is None else stop)
        return list(checked(table, rows, start))

    def reader(self, table: str) -> LogReader:
        return PostgresReader(self._url, table)

    # -- with other nodes -------------------------------------------------------------

    def on_order(self, hear: Callable[[str], None], connections: Callable[[], int]) -> None:
        """`hear` is called some times a second with an operator's order for this node (`RUN`,
        `DRAIN`, `CLOSE`); `connections` says how many it holds, for operators to see."""
        self._lease.ordered, self._lease.connections = hear, connections

    @property
    def node(self) -> int:
        """This node's number among all that ever were."""
        return self._lease.node

    @property
    def claiming(self) -> bool:
        """Whether this node may have claimed tables without knowing: `take_over` finds out."""
        return bool(self._claiming)

    async def take_over(self) -> list[TableRow]:
        """Claim tables whose nodes are gone; returns those that this node runs from now on.
        `directory.quiet` says when there may be some."""
        async with self._readers.one() as connection:
            if self._lease.sees_others():
                await delete_expired(connection, self.node)
            self._claiming = self._claiming or await orphans_placed(connection, self.node)
            claimed = await claim_tables(connection, self.node, self._claiming)
        self._claiming = []
        self._own(claimed)
        return [each.row for each in claimed]

    async def give_up(self, table: str) -> None:
        """Let another node run this table, once all that was written is kept."""
        if not await self.settled():
            return
        own = self._tables[table]
        await self._read(
            'UPDATE owners SET node = 0 WHERE "table" = $1 AND epoch = $2', own.number, own.epoch
        )
        self._tables.pop(table, None)

    async def take_tables(self, *, willing: bool) -> None:
        """Say whether this node takes new tables, and those of nodes that are gone."""
        await self._read("UPDATE nodes SET runs_tables = $2 WHERE no = $1", self.node, willing)

    async def others_take_tables(self) -> bool:
        """Whether another node can take this one's."""
        return bool(
            await self._read(
                "SELECT FROM nodes WHERE runs_tables AND expires > clock_timestamp() "
                "AND no <> $1 LIMIT 1",
                self.node,
            )
        )

    @property
    def owned(self) -> list[str]:
        """The ids of the tables that this node runs, with those that stay shut."""
        return list(self._tables)

    # -- from start to stop -----------------------------------------------------------

    async def start(self) -> None:
        connection = await first(self._link, self._url)
        try:
            await migrate(connection)
            await self._lease.begin()
            if self._lease.info.role == ALONE:
                self._own(await claim_all(connection, self._lease.node))
            await self.codes.reserve()
        except BaseException:
            await self.stop()
            raise
        self._task = asyncio.get_running_loop().create_task(self._write_batches())
        self._changed_facts.start()

    def _own(self, claimed: Iterable[OwnTable]) -> None:
        self._tables |= {own.row.id: own for own in claimed}

    async def stop(self) -> None:
        self._stopping = True
        self._some.set()
        if self._task is not None:
            await self._task
        await self._changed_facts.stop()
        if self._task is not None and not self.lifecycle.lost:
            await self.codes.give_all_back()
        await self._lease.end()
        await asyncio.gather(self._link.close(), self._readers.close())
        if self.lifecycle.lost:
            raise StoreTrouble(f"The log could not be written: {self.lifecycle.why}")
