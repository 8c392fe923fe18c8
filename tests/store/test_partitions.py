"""The log in a database whose entries an operator has partitioned, as docs/scaling.md says."""

from __future__ import annotations

import re
from pathlib import Path

import asyncpg

from parlour.store import TableRow
from parlour.store.postgres import PostgresStore

SCALING = Path(__file__).parents[2] / "docs" / "scaling.md"


async def started(database: str) -> PostgresStore:
    store = PostgresStore(database)
    await store.start()
    return store


async def test_entries_may_be_partitioned_by_table(database: str) -> None:
    await (await started(database)).stop()
    (script,) = re.findall(r"```sql\n(.*?)```", SCALING.read_text(), re.DOTALL)
    connection = await asyncpg.connect(database)
    await connection.execute(script)
    # Every start is a node, with numbers for tables of its own.
    for turn in range(3):
        store = await started(database)
        assert len(await store.live_tables()) == 4 * turn
        for name in "abcde":
            table = f"{turn} {name}"
            store.open_table(TableRow(table, table, "rummy", 1))
            for seq in range(5):
                store.append(table, seq, 1, b"entry")
        assert await store.settled()
        store.rewrite(f"{turn} a", [(1, b"all")])
        store.forget_table(f"{turn} b")
        assert await store.settled()
        counts = [len(await store.entries(f"{turn} {name}")) for name in "abcde"]
        assert counts == [1, 0, 5, 5, 5]
        await store.stop()
    rows = await connection.fetch("SELECT tableoid, count(*) FROM entries GROUP BY 1")
    assert len(rows) > 1
    await connection.close()
