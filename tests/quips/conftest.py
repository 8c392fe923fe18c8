"""Houses that have Quips, whatever is installed."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.games import installed_games
from parlour.games.quips import GAME
from tests.quips.guests import Guests
from tests.support import Opener, still

QUICK = {"round_end_timeout": 0, "game_end_timeout": 0, "max_rounds": 4}
"""Games that are soon over."""


@pytest.fixture(autouse=True)
def with_quips(monkeypatch: pytest.MonkeyPatch) -> None:
    games = tuple(game for game in installed_games() if game.id != GAME.id)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: (*games, GAME))


@pytest.fixture
def guests(open_house: Opener, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`await guests(setting=value, ...)`: a house whose tables of Quips are set so, and whose clock
    stands still until `skip_time`."""
    monkeypatch.setattr("parlour.house.journal.time", still())

    async def opened(house: dict[str, Any] | None = None, **settings: Any) -> Guests:
        told = {"games": {"quips": {**QUICK, **settings}}, **(house or {})}
        return Guests(await open_house(**told))

    return opened
