"""In a database, logs of closed tables are packed into monthly partitions, and those detached."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from typer.testing import CliRunner

from parlour.cli import app
from parlour.store import Damaged, LogEntry, StoreTrouble, TableRow, postgres_compact
from parlour.store.archive import PostgresArchive
from parlour.store.compact import DAY
from parlour.store.move import move
from parlour.store.postgres import PostgresStore
from parlour.store.postgres_compact import _month, compact, replace_entries

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


async def test_the_oldest_months_above_a_size_are_detached_but_never_this_one(filled: str) -> None:
    await compact(filled)
    size = "SELECT sum(length(data))::bigint FROM packed"
    [whole] = await rows(filled, size)
    assert (await compact(filled, keep_bytes=whole)).detached == []
    made = await compact(filled, keep_bytes=whole - 1)
    assert (made.detached, made.deleted) == ([_month(LONG_AGO)[0]], 2)
    assert set(await logs(filled)) == {"table 2", "table 3"}
    assert (await compact(filled, keep_bytes=1)).detached == []


async def test_it_may_be_killed_at_any_statement(
    filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await logs(filled)
    done = 0

    def deadly(name: str) -> Any:
        real = getattr(asyncpg.Connection, name)

        async def dying(connection: Any, *words: Any, **how: Any) -> Any:
            nonlocal done
            if done == at:
                connection.terminate()
                raise ConnectionResetError("killed")
            done += 1
            return await real(connection, *words, **how)

        return dying

    at, finished = 0, False
    while not finished and at < 50:
        done = 0
        with monkeypatch.context() as patch:
            for name in ("execute", "fetch"):
                patch.setattr(asyncpg.Connection, name, deadly(name))
            try:
                await compact(filled)
                finished = True
            except StoreTrouble:
                at += 1
        assert await logs(filled) == before
    assert finished
    assert at > 8


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


async def test_a_log_that_is_changed_while_it_is_packed_stays_as_it_is(
    filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = postgres_compact._month
    new = [LogEntry(3, 1_003, b"nobody")]

    def meanwhile(moment: int) -> tuple[str, int, int]:
        with ThreadPoolExecutor() as thread:
            thread.submit(asyncio.run, replace_entries(filled, "table 0", new)).result()
        return real(moment)

    monkeypatch.setattr(postgres_compact, "_month", meanwhile)
    with pytest.raises(StoreTrouble, match="changed meanwhile"):
        await compact(filled)
    assert (await logs(filled))["table 0"][3] == new[0]


def test_a_database_is_checked_and_backed_up_while_a_node_runs(
    database: str, tmp_path: Path
) -> None:
    def data(command: str, *arguments: object) -> str:
        ran = CliRunner().invoke(app, ["data", command, *map(str, arguments)])
        told.append(ran.exit_code)
        return ran.output

    async def beside_a_node(*commands: tuple[object, ...]) -> list[str]:
        node = PostgresStore(database)
        await node.start()
        node.remember("key:session", b"a key")
        await node.settled()
        said = [await asyncio.to_thread(data, *map(str, each)) for each in commands]
        await node.stop()
        return said

    told: list[int] = []
    asyncio.run(fill(database))
    asyncio.run(compact(database))
    check = ("check", "--store", database)
    backup = ("backup", tmp_path / "backup", "--store", database)
    found, copied = asyncio.run(beside_a_node(check, backup))
    assert told == [0, 0], (found, copied)
    counted = f"4 tables (1 open), {4 * ENTRIES} entries"
    assert counted in found
    assert counted in copied
    assert counted in data("check", "--data", tmp_path / "backup")

    async def damage(query: str) -> None:
        connection = await asyncpg.connect(database)
        await connection.execute(query)
        await connection.close()

    # Packed or not, what was changed is named.
    asyncio.run(damage("UPDATE entries SET at = 1 WHERE seq = 3"))
    asyncio.run(damage("UPDATE packed SET sum = 1 WHERE closed = (SELECT max(closed) FROM packed)"))
    told.clear()
    named = data(*check)
    assert "Entry 3 of table table 3" in named
    assert "Entry 0 of table table 2 can't be read" in named
    # A backup goes into a database only if that is empty.
    again = ("restore", tmp_path / "backup", "--store", database)
    assert "holds a house already" in data(*again)
    asyncio.run(damage("TRUNCATE tables, owners, entries, packed, facts, codes, seats"))
    assert counted in data(*again)
    assert counted in data(*check)
    assert "--set-aside" in data(*again, "--set-aside")
    assert told == [1, 2, 0, 0, 2]


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
    ran = CliRunner().invoke(app, [*command, "--keep-megabytes", "5"])
    assert ran.exit_code == 0, ran.output
    assert "Detached" not in ran.output
