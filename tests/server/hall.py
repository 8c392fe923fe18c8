"""A house without sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import pytest

from parlour.bus import (
    Bus,
    ConnectionId,
    JoinRequest,
    Letter,
    Refusal,
    Welcome,
)
from parlour.house import House, Journal
from parlour.house.live import LiveTable
from parlour.kit import Illegal
from parlour.protocol import Game, OpenRequest, Seek
from parlour.protocol.operations import OPEN
from parlour.table import Roster
from tests import highcard
from tests.support import HeldStore, wake_all


class Listeners:
    """Connections that say nothing, but most of which are there."""

    def __init__(self) -> None:
        self.silent: set[ConnectionId] = set()
        self.asked: list[ConnectionId] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None: ...

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None: ...

    async def alive(self, connection: ConnectionId) -> bool:
        self.asked.append(connection)
        await asyncio.sleep(0)
        await self.may_answer.wait()
        return connection not in self.silent


class Noted(Bus):
    """A bus that writes down what it is told, and who wants to go to another node."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Letter] = []
        self.versions: list[int] = []
        """With each of them: up to where its table was told of, if it is about one."""
        self.moves: list[tuple[JoinRequest, Callable[[Welcome | Refusal], None]]] = []

    def tell(self, letters: Sequence[Letter], table: str = "", version: int = 0) -> None:
        self.told += letters
        self.versions += [version] * len(letters)
        super().tell(letters, table, version)

    def move(self, request: JoinRequest, answered: Callable[[Welcome | Refusal], None]) -> None:
        self.moves.append((request, answered))


class Hall:
    """A house by itself, of one game."""

    def __init__(
        self, game: Game = highcard.STANDING, store: HeldStore | None = None, **more: Any
    ) -> None:
        self.game = game
        self.bus = Noted()
        self.listeners = Listeners()
        self.bus.attach_gateway(self.listeners)
        self.store = store or HeldStore()
        self.journal = Journal(self.store, self.bus)
        self.house = House([game], self.journal, self.bus, **more)

    async def reopen(self) -> int:
        """Open the house, and load all its tables."""
        found = await self.house.reopen()
        await wake_all(self.house)
        return found

    def copied(self) -> HeldStore:
        """The same log, for another house."""
        store = HeldStore()
        for what in ("_rows", "_entries", "_facts"):
            setattr(store, what, deepcopy(getattr(self.store, what)))
        return store

    async def open(self, visitor: str = "ada", **settings: Any) -> Roster:
        request = OpenRequest(game=self.game.id, visitor=visitor, settings=settings)
        return await self.house.call(OPEN, request)

    async def refused(self, visitor: str = "ada", **settings: Any) -> str:
        request = OpenRequest(game=self.game.id, visitor=visitor, settings=settings)
        with pytest.raises(Illegal) as refused:
            await self.house.call(OPEN, request)
        return refused.value.code

    def request(self, connection: ConnectionId, seek: Seek, **more: Any) -> JoinRequest:
        """What visitor number so-and-so asks for."""
        usual = {"visitor": f"visitor {connection}", "name": "Guest"}
        return JoinRequest(
            connection=connection,
            game=self.game.id,
            wire=self.game.wires[0].name,
            seek=seek,
            **{**usual, **more},
        )

    async def turned_away(self, connection: ConnectionId, seek: Seek) -> str:
        """Why somebody may not join a table."""
        answer = await self.house.join(self.request(connection, seek))
        assert isinstance(answer, Refusal), answer
        return answer.code

    async def join(self, connection: ConnectionId, seek: Seek, **more: Any) -> LiveTable:
        """Let somebody join a table; gives which it is."""
        answer = await self.house.join(self.request(connection, seek, **more))
        assert isinstance(answer, Welcome), answer
        live = self.house.index.find(answer.table)
        assert isinstance(live, LiveTable)
        return live
