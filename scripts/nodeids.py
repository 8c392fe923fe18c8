"""A plugin for pytest: mutmut reads a test's id from where pytest no longer keeps it."""

from __future__ import annotations

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item._nodeid = item.nodeid  # type: ignore[attr-defined]
