"""Tables of all games with scripted players at them, and what is checked when it is late."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

import asyncpg

from tests.cluster.checker import Checker
from tests.cluster.nodes import Nodes
from tests.cluster.players import cambia, mo, onu, quips, rummy
from tests.cluster.players.person import History, Person
from tests.cluster.telling import read_record
from tests.support import Event

GOES_ON: Final = 90.0
"""Seconds in which every table must have gone on after the last fault."""
SOME: Final = 4
"""Entries of a table's log that show that it goes on."""

MOST_SHOWN: Final = 20

ClusterNode = tuple[dict[str, Any], Sequence[type[Person]]]
COMPANIES: Final[Sequence[ClusterNode]] = (
    (rummy.OPENING, (rummy.RummyPlayer,) * 2 + (rummy.RummyWatcher,)),
    (cambia.OPENING, (cambia.CambiaPlayer,) * 3 + (cambia.CambiaWatcher,)),
    (quips.OPENING, (quips.QuipsPlayer,) * 4 + (quips.QuipsWatcher,)),
    (mo.OPENING, (mo.MoPlayer, mo.MoWatcher)),
    (onu.OPENING, (onu.OnuOpener, *(onu.OnuPlayer,) * 3, onu.OnuWatcher)),
)


class Round:
    """One table and everybody who ever came to it."""

    def __init__(self, nodes: Nodes, table: Event, rng: Random) -> None:
        self.nodes = nodes
        self.table = table
        self.rng = rng
        self.people: list[Person] = []
        self.gone: list[Person] = []

    @property
    def id(self) -> str:
        return str(self.table["id"])

    async def add(self, kind: type[Person]) -> Person:
        number = len(self.people) + len(self.gone)
        person = kind(self.nodes, self.table, Random(self.rng.random()), f"Guest {number}")
        self.people.append(person)
        await person.introduce()
        return person

    async def visit(self, kind: type[Person]) -> None:
        """People come, play for a while and go; for ever."""
        while True:
            await asyncio.sleep(self.rng.uniform(0.5, 3))
            guest = await self.add(kind)
            guest.come()
            await asyncio.sleep(self.rng.uniform(1, 6))
            self.people.remove(guest)
            self.gone.append(guest)
            await guest.go()

    @property
    def histories(self) -> list[History]:
        return [history for person in (*self.gone, *self.people) for history in person.histories]


class Evening:
    """All tables of a house."""

    def __init__(self, nodes: Nodes, seed: int) -> None:
        self.nodes = nodes
        self.rng = Random(seed)
        self.rounds: list[Round] = []
        self._visiting: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        """Everybody is there, and every table has begun to play."""
        for opening, kinds in COMPANIES:
            opener = kinds[0](self.nodes, {"id": "", "code": ""}, Random(self.rng.random()), "Host")
            await opener.introduce()
            table = await opener.call("POST", "/api/tables", opening)
            opener.table = table
            opened = Round(self.nodes, table, Random(self.rng.random()))
            opened.people.append(opener)
            self.rounds.append(opened)
            opener.come()
            for kind in kinds[1:]:
                (await opened.add(kind)).come()
            if opening["game"] == "quips":
                self._visiting.append(asyncio.create_task(opened.visit(kinds[0])))
        still = await self.standing_still()
        assert not still, still

    @property
    def people(self) -> list[Person]:
        return [person for each in self.rounds for person in each.people]

    async def standing_still(self) -> list[str]:
        """The games whose tables do not play on; returns as soon as all do."""
        before = await self._lengths()
        until = time.monotonic() + GOES_ON
        while True:
            for person in self.people:
                await person.failed()
            now = await self._lengths()
            still = [r.table["game"] for r in self.rounds if now[r.id] < before[r.id] + SOME]
            if not still or time.monotonic() > until:
                return still
            await asyncio.sleep(0.2)

    async def _lengths(self) -> dict[str, int]:
        connection = await asyncpg.connect(self.nodes.store)
        try:
            rows = await connection.fetch(
                'SELECT id, (SELECT count(*) FROM entries WHERE "table" = no) FROM tables'
            )
        finally:
            await connection.close()
        kept: dict[str, int] = dict(rows)
        return {each.id: kept.get(each.id, 0) for each in self.rounds}

    async def end(self) -> None:
        """Nobody does anything any more; what was said is heard."""
        for task in self._visiting:
            task.cancel()
        await asyncio.gather(*self._visiting, return_exceptions=True)
        for person in self.people:
            person.resting = True
        await self._quiet()

    async def _quiet(self) -> None:
        """Returns once everybody who lost a connection is back, and nothing more comes."""
        count = -1
        async with asyncio.timeout(GOES_ON):
            while True:
                heard = sum(len(h.frames) for each in self.rounds for h in each.histories)
                last = [p.histories[-1] for p in self.people if p.histories]
                back = len(last) == len(self.people) and all(h.frames and not h.over for h in last)
                if heard == count and back:
                    return
                count = heard
                await asyncio.sleep(1.0)

    async def check(self) -> dict[str, int]:
        """Hold what everybody was told against the record; gives what was checked."""
        found = {"frames": 0, "connections": 0, "again": 0, "refused": 0}
        faults: list[str] = []
        marks = await self._lengths()
        await asyncio.sleep(1.0)
        for each in self.rounds:
            # Clocks go on: what is heard from now on may be of entries that are not read any more.
            histories = [replace(h, frames=list(h.frames)) for h in each.histories]
            record = await read_record(self.nodes.store, each.id)
            checker = Checker(record, histories, marks[each.id] - 1)
            checker.check()
            faults += [str(fault) for fault in checker.faults]
            if checker.greeted_again:
                faults.append(f"{each.id}: {checker.greeted_again} greeted again")
            found[record.game.id] = record.version
            found["frames"] += checker.frames
            found["connections"] += len(histories)
            for person in (*each.people, *each.gone):
                found["again"] += person.again
                found["refused"] += person.refused
        assert not faults, "\n".join(faults[:MOST_SHOWN])
        return found

    def show(self) -> None:
        """What everybody heard last, where something went wrong."""
        for person in self.people:
            history = person.histories[-1] if person.histories else None
            last = [] if history is None else [data[:200] for data in history.frames[-3:]]
            over = history is None or history.over
            print(f"{person.name} at {person.game}, {len(person.histories)}, {over}:", *last)

    async def close(self) -> None:
        for task in self._visiting:
            task.cancel()
        for each in self.rounds:
            for person in (*each.people, *each.gone):
                await person.go()
