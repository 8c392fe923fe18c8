"""A plugin for pytest, for the runs of mutmut (scripts/mutate.py)."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings

from tests import support


def pytest_configure() -> None:
    # That something was found is all that is asked: the smallest example of it costs the most.
    settings.register_profile(
        "mutating", phases=(Phase.explicit, Phase.generate), database=None, deadline=None
    )
    settings.load_profile("mutating")
    # Most changes that are noticed leave somebody waiting for what never comes.
    support.PATIENCE = 5.0


def pytest_itemcollected(item: pytest.Item) -> None:
    # mutmut reads a test's id from where pytest no longer keeps it.
    item._nodeid = item.nodeid  # type: ignore[attr-defined]
