"""How a table comes to be: its code, its settings, and what is given back when it can't be."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.bus import LocalBus, OpenRequest, Refusal
from parlour.house import House, HouseLimits, Journal
from parlour.house.hooks import Hooks
from parlour.store import MemoryStore
from parlour.table import Game, Roster
from tests import highcard


async def test_a_code_that_was_claimed_is_the_tables_or_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claimed: list[tuple[Game, Any]] = []
    returned: list[str] = []

    async def claim(game: Game, settings: Any) -> str:
        claimed.append((game, settings))
        return f"{len(claimed):06d}"

    async def give_back(code: str) -> None:
        returned.append(code)

    bus = LocalBus()
    journal = Journal(MemoryStore(), bus)
    monkeypatch.setattr(journal, "return_code", give_back)
    limits = HouseLimits(tables_per_visitor=1)
    house = House([highcard.GAME], journal, bus, limits=limits, hooks=Hooks(claim=claim))
    request = OpenRequest(game="high", visitor="ada", settings={"tricks": 2})
    first, second = [await house.open(request) for _ in range(2)]
    assert isinstance(first, Roster)
    assert first.code == "000001"
    assert isinstance(second, Refusal)
    assert second.code == "too-many-tables"
    assert returned == ["000002"]
    assert claimed == [(highcard.GAME, highcard.Settings(tricks=2))] * 2


async def test_where_no_code_was_claimed_none_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def give_back(code: str) -> None:
        raise AssertionError(code)

    bus = LocalBus()
    journal = Journal(MemoryStore(), bus)
    monkeypatch.setattr(journal, "return_code", give_back)
    house = House([highcard.GAME], journal, bus, limits=HouseLimits(tables_per_visitor=0))
    answer = await house.open(OpenRequest(game="high", visitor="ada"))
    assert isinstance(answer, Refusal)
