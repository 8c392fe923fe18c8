"""One evening: eight tables of all games for an hour, and everything that goes wrong at them."""

from __future__ import annotations

import asyncio
import gc
import logging
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from parlour.games import installed_games
from parlour.games.mo import search
from simulation.checker import Checks, Violation
from simulation.disk import Disk
from simulation.faults import MANY_NODES, ONE_NODE, Fault, planned
from simulation.house import House, Reports
from simulation.knowing import check_knowledge
from simulation.loop import SimulatedLoop
from simulation.machine import HERE, OUTSIDE, real_cpu
from simulation.nats import SimulatedNats
from simulation.network import Network
from simulation.packing import Packing
from simulation.people import Connected, connected, patch_aiohttp
from simulation.postgres import SimulatedPostgres
from simulation.statements import NotSimulated
from simulation.watch import Watch
from tests.cluster.players import cambia, mo, onu, quips, rummy

COMPANIES: Final[dict[str, tuple[dict[str, Any], list[type[Connected]]]]] = {
    "rummy": (
        rummy.OPENING,
        [*[connected(rummy.RummyPlayer)] * 3, connected(rummy.RummyWatcher)],
    ),
    "cambia": (
        cambia.OPENING,
        [*[connected(cambia.CambiaPlayer)] * 3, connected(cambia.CambiaWatcher)],
    ),
    "quips": (
        quips.OPENING,
        [
            *[connected(quips.QuipsPlayer, think=(1.0, 6.0))] * 4,
            connected(quips.QuipsWatcher),
        ],
    ),
    "mo": (mo.OPENING, [connected(mo.MoPlayer), connected(mo.MoWatcher)]),
    "onu": (
        onu.OPENING,
        [
            connected(onu.OnuOpener, asks=True),
            *[connected(onu.OnuPlayer)] * 3,
            connected(onu.OnuWatcher),
        ],
    ),
}
"""By game: how a table is opened, and who comes to it."""
FAULT_EVERY: Final = 45.0
"""Seconds from one fault to the next, on average."""
QUIET: Final = 100.0
"""Seconds at the end in which nobody does anything: what was said arrives."""
ARRIVED: Final = 0.3
"""Seconds in which a message arrives when nothing is wrong."""
MOMENTS: Final = 1_000
"""How often the end waits for one in which nothing is under way."""
EVENING: Final = ("rummy", "rummy", "cambia", "cambia", "quips", "quips", "onu", "mo")


@dataclass(frozen=True)
class Plan:
    """Which evening is played."""

    seed: int
    hours: float = 1.0
    games: Sequence[str] = EVENING
    nodes: int = 1
    faults: frozenset[int] | None = None
    """The numbers of the faults that happen; None: all of them."""


@dataclass
class Result:
    """The result of an evening."""

    plan: Plan
    violation: str | None = None
    digest: str = ""
    seconds: float = 0.0
    """Of virtual time."""
    cpu: float = 0.0
    entries: int = 0
    frames: int = 0
    connections: int = 0
    tables: int = 0
    lengths: dict[str, int] = field(default_factory=dict)
    story: list[tuple[float, str]] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)
    """Those that happened, by their numbers."""

    @property
    def table_hours(self) -> float:
        return self.tables * self.seconds / 3600


class Evening:
    """Tables and people."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        seed, hours, nodes = plan.seed, plan.hours, plan.nodes
        self.nodes = nodes
        self.nats: SimulatedNats | None = None
        self.packing: Packing | None = None
        self.resting = False
        self.happened: dict[int, str] = {}
        self.rng = Random(seed)
        self.loop = SimulatedLoop()
        OUTSIDE.rng = Random(self.rng.getrandbits(64))
        OUTSIDE.now = self.loop.time
        self.network = Network(self.loop, Random(self.rng.getrandbits(64)))
        self.checks = Checks(self.loop.time)
        memory = Path("/dev/shm")
        self.folder = Path(
            tempfile.mkdtemp(prefix="parlour-sim-", dir=memory if memory.exists() else None)
        )
        self.house = House(self.loop, self.network, Random(self.rng.getrandbits(64)), self.folder)
        self.people: list[Connected] = []
        self.tables: list[tuple[str, str]] = []
        self.watch = Watch(self)
        self.kinds = ONE_NODE if nodes == 1 else MANY_NODES
        faults = planned(self.kinds, Random(self.rng.getrandbits(64)), hours, FAULT_EVERY)
        self.faults = {
            number: fault
            for number, fault in enumerate(faults)
            if plan.faults is None or number in plan.faults
        }
        self.games = {game.id: game for game in installed_games()}

    def run(self) -> Result:
        result = Result(self.plan)
        began = real_cpu()
        asyncio.set_event_loop(self.loop)
        patch_aiohttp()
        # A hint is a long search. How good it is does not matter here.
        search.POSITIONS, search.LONGEST, search.MOST_SAMPLES = 20, 2, 1
        self.loop.after_step = self._after_step
        self.loop.set_exception_handler(self._wrong)
        logging.getLogger("parlour").addHandler(Reports(self._failed))
        try:
            self.loop.run_until_complete(self._play())
        except Violation as broken:
            result.violation = str(broken)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        checks = self.checks
        result.digest = checks.digest.hexdigest()
        result.seconds = self.loop.time()
        result.cpu = real_cpu() - began
        result.entries, result.frames = checks.entries, checks.frames
        result.connections, result.tables = checks.connections, len(self.tables)
        for followed in checks.tables.values():
            game = followed.game.id
            result.lengths[game] = result.lengths.get(game, 0) + len(followed.entries)
        result.story = checks.story
        result.faults = self.happened
        return result

    def _after_step(self) -> None:
        if self.checks.violation is not None:
            raise self.checks.violation

    def _wrong(self, loop: Any, context: dict[str, Any]) -> None:
        wrong = context.get("exception")
        handle = context.get("handle")
        if isinstance(wrong, Violation | NotSimulated):
            self.checks.violation = self.checks.violation or wrong
        elif wrong is not None and handle is not None:
            machine = handle._context.get(HERE)
            who = "a client" if machine is None else machine.name
            self._failed(f"{who} failed: {type(wrong).__name__}: {wrong}")
        elif wrong is not None:
            logging.getLogger("simulation").warning("%s", context["message"], exc_info=wrong)

    def _failed(self, what: str) -> None:
        self.checks.violation = self.checks.violation or Violation(what)

    async def _play(self) -> None:
        self._furnish()
        for node in self.house.all:
            node.start()
        await self._until_open()
        await self._open()
        began = self.loop.time()
        for number, fault in self.faults.items():
            self.loop.call_at(began + fault.at, self._happen, number, fault)
        self.watch.begin()
        await asyncio.sleep(self.plan.hours * 3600)
        self.resting = True
        for person in self.people:
            person.resting = True
        await asyncio.sleep(QUIET)
        for _ in range(MOMENTS):
            if self.loop.time() - self.checks.committed_at > ARRIVED:
                break
            # A deadline has come just now, and what follows from it is under way.
            await asyncio.sleep(0.05)
        self.watch.end()
        check_knowledge(self.checks)

    def check_log(self) -> None:
        """The log that is there is the one that everybody was told of."""
        disk, database = self.house.all[0].disk, self.house.database
        if disk is not None and disk.store is not None:
            self.checks.found(disk.store.logs())
            assert self.packing is not None
            self.packing.check()
        elif database is not None:
            self.checks.found(database.logs())

    def note(self, what: str) -> None:
        """Something that a reader of a failed evening wants to know."""
        self.checks.note(what)

    def later(self, seconds: float, what: Callable[[], None]) -> None:
        self.loop.call_later(seconds, what)

    def _happen(self, number: int, fault: Fault) -> None:
        happen, _ = self.kinds[fault.kind]
        over_after = happen(self, Random(fault.seed))
        self.watch.troubled_until(self.loop.time() + over_after)
        self.happened[number] = fault.kind

    def _furnish(self) -> None:
        # Few bytes may wait for a slow reader, so that some are cut.
        config = {"hosts": ["*"], "wcp_open": True, "outgoing_bytes": 12_288}
        checks = self.checks
        where: Disk | SimulatedPostgres
        if self.nodes == 1:
            disk = where = self.house.one(config)
            disk.found = checks.found
            self.packing = Packing(disk)
            checks.content = lambda name: disk.fact(f"content:{name}")
        else:
            database, self.nats = self.house.many(self.nodes, config)
            where = database
            checks.content = lambda name: database.data.facts[f"content:{name}"]
        where.committed, where.rewritten = checks.committed, checks.rewritten

    async def _until_open(self) -> None:
        while len(self.house.doors) < self.nodes:  # noqa: ASYNC110 - in simulated time
            await asyncio.sleep(0.1)

    async def _open(self) -> None:
        for game in self.plan.games:
            opening, kinds = COMPANIES[game]
            await self._open_table(game, opening, kinds)

    async def _open_table(
        self, game: str, opening: dict[str, Any], kinds: list[type[Connected]]
    ) -> None:
        table: dict[str, Any] = {"id": "", "code": ""}
        for number, kind in enumerate(kinds):
            name = f"Guest {len(self.people)}"
            person = kind(self.house, table, Random(self.rng.getrandbits(64)), name)
            person.prepare(self.checks, len(self.people))
            await person.introduce()
            if number == 0:
                table.update(await person.call("POST", "/api/tables", opening))
                self.checks.follow(table["id"], self.games[game])
                self.tables.append((game, table["id"]))
            self.people.append(person)
            person.come()


def played(plan: Plan) -> Result:
    """Play this evening, in a process that plays no other."""
    gc.freeze()
    return Evening(plan).run()
