"""Whole games over the relay, with clients that know nothing of ours."""

from __future__ import annotations

from tests.support import OpenHouse
from tests.wcp.clients import AnsweringBot
from tests.wcp.conftest import Entrant


async def test_the_documents_bots_play_a_game_to_its_end(house: OpenHouse, enter: Entrant) -> None:
    opener = await house.visitor()
    status, table = await opener.call(
        "POST", "/api/tables", {"game": "onu", "settings": {"pace": 0}}
    )
    assert status == 201
    bots = [await enter(AnsweringBot, house, table["code"], user) for user in ("ann", "ben")]
    for bot in bots:
        await bot.send("onu-ping", bot.user.title(), ["onu-host"])
        await bot.hear("onu-pong")
    path = f"/api/tables/{table['code']}"
    await bots[0].fence()
    status, table = await opener.call("POST", path + "/start")
    assert status == 200, table
    won = await bots[0].hear("onu-won")
    assert won["payload"]["content"] in ("Ann", "Ben")
