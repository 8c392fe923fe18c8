"""Guests at a Cambia table, by either form of its protocol, and a clock that can be put forward.

The house is real and so are the sockets; only its deck can be stacked, and its clock stands still
until it is moved. So no test waits for a countdown, a pre-game or a turn to pass, and on a busy
machine none passes too early.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Literal
from unittest.mock import patch

import aiohttp
import msgspec

from parlour.games.cambia.rules import Cambia
from parlour.rng import ProvableRng, Rng
from parlour.table import Table
from tests.cambia.tools import StackedRng, stacked
from tests.support import Client, Event, OpenHouse, Visitor, soon, still

Form = Literal["flat", "enveloped"]
PRE_GAME = 10_000


class EnvelopedClient(Client):
    """Unwraps `{"seq","type","payload"}`, and checks every one of them."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        super().__init__(socket)
        self.seq = 0

    async def event(self) -> Event:
        frame = await super().event()
        assert list(frame) == ["seq", "type", "payload"]
        self.seq += 1
        assert frame["seq"] == self.seq
        message: Event = frame["payload"]
        assert message["type"] == frame["type"]
        self.heard[-1] = message
        return message


class Guest:
    """Somebody at a table. `lobby` and `game` are two sockets in the flat form, or the same."""

    lobby: Client
    game: Client

    def __init__(self, visitor: Visitor, form: Form, lobby_id: str) -> None:
        self.visitor = visitor
        self.form: Form = form
        self.lobby_id = lobby_id
        self.state: Event = {}
        """The `lobby_state` of the connection."""

    async def enter(self, query: str = "") -> Guest:
        """Connect to the lobby and read what it says first."""
        if self.form == "flat":
            path = f"/lobby/ws/{self.lobby_id}{query}"
            self.lobby = Client(await self.visitor.socket(path, protocols=["lobby"]))
            self.state = await self.lobby.expect("lobby_state")
        else:
            path = f"/ws/{self.lobby_id}{query}"
            self.lobby = self.game = EnvelopedClient(await self.visitor.socket(path))
            self.state = await self.lobby.until("lobby_state")
            await self.lobby.expect("sync_state")
        return self

    async def enter_game(self) -> Event:
        """Be in the game that has just been dealt; gives the first `private_sync_state`."""
        if self.form == "flat":
            game_id = (await self.lobby.until("game_start"))["game_id"]
            socket = await self.visitor.socket(f"/game/ws/{game_id}", protocols=["game"])
            self.game = Client(socket)
            return await self.game.expect("private_sync_state")
        return await self.game.until("private_sync_state")

    @property
    def id(self) -> str:
        return str(self.state["your_id"])

    async def say(self, type: str, **fields: Any) -> None:
        socket = self.game if type.startswith("action_") else self.lobby
        await socket.send(type, **fields)

    async def refused(self, type: str, **fields: Any) -> str:
        """Say something that must be refused; gives the code."""
        await self.say(type, **fields)
        socket = self.game if type.startswith("action_") else self.lobby
        return str((await socket.until("error"))["code"])

    async def close(self) -> None:
        await self.lobby.close()
        if self.form == "flat" and hasattr(self, "game"):
            await self.game.close()


class Watch:
    """The clock of a house, which can be put forward."""

    def __init__(self, house: OpenHouse) -> None:
        self._house = house.server.house

    def __call__(self) -> int:
        return self._house.clock()

    def forward(self, millis: int) -> None:
        """All at once it is so much later; what has become due happens."""
        self._house.clock.base += millis
        for live in self._house.index:
            live.rest()
            live.set_clocks()


class Evening:
    """A house whose clock is moved and, if wanted, a stacked deck."""

    def __init__(self, house: OpenHouse) -> None:
        self.house = house
        self.watch = Watch(house)
        self.deck: list[int] | None = None

    def stack(self, hands: Sequence[str], top: str, stockpile: str = "") -> None:
        """What the next deal shall be; see `tools.stacked`."""
        self.deck = stacked(hands, top, stockpile)

    def __enter__(self) -> Evening:
        with ExitStack() as patches:
            patches.enter_context(patch("parlour.table.table.ProvableRng", self._rng))
            patches.enter_context(patch("parlour.house.journal.time", still()))
            self._patches = patches.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()

    def _rng(self, seed: bytes, label: str) -> Rng:
        if label == "match" and self.deck is not None:
            return StackedRng(self.deck)
        return ProvableRng(seed, label)

    async def lobby(self, **fields: Any) -> tuple[Visitor, str]:
        """A visitor who has made a lobby, and its id."""
        visitor = await self.house.visitor()
        await visitor.call("POST", "/user/guest")
        status, made = await visitor.call("POST", "/lobby/create", fields)
        assert status == 200, made
        return visitor, made["lobby_id"]

    async def guests(self, *forms: Form, **fields: Any) -> list[Guest]:
        """So many guests in one new lobby, the first of them its host."""
        host, lobby_id = await self.lobby(**fields)
        here = [await Guest(host, forms[0], lobby_id).enter()]
        for form in forms[1:]:
            here.append(await self.another(here[0], form))
        return here

    async def another(self, host: Guest, form: Form) -> Guest:
        visitor = await self.house.visitor()
        return await Guest(visitor, form, host.lobby_id).enter()

    async def deal(self, guests: Sequence[Guest]) -> None:
        """All are ready, the countdown passes, and everybody is in the game."""
        for guest in guests:
            await guest.say("ready")
        await soon(lambda: self.roster(guests[0]).countdown is not None)
        self.watch.forward(60_000)
        for guest in guests:
            await guest.enter_game()
            await guest.game.until("private_initial_cards")

    async def begin(self, guests: Sequence[Guest]) -> None:
        """The same, and the pre-game passes too."""
        await self.deal(guests)
        self.watch.forward(PRE_GAME)
        for guest in guests:
            await guest.game.until("game_player_turn")

    def roster(self, guest: Guest) -> Any:
        return self.table(guest).roster

    def table(self, guest: Guest) -> Table:
        live = self.house.server.house.index.find(guest.lobby_id)
        assert live is not None
        return live.table

    def match(self, guest: Guest) -> Cambia:
        match = self.table(guest).match
        assert isinstance(match, Cambia)
        return match

    def hand(self, guest: Guest) -> list[str]:
        """The ids of a guest's cards, left to right."""
        seat = [p.id for p in self.roster(guest).seating].index(guest.id)
        layout = self.match(guest).layout
        return [layout.ids[card] for card in layout.hands[seat]]


def fields(message: Event) -> set[str]:
    return set(message) - {"type"}


def same(one: Any, other: Any) -> bool:
    """Equal as JSON, byte for byte."""
    return msgspec.json.encode(one) == msgspec.json.encode(other)
