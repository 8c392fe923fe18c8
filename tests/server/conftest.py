"""The shell is tried on the loop it is run on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from parlour.games import installed_games
from parlour.server.logs import OncePerCause
from parlour.server.logs import log as http_log
from tests import highcard
from tests.server.machine import Machine

Loops = dict[str, Callable[[], asyncio.AbstractEventLoop]]


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Loops:
    try:
        import uvloop
    except ImportError:  # a platform without it runs on asyncio's own
        return {"asyncio": asyncio.new_event_loop}
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
def high(monkeypatch: pytest.MonkeyPatch) -> None:
    """Houses opened from here on have High Card too."""
    games = (*installed_games(), highcard.GAME)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine by which the clocks of houses go that are made from here on."""
    made = Machine()
    for clock in ("time_ns", "monotonic_ns"):
        monkeypatch.setattr(time, clock, getattr(made, clock))
    return made


@pytest.fixture(autouse=True)
def nothing_logged_before() -> None:
    """Warnings of earlier tests do not suppress those of this one."""
    for each in http_log.filters:
        if isinstance(each, OncePerCause):
            each._causes.clear()
