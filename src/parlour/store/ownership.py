"""Which node runs which table, by compare-and-set in the database.

A table belongs to a node as long as that node has a row in `nodes`. When a node's lease has ended,
by the database's clock, any node whose own lease has not may delete that row. The deletion waits
for a batch that is being committed; afterwards that node can commit nothing more. Only then are its
tables claimed, each by the node that a hash of the table and of all live nodes names, and read.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Sequence
from typing import Final

import asyncpg
import msgspec

from parlour.store import StoreTrouble, TableRow

MOMENT: Final = 1.0
"""Seconds by which a lease may seem to end later than it does."""
AT_ONCE: Final = 500
"""Tables claimed in one go: the next ones are claimed when these are open."""

# Which nodes have tables is read from the index, by a jump from each to the next: the time depends
# on the number of nodes, not of tables.
_GONE: Final = """
    WITH RECURSIVE holders (node) AS (
        SELECT min(node) FROM owners
        UNION ALL
        SELECT (SELECT min(node) FROM owners WHERE owners.node > holders.node)
        FROM holders WHERE holders.node IS NOT NULL
    ), gone AS (
        SELECT node FROM holders
        WHERE node IS NOT NULL AND NOT EXISTS (SELECT FROM nodes WHERE nodes.no = holders.node)
    )
"""
_ORPHANS: Final = f"""
    {_GONE} SELECT "table", id, node FROM gone JOIN owners USING (node) JOIN tables ON no = "table"
"""  # noqa: S608 - ours
# Every node asks this again and again, and nothing else while all is well.
NODES: Final = f"""
    {_GONE} SELECT address, key, speaks, CASE WHEN EXISTS (SELECT FROM gone) THEN 0
        ELSE extract(epoch FROM min(expires) OVER () - clock_timestamp())::float8 END
    FROM nodes
"""  # noqa: S608 - ours
UNUSED_CODES: Final = (
    "DELETE FROM codes WHERE holder IS NULL "
    "AND NOT EXISTS (SELECT FROM tables WHERE tables.code = codes.code AND closed IS NULL)"
)


class OwnTable(msgspec.Struct):
    """A table that this node runs."""

    row: TableRow
    number: int
    epoch: int = 1
    next_seq: int = 0


def placed(table: str, nodes: Sequence[int]) -> int:
    """The node that is to run a table. By rendezvous hashing the tables of a lost node go to all
    others, and no other table moves."""
    return max(nodes, key=lambda node: hashlib.sha256(f"{node} {table}".encode()).digest())


async def claim_all(connection: asyncpg.Connection, me: int) -> list[OwnTable]:
    """Claim all tables, for a node that is alone. It waits until the lease of one that was killed
    has ended."""
    left = await connection.fetchval(
        "SELECT extract(epoch FROM max(expires) - clock_timestamp()) FROM nodes WHERE no < $1", me
    )
    until = time.monotonic() + float(left or 0) + MOMENT
    while True:
        await delete_expired(connection, me)
        ((others, alive),) = await connection.fetch(
            "SELECT count(*), count(*) FILTER (WHERE expires > clock_timestamp()) "
            "FROM nodes WHERE no < $1",
            me,
        )
        if not others:
            return await claim_tables(connection, me, await connection.fetch(_ORPHANS))
        # One whose lease has ended is deleted as soon as our own, which has ended too, is renewed.
        if alive and time.monotonic() > until:
            raise StoreTrouble("The database can't be used: another Parlour is using it.")
        await asyncio.sleep(0.1)


async def orphans_placed(connection: asyncpg.Connection, me: int) -> list[asyncpg.Record]:
    """Tables of no node that the hash gives to this one, for `claim_tables`."""
    nodes = [row[0] for row in await connection.fetch("SELECT no FROM nodes WHERE runs_tables")]
    if me not in nodes:
        return []
    orphans = await connection.fetch(_ORPHANS)
    return [orphan for orphan in orphans if placed(orphan["id"], nodes) == me][:AT_ONCE]


async def delete_expired(connection: asyncpg.Connection, me: int) -> None:
    """Delete the nodes whose leases have ended, unless this node's has ended, too.

    Then the database was away for all nodes, and the first one that is back would delete all
    others. The database compares the times, because a request may arrive late.
    """
    deleted = await connection.fetch(
        "DELETE FROM nodes WHERE expires < clock_timestamp() AND EXISTS (SELECT FROM nodes AS me "
        "WHERE me.no = $1 AND me.expires > clock_timestamp()) RETURNING no",
        me,
    )
    if deleted:
        gone = "node NOT IN (SELECT no FROM nodes)"
        await connection.execute(f"{UNUSED_CODES} AND {gone}")


async def claim_tables(
    connection: asyncpg.Connection, me: int, orphans: Sequence[asyncpg.Record]
) -> list[OwnTable]:
    """Claim these rows of `_ORPHANS`; the first node that claims one has it.

    A table must still belong to the node it was found at: two nodes may find it at once, and an
    update that had to wait checks its row again. Or it may belong to this node already: a claim
    whose answer was lost is made again.
    """
    if not orphans:
        return []
    rows = await connection.fetch(
        "WITH ours AS (UPDATE owners SET node = $1, epoch = epoch + 1 "
        'FROM unnest($2::bigint[], $3::bigint[]) AS found ("table", node) '
        'WHERE owners."table" = found."table" AND owners.node IN (found.node, $1) '
        'RETURNING owners."table", epoch) '
        "SELECT id, code, game, opened, closed, no, epoch, "
        '(SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE entries."table" = no) '
        'FROM ours JOIN tables ON no = ours."table" ORDER BY no',
        me,
        [orphan["table"] for orphan in orphans],
        [orphan["node"] for orphan in orphans],
    )
    return [OwnTable(TableRow(*row[:5]), *row[5:]) for row in rows]
