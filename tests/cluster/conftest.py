"""A house of several nodes: see `open_node`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest

from tests.servers import NatsServer
from tests.support import Opener, OpenHouse, Process, RummyClient, Visitor


@pytest.fixture
def open_node(open_house: Opener, database: str, nats_server: NatsServer) -> Opener:
    """`await open_node()`: one more node of the test's house."""

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
