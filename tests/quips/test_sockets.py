"""Whole games over real sockets, by strict clients of both generations at one table."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.quips.guests import greeted

GREETING = [
    "s_clientinfo",
    "s_players",
    "s_allcards",
    "s_hand",
    "s_gamestate",
    "s_auxclientdata",
    "s_cardsplayed",
]


async def test_both_generations_play_games_together_to_the_end_and_on(guests: Any) -> None:
    visit = await guests(blank_cards=3, max_rounds=6)
    company = [
        await greeted(await visit.newer("Ann")),
        await greeted(await visit.older("Ben")),
        await greeted(await visit.newer("Cleo", lang="nds-NL")),
        await greeted(await visit.program("?name=Dora")),
    ]
    watcher = await greeted(await visit.newer(path="/spectate"))

    async def watch() -> None:
        await watcher.until(lambda c: c.games_seen >= 2 and c.stage == "playing")

    await asyncio.gather(watch(), *(guest.play(2) for guest in company))
    for guest in company:
        stages = guest.client.stages
        end = stages.index("game_end")
        assert stages[end + 1] == "game_starting"
        assert guest.client.heard[:7] == GREETING
    assert watcher.client.heard[:3] == ["s_players", "s_allcards", "s_gamestate"]
