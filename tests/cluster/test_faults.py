"""Nodes fail in every way, again and again, while people play; what they were told is checked.

Two gateways hold the connections; two owners run the tables, and are killed, stopped and cut off by
a seed's choice. Per table everybody must have been told the same, in the same order, once; and that
is what the record has.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from random import Random

import aiohttp
import asyncpg
import pytest

from parlour.table import inputs as do
from tests.network import Proxy
from tests.servers import NatsServer, PostgresServer
from tests.support import Process, RummyClient, Visitor

LEASE = 4.0
"""Seconds. On a busy machine a process may be kept waiting for two."""
TABLES = 3
NODE = ("--lease", str(LEASE), "--log-level", "warning")


class Owner:
    """A node that runs tables, and its ways to the database and to the others."""

    def __init__(self, process: Process, database: Proxy, bus: Proxy) -> None:
        self.process = process
        self.database = database
        self.bus = bus

    async def end(self) -> None:
        if self.process.process.returncode is None:
            await self.process.kill()
        await self.database.stop()
        await self.bus.stop()


class House:
    """The nodes of one test."""

    def __init__(
        self, serve: Callable[..., Awaitable[Process]], store: str, socket: str, bus: str
    ) -> None:
        self._serve = serve
        self.store = store
        self._socket = socket
        self._bus = bus
        self.gateways: list[Process] = []
        self.owners: list[Owner] = []

    async def open(self) -> None:
        self.owners = [await self.owner() for _ in range(2)]
        for _ in range(2):
            flags = ("--store", self.store, "--bus", self._bus, "--role", "gateway")
            self.gateways.append(await self._serve(*flags, *NODE))

    async def owner(self) -> Owner:
        host, _, port = self._bus.removeprefix("nats://").partition(":")
        database, bus = Proxy(self._socket), Proxy((host, int(port)))
        await database.start()
        await bus.start()
        name = self.store.partition("?")[0].rpartition("/")[2]
        store = f"postgresql://parlour@127.0.0.1:{database.port}/{name}?sslmode=disable"
        flags = ("--store", store, "--bus", f"nats://127.0.0.1:{bus.port}", "--role", "owner")
        return Owner(await self._serve(*flags, *NODE), database, bus)

    async def fail(self, rng: Random) -> str:
        """Let one owner fail in one way; gives which."""
        victim = rng.choice(self.owners)
        how = rng.choice(["kill", "stop", "no database", "no bus", "database cut", "bus cut"])
        match how:
            case "kill":
                await victim.process.kill()
            case "stop":
                victim.process.process.send_signal(signal.SIGSTOP)
                await asyncio.sleep(LEASE + 2)
                victim.process.process.send_signal(signal.SIGCONT)
            case "no database":
                victim.database.hold()
                await asyncio.sleep(LEASE + 2)
                victim.database.cut()
                victim.database.let_go()
            case "no bus":
                victim.bus.hold()
                await asyncio.sleep(rng.uniform(0.2, 2))
                victim.bus.let_go()
            case "database cut":
                victim.database.cut()
            case "bus cut":
                victim.bus.cut()
        if how in ("kill", "stop", "no database"):
            # It is deposed, and a supervisor starts another.
            await victim.process.ended()
            await victim.end()
            self.owners.remove(victim)
            self.owners.append(await self.owner())
        return how

    async def tell_all(self, happened: list[str]) -> None:
        """What all nodes had to say, where something went wrong."""
        print(happened)
        for process in (*self.gateways, *(owner.process for owner in self.owners)):
            process.process.kill()
            print("-----", (await process.ended())[1][-3000:])

    async def close(self) -> None:
        for owner in self.owners:
            await owner.end()


@pytest.fixture
async def house(
    serve: Callable[..., Awaitable[Process]],
    database: str,
    postgres_server: PostgresServer,
    nats_server: NatsServer,
) -> AsyncIterator[House]:
    opened = House(serve, database, postgres_server.socket, nats_server.url)
    await opened.open()
    yield opened
    await opened.close()


class Evening:
    """Two people at one table, each at another door, round after round."""

    def __init__(self, clients: list[RummyClient]) -> None:
        self.clients = clients
        self.code = clients[0].code
        self.rounds = 0
        self.over = False

    async def play(self) -> None:
        while not self.over:
            await self.clients[0].send("start")
            await asyncio.gather(*(client.play_round() for client in self.clients))
            self.rounds += 1

    def discards(self) -> list[list[str]]:
        """What each was told of cards that players laid down, in order."""
        return [_discards(client) for client in self.clients]


def _discards(client: RummyClient) -> list[str]:
    laid: list[str] = []
    turned_up = False
    for event in client.heard:
        if event["type"] in ("start", "redeck"):
            turned_up = False
        elif event["type"] == "move" and event["destination"]["type"] == "discard":
            # The first one of a deck is turned up, and laid down by nobody.
            if turned_up:
                laid += [card["id"] for card in event["cards"]]
            turned_up = True
    return laid


async def seated(house: House, until_end: AsyncExitStack) -> Evening:
    clients: list[RummyClient] = []
    for gateway in house.gateways:
        http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        await until_end.enter_async_context(http)
        client = await Visitor(gateway.base, http).rummy()
        await client.expect("lobby")
        if clients:
            await client.send("join", code=clients[0].code)
        clients.append(client)
    for client in clients:
        while client.code != clients[0].code or len(client.lobby["players"]) < 2:
            await client.expect("lobby")
    return Evening(clients)


async def check(house: House, evening: Evening) -> None:
    """Everybody was told the same, once, and it is what the record has."""
    first, second = evening.discards()
    assert first == second
    connection = await asyncpg.connect(house.store)
    rows = await connection.fetch(
        'SELECT data FROM entries WHERE "table" = (SELECT no FROM tables WHERE code = $1) '
        "ORDER BY seq",
        evening.code,
    )
    await connection.close()
    acts = [put for row in rows if isinstance(put := do.decode(row[0]), do.Act)]
    kept = [put.action[1] for put in acts if put.action[0] == "Discard"]
    assert first == kept


async def through(house: House, seed: int, faults: int) -> None:
    rng = Random(seed)
    async with AsyncExitStack() as until_end:
        evenings = [await seated(house, until_end) for _ in range(TABLES)]
        playing = [asyncio.create_task(evening.play()) for evening in evenings]
        happened: list[str] = []
        for _ in range(faults):
            await asyncio.sleep(rng.uniform(0.1, 1.0))
            happened.append(await house.fail(rng))
        for evening in evenings:
            evening.over = True
        try:
            async with asyncio.timeout(120):
                await asyncio.gather(*playing)
        except BaseException:
            await house.tell_all(happened)
            raise
        for evening in evenings:
            assert evening.rounds, happened
            await check(house, evening)


@pytest.mark.timeout(300)
async def test_nothing_is_lost_undone_or_told_twice_whatever_fails(house: House) -> None:
    await through(house, seed=1, faults=4)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
async def test_two_hundred_faults(house: House, seed: int) -> None:
    await through(house, seed=100 + seed, faults=20)
