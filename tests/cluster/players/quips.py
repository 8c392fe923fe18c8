"""Quips: strict clients of the newer generation, some of whom come and go in mid-game."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar
from urllib.parse import quote

from tests.cluster.nodes import Nodes
from tests.cluster.players.person import Person, Watcher
from tests.quips.strict import Newer
from tests.support import Event

OPENING: dict[str, Any] = {
    "game": "quips",
    "settings": {
        "max_rounds": 1000,
        "max_points": 1000,
        "round_end_timeout": 300,
        "max_players": 20,
        "afk_time_seconds": 5,
        "player_preserve_time": 15,
    },
}


class QuipsPlayer(Person):
    """Plays anything, judges anyhow, and talks now and then; known by its `player_token`."""

    game: ClassVar[str] = "quips"
    wire: ClassVar[str] = "quips-newer"
    pace: ClassVar[float] = 0.06

    def __init__(self, nodes: Nodes, table: Event, rng: Random, name: str) -> None:
        super().__init__(nodes, table, rng, name)
        self.token = ""

    async def introduce(self) -> None:
        """An existing client has no session of ours."""

    def address(self) -> tuple[str, Mapping[str, str]]:
        query = f"?table={self.table['code']}&name={quote(self.name)}"
        if self.token:
            query += f"&player_token={self.token}"
        return "/game" + query, {}

    def begin(self) -> None:
        self.client = Newer()

    def unwrapped(self, data: bytes) -> Event:
        # It reads by itself.
        return {"data": data}

    def hear(self, message: Event) -> None:
        self.client.hear(message["data"])
        self.token = self.client.token or self.token
        self.refused = len(self.client.errors)

    async def act(self) -> None:
        client = self.client
        if client.can_play and client.hand:
            cards = self.rng.sample(client.hand, client.pick)
            client.says("c_playcards")
            await self.say({"msg": "c_playcards", "cards": cards})
        elif client.judges and client.state is not None:
            index = self.rng.randrange(len(client.state["plays"]))
            await self.say({"msg": "c_judgecards", "play_index": index})
        elif client.asked_if_ready:
            await self.say({"msg": "c_ready_up", "status": True})
        elif self.rng.random() < 0.02:
            await self.say({"msg": "c_chat_msg", "body": f"Word {len(client.heard)}"})


class QuipsWatcher(Watcher):
    game: ClassVar[str] = "quips"
    wire: ClassVar[str] = "quips-newer"

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/spectate?table={self.table['code']}", {}
