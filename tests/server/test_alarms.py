"""The alarm of a live table: it rings when something is due, and is not set for every move."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from parlour.house import Journal
from parlour.house.live import MOST_OVERDUE, LiveTable
from parlour.kit import Illegal
from parlour.table import inputs as do
from tests import highcard
from tests.server.hall import Hall
from tests.server.machine import Machine


@dataclass
class Alarm:
    wait: float
    ring: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Evening:
    """Two people in a match; alarms ring when the test lets them."""

    machine: Machine
    journal: Journal
    live: LiveTable
    alarms: list[Alarm] = field(default_factory=list)

    @property
    def set(self) -> list[float]:
        """The seconds of those alarms that will ring."""
        return [alarm.wait for alarm in self.alarms if not alarm.cancelled]

    def ring(self) -> None:
        """Let the time pass until the next one is to ring, and it rings."""
        (alarm,) = [alarm for alarm in self.alarms if not alarm.cancelled]
        self.alarms.remove(alarm)
        self.machine.goes_on(round(alarm.wait * 1000))
        alarm.ring()

    def lay(self, *seats: int) -> None:
        match = self.live.table.match
        assert match is not None
        for seat in seats:
            self.live.receive(do.Act(seat, match.legal(seat)[0]))

    @property
    def tricks(self) -> int:
        assert isinstance(self.live.table.match, highcard.HighCard)
        return sum(self.live.table.match.tricks)


@pytest.fixture
async def evening(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Evening:
    hall = Hall()
    live = hall.house.index.find((await hall.open(tricks=3, think=500)).id)
    assert live is not None
    evening = Evening(machine, hall.journal, live)

    def call_later(wait: float, ring: Callable[[], None], *arguments: Any) -> Alarm:
        assert not arguments
        evening.alarms.append(Alarm(wait, ring))
        return evening.alarms[-1]

    live.rest()
    monkeypatch.setattr(asyncio.get_running_loop(), "call_later", call_later)
    for visitor in ("ada", "bo"):
        live.receive(do.Join(visitor, "Guest"))
    live.receive(do.Start(do.HOUSE))
    return evening


async def test_it_rings_when_something_is_due(evening: Evening) -> None:
    assert evening.set == [0.5]
    evening.ring()
    assert evening.tricks == 1
    assert evening.set == [0.5]


async def test_a_deadline_that_is_put_off_costs_no_alarm(evening: Evening) -> None:
    evening.machine.goes_on(200)
    evening.lay(0, 1)
    assert len(evening.alarms) == 1
    # It rings too early, and once more for what is left.
    evening.machine.goes_on(-200)
    evening.ring()
    assert evening.tricks == 1
    assert evening.set == [0.2]
    evening.ring()
    assert evening.tricks == 2


async def test_a_deadline_that_comes_closer_has_an_alarm_of_its_own(evening: Evening) -> None:
    evening.machine.goes_on(100)
    match = evening.live.table.match
    assert isinstance(match, highcard.HighCard)
    assert match.deadline is not None
    match.deadline -= 300
    evening.live.receive(do.Say(0, "Good evening"))
    assert [alarm.cancelled for alarm in evening.alarms] == [True, False]
    assert evening.set == [0.1]
    # One that is past rings at once.
    match.deadline -= 300
    evening.live.receive(do.Say(0, "Good evening"))
    assert evening.set == [0.0]


async def test_nothing_rings_when_nothing_is_due_any_more(evening: Evening) -> None:
    while evening.live.roster.running:
        evening.lay(0, 1)
    assert evening.set == []
    evening.live.receive(do.Start(do.HOUSE))
    assert evening.set == [0.5]
    evening.live.rest()
    assert evening.set == []


async def test_nothing_rings_in_a_house_that_closes(evening: Evening) -> None:
    evening.journal.lifecycle.close()
    assert evening.set == []


async def test_rules_that_never_get_done_shut_the_table(
    evening: Evening, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(highcard.HighCard, "due", lambda self: 1)
    evening.live.receive(do.Say(0, "Good evening"))
    before = evening.live.table.version
    while evening.set:
        evening.ring()
        assert evening.live.table.version - before <= MOST_OVERDUE
    said = [record.getMessage() for record in caplog.records if record.levelname == "CRITICAL"]
    assert said == [
        f"table {evening.live.roster.id} stays shut: its rules have something due after "
        f"{MOST_OVERDUE} ticks in a row"
    ]
    with pytest.raises(Illegal, match="failed again and again"):
        await evening.live.mended()
    # Nobody winds it up again.
    with pytest.raises(Illegal, match="failed again and again"):
        evening.live.receive(do.Say(0, "Still there?"))
    assert evening.set == []


async def test_much_that_is_due_at_once_shuts_no_table(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    due = 1
    monkeypatch.setattr(highcard.HighCard, "due", lambda self: due)
    for _ in range(3):
        due = 1
        evening.live.receive(do.Say(0, "Good evening"))
        for _ in range(MOST_OVERDUE - 1):
            evening.ring()
        due = 10**15
        evening.ring()
    assert not evening.live.shut
