"""The house is closed and opened again in mid-game; clients come back by themselves and play on."""

from __future__ import annotations

import json

import pytest

from tests.support import Opener, own_port, soon
from tests.wcp.clients import ReturningBot, Told, Window
from tests.wcp.conftest import Entrant
from tests.wcp.tables import open_table, ping


class Hesitant(ReturningBot):
    """Answers only as often as it is let."""

    left = 4
    awaited = False

    async def on_message(self, message: Told) -> None:
        if message["payload"]["name"] != "onu-player-turn":
            return
        self.awaited = not self.left
        if self.left:
            self.left -= 1
            await super().on_message(message)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.games.onu.host.show.PROMPT_AGAIN", 0.05)


async def test_a_game_goes_on_after_a_restart(open_house: Opener, enter: Entrant) -> None:
    house = await open_house(port=own_port())
    table = await open_table(house)
    bots = [await enter(Hesitant, house, table.code, user) for user in ("ann", "ben")]
    await ping(table, *bots)
    await table.start()
    # Both have played, and one of them is awaited.
    await soon(lambda: any(bot.awaited for bot in bots))
    for bot in bots:
        await bot.fence()
    before = json.loads(bots[0].contents("onu-turn")[-1])
    await house.server.stop()
    for bot in bots:
        await bot.until(lambda bot=bot: bot.ended is not None)
    heard = [len(bot.heard) for bot in bots]
    again = await open_house(port=house.server.port)
    await soon(lambda: all(bot.ended is None for bot in bots))
    await bots[0].until(lambda: len(bots[0].heard) > heard[0])
    first = bots[0].heard[heard[0]]
    assert first["payload"]["name"] == "onu-start"
    assert json.loads(first["payload"]["content"]) == before
    for bot in bots:
        bot.left = 10_000
    window = await enter(Window, again, table.code, "ann")
    won = await window.hear("onu-won")
    assert won["payload"]["content"] in ("Ann", "Ben")
    # Over is over: nobody is told again.
    await again.server.stop()
    await open_house(port=house.server.port)
    await soon(lambda: all(bot.ended is None for bot in bots))
    for bot in bots:
        await bot.fence()
        assert len(bot.named("onu-won")) == 1
