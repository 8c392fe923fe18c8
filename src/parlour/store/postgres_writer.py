"""Commits batches of writes to PostgreSQL, each whole or not at all."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import asyncpg

from parlour.lifecycle import Lifecycle
from parlour.store import Amend, Away, TakenOver, after_all, patience
from parlour.store.checksum import checksum
from parlour.store.lease import Lease
from parlour.store.postgres_link import LOST, ONE_TRY, Link, reason
from parlour.store.postgres_schema import FACTS, SUPERSEDED

log = logging.getLogger("parlour.store")

_COMMIT: Final = f"SELECT commit_batch({', '.join(f'${n}' for n in range(1, 20))})"
_COMMIT_WITH_SEATS: Final = f"{_COMMIT}, keep_seats($20, $21, $22, $23, $24, $25, $26)"

_HOLD: Final = "SELECT FROM facts WHERE key = ANY ($1) ORDER BY key FOR UPDATE"
_DROP: Final = (
    "DELETE FROM facts USING unnest($1::text[], $2::text[], $3::text[]) AS f (key, start, stop) "
    "WHERE facts.key = f.key "
    "AND NOT EXISTS (SELECT FROM facts AS other WHERE other.key BETWEEN start AND stop)"
)
"""A statement of its own after `_HOLD`, so that it sees what was written while that waited."""

# Facts that are amended need a row to lock. An insert waits for another node's insert of the same
# key; all nodes insert in the same order, so that no two wait for each other.
_BE_THERE: Final = (
    "INSERT INTO facts SELECT key, '' FROM unnest($1::text[]) AS key "
    'ORDER BY key COLLATE "C" ON CONFLICT DO NOTHING RETURNING key'
)
_READ: Final = "SELECT key, value FROM facts WHERE key = ANY ($1) ORDER BY key FOR UPDATE"
_CHANGE: Final = (
    "UPDATE facts SET value = f.value FROM unnest($1::text[], $2::bytea[]) AS f (key, value) "
    "WHERE facts.key = f.key"
)
_TAKE_AWAY: Final = "DELETE FROM facts WHERE key = ANY ($1)"
_NOTIFY: Final = "SELECT pg_notify($1, $2 || ' ' || key) FROM unnest($3::text[]) AS key"


@dataclass(slots=True)
class Batch:
    """The writes of one commit: openings, entries, ends, facts, in this order. Entries are gathered
    column by column, as `unnest` takes them."""

    opened: list[tuple[int, str, str, str, int]] = field(default_factory=list)
    rewritten: list[int] = field(default_factory=list)
    """The numbers of tables whose old entries are deleted."""
    tables: list[int] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    ats: list[int] = field(default_factory=list)
    datas: list[bytes] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    closed: list[tuple[str, int]] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    facts: dict[str, bytes | None] = field(default_factory=dict)
    unless: dict[str, str] = field(default_factory=dict)
    """By key of a fact to delete: the prefix of the keys that prevent it."""
    amendments: list[tuple[Sequence[str], Amend]] = field(default_factory=list)
    amended: dict[str, bytes | None] = field(default_factory=dict)
    """The facts that the amendments changed, after the commit."""
    seats: dict[tuple[str, str], int] = field(default_factory=dict)
    """By visitor and game: the number of the table they sat down at."""
    seated: dict[tuple[str, str], int] = field(default_factory=dict)
    """The same, unless a later table is noted."""
    done: list[int] = field(default_factory=list)
    """The numbers of tables that are closed or forgotten."""
    writes: int = 0

    def add(self, number: int, epoch: int, seq: int, at: int, data: bytes) -> None:
        """One entry."""
        self.tables.append(number)
        self.epochs.append(epoch)
        self.seqs.append(seq)
        self.ats.append(at)
        self.datas.append(data)
        self.sums.append(checksum(number, seq, at, data))

    def drop_entries(self, number: int) -> None:
        """Drop the entries of one table: its log is rewritten."""
        kept = [at for at, table in enumerate(self.tables) if table != number]
        for column in self._entries():
            column[:] = [column[at] for at in kept]

    async def commit(self, connection: asyncpg.Connection, node: int, batch: int) -> None:
        """Keep all of it or, if any of it is not this node's to write, nothing."""
        if not (self.unless or self.amendments):
            await self._commit(connection, node, batch)
            return
        async with connection.transaction():
            await self._commit(connection, node, batch)
            if self.unless:
                keys, starts = list(self.unless), list(self.unless.values())
                await connection.execute(_HOLD, keys)
                await connection.execute(_DROP, keys, starts, [after_all(s) for s in starts])
            if self.amendments:
                await self._amend(connection, node)

    async def _commit(self, connection: asyncpg.Connection, node: int, batch: int) -> None:
        values = self._values()
        if self.seats or self.seated or self.done:
            seats = [*_columns(self.seats), self.done, *_columns(self.seated)]
            await connection.execute(_COMMIT_WITH_SEATS, node, batch, *values, *seats)
        else:
            await connection.execute(_COMMIT, node, batch, *values)

    async def _amend(self, connection: asyncpg.Connection, node: int) -> None:
        keys = sorted({key for keys, _ in self.amendments for key in keys})
        new = {row[0] for row in await connection.fetch(_BE_THERE, keys)}
        facts: dict[str, bytes | None] = {
            key: None if key in new else bytes(value)
            for key, value in await connection.fetch(_READ, keys)
        }
        self.amended = {}
        for some, change in self.amendments:
            changed = change({key: facts[key] for key in some})
            facts |= changed
            self.amended |= changed
        values = {key: value for key, value in self.amended.items() if value is not None}
        if values:
            await connection.execute(_CHANGE, list(values), list(values.values()))
        nothing = [key for key, value in facts.items() if value is None]
        if nothing:
            await connection.execute(_TAKE_AWAY, nothing)
        if self.amended:
            await connection.execute(_NOTIFY, FACTS, str(node), list(self.amended))

    def _values(self) -> list[object]:
        """The arguments of `commit_batch`."""
        opened = [list(column) for column in zip(*self.opened, strict=True)] or [[]] * 5
        closed = [list(column) for column in zip(*self.closed, strict=True)] or [[]] * 2
        facts = [list(self.facts), list(self.facts.values())]
        return [*opened, self.rewritten, *self._entries(), *closed, self.forgotten, *facts]

    def _entries(self) -> list[list[Any]]:
        return [self.tables, self.epochs, self.seqs, self.ats, self.datas, self.sums]


def _columns(seats: dict[tuple[str, str], int]) -> list[list[Any]]:
    rows = [(visitor, game, table) for (visitor, game), table in seats.items()]
    return [list(column) for column in zip(*rows, strict=True)] or [[], [], []]


class Writer:
    """The one connection that writes."""

    def __init__(self, link: Link, lease: Lease, lifecycle: Lifecycle) -> None:
        self._link = link
        self._lease = lease
        self._lifecycle = lifecycle
        self._batch = 0
        """The number of the last batch."""

    async def commit(self, batch: Batch) -> None:
        """Returns once all of it is kept; raises, and nothing of it is."""
        self._batch += 1
        began, in_trouble = time.monotonic(), False
        while True:
            try:
                async with asyncio.timeout(ONE_TRY):
                    connection = await self._link.get()
                    # A connection that was lost in mid-commit does not say how that ended.
                    if not in_trouble or await self._last_kept(connection) < self._batch:
                        await batch.commit(connection, self._lease.node, self._batch)
                if in_trouble:
                    log.warning("the database is back: nothing is lost")
                return
            except LOST as wrong:
                self._link.drop()
                waited = time.monotonic() - began
                if self._lifecycle.lost or waited > patience(self._lifecycle):
                    raise Away(f"The database is away: {reason(wrong)}.") from None
                if not in_trouble:
                    log.error("the database is away, and the log waits: %s", reason(wrong))
                in_trouble = True
                await asyncio.sleep(0.05)
            except asyncpg.PostgresError as wrong:
                if getattr(wrong, "sqlstate", None) == SUPERSEDED:
                    raise TakenOver("Another node has taken over.") from None
                raise

    async def _last_kept(self, connection: asyncpg.Connection) -> int:
        number: int | None = await connection.fetchval(
            "SELECT batch FROM nodes WHERE no = $1", self._lease.node
        )
        if number is None:
            # Whether the batch was kept before that is unknown; nobody was told of it.
            raise TakenOver("Another node has taken over.")
        return number
