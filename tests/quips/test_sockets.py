"""Whole games over real sockets, by strict clients of both generations at one table."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.quips.guests import Guest, greeted

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


async def test_whole_games_are_played_by_clients_that_lose_their_lines(guests: Any) -> None:
    """Some of the newer generation drop every few messages and come back by token."""
    visit = await guests(max_rounds=5)
    seen = {"Ann": 0, "Ben": 0, "Cleo": 0}
    kept: list[int] = []
    enough = asyncio.Event()

    async def play_restlessly(guest: Guest) -> None:
        name = guest.client.name
        while True:
            await guest.play(99, at_most=guest.random.randint(5, 60))
            seen[name] += guest.client.games_seen
            if min(seen.values()) >= 2:
                enough.set()
            before = guest.client
            guest.drop()
            guest = await greeted(await visit.newer("Again", token=before.token))
            guest.client.games_seen = 0
            if guest.client.token == before.token:
                assert guest.client.id == before.id
                kept.append(guest.client.id)

    company = [await greeted(await visit.newer(name)) for name in seen]
    steady = [await greeted(await visit.older("Dora")), await greeted(await visit.newer("Emil"))]
    async with asyncio.TaskGroup() as tasks:
        playing = [tasks.create_task(play_restlessly(guest)) for guest in company]
        playing += [tasks.create_task(guest.play(99)) for guest in steady]
        await enough.wait()
        for task in playing:
            task.cancel()
    assert kept
