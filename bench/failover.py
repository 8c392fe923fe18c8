"""How long a table stands still after its owner is killed, with the default lease and little load.

There are two owners and a gateway, with a real PostgreSQL and a real NATS. Two players at the
gateway play at one table. Its owner is killed (SIGKILL) at a random moment, and the player whose
turn it is moves at once. The time is taken until that player gets an answer. Then another owner
replaces the killed one.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import time
from contextlib import AsyncExitStack, ExitStack
from statistics import median

import aiohttp
import asyncpg
from rich.console import Console

from bench.report import Run
from bench.run import LIFTED, SERVE, free_port
from parlour.store.lease import LEASE
from tests.servers import NatsServer, PostgresServer
from tests.support import RummyClient, Visitor

KILLS = 20
BAR = 3.0
"""Seconds within which another node must run the table."""
STARTING = 60.0
APART = 1.5
"""Seconds between two kills, plus a random second: at any moment between two lease renewals."""


class Report(Run, kw_only=True):
    lease: float
    seconds: list[float]
    """One for each kill, the shortest first."""


class Node:
    """One process of the house."""

    def __init__(self, store: str, bus: str, role: str, until_end: ExitStack) -> None:
        self.port = free_port()
        flags = ["--store", store, "--bus", bus, "--role", role]
        self.process = subprocess.Popen(
            [*SERVE, "--port", str(self.port), *flags],
            env={**os.environ, **LIFTED},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until_end.callback(self.kill)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    async def ready(self, http: aiohttp.ClientSession) -> None:
        async with asyncio.timeout(STARTING):
            while True:
                try:
                    async with http.get(f"http://127.0.0.1:{self.port}/readyz") as answer:
                        if answer.status == 200:
                            return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.05)


class House:
    """A gateway, two owners, and the database that says which of them runs a table."""

    def __init__(self, store: str, bus: str, until_end: ExitStack) -> None:
        self._made = (store, bus)
        self._until_end = until_end
        self.owners: dict[int, Node] = {}
        """By number among all nodes that ever were."""

    async def open(self, until_end: AsyncExitStack) -> None:
        self.http = await until_end.enter_async_context(aiohttp.ClientSession())
        self.gateway = Node(*self._made, "gateway", self._until_end)
        await self.gateway.ready(self.http)
        self.record = await asyncpg.connect(self._made[0])
        until_end.push_async_callback(self.record.close)
        for _ in range(2):
            await self.start_owner()

    async def start_owner(self) -> None:
        owner = Node(*self._made, "owner", self._until_end)
        await owner.ready(self.http)
        number = await self.record.fetchval("SELECT max(no) FROM nodes")
        self.owners[number] = owner

    async def kill_owner_of(self, code: str) -> float:
        """The moment at which the table's node was killed."""
        number = await self.record.fetchval(
            'SELECT node FROM owners JOIN tables ON no = "table" WHERE code = $1', code
        )
        owner = self.owners.pop(number)
        moment = time.perf_counter()
        owner.kill()
        return moment


async def seated(house: House, until_end: AsyncExitStack) -> list[RummyClient]:
    """Two guests at one table."""
    clients: list[RummyClient] = []
    for _ in range(2):
        http = await until_end.enter_async_context(aiohttp.ClientSession())
        client = await Visitor(f"http://127.0.0.1:{house.gateway.port}", http).rummy()
        await client.expect("lobby")
        if clients:
            await client.send("join", code=clients[0].code)
        clients.append(client)
    for client in clients:
        while client.code != clients[0].code or len(client.lobby["players"]) < 2:
            await client.expect("lobby")
    return clients


async def until_told(clients: list[RummyClient], kill: float) -> float:
    """The player whose turn it is moves; gives the seconds from the kill to the answer."""
    mover = next((c for c in clients if c.turn and c.turn[0] == c.me), clients[0])
    if mover.turn is None:
        await mover.send("start")
    elif mover.turn[1] == "draw":
        top = mover.deck[-1] if mover.deck else mover.discards[-1]["id"]
        await mover.send("draw", card_id=top)
    else:
        await mover.send("discard", card_id=mover.hand[0]["id"])
    event = await mover.event()
    told = time.perf_counter() - kill
    assert event["type"] != "error", event
    for client in clients:
        # A refusal comes after everything sent before it.
        await client.fence()
    return told


async def measure(kills: int, say: Console) -> list[float]:
    found: list[float] = []
    async with AsyncExitStack() as until_end:
        with ExitStack() as processes:
            postgres, nats = PostgresServer("fsync=on"), NatsServer()
            processes.callback(postgres.stop)
            processes.callback(nats.stop)
            house = House(postgres.new_database(), nats.url, processes)
            await house.open(until_end)
            clients = await seated(house, until_end)
            for number in range(kills):
                with say.status(f"an owner is killed, {number + 1} of {kills}"):
                    await asyncio.sleep(APART + random.random())
                    kill = await house.kill_owner_of(clients[0].code)
                    found.append(await until_told(clients, kill))
                    await house.start_owner()
    return sorted(found)


def main(kills: int = KILLS) -> int:
    """Measure, show and store; fails if a table stood still for longer than the bar."""
    say = Console(highlight=False)
    found = asyncio.run(measure(kills, say))
    report = Report(lease=LEASE, seconds=found)
    say.print(
        f"From kill -9 of a table's owner to the next event told at a gateway, {kills} times, with "
        f"a lease of {LEASE:g} s: median {median(found):.2f} s, worst {found[-1]:.2f} s. "
        f"{report.machine}"
    )
    report.keep("failover", say)
    return 0 if found[-1] < BAR else 1
