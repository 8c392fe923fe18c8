"""The bus of a house on one machine: function calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parlour.bus.base import Bus, Gateway, Knock, Line, OpenTable, Owner, Refusal, RunTable, Welcome
from parlour.table import Roster, Wish


class LocalBus(Bus):
    """Hands every word straight to the other side."""

    _owner: Owner
    _gateway: Gateway

    def attach_owner(self, owner: Owner) -> None:
        self._owner = owner

    def attach_gateway(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def knock(self, knock: Knock) -> Welcome | Refusal:
        return await self._owner.knock(knock)

    def post(self, line: Line, wish: Wish) -> None:
        self._owner.post(line, wish)

    def hang(self, line: Line) -> None:
        self._owner.hang(line)

    async def open(self, request: OpenTable) -> Roster | Refusal:
        return await self._owner.open(request)

    async def run(self, request: RunTable) -> Roster | Refusal:
        return await self._owner.run(request)

    async def find(self, table: str) -> Roster | None:
        return await self._owner.find(table)

    async def list_tables(self, game: str | None, visitor: str | None) -> Sequence[Roster]:
        return await self._owner.list_tables(game, visitor)

    async def replay(self, replay: str) -> dict[str, Any] | Refusal:
        return await self._owner.replay(replay)

    def deliver(self, lines: Sequence[Line], data: bytes) -> None:
        self._gateway.deliver(lines, data)

    def cut(self, line: Line, code: int, reason: str) -> None:
        self._gateway.cut(line, code, reason)
