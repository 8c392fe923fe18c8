"""A database that does not answer: what waits for it, for how long, and what comes of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import asyncpg
import pytest

from parlour.kit import Illegal
from parlour.lifecycle import Lifecycle
from parlour.store import StoreTrouble, codes, postgres_link, postgres_reading, postgres_writer
from parlour.store.lease import RUN
from parlour.store.postgres_link import Link, first
from tests.network import Proxy, through
from tests.store.conftest import Start, one_of_many, stand_still, wake
from tests.support import PATIENCE, soon, turns_of_the_loop

NEVER = 3600.0
"""Seconds: longer than any test runs."""


class Network:
    """Between a node and its database. While it is gone, one try is given up soon."""

    def __init__(self, proxy: Proxy, database: str) -> None:
        self._proxy = proxy
        self.tried = proxy.tried
        self._patches = pytest.MonkeyPatch()
        self.url = through(proxy, database)

    def goes(self) -> None:
        self._proxy.hold()
        for module in (postgres_reading, postgres_writer):
            self._patches.setattr(module, "ONE_TRY", 0.1)
        for name in ("CONNECTING", "CLOSING"):
            self._patches.setattr(postgres_link, name, 0.1)

    def comes_back(self) -> None:
        self._patches.undo()
        self._proxy.cut()
        self._proxy.let_go()


@pytest.fixture
def network(before_postgres: Proxy, database: str) -> Iterator[Network]:
    between = Network(before_postgres, database)
    yield between
    between.comes_back()


async def test_a_batch_is_tried_for_so_long_and_no_longer(
    start: Start, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE", 0.3)
    monkeypatch.setattr("parlour.store.PATIENCE_AT_THE_END", NEVER)
    store = await start(network.url, lease=NEVER)
    network.goes()
    store.remember("key", b"value")
    assert not await store.settled()
    assert store.lifecycle.lost
    assert str(store.lifecycle.why) == "The database is away: it does not answer."


async def test_a_house_that_closes_has_less_patience(
    start: Start, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE", NEVER)
    monkeypatch.setattr("parlour.store.PATIENCE_AT_THE_END", 0.3)
    lifecycle = Lifecycle()
    store = await start(network.url, lifecycle=lifecycle, lease=1.0)
    network.goes()
    store.remember("key", b"value")
    lifecycle.close()
    assert not await store.settled()
    with pytest.raises(StoreTrouble, match="is away"):
        await store.stop()


async def test_a_house_that_is_open_waits_and_says_so_once(
    start: Start,
    network: Network,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE_AT_THE_END", 0.0)
    store = await start(network.url, lease=NEVER)
    # Nothing is said of its lease.
    stand_still(store)
    caplog.set_level(logging.WARNING)
    network.goes()
    store.remember("key", b"value")
    waiting = asyncio.create_task(store.settled())
    await network.tried()
    assert not waiting.done()
    network.comes_back()
    assert await waiting
    assert await store.recall("key") == {"key": b"value"}
    assert [entry.levelname for entry in caplog.records] == ["ERROR", "WARNING"]
    away, back = (entry.getMessage() for entry in caplog.records)
    assert away == "the database is away, and the log waits: it does not answer"
    assert back == "the database is back: nothing is lost"


async def test_a_log_that_was_lost_meanwhile_is_not_tried_again(
    start: Start, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE", NEVER)
    store = await start(network.url, lease=NEVER)
    network.goes()
    store.remember("key", b"value")
    await asyncio.sleep(0)
    store.lifecycle.lose(StoreTrouble("somebody else"))
    assert store._task is not None
    async with asyncio.timeout(PATIENCE):
        await store._task
    assert str(store.lifecycle.why) == "somebody else"


async def test_who_waits_for_a_lease_hears_when_it_will_not_come(
    start: Start, database: str
) -> None:
    """All is kept, but nobody may be told: another node may run the table already."""
    store = await start(database, lease=NEVER)
    store.remember("key", b"value")
    assert await store.settled()
    # The first renewal may still be on its way.
    assert store._lease._task is not None
    store._lease._task.cancel()
    store._lease._until = 0.0
    waiting = asyncio.create_task(store.settled())
    await turns_of_the_loop()
    assert not waiting.done()
    store.lifecycle.lose(StoreTrouble("gone"))
    assert not await waiting


async def test_only_a_house_that_closes_gives_up_a_lease_that_has_ended(
    start: Start, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE_AT_THE_END", 0.5)
    store = await start(network.url, lease=0.5)
    network.goes()
    await soon(lambda: not store.current())
    waiting = asyncio.create_task(store.settled())
    # Three leases: longer than a house that closes would wait.
    await network.tried()
    assert not waiting.done()
    assert not store.lifecycle.lost
    store.lifecycle.close()
    assert not await waiting
    assert str(store.lifecycle.why) == "The database is away: it does not answer."


async def test_of_every_outage_the_lease_says_once_that_it_began_and_that_it_is_over(
    start: Start,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = await start(database, lease=0.5)
    away = False
    tries: list[bool] = []

    async def renew() -> str:
        tries.append(away)
        if away:
            raise ConnectionResetError("it is away")
        return RUN

    stand_still(store)
    monkeypatch.setattr(store._lease, "_renew", renew)
    wake(store)
    for _ in range(2):
        caplog.clear()
        for away in (True, False):
            tries.clear()
            await soon(lambda: tries.count(away) > 2)  # noqa: B023 - at once
        said = [entry.getMessage().partition(":")[0] for entry in caplog.records]
        assert said == ["the lease can't be renewed", "the lease is renewed again"]


async def test_a_house_that_closes_waits_for_its_lease_a_while(
    start: Start, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.store.PATIENCE_AT_THE_END", NEVER)
    store = await start(network.url, lease=0.5)
    network.goes()
    await soon(lambda: not store.current())
    store.lifecycle.close()
    waiting = asyncio.create_task(store.settled())
    await network.tried()
    assert not waiting.done()
    network.comes_back()
    assert await waiting


async def test_reading_is_tried_for_so_long_and_no_longer(
    start: Start, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_reading, "PATIENCE", 0.3)
    store = await start(network.url, lease=NEVER)
    network.goes()
    with pytest.raises(StoreTrouble, match=r"^The database is away: it does not answer\.$"):
        await store.recall("key")
    # These are tried once: whoever asks can ask again.
    with pytest.raises(Illegal, match="closing"):
        await store.codes.claim_name("lounge", "123456")
    with pytest.raises(StoreTrouble, match=r"^The database is away: it does not answer\.$"):
        await store.take_over()
    monkeypatch.setattr(postgres_reading, "PATIENCE", NEVER)
    reading = asyncio.create_task(store.recall("key"))
    await network.tried()
    assert not reading.done()
    network.comes_back()
    assert await reading == {}
    network.goes()
    # A log that is lost is not worth the wait.
    store.lifecycle.lose(StoreTrouble("gone"))
    with pytest.raises(StoreTrouble, match="is away"):
        await store.recall("key")


async def test_a_store_that_has_stopped_is_not_read(start: Start, database: str) -> None:
    store = await start(database)
    await store.stop()
    assert not store.current()
    with pytest.raises(StoreTrouble, match="not in use any more"):
        await store.recall("key")
    # Twice does no harm.
    await store.stop()


async def test_stopping_waits_for_nobody_for_long(
    start: Start, network: Network, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "GIVING_BACK", 0.1)
    store = await start(network.url, lease=0.5)
    held = len(store.codes._free)
    network.goes()
    async with asyncio.timeout(PATIENCE):
        await store.stop()
    network.comes_back()
    # The codes are its own until the lease has ended by itself, and somebody has seen that.
    connection = await asyncpg.connect(database)
    held_codes = "SELECT count(*) FROM codes WHERE node = $1"
    assert await connection.fetchval(held_codes, store.node) == held
    other = await start(database, info=one_of_many(), lease=NEVER)
    async with asyncio.timeout(PATIENCE):
        while await connection.fetchval("SELECT count(*) FROM nodes") > 1:
            await other.take_over()
    assert await connection.fetchval(held_codes, store.node) == 0
    await connection.close()


async def test_codes_can_be_had_again_when_the_database_is_back(
    start: Start, network: Network, caplog: pytest.LogCaptureFixture
) -> None:
    store = await start(network.url, lease=NEVER)
    network.goes()
    del store.codes._free[1:]
    assert store.codes.free() is not None
    await soon(lambda: "no codes for tables can be had" in caplog.text)
    with pytest.raises(Illegal, match="no free table"):
        store.codes.free()
    network.comes_back()

    def asked_for_more() -> bool:
        if not store.codes._free:
            with pytest.raises(Illegal, match="no free table"):
                store.codes.free()
        return bool(store.codes._free)

    await soon(asked_for_more)
    assert store.codes.free() is not None


async def test_a_link_is_closed_although_nobody_answers(network: Network) -> None:
    link = Link(network.url)
    connection = await link.get()
    network.goes()
    async with asyncio.timeout(PATIENCE):
        await link.close()
    assert connection.is_closed()
    with pytest.raises(StoreTrouble, match=r"on 127\.0\.0\.1 can't be used: it does not answer"):
        await first(link, network.url)
