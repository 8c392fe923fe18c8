"""MO: one who plays, takes back, does again and asks, and one who looks on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tests.cluster.players.person import Person, Watcher
from tests.support import Event

OPENING: dict[str, Any] = {"game": "mo"}


class MoPlayer(Person):
    """Plays anywhere; a game that is over is taken back, or dealt anew."""

    game: ClassVar[str] = "mo"
    wire: ClassVar[str] = "mo"
    pace: ClassVar[float] = 0.08
    """Slow enough that its log is not written anew within a test."""

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/mo?table={self.table['code']}", {}

    def begin(self) -> None:
        self.board: Event | None = None

    def hear(self, message: Event) -> None:
        if message["type"] == "board":
            self.board = message
        self.refused += message["type"] == "error"

    async def act(self) -> None:
        board = self.board
        if board is None:
            return
        chance = self.rng.random()
        if chance < 0.15 and board["can_undo"]:
            await self.say({"type": "undo"})
        elif chance < 0.25 and board["can_redo"]:
            await self.say({"type": "redo"})
        elif chance < 0.28:
            await self.say({"type": "hint"})
        elif board["valid"] and board["status"] == "playing":
            # As the page does: meant for this board and for no other.
            to = self.rng.choice(board["valid"])
            await self.say({"type": "play", "to": to, "moves": board["moves"]})
        elif chance < 0.5 and board["can_undo"]:
            await self.say({"type": "undo"})
        else:
            await self.say({"type": "new"})


class MoWatcher(Watcher):
    game: ClassVar[str] = "mo"
    wire: ClassVar[str] = "mo"

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/mo?watch={self.table['code']}", {}
