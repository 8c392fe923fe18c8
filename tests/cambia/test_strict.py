"""Whole games by strict clients: never an `error`, and every click hits the card that was meant."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from tests.cambia.guests import PRE_GAME, Evening, Guest
from tests.cambia.strict import ABILITY, PLACE, Move, StrictClient
from tests.support import PATIENCE, Event, soon

PLAIN: dict[str, Any] = {"turnTimerSec": 0}
WILD: dict[str, Any] = {
    "turnTimerSec": 0,
    "allowDrawFromDiscardPile": True,
    "allowReplaceAbilities": True,
    "allowOpponentSnapping": True,
}
HIT = {
    "action_replace": "player_discard",
    "action_special": "player_special_action",
    "action_snap": ("player_snap_success", "player_snap_fail"),
    "action_snap_move": "player_snap_move",
}
"""What says which cards a click has hit."""


class StrictTable:
    """Strict clients and bots in one lobby, and the house behind them to compare with."""

    reload_chance = 0.15

    def __init__(self, evening: Evening, clients: list[StrictClient], rnd: Random) -> None:
        self.evening = evening
        self.clients = clients
        self.rnd = rnd
        self.guest = Guest(clients[0].visitor, "enveloped", clients[0].lobby_id)
        self.hits = 0
        self.in_vain: set[str] = set()
        """Why snaps were refused without an answer."""

    async def catch_up(self) -> None:
        """Until everybody has heard everything, and no bot has anything more to do."""
        table = self.evening.table(self.guest)
        version = -1
        while version != table.version:
            version = table.version
            for client in self.clients:
                await client.catch_up()

    async def begin(self) -> None:
        for client in self.clients:
            await client.socket.send("ready")
            await client.catch_up()
        roster = self.evening.roster(self.guest)
        await soon(lambda: roster.countdown is not None)
        self.evening.watch.forward(60_000)
        await soon(lambda: bool(roster.running))
        self.evening.watch.forward(PRE_GAME)
        await self.catch_up()

    def really(self) -> dict[str, list[str]]:
        """Every hand as it lies on the table."""
        match = self.evening.match(self.guest)
        ids = match.layout.ids
        hands = [[ids[card] for card in hand] for hand in match.layout.hands]
        return dict(zip(match.layout.players, hands, strict=True))

    async def click(self, client: StrictClient, move: Move) -> None:
        """Send a move, and see that it hit what was clicked."""
        really = self.really()
        meant = [really[owner][idx] for owner, idx in move.clicked]
        await client.click(move)
        heard = await client.catch_up()
        if meant:
            refused = any(m["type"] == "private_special_action_fail" for m in heard)
            assert refused or _hit(heard, client.id, move.message["type"]) == sorted(meant)
            self.hits += not refused
        await self.catch_up()

    async def click_in_vain(self, client: StrictClient, snap: Move, why: str) -> None:
        """Click what is on offer and refused: nothing is answered."""
        await client.click(snap)
        heard = await client.catch_up()
        mine = [m for m in heard if m.get("user", {}).get("id") == client.id]
        assert not any(m["type"].startswith("player_snap") for m in mine)
        self.in_vain.add(why)
        await self.catch_up()

    async def play(self) -> None:
        """Until the game is over."""
        async with asyncio.timeout(6 * PATIENCE):
            while self.evening.roster(self.guest).running:
                await self.step()
        await self.catch_up()
        assert all(client.game["gameOver"] for client in self.clients)

    async def step(self) -> None:
        for client in self.clients:
            assert client.hands() == self.really(), "everybody sees every hand as it lies"
        mover = next(client for client in self.clients if client.to_move)
        debtor = next((client for client in self.clients if client.owes), None)
        if self.rnd.random() < self.reload_chance:
            await self.rnd.choice([mover, *self.clients]).reload()
            await self.catch_up()
        elif debtor is not None:
            await self.click(debtor, debtor.pay())
        elif self.rnd.random() < 0.1:
            await self.snap(self.rnd.choice(self.clients))
        else:
            await self.click(mover, mover.move())

    async def snap(self, client: StrictClient) -> None:
        move = client.snap()
        if move is None:
            return
        if client.locked == client.id:
            await self.click_in_vain(client, move, "caller")
            return
        await self.click(client, move)
        if client.wrong_snap:
            client.wrong_snap = False
            again = client.snap()
            if again is not None:
                await self.click_in_vain(client, again, "too soon")
            # Whoever snapped wrong has to wait before they snap again.
            self.evening.watch.forward(60_000)
            await self.catch_up()


def _hit(heard: list[Event], me: str, action: str) -> list[str]:
    """The cards that an action of `me` hit."""
    said = next(m for m in heard if m["type"] in HIT[action] and m["user"]["id"] == me)
    cards = [said[name]["id"] for name in ("card1", "card2") if name in said]
    return sorted(cards or [said["card"]["id"]])


async def strict_table(
    evening: Evening, rnd: Random, people: int, bots: int, rules: dict[str, Any]
) -> StrictTable:
    host, lobby_id = await evening.lobby(houseRules=rules)
    visitors = [host] + [await evening.house.visitor() for _ in range(people - 1)]
    clients = [StrictClient(visitor, lobby_id, rnd) for visitor in visitors]
    for client in clients:
        await client.connect()
    for _ in range(bots):
        await clients[0].socket.send("add_bot")
    table = StrictTable(evening, clients, rnd)
    await table.catch_up()
    return table


@pytest.mark.parametrize(
    ("people", "bots", "rules"),
    [(2, 0, PLAIN), (1, 1, PLAIN), (4, 0, WILD), (2, 2, PLAIN)],
    ids=["two people", "one and a bot", "four people, all rules", "two and two bots"],
)
@pytest.mark.parametrize("seed", range(3))
async def test_a_strict_client_plays_whole_games(
    evening: Evening, people: int, bots: int, rules: dict[str, Any], seed: int
) -> None:
    rnd = Random(seed)
    table = await strict_table(evening, rnd, people, bots, rules)
    for _ in range(6):
        await table.begin()
        await table.play()
    assert table.hits, "somebody has clicked on a card"


async def test_reloads_come_in_every_situation(evening: Evening) -> None:
    """Until each has been met, a King's second step included, games go on."""
    table = await strict_table(evening, Random(1), 2, 0, PLAIN)
    table.reload_chance = 0.4
    met: set[str] = set()
    while not {PLACE, ABILITY, "king", "nothing"} <= met:
        await table.begin()
        await table.play()
        met |= {where for client in table.clients for where in client.reloads}


async def test_snaps_that_are_refused_in_the_course_of_play_are_no_error(evening: Evening) -> None:
    table = await strict_table(evening, Random(1), 2, 0, PLAIN)
    while table.in_vain != {"caller", "too soon"}:
        await table.begin()
        await table.play()
