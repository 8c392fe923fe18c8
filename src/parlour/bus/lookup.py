"""Which node runs a table, is to run a new one, or can say what became of one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from types import CoroutineType
from typing import Any, Final, ParamSpec, TypeVar, cast
from uuid import UUID, uuid4

import msgspec

from parlour.bus.base import TRY_AGAIN, JoinRequest, Refusal
from parlour.bus.directory import Directory
from parlour.bus.peers import unreachable
from parlour.kit import Illegal
from parlour.protocol import At, Common, Own
from parlour.table import Roster

P = ParamSpec("P")
T = TypeVar("T")

LOOK_EVERY: Final = 0.25
"""Seconds between two looks at who is there."""
PATIENCE: Final = 10.0
"""Seconds for which somebody waits who looks for a table that is changing its node."""


class Lookup:
    """For one node, from what the directory and the other nodes say."""

    def __init__(
        self,
        address: int,
        directory: Directory,
        ask: Callable[..., Awaitable[Any]],
        *,
        runs_tables: bool,
    ) -> None:
        self._address = address
        self._directory = directory
        self._ask = ask
        """`ask(node, method, *arguments)`: the answer of a node's owner, or a `Refusal`."""
        self.runs_tables = runs_tables
        """Whether new tables may be opened here."""

    # -- which node -------------------------------------------------------------------

    async def node_of(self, table: str) -> int | None:
        """Who runs a table; None: there is no such table. One that nobody runs at the moment
        is waited for."""
        table = table.replace(" ", "")
        until = time.monotonic() + PATIENCE
        while True:
            owners = await self._directory.owners([table])
            node = owners.get(table)
            if node is not None or table not in owners or time.monotonic() > until:
                return node
            await asyncio.sleep(LOOK_EVERY)

    async def for_new_table(self) -> int | None:
        """Where to open a table: here, if that can be."""
        if self.runs_tables:
            return self._address
        return await self._directory.place(str(uuid4()))

    async def for_common_table(self, game: str) -> int | None:
        """Who runs the house's own table of a game, or is to open one."""
        table = await self._directory.common_table(game)
        node = None if table is None else await self.node_of(table)
        return await self._directory.place(f"common {game}") if node is None else node

    async def for_join(self, request: JoinRequest) -> int | None:
        """Who is to be asked by somebody who wants to sit or watch."""
        match request.seek.where:
            case At(table):
                node = await self.node_of(table)
                if node is None and _is_uuid(table):
                    found = await self.find(table)
                    node = await self.node_of(found.id) if isinstance(found, Roster) else None
                # Who can't find it says best what became of it.
                return self._address if node is None else node
            case Own(last=True):
                last = await self._directory.last_table(request.visitor, request.game)
                found = None if last is None else await self.find(last)
                sits = isinstance(found, Roster) and found.of_visitor(request.visitor) is not None
                if last is not None and (sits or _is_shut(found)):
                    return await self.node_of(last)
                return await self.for_new_table()
            case Own():
                return await self.for_new_table()
            case Common():
                return await self.for_common_table(request.game)

    # -- what became of one -----------------------------------------------------------

    async def find(self, table: str) -> Roster | Refusal | None:
        found: Roster | Refusal | None = await until_answered(lambda: self._find(table))
        return found

    async def _find(self, table: str) -> Roster | Refusal | None:
        node = await self.node_of(table)
        found: Roster | Refusal | None
        if node is not None:
            found = await self._ask(node, "find", table)
            # Who has just taken a table over may still be reading its log.
            return unreachable() if found is None else found
        found = await self._ask(self._address, "find", table)
        if found is None and _is_uuid(table):
            nodes = await self._directory.running()
            answers = await asyncio.gather(*(self._ask(node, "find", table) for node in nodes))
            found = next((each for each in answers if isinstance(each, Roster)), None)
        return found

    async def replay(self, replay: str, visitor: str | None) -> msgspec.Raw | Refusal:
        # Only who runs a table knows which of its matches are over; of others the record does.
        node = await self.node_of(replay.rpartition("-")[0])
        told: msgspec.Raw | Refusal = await self._ask(
            self._address if node is None else node, "replay", replay, visitor
        )
        return told


def refusing(
    method: Callable[P, Awaitable[T]],
) -> Callable[P, CoroutineType[Any, Any, T | Refusal]]:
    """Who asks is answered also while the record can't be asked."""

    @wraps(method)
    async def asked(*args: P.args, **named: P.kwargs) -> T | Refusal:
        try:
            return await method(*args, **named)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    return cast("Callable[P, CoroutineType[Any, Any, T | Refusal]]", asked)


async def until_answered(ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask again while the node that is asked is gone and no other has taken its place."""
    until = time.monotonic() + PATIENCE
    while True:
        answer = await ask()
        try_again = isinstance(answer, Refusal) and answer.code == TRY_AGAIN
        if not try_again or time.monotonic() > until:
            return answer
        await asyncio.sleep(LOOK_EVERY)


def _is_shut(found: Roster | Refusal | None) -> bool:
    """Whether who runs the table has something to say to those who sat there."""
    return isinstance(found, Refusal) and found.code == "table-shut"


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
