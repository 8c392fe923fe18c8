"""A house of several nodes: see `open_node`."""

from __future__ import annotations

from typing import Any

import pytest

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
