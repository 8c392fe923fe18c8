"""Nodes whose database is out of reach: what they say then, and that they end if told to."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable

import aiohttp
import asyncpg
import pytest

from parlour.store import lease, postgres_reading
from parlour.store.lease import steady
from tests.cambia.guests import EnvelopedClient
from tests.network import Proxy, through
from tests.servers import NatsServer
from tests.store.conftest import stand_still, wake
from tests.support import Opener, Process, Visitor, soon

Serve = Callable[..., Awaitable[Process]]


async def lease_ends(database: str) -> None:
    """Return once no node has a lease, by the clock that counts."""
    connection = await asyncpg.connect(database)
    await connection.execute("SELECT pg_sleep_until(max(expires)) FROM nodes")
    await connection.close()


@pytest.mark.parametrize(
    ("company", "ended"),
    [(False, True), (True, False)],
    ids=["alone, when its lease has ended", "in company, before that"],
)
async def test_a_node_without_its_database_ends_when_it_is_told_to(
    serve: Serve,
    database: str,
    before_postgres: Proxy,
    nats_server: NatsServer,
    company: bool,
    ended: bool,
) -> None:
    bus = ("--bus", nats_server.url) if company else ()
    node = await serve("--store", through(before_postgres, database), "--lease", "2", *bus)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        visitor = Visitor(node.base, http)
        token = await visitor.token()
        guest = await visitor.rummy(f"?token={token}")
        await guest.expect("lobby")
        before_postgres.hold()
        if ended:
            await lease_ends(database)
        node.process.send_signal(signal.SIGTERM)
        (_, complaints), code = await asyncio.gather(node.ended(), guest.closed())
        assert code == 1001
        assert "Traceback" not in complaints
        # Nothing is lost: who comes back finds the table.
        again = Visitor((await serve("--store", database)).base, http)
        back = await again.rummy(f"?token={token}&table={guest.code}")
        assert (await back.expect("lobby"))["lobby"]["code"] == guest.code


async def test_who_looks_for_a_table_then_is_asked_to_try_again(
    before_postgres: Proxy,
    open_node: Opener,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    node = await open_node(store=through(before_postgres, database))
    visitor = await node.visitor()
    token = await visitor.token()
    before_postgres.hold()
    monkeypatch.setattr(postgres_reading, "ONE_TRY", 0.1)
    monkeypatch.setattr(postgres_reading, "PATIENCE", 0.2)
    monkeypatch.setattr("parlour.bus.lookup.PATIENCE", 0.2)
    for path in ("tables", "tables/123456", "replays/none-1"):
        status, told = await visitor.call("GET", f"/api/{path}")
        assert (status, told["error"]["code"]) == (503, "try-again")
    # The same at a game's door.
    guest = await visitor.rummy(f"?token={token}&table=123456")
    assert (await guest.expect("error"))["code"] == "try-again"
    assert await guest.closed() is not None
    # In envelopes where its messages are.
    enveloped = EnvelopedClient(await visitor.socket("/ws/123456"))
    assert (await enveloped.expect("error"))["code"] == "try-again"
    before_postgres.cut()
    before_postgres.let_go()
    monkeypatch.undo()
    assert (await visitor.call("GET", "/api/tables/123456"))[0] == 404
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("count", [1, 2])
async def test_nodes_that_all_lost_the_database_go_on_when_it_is_back(
    before_postgres: Proxy,
    open_node: Opener,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    count: int,
) -> None:
    store = through(before_postgres, database)
    nodes = [await open_node(store=store) for _ in range(count)]
    guests = [await node.rummy() for node in nodes]
    stores = [node.cluster.store for node in nodes]
    before_postgres.hold()
    # A minute later all leases have ended.
    monkeypatch.setattr(lease, "steady", lambda: steady() + 60)
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE nodes SET expires = clock_timestamp()")
    await connection.close()
    assert not any(each.current() for each in stores)
    for each in stores:
        each._lease._seconds = each._lease._one_try = 1.0
        stand_still(each)
        wake(each)
    await before_postgres.tried()
    for each in stores:
        each._lease._seconds = each._lease._one_try = 30.0
    # Of a lease: long enough for another node to come back.
    monkeypatch.setattr(lease, "TIME_FOR_OTHERS", 0.25)
    before_postgres.cut()
    before_postgres.let_go()
    for guest in guests:
        await guest.send("ai", action="add")
        assert len((await guest.expect("lobby"))["lobby"]["players"]) == 2
    # Nobody has taken anybody else, or itself, for gone.
    await soon(lambda: all(each._lease.sees_others() for each in stores))
    assert [await each.take_over() for each in stores] == [[]] * count
    assert all(node.server.lifecycle.open for node in nodes)
    assert [len(node.server.store.owned) for node in nodes] == [1] * count
    # That it is away is said by each once, not at every look.
    for sentence in ("tables that nobody runs can't", "who is there can't"):
        assert caplog.text.count(sentence) <= count
