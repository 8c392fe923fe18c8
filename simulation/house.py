"""The simulated house: machines that run the real server, and what is around them."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import asyncpg

from parlour.house import workers
from parlour.server import cluster_node, gateway
from parlour.server import server as server_module
from parlour.server.config import Config
from parlour.server.ports import CannotStart
from parlour.server.server import Server
from parlour.store import StoreTrouble
from parlour.store.postgres_reading import PostgresReader
from simulation.checker import Violation
from simulation.disk import Disk, SimulatedSqlite
from simulation.loop import SimulatedLoop
from simulation.machine import HERE, Machine, here
from simulation.nats import SimulatedCarrier, SimulatedNats
from simulation.network import Network
from simulation.postgres import SimulatedPostgres, SimulatedStore

log = logging.getLogger("simulation")


@dataclass(eq=False)
class Door:
    """Where people connect to a machine."""

    address: tuple[str, int]
    standing_still: bool = False

    @property
    def base(self) -> str:
        return f"http://{self.address[0]}:{self.address[1]}"


OUTAGES: Final = frozenset(
    (
        "the log can no longer be written: the house closes (%s)",
        "the database is away, and the log waits: %s",
        "the lease can't be renewed: %s",
        "node %d confirms nothing: the link to it begins anew",
    )
)
"""Errors that a server reports when something around it fails. Any other one is a defect."""


class Reports(logging.Handler):
    """Hears what servers report as an error."""

    def __init__(self, failed: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._failed = failed

    def emit(self, record: logging.LogRecord) -> None:
        wrong = record.exc_info[1] if record.exc_info else None
        if record.msg not in OUTAGES and not isinstance(wrong, StoreTrouble):
            why = "" if wrong is None else f" ({type(wrong).__name__}: {wrong})"
            machine = HERE.get()
            who = "a client" if machine is None else machine.name
            self._failed(f"{who} reports: {record.getMessage()}{why}")


class InlineWorker:
    """In place of a worker process: it answers after a while, in the event loop."""

    def __init__(self, free: Callable[[Any], None], gone: Callable[[Any], None]) -> None:
        self._free = free
        self._loop = asyncio.get_running_loop()

    def call(self, call: Any, within: float, answered: Callable[[bool, Any], None]) -> None:
        self._loop.call_later(here().rng.uniform(0.01, 0.3), self._answer, call, answered)

    def _answer(self, call: Any, answered: Callable[[bool, Any], None]) -> None:
        function, args = call
        try:
            ok, answer = True, function(*args)
        except Exception as wrong:
            ok, answer = False, wrong
        answered(ok, answer)
        self._free(self)

    def kill(self) -> None:
        return None


class Node:
    """One place in the house, with a process that may end and be started again."""

    def __init__(self, house: House, number: int, config: dict[str, Any]) -> None:
        self.house = house
        self.name = f"node {number}"
        # One host for all, as behind a proxy: their cookies are the same.
        self.door = Door(("10.0.0.1", 3000 + number))
        self._config = config
        self._lives = 0
        self.machine: Machine | None = None
        self.server: Server | None = None
        self.ready = False
        self._task: asyncio.Task[None] | None = None
        self.disk: Disk | None = None
        self.restarts = True
        """Whether a process that has ended is started again."""
        self.graveyard: list[Any] = []
        """Tasks of dead processes: they never go on, and must not be cleaned up either."""

    def start(self) -> None:
        if self.alive:
            return
        self._lives += 1
        rng = Random(self.house.rng.getrandbits(64))
        self.machine = Machine(
            f"{self.name}, life {self._lives}", self.name, rng, self.house.loop.time
        )
        self.ready = False
        self._task = self.house.loop.create_task(self._run(), context=self.machine.context)

    async def _run(self) -> None:
        config = dict(self._config)
        if self.disk is not None:
            config["data"] = str(self.disk.folder)
        host, port = self.door.address
        try:
            self.server = Server(Config(host=host, port=port, **config))
            await self.server.run(self._started)
        except Exception as wrong:
            log.info("%s ended", self.name, exc_info=wrong)
            # On a full disk a start ends when it has written something.
            lost = self.server is not None and self.server.lifecycle.lost
            if not lost and not isinstance(wrong, StoreTrouble | CannotStart | OSError):
                # No fault does this. Without an end, the process would be started again and again.
                failed = Violation(f"{self.name} failed: {type(wrong).__name__}: {wrong}")
                self.house.loop.call_exception_handler({"message": "", "exception": failed})
            self.house.ended(self, wrong)
        else:
            self.house.ended(self, None)

    def _started(self, server: Server, found: int) -> None:
        self.ready = True

    @property
    def alive(self) -> bool:
        return self.machine is not None and not self.machine.dead

    def terminate(self) -> None:
        """SIGTERM."""
        assert self.machine is not None
        callback, args = self.machine.signals.get(signal.SIGTERM, (lambda: None, ()))
        self.house.loop.call_soon(callback, *args, context=self.machine.context)

    def crash(self, *, silently: bool) -> str:
        """The process ends at once, or (`silently`) the machine, so that nobody is told. Says what
        became of its disk."""
        self._kill(silently=silently)
        return "" if self.disk is None else self.disk.crash()

    def _kill(self, *, silently: bool) -> None:
        machine = self.machine
        assert machine is not None
        self.graveyard += machine.tasks
        self.graveyard.append(self.server)
        machine.dead = True
        self.ready = False
        self.house.network.died(machine, silently=silently)
        if self.house.database is not None:
            self.house.database.died(machine)


class House:
    """All nodes."""

    def __init__(self, loop: SimulatedLoop, network: Network, rng: Random, folder: Path) -> None:
        self.loop = loop
        self.network = network
        self.rng = rng
        self.folder = folder
        self.all: list[Node] = []
        self.database: SimulatedPostgres | None = None
        self.on_end: Callable[[Node, Exception | None], None] = lambda node, wrong: None
        workers._Worker = InlineWorker
        # By default the hash of an object is its address, which differs from run to run.
        gateway.Client.__hash__ = lambda client: client.id

    def one(self, config: dict[str, Any]) -> Disk:
        """A house of one node, with a disk."""
        disk = Disk(self.folder, Random(self.rng.getrandbits(64)))
        SimulatedSqlite.disk = disk
        server_module.SqliteStore = SimulatedSqlite
        node = Node(self, 1, config)
        node.disk = disk
        self.all = [node]
        return disk

    def many(self, count: int, config: dict[str, Any]) -> tuple[SimulatedPostgres, SimulatedNats]:
        """A house of several nodes, with a database and a bus."""
        database = SimulatedPostgres(Random(self.rng.getrandbits(64)))
        nats = SimulatedCarrier.server = SimulatedNats(Random(self.rng.getrandbits(64)))
        SimulatedStore.server = database
        asyncpg.connect = database.connect
        cluster_node.NatsCarrier = SimulatedCarrier
        cluster_node.PostgresStore = SimulatedStore
        PostgresReader._fetch = lambda reader, *query: database.read(*query)
        shared = {"store": "postgresql://simulated", "bus": "nats://simulated", **config}
        for number in range(1, count + 1):
            self.all.append(Node(self, number, {**shared, "node": f"node {number}"}))
        self.database = database
        return database, nats

    @property
    def doors(self) -> list[Door]:
        """Where somebody may try to connect."""
        return [node.door for node in self.all if node.ready and node.alive]

    def ended(self, node: Node, wrong: Exception | None) -> None:
        """A process has ended by itself: as a supervisor would, start it again."""
        node.ready = False
        if node.machine is not None:
            self.network.died(node.machine, silently=False)
            if self.database is not None:
                self.database.died(node.machine)
            node.machine.dead = True
        if node.disk is not None:
            node.disk.process_ended()
        self.on_end(node, wrong)
        if node.restarts:
            self.loop.call_later(1.0, node.start, context=Context())
