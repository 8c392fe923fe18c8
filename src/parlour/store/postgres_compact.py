"""What commands do with the logs in a database: pack them, check them, write entries anew.

Logs of closed tables are packed into one partition for each month.
Nodes may be running: closed tables are never written to, and each table is one short transaction.
A partition that is old enough can be detached: its tables are gone from the house, and the operator
copies or drops it as any other table of the database.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

import asyncpg

from parlour.store import Damaged, LogEntry, StoreTrouble
from parlour.store.backup import Contents
from parlour.store.checksum import checked
from parlour.store.compact import DAY, Compacted
from parlour.store.packed import (
    Row,
    checked_record,
    pack,
    record_sum,
    repacked,
    row_of,
    unpack,
)
from parlour.store.postgres_link import connected
from parlour.store.postgres_schema import check_version

_CLOSED: Final = """
    SELECT no, id, closed FROM tables
    WHERE closed IS NOT NULL AND EXISTS (SELECT FROM entries WHERE "table" = no) ORDER BY closed
"""
_ROWS: Final = '"table", seq, at, data, sum'
_READ: Final = f'SELECT {_ROWS} FROM entries WHERE "table" = $1 ORDER BY seq'  # noqa: S608 - ours
_RECORD: Final = 'SELECT count, data, sum FROM packed WHERE "table" = $1'
_REPLACE: Final = 'UPDATE entries SET data = $3, sum = $4 WHERE "table" = $1 AND seq = $2'
_REPLACE_RECORD: Final = 'UPDATE packed SET size = $2, data = $3, sum = $4 WHERE "table" = $1'
_COUNT: Final = """
    SELECT (SELECT count(*) FROM entries) + (SELECT coalesce(sum(count), 0) FROM packed)::bigint
"""
_PARTITIONS: Final = """
    SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = 'packed'::regclass ORDER BY 1
"""
_BYTES: Final = "SELECT coalesce(sum(length(data)), 0)::bigint FROM {}"
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


async def compact(
    url: str, *, keep_days: int | None = None, keep_bytes: int | None = None
) -> Compacted:
    """Pack the logs of closed tables; detach the partitions of all months that ended so many days
    ago, and of the oldest months above so many bytes of packed logs, except this month's."""
    made = Compacted(shrunk=True)
    async with connected(url) as connection:
        await check_version(connection)
        for number, table, closed in await connection.fetch(_CLOSED):
            try:
                await _pack(connection, number, table, closed, made)
            except Damaged as damage:
                made.damages.append(damage)
        now, total = time.time_ns() // 1_000_000, 0
        for (partition,) in reversed(await connection.fetch(_PARTITIONS)):
            ((size,),) = await connection.fetch(_BYTES.format(partition))
            total += size
            old = keep_days is not None and _end_of(partition) <= now - keep_days * DAY
            large = keep_bytes is not None and total > keep_bytes
            if old or (large and _end_of(partition) <= now):
                await _detach(connection, partition, made)
    return made


async def _pack(
    connection: asyncpg.Connection, number: int, table: str, closed: int, made: Compacted
) -> None:
    rows = await _entries(connection, number)
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
        gone = await connection.fetch(
            f'DELETE FROM entries WHERE "table" = $1 RETURNING {_ROWS}',  # noqa: S608 - ours
            number,
        )
        # Somebody may have been erased from it meanwhile.
        if sorted(tuple(row) for row in gone) != rows:
            raise StoreTrouble(f"Table {table} was changed meanwhile.")
    made.packed += 1
    made.before += size
    made.after += len(record)


async def _entries(connection: asyncpg.Connection, number: int) -> list[Row]:
    return [tuple(row) for row in await connection.fetch(_READ, number)]


async def check(url: str) -> Contents:
    """Read every entry of a database, in use or not, and find damaged ones."""
    damages = []
    async with connected(url) as connection:
        await check_version(connection)
        # As it is at one moment: a log may be packed meanwhile.
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            tables = await connection.fetch("SELECT no, id, closed IS NULL FROM tables")
            [(count,)] = await connection.fetch(_COUNT)
            for number, table, _ in tables:
                try:
                    for _ in checked(table, await _log(connection, number, table)):
                        pass
                except Damaged as damage:
                    damages.append(damage)
    return Contents(len(tables), sum(live for *_, live in tables), count, tuple(damages))


async def _log(connection: asyncpg.Connection, number: int, table: str) -> Iterable[Row]:
    record = await connection.fetchrow(_RECORD, number)
    if record is None:
        return await _entries(connection, number)
    return checked_record(table, number, *record)


async def replace_entries(url: str, table: str, new: Sequence[LogEntry]) -> None:
    """Write some entries of a closed table anew, packed or not; all of them or none."""
    async with connected(url) as connection, connection.transaction():
        number = await connection.fetchval(
            "SELECT no FROM tables WHERE id = $1 AND closed IS NOT NULL FOR UPDATE", table
        )
        if number is None:
            raise StoreTrouble(f"Table {table} was changed meanwhile.")
        kept = await connection.fetchrow(f"{_RECORD} FOR UPDATE", number)
        if kept is None:
            rows = [row_of(number, each) for each in new]
            await connection.executemany(_REPLACE, [(row[0], row[1], *row[3:]) for row in rows])
        else:
            record, count, size = repacked(checked_record(table, number, *kept), new)
            sum_ = record_sum(number, count, record)
            await connection.execute(_REPLACE_RECORD, number, size, record, sum_)


async def _detach(connection: asyncpg.Connection, partition: str, made: Compacted) -> None:
    async with connection.transaction():
        rows = await connection.fetch(f'SELECT "table" FROM {partition}')  # noqa: S608 - ours
        numbers = [number for (number,) in rows]
        await connection.execute(f"ALTER TABLE packed DETACH PARTITION {partition}")
        for forget in _FORGET:
            await connection.execute(forget, numbers)
    made.detached.append(partition)
    made.deleted += len(numbers)
