"""Fixtures for tests that need a running server; their types are in `tests.support`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import pytest

from parlour.server import accounts
from parlour.server.config import Config
from parlour.server.limits import RateLimiter
from parlour.server.server import Server
from parlour.store import StoreTrouble
from tests.network import Proxy
from tests.servers import NatsServer, PostgresServer
from tests.support import UNHURRIED, Opener, OpenHouse, Process, Visitor, release_sockets, wake_all

OPENING = {"open_house", "serve", "postgres_server", "nats_server"}
"""The fixtures that start a server."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that start a server are `slow`; others are if they are marked so. They have longer than
    others before they are ended, because a busy machine stops each of their processes."""
    for item in items:
        if isinstance(item, pytest.Function) and OPENING.intersection(item.fixturenames):
            item.add_marker("slow")
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(300))


@pytest.fixture
def same_cards(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every run, a test's servers deal the same cards and its bots draw the same random numbers.

    `TEST_SEED=anything` selects others, as `make soak` does.
    """
    chance = Random(f"{os.environ.get('TEST_SEED', '')} {request.node.nodeid}")
    monkeypatch.setattr("parlour.house.opening.new_seed", lambda: f"{chance.getrandbits(256):064x}")
    monkeypatch.setattr("parlour.house.bots.SystemRandom", lambda: chance)


@pytest.fixture(autouse=True)
def sockets_go() -> Iterator[None]:
    yield
    release_sockets()


@pytest.fixture
async def open_house(tmp_path: Path, same_cards: None) -> AsyncIterator[Opener]:
    """`await open_house(setting=value, ...)`: a real server with its log in a folder of its own.

    Each further call starts another server, by default on the same data. There are no rate limits
    unless the settings give some.
    """
    async with AsyncExitStack() as until_end:

        async def opened(**settings: Any) -> OpenHouse:
            here = {"host": "127.0.0.1", "port": 0, "data": str(tmp_path / "data")}
            server = Server(Config(**{**here, **UNHURRIED, "bot_pace": 0, **settings}))
            await server.start()
            until_end.push_async_callback(_shut, server)
            await wake_all(server.house)
            return OpenHouse(server, until_end)

        yield opened


@pytest.fixture
async def house(open_house: Opener) -> OpenHouse:
    """A server without rate limits, whose bots act at once."""
    return await open_house()


@pytest.fixture
async def limited_house(open_house: Opener) -> OpenHouse:
    """A server with the default limits, where nobody earns another request during a test."""
    usual = Config()
    bursts = {limit: getattr(usual, limit) for limit in UNHURRIED if limit.endswith("_burst")}
    return await open_house(**dict.fromkeys(UNHURRIED, 0.0001) | bursts)


@pytest.fixture
def no_more_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """At servers that are opened from here on, nobody earns another attempt to sign in."""
    monkeypatch.setattr(accounts, "RateLimiter", lambda rate, burst: RateLimiter(0.0, burst))


async def _shut(server: Server) -> None:
    with suppress(StoreTrouble):  # a log that a test has made fail
        await server.stop()


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Process]]]:
    """`await serve(...)`: a server as a process of its own; it is killed after the test."""
    begun: list[Process] = []

    async def served(*flags: str, **options: Any) -> Process:
        begun.append(await Process.serve(tmp_path / "data", *flags, **options))
        return begun[-1]

    yield served
    for process in begun:
        if process.process.returncode is None:
            await process.kill()


@pytest.fixture
async def guests() -> AsyncIterator[Callable[[Process], Awaitable[Visitor]]]:
    """`await guests(process)`: a new visitor of that process's server."""
    async with AsyncExitStack() as until_end:

        async def comes(process: Process) -> Visitor:
            http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
            await until_end.enter_async_context(http)
            return Visitor(process.base, http)

        yield comes


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL for this test run."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def nats_server() -> Iterator[NatsServer]:
    """A NATS for this test run."""
    server = NatsServer()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def databases_go(request: pytest.FixtureRequest) -> Iterator[None]:
    """Drops a test's databases after it. Dropping all at the end of a run would take minutes."""
    yield
    if "postgres_server" in request.fixturenames:
        request.getfixturevalue("postgres_server").drop_databases()


@pytest.fixture
def database(postgres_server: PostgresServer) -> str:
    """The URL of a new database for the test."""
    return postgres_server.new_database()


@pytest.fixture
async def before_postgres(postgres_server: PostgresServer) -> AsyncIterator[Proxy]:
    """A proxy between a node and PostgreSQL (`tests.network.through`)."""
    proxy = Proxy(postgres_server.socket)
    await proxy.start()
    yield proxy
    await proxy.stop()


@pytest.fixture
async def before_nats(nats_server: NatsServer) -> AsyncIterator[Proxy]:
    """A proxy between a node and NATS."""
    host, _, port = nats_server.url.removeprefix("nats://").partition(":")
    proxy = Proxy((host, int(port)))
    await proxy.start()
    yield proxy
    await proxy.stop()
