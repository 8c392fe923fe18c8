"""A plugin for pytest, for the runs of mutmut (scripts/mutate.py)."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings

from tests import support


def pytest_configure() -> None:
    # A mutation only has to be noticed. Shrinking the example would take most of the time.
    settings.register_profile(
        "mutating", phases=(Phase.explicit, Phase.generate), database=None, deadline=None
    )
    settings.load_profile("mutating")
    # Most noticed mutations make a test wait for something that never happens.
    support.PATIENCE = 5.0


def pytest_itemcollected(item: pytest.Item) -> None:
    # mutmut reads this attribute, which pytest no longer sets.
    item._nodeid = item.nodeid  # type: ignore[attr-defined]
