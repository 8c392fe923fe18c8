"""ONU: users of a relay's channel who answer when they are asked, and who had the table opened.

Users find the table's host by asking for it at one door after the other: where a channel is one
node's own, that is the only door for them; where channels span nodes, the first one will do.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from typing import Any, ClassVar, Final

import aiohttp

from tests.cluster.nodes import Node, Nodes
from tests.cluster.players.person import RELAY, Person, Watcher
from tests.support import Event
from tests.wcp.clients import AnsweringBot, basic

OPENING: dict[str, Any] = {
    "game": "onu",
    # Nobody else hosts in the table's own channel: it need not be asked.
    "settings": {"pace": 0, "turnTimeout": 3, "takeOver": True},
}
HOST: Final = "onu-host"
NO_HOST: Final = 4.0
"""Seconds without a word of the host after which a user tries another door."""


class OnuPlayer(Person):
    """A character: pings, and answers every prompt."""

    game: ClassVar[str] = "onu"
    wire: ClassVar[str] = RELAY
    pace: ClassVar[float] = 0.1

    def __init__(self, nodes: Nodes, table: Event, rng: Random, name: str) -> None:
        super().__init__(nodes, table, rng, name)
        self.user = name.lower().replace(" ", "-")
        self._tried: Node | None = None
        self._found = False

    async def introduce(self) -> None:
        """A user of the relay has no session of ours."""

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/{self.table['code']}", basic(self.user, "secret")

    def door(self, doors: list[Node]) -> Node:
        if self._tried in doors and not self._found:
            return doors[(doors.index(self._tried) + 1) % len(doors)]
        return self._tried if self._tried in doors else self.rng.choice(doors)

    def begin(self) -> None:
        self._found = self._pinged = False
        self._since = time.monotonic()
        self._prompt: Event | None = None

    def came_to(self, node: Node) -> None:
        self._tried = node

    def hear(self, message: Event) -> None:
        # Before it hosts it asks whether somebody else does, and takes no pings.
        if message["from"] == HOST and message["payload"]["name"] != "onu-hashost":
            self._found = True
        for_me = self.user in message["to"] or "all" in message["to"]
        if for_me and message["payload"]["name"] == "onu-player-turn":
            self._prompt = json.loads(message["payload"]["content"])

    def gives_up(self) -> bool:
        return not self._found and time.monotonic() - self._since > NO_HOST

    async def act(self) -> None:
        if not self._pinged:
            self._pinged = True
            await self._send("onu-ping", self.name, [HOST])
        elif self._prompt is not None:
            answer = AnsweringBot.answer(self._prompt)
            self._prompt = None
            await self._send("onu-player-action", json.dumps(answer), ["all"])

    async def _send(self, name: str, content: str, to: list[str]) -> None:
        payload = {"name": name, "content": content}
        await self.say(
            {"version": 1, "type": "data", "from": self.user, "to": to, "payload": payload}
        )


class OnuOpener(Watcher):
    """Looks on by the page, and has every game started as soon as the last one is over."""

    game: ClassVar[str] = "onu"
    wire: ClassVar[str] = "onu"
    pace: ClassVar[float] = 0.2

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/onu?watch={self.table['code']}", {}

    def begin(self) -> None:
        self._lobby: Event = {}

    def hear(self, message: Event) -> None:
        if message["type"] == "lobby":
            self._lobby = message

    async def act(self) -> None:
        if self._lobby and not self._lobby["running"] and len(self._lobby["players"]) > 1:
            with suppress(aiohttp.ClientError, TimeoutError, AssertionError, OSError):
                await self.call("POST", f"/api/tables/{self.table['code']}/start")


class OnuWatcher(Watcher):
    game: ClassVar[str] = "onu"
    wire: ClassVar[str] = "onu"

    def address(self) -> tuple[str, Mapping[str, str]]:
        return f"/onu?watch={self.table['code']}", {}
