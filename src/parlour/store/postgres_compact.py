"""Packs the logs of closed tables in a database, in one partition for each month.

Nodes may be running: closed tables are never written to, and each table is one short transaction.
A partition that is old enough can be detached: its tables are gone from the house, and the operator
copies or drops it as any other table of the database.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Final

import asyncpg

from parlour.store import Damaged, StoreTrouble
from parlour.store.checksum import checked
from parlour.store.compact import DAY, Compacted
from parlour.store.packed import pack, record_sum, unpack
from parlour.store.postgres_link import connected
from parlour.store.postgres_schema import MIGRATIONS

_CLOSED: Final = """
    SELECT no, id, closed FROM tables
    WHERE closed IS NOT NULL AND EXISTS (SELECT FROM entries WHERE "table" = no) ORDER BY closed
"""
_ROWS: Final = 'SELECT "table", seq, at, data, sum FROM entries WHERE "table" = $1 ORDER BY seq'
_PARTITIONS: Final = """
    SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = 'packed'::regclass ORDER BY 1
"""
_FORGET: Final = (
    "DELETE FROM facts USING tables WHERE key = 'matches:' || id AND no = ANY ($1)",
    # Content that somebody brought to these tables, unless another table needs it, too.
    """
    WITH gone AS (
        DELETE FROM facts USING tables
        WHERE key LIKE 'brought:%' AND split_part(key, ':', 3) = id AND no = ANY ($1)
        RETURNING key
    )
    DELETE FROM facts WHERE key IN (SELECT 'content:' || split_part(key, ':', 2) FROM gone)
        AND NOT EXISTS (
            SELECT FROM facts AS other
            WHERE other.key LIKE 'brought:' || split_part(facts.key, ':', 2) || ':%'
                AND other.key NOT IN (SELECT key FROM gone)
        )
    """,
    "DELETE FROM tables WHERE no = ANY ($1)",
)


def _month(moment: int) -> tuple[str, int, int]:
    """The partition for tables that closed then, and its bounds, all in milliseconds."""
    first = datetime.fromtimestamp(moment / 1000, UTC).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    after = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    start, end = (int(each.timestamp() * 1000) for each in (first, after))
    return f"packed_{first:%Y_%m}", start, end


def _end_of(partition: str) -> int:
    """The upper bound of a partition, from its name."""
    first = datetime.strptime(partition, "packed_%Y_%m").replace(tzinfo=UTC)
    return _month(int(first.timestamp() * 1000))[2]


async def compact(url: str, *, keep_days: int | None = None) -> Compacted:
    """Pack the logs of closed tables; detach the partitions of all months that ended so many days
    ago."""
    made = Compacted(shrunk=True)
    async with connected(url) as connection:
        if await connection.fetchval("SELECT max(version) FROM format") != len(MIGRATIONS):
            raise StoreTrouble("The database is of another version: start a node of this one once.")
        for number, table, closed in await connection.fetch(_CLOSED):
            try:
                await _pack(connection, number, table, closed, made)
            except Damaged as damage:
                made.damages.append(damage)
        if keep_days is not None:
            oldest = time.time_ns() // 1_000_000 - keep_days * DAY
            for (partition,) in await connection.fetch(_PARTITIONS):
                if _end_of(partition) <= oldest:
                    await _detach(connection, partition, made)
    return made


async def _pack(
    connection: asyncpg.Connection, number: int, table: str, closed: int, made: Compacted
) -> None:
    rows = [tuple(row) for row in await connection.fetch(_ROWS, number)]
    for _ in checked(table, rows):
        pass
    record, count, size = pack(rows)
    if list(unpack(number, record)) != rows:
        raise StoreTrouble(f"Table {table} can't be packed: it would not be read back the same.")
    partition, start, end = _month(closed)
    async with connection.transaction():
        await connection.execute(
            f"CREATE TABLE IF NOT EXISTS {partition} PARTITION OF packed "
            f"FOR VALUES FROM ({start}) TO ({end})"
        )
        await connection.execute(
            "INSERT INTO packed VALUES ($1, $2, $3, $4, $5, $6)",
            *(number, closed, count, size, record, record_sum(number, count, record)),
        )
        gone = await connection.execute('DELETE FROM entries WHERE "table" = $1', number)
        if gone != f"DELETE {count}":
            raise StoreTrouble(f"Table {table} was changed meanwhile.")
    made.packed += 1
    made.before += size
    made.after += len(record)


async def _detach(connection: asyncpg.Connection, partition: str, made: Compacted) -> None:
    async with connection.transaction():
        rows = await connection.fetch(f'SELECT "table" FROM {partition}')  # noqa: S608 - ours
        numbers = [number for (number,) in rows]
        await connection.execute(f"ALTER TABLE packed DETACH PARTITION {partition}")
        for forget in _FORGET:
            await connection.execute(forget, numbers)
    made.detached.append(partition)
    made.deleted += len(numbers)
