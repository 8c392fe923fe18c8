"""Codes for tables that a node holds ready: fetched in time, and given back."""

from __future__ import annotations

import asyncio
from itertools import count

import asyncpg
import pytest

from parlour.store import TableRow, codes
from parlour.store.codes import ReservedCodes
from tests.store.conftest import Start
from tests.support import soon


async def test_codes_are_given_back_when_the_store_stops(start: Start, database: str) -> None:
    store = await start(database)
    code = store.codes.free()
    assert code is not None
    store.open_table(TableRow("a", code, "rummy", 1))
    await store.stop()
    connection = await asyncpg.connect(database)
    assert [row[0] for row in await connection.fetch("SELECT code FROM codes")] == [code]
    assert await connection.fetchval("SELECT count(*) FROM nodes") == 0
    await connection.close()


async def test_codes_that_come_while_the_store_stops_are_given_back_too(
    start: Start, database: str
) -> None:
    store = await start(database)
    del store.codes._free[1:]
    assert store.codes.free() is not None
    assert store.codes._reserving is not None
    await store.stop()
    connection = await asyncpg.connect(database)
    # Those that nobody knows of any more, too.
    assert await connection.fetchval("SELECT count(*) FROM codes") == 0
    await connection.close()


async def test_codes_are_fetched_when_half_of_them_are_used(
    start: Start, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = count(100_000)
    monkeypatch.setattr(codes.secrets, "randbelow", lambda below: next(numbers))
    monkeypatch.setattr(codes, "RESERVED", 11)
    store = await start(database)
    assert len(store.codes._free) == 11
    fetched: list[int] = []
    reserve = ReservedCodes.reserve

    async def counted(codes: ReservedCodes) -> None:
        before = len(codes._free)
        await reserve(codes)
        fetched.append(len(codes._free) - before)

    monkeypatch.setattr(ReservedCodes, "reserve", counted)
    for _ in range(7):
        store.codes.free()
    await asyncio.sleep(0)
    assert len(store.codes._free) == 4
    assert store.codes._reserving is None
    # Fewer than half: one fetch, however many are asked for meanwhile.
    store.codes.free()
    fetching = store.codes._reserving
    assert fetching is not None
    for _ in range(2):
        store.codes.free()
        assert store.codes._reserving is fetching
    await soon(lambda: store.codes._reserving is None)
    assert fetched == [11]
    assert len(store.codes._free) == 12
