"""A server of several nodes, with a real PostgreSQL and a real NATS, compared with one process.

As in `bench.run`, each is a process of its own, single process and nodes take turns, and the median
of the rounds counts. Only the CPU time of our own processes counts; that of PostgreSQL and NATS is
shown, too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from statistics import median

import msgspec
from rich.console import Console

from bench import failover
from bench.load import Found, Order, cpu_of
from bench.report import Run, grid
from bench.run import LIFTED, SERVE, Options, free_port, house, load, running
from tests.servers import NatsServer, PostgresServer

BAR = 0.85
"""The share of a single process's actions per CPU-second that a gateway and an owner, each a
process, must reach."""
SCRIPT = "rummy"


class Side(msgspec.Struct):
    """One way to run a house."""

    name: str
    roles: tuple[str, ...]
    """Of its nodes; clients connect to the first."""

    @property
    def owners(self) -> int:
        return sum(role != "gateway" for role in self.roles)


SIDES = (
    Side("one node", ("both",)),
    Side("a gateway and an owner", ("gateway", "owner")),
    Side("a gateway and two owners", ("gateway", "owner", "owner")),
    Side("a gateway and three owners", ("gateway", "owner", "owner", "owner")),
)
ONE_OWNER = SIDES[1].name
"""More owners, with as many more tables, must not make an action more expensive."""


class Speed(msgspec.Struct):
    per_cpu_second: float
    per_second: float
    servers_cpu: float
    """Of PostgreSQL and NATS, in CPU-seconds per 1000 actions."""


class Report(Run, kw_only=True):
    options: Options
    single: Speed
    sides: dict[str, Speed]
    ratios: dict[str, list[float]]
    """By side, in each round, its actions per CPU-second to the single process's."""
    to_one_owner: dict[str, list[float]]
    """The same to those of a gateway and an owner."""


class Nodes:
    """A server of several nodes, with its PostgreSQL and its NATS."""

    def __init__(self, until_end: ExitStack) -> None:
        self._until_end = until_end
        self.postgres, self.nats = PostgresServer("fsync=on"), NatsServer()
        until_end.callback(self.postgres.stop)
        until_end.callback(self.nats.stop)
        self.store = self.postgres.new_database()
        self._ports: list[int] = []
        self.pids: list[int] = []

    @property
    def port(self) -> int:
        """The first node's."""
        return self._ports[0]

    def start(self, role: str) -> None:
        """One more node."""
        port = free_port()
        flags = ["--store", self.store, "--bus", self.nats.url, "--role", role, "--lease", "10"]
        command = [*SERVE, "--port", str(port), *flags]
        self.pids.append(self._until_end.enter_context(running(command, LIFTED, port)).pid)
        self._ports.append(port)


@contextmanager
def nodes(roles: tuple[str, ...]) -> Generator[Nodes]:
    """A house of these nodes."""
    with ExitStack() as until_end:
        house = Nodes(until_end)
        for role in roles:
            house.start(role)
        yield house


def family(pid: int) -> list[int]:
    """A process and its children."""
    found = [pid]
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found.append(int(name))
    return found


def measured(side: Side | None, tables: int, seconds: float) -> tuple[Found, float]:
    """One load on a server of its own, and the CPU-seconds of PostgreSQL and NATS.

    `tables` is per owner: people add nodes because they have more tables.
    """
    if side is None:
        with house() as (port, pid):
            order = Order(port=port, pid=pid, script=SCRIPT, tables=tables, seconds=seconds)
            return load(order), 0.0
    with nodes(side.roles) as there:
        time.sleep(1.0)
        order = Order(
            port=there.port,
            pid=there.pids[0],
            beside=tuple(there.pids[1:]),
            script=SCRIPT,
            tables=tables * side.owners,
            seconds=seconds,
        )
        servers = (there.postgres.process.pid, there.nats.process.pid)
        relied_on = [pid for server in servers for pid in family(server)]
        before = sum(map(cpu_of, relied_on))
        found = load(order)
        return found, sum(map(cpu_of, relied_on)) - before


def speed(found: Found, servers: float) -> Speed:
    return Speed(
        per_cpu_second=found.actions / found.server_cpu,
        per_second=found.actions / found.seconds,
        servers_cpu=servers / found.actions * 1000,
    )


def measure(options: Options, say: Console) -> Report:
    tables = max(options.tables)
    found: dict[str, list[Speed]] = {}
    for _ in range(options.rounds):
        for side in (None, *SIDES):
            name = "" if side is None else side.name
            with say.status(f"{name or 'a single process'}, {tables} tables"):
                speeds = found.setdefault(name, [])
                speeds.append(speed(*measured(side, tables, options.seconds)))

    def middle(speeds: list[Speed]) -> Speed:
        return sorted(speeds, key=lambda each: each.per_cpu_second)[len(speeds) // 2]

    return Report(
        options=options,
        single=middle(found[""]),
        sides={side.name: middle(found[side.name]) for side in SIDES},
        ratios=_ratios(found, ""),
        to_one_owner=_ratios(found, ONE_OWNER),
    )


def _ratios(found: dict[str, list[Speed]], to: str) -> dict[str, list[float]]:
    return {
        side.name: sorted(
            mine.per_cpu_second / theirs.per_cpu_second
            for theirs, mine in zip(found[to], found[side.name], strict=True)
        )
        for side in SIDES
    }


def show(report: Report, say: Console) -> None:
    shown = grid(
        f"Actions per CPU-second of our processes, {SCRIPT}. {report.machine}",
        *("actions/CPU s", "of the single process's", "of one owner's", "actions/s"),
        "PostgreSQL + NATS, CPU s per 1000",
    )
    alone = report.single
    shown.add_row(
        "a single process", f"{alone.per_cpu_second:,.0f}", "", "", f"{alone.per_second:,.0f}", ""
    )
    for name, mine in report.sides.items():
        shown.add_row(
            name,
            f"{mine.per_cpu_second:,.0f}",
            _range(report.ratios[name]),
            _range(report.to_one_owner[name]),
            f"{mine.per_second:,.0f}",
            f"{mine.servers_cpu:.3f}",
        )
    say.print(shown)


def _range(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"


def main(options: Options) -> int:
    """Measure, show and store; fails if a gateway and an owner are below the bar, or if a table
    stands still for too long after its owner was killed."""
    say = Console(highlight=False)
    report = measure(options, say)
    show(report, say)
    report.keep("cluster", say)
    too_dear = median(report.ratios[SIDES[1].name]) < BAR
    return failover.main() or int(too_dear)
