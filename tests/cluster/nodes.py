"""A house of real nodes that fail: killed, stopped, told to end, cut off from its servers.

Every node reaches the database and NATS through proxies of its own, which can be held and cut.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random
from typing import Final, Literal, TypeAlias

import asyncpg

from tests.network import Proxy, through
from tests.servers import NatsServer, PostgresServer
from tests.support import PATIENCE, Process

LEASE: Final = 4.0
"""Seconds. On a busy machine a process may be kept waiting for longer: then it fails, too."""
FLAGS: Final = ("--lease", str(LEASE), "--log-level", "info")
KEPT: Final = 200
"""Lines of a node's log that are shown when something went wrong."""

Role: TypeAlias = Literal["both", "gateway", "owner"]
APART: Final[tuple[Role, ...]] = ("owner", "owner", "gateway", "gateway")
TOGETHER: Final[tuple[Role, ...]] = ("both", "both", "both")
"""Two ways to run a house."""

Fault: TypeAlias = Literal[
    "kill", "stop", "no database", "no bus", "database cut", "bus cut", "end", "rolling restart"
]
FAULTS: Final[tuple[Fault, ...]] = (
    "kill",
    "kill",
    "stop",
    "no database",
    "no bus",
    "database cut",
    "bus cut",
    "end",
)
"""What may happen to one node; to be killed twice as often as the rest."""


class Node:
    """One process, and its ways to the database and to the others."""

    def __init__(self, process: Process, role: Role, database: Proxy, bus: Proxy) -> None:
        self.process = process
        self.role: Role = role
        self.database = database
        self.bus = bus
        self.standing_still = False
        self.log: list[str] = []
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        """What it says, so that it need not wait until somebody does."""
        assert self.process.process.stderr is not None
        async for line in self.process.process.stderr:
            self.log.append(line.decode(errors="replace").rstrip())
            del self.log[:-KEPT]

    @property
    def base(self) -> str:
        return self.process.base

    @property
    def is_door(self) -> bool:
        return self.role != "owner"

    @property
    def runs_tables(self) -> bool:
        return self.role != "gateway"

    def send_signal(self, which: signal.Signals) -> None:
        self.process.process.send_signal(which)

    async def ended(self) -> int:
        """Its exit code, once it has ended."""
        async with asyncio.timeout(2 * PATIENCE):
            code = await self.process.process.wait()
            await self._reading
        return code

    async def remove(self) -> None:
        with suppress(ProcessLookupError):
            self.process.process.kill()
        await self.ended()
        await self.database.stop()
        await self.bus.stop()


class Nodes:
    """The nodes of one house."""

    def __init__(
        self,
        serve: Callable[..., Awaitable[Process]],
        database: str,
        postgres: PostgresServer,
        nats: NatsServer,
    ) -> None:
        self._serve = serve
        self.store = database
        self._socket = postgres.socket
        self._nats = nats.url
        self.all: list[Node] = []
        self.happened: list[str] = []
        """Every fault so far."""

    async def open(self, roles: tuple[Role, ...]) -> None:
        self.all = list(await asyncio.gather(*(self._node(role) for role in roles)))

    async def _node(self, role: Role) -> Node:
        host, _, port = self._nats.removeprefix("nats://").partition(":")
        database, bus = Proxy(self._socket), Proxy((host, int(port)))
        await database.start()
        await bus.start()
        store = through(database, self.store)
        flags = ("--store", store, "--bus", f"nats://127.0.0.1:{bus.port}", "--role", role)
        return Node(await self._serve(*flags, *FLAGS), role, database, bus)

    async def close(self) -> None:
        await asyncio.gather(*(node.remove() for node in self.all))

    @property
    def doors(self) -> list[Node]:
        """Where people may come in: any that a proxy in front of them would take for well."""
        return [node for node in self.all if node.is_door and not node.standing_still]

    # -- faults -----------------------------------------------------------------------

    async def fail(self, rng: Random) -> None:
        """Let one node fail in one way, now and then another one at the same time."""
        victims = rng.sample(self.all, 2 if rng.random() < 0.15 else 1)
        await asyncio.gather(*(self.fault(node, rng.choice(FAULTS), rng) for node in victims))

    async def fault(self, node: Node, how: Fault, rng: Random) -> None:
        self.happened.append(f"{how} ({node.role})")
        match how:
            case "kill":
                node.send_signal(signal.SIGKILL)
                await self._replace(node)
            case "stop":
                node.standing_still = True
                node.send_signal(signal.SIGSTOP)
                await asyncio.sleep(LEASE + 2)
                node.send_signal(signal.SIGCONT)
                await self._goes_on(node)
            case "no database":
                node.database.hold()
                await asyncio.sleep(LEASE + 2)
                node.database.cut()
                node.database.let_go()
                await self._goes_on(node)
            case "no bus":
                node.bus.hold()
                await asyncio.sleep(rng.uniform(0.2, 2))
                # What was on its way is lost.
                node.bus.cut()
                node.bus.let_go()
            case "database cut":
                node.database.cut()
            case "bus cut":
                node.bus.cut()
            case "end":
                node.send_signal(signal.SIGTERM)
                await self._replace(node, 0)
            case "rolling restart":
                for each in list(self.all):
                    each.send_signal(signal.SIGTERM)
                    await self._replace(each, 0)

    async def kill_in_turn(self, rng: Random) -> None:
        """Kill a node that runs tables, and the next one at the moment at which it takes over."""
        first, second = rng.sample([node for node in self.all if node.runs_tables], 2)
        connection = await asyncpg.connect(self.store)
        try:
            epochs = "SELECT coalesce(sum(epoch), 0) FROM owners"
            before = await connection.fetchval(epochs)
            self.happened.append(f"kill ({first.role}), and the next one")
            first.send_signal(signal.SIGKILL)
            # Unless it ran none.
            with suppress(TimeoutError):
                async with asyncio.timeout(2 * LEASE):
                    while await connection.fetchval(epochs) == before:  # noqa: ASYNC110
                        await asyncio.sleep(0.005)
        finally:
            await connection.close()
        await asyncio.sleep(rng.uniform(0, 0.5))
        second.send_signal(signal.SIGKILL)
        await asyncio.gather(self._replace(first), self._replace(second))

    async def lose_database(self, rng: Random) -> None:
        """The database is away for all of them, and back for one after the other. All go on."""
        self.happened.append("no database (all)")
        for node in self.all:
            node.database.hold()
        await asyncio.sleep(LEASE + 2)
        for node in rng.sample(self.all, len(self.all)):
            node.database.cut()
            node.database.let_go()
            await asyncio.sleep(rng.uniform(0, 0.5))
        await asyncio.sleep(2 * LEASE)
        for node in self.all:
            assert node.process.process.returncode is None, node.log[-20:]

    async def _goes_on(self, node: Node) -> None:
        """Where it was, if nobody was there to take over; else as a new node, by itself."""
        node.standing_still = False
        await asyncio.sleep(2 * LEASE)
        assert node.process.process.returncode is None, node.log[-20:]
        if not any("has taken over" in line for line in node.log):
            self.happened[-1] += ", which nobody took over from"

    async def _replace(self, node: Node, code: int | None = None) -> None:
        """A supervisor starts another once this one has ended."""
        ended = await node.ended()
        assert code is None or ended == code, (ended, node.log[-20:])
        self.all.remove(node)
        await node.remove()
        self.all.append(await self._node(node.role))

    def show(self) -> None:
        """What all nodes had to say, where something went wrong."""
        print("faults:", self.happened)
        for node in self.all:
            print("-----", node.role, node.base, *node.log, sep="\n")
