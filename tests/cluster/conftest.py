"""A house of several nodes: see `open_node`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import asyncpg
import pytest

from parlour.bus.operations import BETWEEN_NODES
from tests.servers import NatsServer
from tests.support import PATIENCE, Opener, OpenHouse, Process, RummyClient, Visitor

PATIENT = (
    "parlour.bus.lookup.PATIENCE",
    "parlour.house.live.COME_ALONG",
    "parlour.relay.nodes.PATIENCE",
    "parlour.server.cluster_node.ONE_STEP",
)
"""For how many seconds a node waits for others that live."""
MORTAL = ("--node", "mortal", "--lease", "12")
"""Flags of a node that fails in a test. A busy machine has kept a process waiting for five
seconds, which is no failure."""


async def end_lease(database: str) -> None:
    """Let the lease of a killed node (`MORTAL`) end now, because nobody needs to wait for it."""
    connection = await asyncpg.connect(database)
    ended = "UPDATE nodes SET expires = clock_timestamp() WHERE name = 'mortal'"
    assert await connection.execute(ended) == "UPDATE 1"
    await connection.close()


@pytest.fixture
def open_node(
    open_house: Opener, database: str, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> Opener:
    """`await open_node()`: one more node of the test's house. It waits for other nodes for as
    long as they exist."""
    for operation in BETWEEN_NODES.values():
        monkeypatch.setattr(operation, "patience", max(operation.patience, PATIENCE))
    for name in PATIENT:
        monkeypatch.setattr(name, PATIENCE)

    async def opened(**settings: Any) -> OpenHouse:
        # A machine that stands still for a moment deposes nobody.
        usual = {"store": database, "bus": nats_server.url, "lease": 30.0}
        return await open_house(**{**usual, **settings})

    return opened


@pytest.fixture
async def guest() -> AsyncIterator[Callable[[Process], Awaitable[RummyClient]]]:
    """`await guest(process)`: a newcomer to Super Rummy, in a lobby of its own."""
    async with AsyncExitStack() as until_end:

        async def comes(process: Process) -> RummyClient:
            http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
            await until_end.enter_async_context(http)
            client = await Visitor(process.base, http).rummy()
            await client.expect("lobby")
            return client

        yield comes
