"""A process goes on by itself after its log could not be written, however long that took."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from parlour.doctor import examine
from parlour.server.config import Config
from parlour.server.running import serve
from parlour.server.server import Server
from parlour.store import StoreTrouble
from parlour.store.sqlite import SqliteStore
from tests.network import Proxy, through
from tests.servers import NatsServer, PostgresServer
from tests.support import PATIENCE, UNHURRIED, RummyClient, Visitor, close_code, soon

pytestmark = pytest.mark.slow


class Running:
    """A process, as far as this one can be one: its servers, one after the other."""

    def __init__(self, config: Config, until_end: AsyncExitStack) -> None:
        self.servers: list[Server] = []
        self._until_end = until_end
        self.task = asyncio.create_task(serve(config, lambda server, _: None))

    async def visitor(self) -> Visitor:
        jar = aiohttp.CookieJar(unsafe=True)
        http = await self._until_end.enter_async_context(aiohttp.ClientSession(cookie_jar=jar))
        return Visitor(f"http://127.0.0.1:{self.servers[0].port}", http)

    async def state(self) -> str:
        try:
            _, told = await (await self.visitor()).call("GET", "/healthz")
        except aiohttp.ClientConnectionError:
            return "nobody listens"
        return str(told["state"])

    async def until(self, state: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while await self.state() != state:
                pass


Run = Callable[..., Awaitable[Running]]


@pytest.fixture
async def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Run]:
    """`await run(setting=value)`: a process that serves until the end of the test."""
    monkeypatch.setattr("parlour.store.PATIENCE", 0.5)
    monkeypatch.setattr("parlour.server.running.SHORTEST_WAIT", 0.05)
    monkeypatch.setattr("parlour.server.running.LONGEST_WAIT", 0.1)
    made: list[Server] = []

    class Known(Server):
        def __init__(self, config: Config) -> None:
            super().__init__(config)
            made.append(self)

    monkeypatch.setattr("parlour.server.running.Server", Known)
    begun: list[Running] = []
    async with AsyncExitStack() as until_end:

        async def ran(**settings: Any) -> Running:
            here: dict[str, Any] = {
                "host": "127.0.0.1",
                "port": 0,
                "data": str(tmp_path / "data"),
                "bot_pace": 0,
            }
            before = len(made)
            running = Running(Config(**{**here, **UNHURRIED, **settings}), until_end)
            begun.append(running)
            await soon(lambda: len(made) > before and made[before].port != 0)
            running.servers.append(made[before])
            return running

        yield ran
        os.kill(os.getpid(), signal.SIGTERM)
        for running in begun:
            running.task.cancel()
            await asyncio.gather(running.task, return_exceptions=True)
        for server in made:
            with_trouble = asyncio.wait_for(server.stop(), PATIENCE)
            await asyncio.gather(with_trouble, return_exceptions=True)


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that a test may stop."""
    server = PostgresServer()
    yield server
    server.stop()


async def sits(running: Running) -> tuple[Visitor, RummyClient]:
    visitor = await running.visitor()
    client = await visitor.rummy(f"?token={await visitor.token()}")
    await client.expect("lobby")
    return visitor, client


async def turned_away(visitor: Visitor) -> int | None:
    socket = await visitor.socket("/rummy")
    return close_code(socket, await socket.receive())


async def test_a_database_that_was_away_for_longer_than_the_patience(
    run: Run, own_postgres: PostgresServer
) -> None:
    running = await run(store=own_postgres.new_database())
    visitor, client = await sits(running)
    await asyncio.to_thread(own_postgres.halt)
    await client.send("ai", action="add")
    assert await client.closed() in (1001, 1012)
    await running.until("waiting")
    # It says so, and asks clients to come back.
    assert await turned_away(visitor) == 1012
    status, told = await visitor.call("GET", "/api/games")
    assert (status, told["error"]["code"]) == (503, "try-again")
    # The page itself needs no database, and says so to people.
    page = await visitor.get("/table/rummy/123456")
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"parlour_paused 1" in (await visitor.get("/metrics")).body
    findings = [finding async for finding in examine(visitor.base)]
    assert any("waits until it can" in finding.sentence for finding in findings)
    assert (await visitor.get("/readyz")).status == 503
    assert not running.task.done()
    await asyncio.to_thread(own_postgres.go_on)
    await running.until("open")
    assert b"parlour_paused 0" in (await visitor.get("/metrics")).body
    back = await visitor.rummy(f"?table={client.code}")
    # The bot was told of to nobody, so it is not there.
    assert len((await back.expect("lobby"))["lobby"]["players"]) == 1
    await back.send("ai", action="add")
    assert len((await back.expect("lobby"))["lobby"]["players"]) == 2


async def test_a_node_whose_tables_were_taken_over_joins_again_as_a_fresh_one(
    run: Run,
    postgres_server: PostgresServer,
    nats_server: NatsServer,
    before_postgres: Proxy,
    database: str,
) -> None:
    cut_off = await run(store=through(before_postgres, database), bus=nats_server.url, lease=1.0)
    visitor, client = await sits(cut_off)
    other = await run(store=database, bus=nats_server.url, lease=1.0)
    first = cut_off.servers[0]
    before_postgres.hold()
    await soon(lambda: len(other.servers[0].house.index) == 1)
    before_postgres.cut()
    before_postgres.let_go()
    await soon(lambda: first.lifecycle.lost)
    await cut_off.until("open")
    # At the node's own address, the table that the other node runs now.
    back = await visitor.rummy(f"?table={client.code}")
    assert (await back.expect("lobby"))["lobby"]["code"] == client.code
    assert not cut_off.task.done()


async def test_a_disk_that_was_full(run: Run) -> None:
    running = await run()
    visitor, client = await sits(running)
    store = running.servers[0].store
    assert isinstance(store, SqliteStore)
    store._db.execute("PRAGMA max_page_count = 1")
    visits = 0
    while not running.servers[0].lifecycle.lost:
        store.remember(f"{visits}", bytes(100_000))
        visits += 1
        await store.settled()
    await client.closed()
    await running.until("open")
    back = await visitor.rummy(f"?table={client.code}")
    assert (await back.expect("lobby"))["lobby"]["code"] == client.code


async def test_while_the_disk_is_full_it_waits_until_it_is_told_to_end(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = await run()
    monkeypatch.setattr("parlour.server.running.ROOM", 1 << 62)
    full = StoreTrouble("full")
    monkeypatch.setattr("parlour.server.running.is_temporary", lambda why, several_nodes: True)
    running.servers[0].lifecycle.lose(full)
    await running.until("waiting")
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(running.task, PATIENCE)


async def test_a_log_that_is_lost_for_another_reason_ends_the_process(run: Run) -> None:
    running = await run()
    running.servers[0].lifecycle.lose(ValueError("broken"))
    with pytest.raises(StoreTrouble, match="broken"):
        await asyncio.wait_for(running.task, PATIENCE)


async def test_the_first_start_does_not_wait(tmp_path: Path) -> None:
    nowhere = f"postgresql://parlour@/house?host={tmp_path}"
    with pytest.raises(StoreTrouble):
        await asyncio.wait_for(serve(Config(port=0, store=nowhere), lambda *_: None), PATIENCE)


async def test_a_server_that_is_cancelled_gives_pythons_collector_back(run: Run) -> None:
    before = list(gc.callbacks)
    running = await run()
    assert gc.callbacks != before
    running.task.cancel()
    await asyncio.gather(running.task, return_exceptions=True)
    assert gc.callbacks == before
