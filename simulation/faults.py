"""Faults: which there are, and when each of them comes in an evening.

The seed decides all of it before the evening begins. Each fault has random numbers of its own, so
that an evening with fewer faults (`simulation.shrinking`) has the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from simulation.evening import Evening
    from simulation.house import Node
    from simulation.people import Connected


@dataclass(frozen=True)
class Fault:
    """One fault of an evening."""

    at: float
    """Seconds after the beginning."""
    kind: str
    seed: int

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:.1f} s"


Happen = Callable[["Evening", Random], float]
"""Lets a fault happen; returns after how many seconds it is over."""


def _to_a_node(happen: Callable[[Evening, Random, Node], float]) -> Happen:
    """Of the nodes that run, one that is chosen by chance; if none runs, nothing happens."""

    def chosen(evening: Evening, rng: Random) -> float:
        running = [
            node
            for node in evening.house.all
            if node.ready and node.alive and not node.machine.paused
        ]
        return happen(evening, rng, rng.choice(running)) if running else 0

    return chosen


def _to_people(do: Callable[[Connected], None], told: str) -> Happen:
    """For a moment, to some people's connections."""

    def chosen(evening: Evening, rng: Random) -> float:
        some = _people(evening, rng)
        for person in some:
            do(person)
        evening.note(told.format(_names(some)))
        return 15

    return chosen


@_to_a_node
def _crash(evening: Evening, rng: Random, node: Node) -> float:
    silently = rng.random() < 0.5
    what = node.crash(silently=silently)
    down = rng.uniform(0.1, 15)
    evening.note(f"{node.name} loses its power ({what}), and is started {down:.1f} s later")
    evening.later(down, node.start)
    return down + 40


@_to_a_node
def _kill(evening: Evening, rng: Random, node: Node) -> float:
    node.crash(silently=False)
    down = rng.uniform(0.1, 5)
    evening.note(f"the process of {node.name} is killed, and started {down:.1f} s later")
    evening.later(down, node.start)
    return down + 10


@_to_a_node
def _restart(evening: Evening, rng: Random, node: Node) -> float:
    evening.note(f"{node.name} is restarted")
    node.terminate()
    return 20


@_to_a_node
def _pause(evening: Evening, rng: Random, node: Node) -> float:
    assert node.machine is not None
    machine, seconds = node.machine, rng.choice((rng.uniform(0.2, 2), rng.uniform(2, 25)))
    machine.paused = True
    node.door.standing_still = True

    def go_on() -> None:
        node.door.standing_still = False
        if not machine.dead:
            evening.loop.resume(machine)

    evening.note(f"{node.name} stands still for {seconds:.1f} s")
    evening.later(seconds, go_on)
    return seconds + 10


@_to_a_node
def _clock(evening: Evening, rng: Random, node: Node) -> float:
    assert node.machine is not None
    jump = rng.choice((-1, 1)) * rng.choice((0.3, 5, 90, 3700)) * rng.random()
    node.machine.wrong += jump
    evening.note(f"the clock of {node.name} is set by {jump:+.1f} s")
    return 0


def _stall(evening: Evening, rng: Random) -> float:
    some, seconds = _people(evening, rng), rng.uniform(0.5, 45)
    for person in some:
        person.stall(seconds)
    evening.note(f"nothing arrives from or at {_names(some)} for {seconds:.1f} s")
    return seconds + 15


def _slow_reader(evening: Evening, rng: Random) -> float:
    some, seconds = _people(evening, rng), rng.uniform(2, 60)
    for person in some:
        person.read_slowly(seconds)
    evening.note(f"{_names(some)} read nothing for {seconds:.1f} s")
    return seconds + 15


def _slow_network(evening: Evening, rng: Random) -> float:
    seconds = rng.uniform(5, 60)
    evening.network.slow = rng.uniform(0.05, 1.5)
    evening.note(f"every packet takes up to {evening.network.slow:.2f} s more for {seconds:.0f} s")

    def over() -> None:
        evening.network.slow = 0.0

    evening.later(seconds, over)
    return seconds + 10


@_to_a_node
def _slow_disk(evening: Evening, rng: Random, node: Node) -> float:
    disk = node.disk
    assert disk is not None
    seconds = rng.uniform(2, 30)
    disk.slow = rng.uniform(0.05, 2.0)
    evening.note(f"a sync takes {disk.slow:.2f} s for {seconds:.0f} s")

    def over() -> None:
        disk.slow = 0.0

    evening.later(seconds, over)
    return seconds + 10


@_to_a_node
def _full_disk(evening: Evening, rng: Random, node: Node) -> float:
    disk = node.disk
    assert disk is not None
    seconds = rng.uniform(0.5, 20)
    disk.full = True
    evening.note(f"the disk is full for {seconds:.1f} s")

    def over() -> None:
        disk.full = False

    evening.later(seconds, over)
    return seconds + 30


@_to_a_node
def _packing(evening: Evening, rng: Random, node: Node) -> float:
    packing = evening.packing
    assert packing is not None
    before = rng.choice((rng.randrange(15), 1_000))
    down = rng.uniform(0.1, 5)

    def crash() -> None:
        if node.disk.store is not None:
            # The server's commit waits: the file is locked.
            node.disk.store.under_way = None
        node.crash(silently=False)
        evening.later(down, node.start)

    packing.pack(rng, before, crash)
    if node.alive:
        evening.note("logs of closed tables are packed")
        return 0
    evening.note(
        f"logs are packed; {node.name} loses its power before statement {before} of that, "
        f"and is started {down:.1f} s later"
    )
    return down + 10


@_to_a_node
def _database_cut(evening: Evening, rng: Random, node: Node) -> float:
    return _no_database(evening, rng, [node])


def _database_away(evening: Evening, rng: Random) -> float:
    return _no_database(evening, rng, evening.house.all)


def _no_database(evening: Evening, rng: Random, nodes: Sequence[Node]) -> float:
    database = evening.house.database
    assert database is not None
    silent, seconds = rng.random() < 0.5, rng.choice((rng.uniform(0.05, 1.5), rng.uniform(2, 20)))
    for node in nodes:
        database.cut(node.name, silent=silent)

    def back() -> None:
        for node in nodes:
            database.away.pop(node.name, None)

    who = nodes[0].name if len(nodes) == 1 else "all nodes"
    how = "silently" if silent else "with its connections reset"
    evening.note(f"{who} can't reach the database for {seconds:.1f} s, {how}")
    evening.later(seconds, back)
    return seconds + 40


def _slow_database(evening: Evening, rng: Random) -> float:
    database, seconds = evening.house.database, rng.uniform(2, 20)
    assert database is not None
    database.slow = rng.uniform(0.05, 0.8)

    def over() -> None:
        database.slow = 0.0

    evening.note(f"every statement takes up to {database.slow:.2f} s for {seconds:.0f} s")
    evening.later(seconds, over)
    return seconds + 20


@_to_a_node
def _bus_cut(evening: Evening, rng: Random, node: Node) -> float:
    nats = evening.nats
    assert nats is not None
    seconds = rng.choice((rng.uniform(0.05, 1.5), rng.uniform(2, 20)))
    nats.away.add(node.name)
    evening.note(f"{node.name} can't reach NATS for {seconds:.1f} s")
    evening.later(seconds, lambda: nats.away.discard(node.name))
    return seconds + 40


def _bad_bus(evening: Evening, rng: Random) -> float:
    nats, seconds = evening.nats, rng.uniform(2, 40)
    assert nats is not None
    nats.loss, nats.twice, nats.late = (rng.choice((0.0, 0.02, 0.2)) for _ in range(3))

    def over() -> None:
        nats.loss = nats.twice = nats.late = 0.0

    evening.note(
        f"of the packets of NATS, {nats.loss:.0%} are lost, {nats.twice:.0%} come twice and "
        f"{nats.late:.0%} late, for {seconds:.0f} s"
    )
    evening.later(seconds, over)
    return seconds + 20


ONE_NODE: Final[dict[str, tuple[Happen, float]]] = {
    "crash": (_crash, 3),
    "kill": (_kill, 2),
    "restart": (_restart, 2),
    "pause": (_pause, 4),
    "clock": (_clock, 4),
    "lost connections": (
        _to_people(lambda each: each.hang_up(), "the connections of {} are lost"),
        6,
    ),
    "dropped connections": (
        _to_people(lambda each: each.break_line(), "the network drops the connections of {}"),
        6,
    ),
    "stalled connections": (_stall, 6),
    "slow readers": (_slow_reader, 6),
    "slow network": (_slow_network, 4),
    "slow disk": (_slow_disk, 3),
    "full disk": (_full_disk, 2),
    "packing on the disk": (_packing, 3),
}
"""The faults, each with its frequency relative to the others."""

MANY_NODES: Final[dict[str, tuple[Happen, float]]] = {
    **{kind: each for kind, each in ONE_NODE.items() if "disk" not in kind},
    "crash": (_crash, 4),
    "pause": (_pause, 6),
    "database cut": (_database_cut, 4),
    "database away": (_database_away, 2),
    "slow database": (_slow_database, 3),
    "bus cut": (_bus_cut, 4),
    "bad bus": (_bad_bus, 4),
}


def planned(
    kinds: dict[str, tuple[Happen, float]], rng: Random, hours: float, every: float
) -> list[Fault]:
    """The faults of an evening, one in so many seconds; the last two minutes have none."""
    faults = []
    weights = [weight for _, weight in kinds.values()]
    at = rng.expovariate(1 / every)
    while at < hours * 3600 - 120:
        kind = rng.choices(list(kinds), weights)[0]
        faults.append(Fault(at, kind, rng.getrandbits(64)))
        at += rng.expovariate(1 / every)
    return faults


def _people(evening: Evening, rng: Random) -> Sequence[Connected]:
    count = rng.choice((1, 1, 2, 3, len(evening.people)))
    return rng.sample(evening.people, min(count, len(evening.people)))


def _names(people: Sequence[Connected]) -> str:
    if len(people) > 4:
        return f"{len(people)} people"
    return ", ".join(f"{person.name} at {person.game}" for person in people)
