"""Nodes that are killed, stopped and cut off: their tables go on elsewhere, and nothing is lost."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress

import aiohttp
import pytest

from tests.cluster.conftest import MORTAL, end_lease
from tests.network import Proxy, through
from tests.servers import NatsServer
from tests.support import PATIENCE, Event, Process, RummyClient, Visitor

Serve = Callable[..., Awaitable[Process]]


@pytest.fixture
async def node(serve: Serve, database: str, nats_server: NatsServer) -> Serve:
    """`await node()`: one more node of the test's house, a process of its own."""

    async def served(*flags: str, store: str = database, bus: str = nats_server.url) -> Process:
        return await serve("--store", store, "--bus", bus, "--lease", "30", *flags)

    return served


@pytest.fixture
async def guest() -> AsyncIterator[Callable[..., Awaitable[RummyClient]]]:
    """`await guest(process)`: a newcomer to Super Rummy, in a lobby of its own."""
    async with AsyncExitStack() as until_end:

        async def comes(process: Process, query: str = "") -> RummyClient:
            http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
            await until_end.enter_async_context(http)
            client = await Visitor(process.base, http).rummy(query)
            await client.expect("lobby")
            return client

        yield comes


Guest = Callable[..., Awaitable[RummyClient]]


async def seated(guest: Guest, owner: Process, *gateways: Process) -> list[RummyClient]:
    """Guests at the gateways' doors, at a table that the owner runs."""
    opener = await guest(owner)
    here = []
    for gateway in gateways:
        client = await guest(gateway)
        await client.send("join", code=opener.code)
        here.append(client)
    for client in here:
        while client.code != opener.code or len(client.lobby["players"]) < 1 + len(here):
            await client.expect("lobby")
    await opener.close()
    for client in here:
        await client.until("lobby")
    return here


def moves(client: RummyClient) -> list[Event]:
    """What it was told of cards, without the faces that only some may see."""
    return [
        {"to": event["destination"]["type"], "cards": [card["id"] for card in event["cards"]]}
        for event in client.heard
        if event["type"] == "move"
    ]


async def play_round(clients: list[RummyClient]) -> None:
    async with asyncio.timeout(3 * PATIENCE):
        await asyncio.gather(*(client.play_round() for client in clients))
    assert moves(clients[0]) == moves(clients[1])
    dealt = [card for move in moves(clients[0]) if move["to"] == "player" for card in move["cards"]]
    assert dealt


@pytest.mark.parametrize("after", [0, 20])
async def test_the_tables_of_a_killed_node_go_on(
    node: Serve, guest: Guest, database: str, after: int
) -> None:
    first, second, owner = await node(), await node(), await node(*MORTAL)
    clients = await seated(guest, owner, first, second)
    await clients[0].send("start")
    playing = asyncio.create_task(play_round(clients))
    await clients[0].in_the_middle(after)
    await owner.kill()
    await end_lease(database)
    await playing


async def watcher(guest: Guest, owner: Process, code: str) -> RummyClient:
    """Somebody at the owner's own door, who hears whatever it says."""
    client = await guest(owner, f"?watch={code}")
    return client


async def began_anew_without_a_lie(
    owner: Process, watcher: RummyClient, truth: RummyClient, guest: Guest
) -> None:
    """The node finds itself deposed and joins again; what it told is a beginning of what
    happened."""
    await watcher.closed()
    told = moves(watcher)
    assert told == moves(truth)[: len(told)]
    await is_ready(owner)
    assert await guest(owner)
    owner.process.terminate()
    code, complaints = await owner.ended()
    assert code == 0, complaints
    assert "taken over" in complaints


async def is_ready(node: Process) -> None:
    """Return once it takes newcomers."""
    async with asyncio.timeout(PATIENCE), aiohttp.ClientSession() as http:
        status = 0
        while status != 200:
            with suppress(aiohttp.ClientConnectionError):
                async with http.get(f"{node.base}/readyz") as answer:
                    status = answer.status


async def test_a_node_that_stood_still_finds_its_tables_elsewhere(
    node: Serve, guest: Guest
) -> None:
    first, second, owner = await node(), await node(), await node(*MORTAL)
    clients = await seated(guest, owner, first, second)
    watching = await watcher(guest, owner, clients[0].code)
    await clients[0].send("start")
    playing = asyncio.create_task(play_round(clients))
    await clients[0].in_the_middle()
    owner.process.send_signal(signal.SIGSTOP)
    await playing
    owner.process.send_signal(signal.SIGCONT)
    await began_anew_without_a_lie(owner, watching, clients[0], guest)


async def test_a_node_without_the_database_says_nothing_and_begins_anew(
    node: Serve, guest: Guest, database: str, before_postgres: Proxy
) -> None:
    first, second = await node(), await node()
    owner = await node(*MORTAL, store=through(before_postgres, database))
    clients = await seated(guest, owner, first, second)
    watching = await watcher(guest, owner, clients[0].code)
    await clients[0].send("start")
    playing = asyncio.create_task(play_round(clients))
    await clients[0].in_the_middle()
    before_postgres.hold()
    await playing
    before_postgres.cut()
    before_postgres.let_go()
    await began_anew_without_a_lie(owner, watching, clients[0], guest)


@pytest.mark.parametrize("how", ["held", "cut"])
async def test_what_the_network_loses_between_nodes_is_sent_again(
    node: Serve, guest: Guest, before_nats: Proxy, how: str
) -> None:
    owner, first = await node(), await node()
    second = await node(bus=f"nats://{before_nats.address}")
    clients = await seated(guest, owner, first, second)
    await clients[0].send("start")
    playing = asyncio.create_task(play_round(clients))
    for number in (1, 2, 3):
        await clients[0].in_the_middle(10 * number)
        if how == "held":
            before_nats.hold()
            await asyncio.sleep(0.6)
            before_nats.let_go()
        else:
            before_nats.cut()
    await playing


async def test_who_comes_back_to_another_node_finds_the_table(
    node: Serve, guest: Guest, database: str
) -> None:
    """The node that held the connection and ran the table is killed, both at once."""
    other, owner = await node(), await node(*MORTAL)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        visitor = Visitor(owner.base, http)
        token = await visitor.token()
        host = await visitor.rummy(f"?token={token}")
        code = (await host.expect("lobby"))["lobby"]["code"]
        await owner.kill()
        await end_lease(database)
        await host.closed()
        back = await Visitor(other.base, http).rummy(f"?token={token}&table={code}")
        lobby = await back.expect("lobby")
        assert lobby["lobby"]["code"] == code
        assert len(lobby["lobby"]["players"]) == 1
