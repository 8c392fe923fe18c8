"""Connections are visited in turns, each as often as any other, a few at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from parlour.server.heartbeat import Heartbeat


class Timers:
    """A loop whose one timer is fired by hand."""

    def __init__(self) -> None:
        self.work: Any = None
        self.seconds = 0.0

    def call_later(self, seconds: float, work: Any) -> Timers:
        self.work, self.seconds = work, seconds
        return self

    def cancel(self) -> None:
        self.work = None


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> Timers:
    timers = Timers()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: timers)
    return timers


def test_all_are_visited_in_turns_a_few_at_a_time(timers: Timers) -> None:
    visits: Counter[int] = Counter()
    heartbeat: Heartbeat[int] = Heartbeat(8.0, lambda who, now: visits.update([who]))
    for who in range(320):
        heartbeat.add(who)
    turns = round(8.0 / timers.seconds)
    for _ in range(turns):
        before = visits.total()
        timers.work()
        assert visits.total() - before == 10
    # Often enough to notice a silence of eight seconds after nine.
    assert set(visits.values()) == {8}


def test_a_visit_may_end_connections(timers: Timers) -> None:
    heartbeat: Heartbeat[int]
    heartbeat = Heartbeat(8.0, lambda who, now: heartbeat.remove(who))
    for who in range(100):
        heartbeat.add(who)
    while timers.work is not None:
        timers.work()
    # Somebody new is visited all the same.
    heartbeat.add(1)
    assert timers.work is not None
