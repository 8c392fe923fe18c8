"""Super Rummy: two or three who draw and discard, round after round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from tests.cluster.players.person import Person, Watcher
from tests.support import Event, RummyClient

OPENING: dict[str, Any] = {"game": "rummy"}


class RummyPlayer(Person):
    """Draws from the deck and discards anything."""

    game: ClassVar[str] = "rummy"
    wire: ClassVar[str] = "rummy"

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/rummy?table={self.table['code']}", {}

    def begin(self) -> None:
        # What it knows, without a socket of its own.
        self.client = RummyClient(cast(Any, None))

    def hear(self, message: Event) -> None:
        self.client.take_in(message)
        self.refused += message["type"] == "error"

    async def act(self) -> None:
        client = self.client
        if client.turn == (client.me, "draw"):
            top = client.deck[-1] if client.deck else client.discards[-1]["id"]
            await self.say({"type": "draw", "card_id": top})
        elif client.turn == (client.me, "play"):
            card = self.rng.choice(client.hand)["id"]
            await self.say({"type": "discard", "card_id": card})
        elif client.turn is None and client.lobby:
            players = client.lobby["players"]
            # Who sits first deals, as soon as there is somebody to play with.
            if len(players) > 1 and players[0]["id"] == client.me:
                await self.say({"type": "start"})


class RummyWatcher(Watcher):
    game: ClassVar[str] = "rummy"
    wire: ClassVar[str] = "rummy"

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/rummy?watch={self.table['code']}", {}
