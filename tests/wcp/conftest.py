"""The relay is tried on the loop it is run on, in a house that has ONU."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from parlour.games import installed_games
from parlour.games.onu import GAME
from parlour.games.onu.host import OnuHost
from tests.server.conftest import pytest_asyncio_loop_factories
from tests.support import Opener, OpenHouse
from tests.wcp.clients import Session

__all__ = ["pytest_asyncio_loop_factories"]

Entrant = Callable[..., Awaitable[Any]]


@pytest.fixture(autouse=True)
def onu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Houses opened from here on have ONU, installed or not."""
    games = [game for game in installed_games() if game.id != GAME.id]
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: (*games, GAME))
    monkeypatch.setattr("parlour.relay.service.installed_hosts", lambda: {GAME.id: OnuHost})


@pytest.fixture
def host_hurries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is a second or three to people is a moment here."""
    monkeypatch.setattr("parlour.games.onu.host.host.PROBE", 0.1)
    monkeypatch.setattr("parlour.games.onu.host.show.PROMPT_AGAIN", 0.05)
    monkeypatch.setattr("parlour.games.onu.rules.RE_PROMPT", 50)


@pytest.fixture
async def house(open_house: Opener) -> OpenHouse:
    return await open_house()


@pytest.fixture
async def enter() -> AsyncIterator[Entrant]:
    """`await enter(Kind, house, channel, user)`: a session in a channel; none outlives its test."""
    async with AsyncExitStack() as until_end:

        async def entered(
            kind: type[Session], house: OpenHouse, channel: str, user: str, **options: Any
        ) -> Session:
            session = kind(house.server.port, channel, user, **options)
            await until_end.enter_async_context(session)
            return session

        yield entered
