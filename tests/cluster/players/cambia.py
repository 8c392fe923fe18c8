"""Cambia: strict clients of the enveloped form, who snap, use abilities, owe cards and call."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, cast

import msgspec

from tests.cambia.strict import StrictClient
from tests.cluster.nodes import Nodes
from tests.cluster.players.person import Person, Watcher
from tests.support import Event

OPENING: dict[str, Any] = {
    "game": "cambia",
    "settings": {
        "houseRules": {
            "turnTimerSec": 3,
            "allowDrawFromDiscardPile": True,
            "allowReplaceAbilities": True,
            "allowOpponentSnapping": True,
            "autoKickTurnCount": 0,
        },
        "settings": {"countdownSec": 1},
    },
}


class CambiaPlayer(Person):
    """Clicks as a `StrictClient` does; a turn it sleeps through the timer plays."""

    game: ClassVar[str] = "cambia"
    wire: ClassVar[str] = "cambia"

    def __init__(self, nodes: Nodes, table: Event, rng: Random, name: str) -> None:
        super().__init__(nodes, table, rng, name)
        self.client = StrictClient(cast(Any, None), table["id"], rng)

    async def introduce(self) -> None:
        await self.call("POST", "/user/guest")

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/ws/{self.table['id']}", {}

    def begin(self) -> None:
        self.client._forget()
        self.ready = False

    def unwrapped(self, data: bytes) -> Event:
        frame = msgspec.json.decode(data)
        message: Event = frame["payload"]
        return message

    def hear(self, message: Event) -> None:
        if message["type"] == "error":
            # Faults make people late: a turn may have passed meanwhile.
            self.refused += 1
            return
        if message["type"] in ("lobby_state", "sync_state"):
            users = message["lobby_status"]["users"]
            self.ready = any(u["is_ready"] for u in users if u["id"] == message["your_id"])
        self.client.hear(message)

    async def act(self) -> None:
        client = self.client
        if client.phase != "in_game" or client.state is None:
            if not self.ready:
                await self.say({"type": "ready"})
            return
        game = client.game
        if game["gameOver"] or game["preGameActive"]:
            return
        move = None
        if client.owes and client.hands()[client.id]:
            move = client.pay()
        elif client.to_move and self.rng.random() < 0.99:
            move = client.move()
        elif self.rng.random() < 0.1:
            move = client.snap()
        if move is not None:
            await self.say(move.message)


class CambiaWatcher(Watcher):
    game: ClassVar[str] = "cambia"
    wire: ClassVar[str] = "cambia"

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/ws/{self.table['id']}?watch", {}
