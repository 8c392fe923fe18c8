"""A house of several nodes: see `open_node`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.network import Proxy
from tests.servers import NatsServer
from tests.support import Opener, OpenHouse


@pytest.fixture
def open_node(open_house: Opener, database: str, nats_server: NatsServer) -> Opener:
    """`await open_node()`: one more node of the test's house."""

    async def opened(**settings: Any) -> OpenHouse:
        # A machine that stands still for a moment deposes nobody.
        usual = {"store": database, "bus": nats_server.url, "lease": 30.0}
        return await open_house(**{**usual, **settings})

    return opened


@pytest.fixture
async def before_nats(nats_server: NatsServer) -> AsyncIterator[Proxy]:
    """A proxy through which a node may speak to NATS."""
    host, _, port = nats_server.url.removeprefix("nats://").partition(":")
    proxy = Proxy((host, int(port)))
    await proxy.start()
    yield proxy
    await proxy.stop()
