"""Nodes that are told to end while what they need is out of reach: they tell, and end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from tests.network import Proxy, through
from tests.servers import NatsServer
from tests.support import Process, Visitor

Serve = Callable[..., Awaitable[Process]]


@pytest.mark.parametrize(
    ("company", "before"),
    [(False, 4.0), (True, 0.0)],
    ids=["alone, when its lease has ended", "in company, before that"],
)
async def test_a_node_without_its_database_ends_when_it_is_told_to(
    serve: Serve,
    database: str,
    before_postgres: Proxy,
    nats_server: NatsServer,
    company: bool,
    before: float,
) -> None:
    bus = ("--bus", nats_server.url) if company else ()
    node = await serve("--store", through(before_postgres, database), "--lease", "2", *bus)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        visitor = Visitor(node.base, http)
        token = await visitor.token()
        guest = await visitor.rummy(f"?token={token}")
        await guest.expect("lobby")
        before_postgres.hold()
        await asyncio.sleep(before)
        node.process.send_signal(signal.SIGTERM)
        (_, complaints), code = await asyncio.gather(node.ended(), guest.closed())
        assert code == 1001
        assert "Traceback" not in complaints
        # Nothing is lost: who comes back finds the table.
        again = Visitor((await serve("--store", database)).base, http)
        back = await again.rummy(f"?token={token}&table={guest.code}")
        assert (await back.expect("lobby"))["lobby"]["code"] == guest.code
