"""The time by which tables live, whatever is done to the machine's clock."""

from __future__ import annotations

import pytest

from parlour.house.journal import SteadyClock
from tests.server.machine import HOUR, Machine


@pytest.mark.parametrize("by", [HOUR, -HOUR])
def test_who_sets_the_machines_clock_changes_no_tables_time(machine: Machine, by: int) -> None:
    began = machine.wall
    clock = SteadyClock()
    assert clock() == began
    machine.wall += by
    machine.goes_on(1500)
    assert clock() == began + 1500


def test_no_time_comes_before_what_the_log_holds(machine: Machine) -> None:
    began = machine.wall
    clock = SteadyClock()
    clock.not_before(began - HOUR)
    assert clock() == began
    clock.not_before(began + HOUR)
    machine.goes_on(1)
    assert clock() == began + HOUR + 1


@pytest.mark.parametrize("by", [HOUR, -HOUR])
def test_those_who_share_a_log_go_by_one_clock(machine: Machine, by: int) -> None:
    clock = SteadyClock()
    shared = machine.wall + by
    clock.right(shared)
    machine.goes_on(1)
    assert clock() == shared + 1
