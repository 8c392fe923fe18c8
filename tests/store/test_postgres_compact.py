"""In a database, logs of closed tables are packed into monthly partitions, and those detached."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.store import Damaged, StoreTrouble, TableRow
from parlour.store.archive import PostgresArchive
from parlour.store.compact import DAY
from parlour.store.move import move
from parlour.store.postgres import PostgresStore
from parlour.store.postgres_compact import _month, compact

pytestmark = pytest.mark.slow

ENTRIES = 30
NOW = time.time_ns() // 1_000_000
LONG_AGO, LATELY = NOW - 200 * DAY, NOW


async def fill(database: str) -> None:
    """Two tables that closed long ago, one that closed lately, and a live one."""
    store = PostgresStore(database)
    await store.start()
    for number, closed in enumerate((LONG_AGO, LONG_AGO, LATELY, None)):
        table = f"table {number}"
        store.open_table(TableRow(table, f"{number:06d}", "rummy", number))
        for seq in range(ENTRIES):
            store.append(table, seq, 1_000 + seq, b'["Act",{"place":%d}]' % (seq % 4))
        store.remember(f"brought:{number // 2}:{table}", b"1")
        store.remember(f"content:{number // 2}", b"cards")
        if closed is not None:
            store.close_table(table, closed)
            store.remember(f"matches:{table}", b"1")
    await store.kept()
    await store.stop()


@pytest.fixture
async def filled(database: str) -> str:
    await fill(database)
    return database


def read(database: str) -> dict[str, list[Any]]:
    archive = PostgresArchive(database)
    return {row.id: list(archive.reader(row.id).entries()) for row in archive.tables()}


async def logs(database: str) -> dict[str, list[Any]]:
    """As a worker process reads them, which has no event loop."""
    return await asyncio.to_thread(read, database)


async def rows(database: str, query: str) -> list[Any]:
    connection = await asyncpg.connect(database)
    try:
        return [row[0] for row in await connection.fetch(query)]
    finally:
        await connection.close()


async def test_packed_logs_are_read_as_before(filled: str, tmp_path: Path) -> None:
    before = await logs(filled)
    made = await compact(filled)
    assert (made.packed, made.deleted, made.damages, made.detached) == (3, 0, [], [])
    assert made.after < made.before
    assert await rows(filled, 'SELECT DISTINCT "table" FROM entries') == await rows(
        filled, "SELECT no FROM tables WHERE closed IS NULL"
    )
    assert await logs(filled) == before
    assert (await compact(filled)).packed == 0


async def test_a_packed_log_moves_into_a_folder(filled: str, tmp_path: Path) -> None:
    connection = await asyncpg.connect(filled)
    await connection.execute("INSERT INTO facts VALUES ('key:session', 'a key')")
    await connection.close()
    await compact(filled)
    moved = await move(filled, str(tmp_path / "there"))
    assert (moved.tables, moved.entries) == (4, 4 * ENTRIES)


async def test_only_old_partitions_are_detached(filled: str) -> None:
    made = await compact(filled, keep_days=100)
    old, _, _ = _month(LONG_AGO)
    assert (made.detached, made.deleted) == ([old], 2)
    assert set(await logs(filled)) == {"table 2", "table 3"}
    # Nothing is lost: it is a table of its own now.
    assert await rows(filled, f"SELECT count FROM {old}") == [ENTRIES, ENTRIES]
    facts = await rows(filled, "SELECT key FROM facts WHERE key !~ '^(key|source)' ORDER BY key")
    assert facts == ["brought:1:table 2", "brought:1:table 3", "content:1", "matches:table 2"]
    assert (await compact(filled, keep_days=100)).detached == []


async def test_it_may_be_killed_at_any_statement(
    filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await logs(filled)
    real = asyncpg.Connection.execute
    done = 0

    async def dying(connection: Any, query: str, *values: Any, **how: Any) -> str:
        nonlocal done
        if done == at:
            connection.terminate()
            raise ConnectionResetError("killed")
        done += 1
        answer: str = await real(connection, query, *values, **how)
        return answer

    at, finished = 0, False
    while not finished and at < 50:
        done = 0
        with monkeypatch.context() as patch:
            patch.setattr(asyncpg.Connection, "execute", dying)
            try:
                await compact(filled)
                finished = True
            except StoreTrouble:
                at += 1
        assert await logs(filled) == before
    assert finished
    assert at > 6


async def test_a_damaged_log_is_not_packed_and_a_damaged_record_is_noticed(filled: str) -> None:
    connection = await asyncpg.connect(filled)
    second = "SELECT no FROM tables WHERE id = 'table 1'"
    await connection.execute(f'UPDATE entries SET at = 1 WHERE "table" = ({second}) AND seq = 3')
    made = await compact(filled)
    assert (made.packed, [damage.table for damage in made.damages]) == (2, ["table 1"])
    await connection.execute("UPDATE packed SET data = data || 'x'")
    await connection.close()
    with pytest.raises(Damaged, match="packed record"):
        await logs(filled)


def test_months_follow_each_other() -> None:
    moment = LONG_AGO
    for _ in range(30):
        _, start, end = _month(moment)
        assert start <= moment < end
        assert _month(start)[0] == _month(end - 1)[0]
        moment = end


def test_the_command_packs_and_detaches(database: str) -> None:
    asyncio.run(fill(database))
    command = ["data", "compact", "--store", database]
    ran = CliRunner().invoke(app, [*command, "--keep-days", "100"])
    assert ran.exit_code == 0, ran.output
    assert "Packed 3 tables" in ran.output
    assert "Detached" in ran.output
    assert "packed_" in ran.output
    refused = CliRunner().invoke(app, [*command, "--keep-megabytes", "5"])
    assert refused.exit_code == 2
