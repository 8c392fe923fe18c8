"""Which node runs a table or an operation: as the database says, or as the other nodes answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol
from uuid import UUID, uuid4

from parlour.bus import TRY_AGAIN, A, Args, JoinRequest
from parlour.bus.peers import unreachable
from parlour.bus.questions import Questions
from parlour.kit import Illegal
from parlour.protocol import At, Common, Operation, Own, TablePage
from parlour.protocol import operations as ops
from parlour.protocol.operations import Node
from parlour.table import Roster

TABLE_SHUT: Final = "table-shut"
"""The code of a table whose log can't be folded."""
LOOK_EVERY: Final = 0.25
"""Seconds between two looks into the directory, while something is looked for."""
PATIENCE: Final = 10.0
"""Seconds for which a request waits for a table that is changing its node."""
SHORT_PAGE: Final = 50
"""A list with fewer tables goes on with those of the next node."""
NODES_APART: Final = 1 << 32
"""How far apart the positions of two nodes are in a list of tables."""


class Directory(Protocol):
    """Nodes and the tables they run, as the database has it. Raises `Illegal` while that is away.
    Nodes are named by their addresses."""

    quiet: float
    """Seconds from the last `nodes()` for which no lease can end; 0: one has ended, or there is a
    table that no node runs."""

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        """All nodes with a row, even if their lease has ended: the key with which each seals its
        packets, and the versions of the bus that it speaks."""
        ...

    async def running(self) -> list[int]:
        """The nodes that run tables now."""
        ...

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        """By id or code, as asked: the node that runs a table; None: no node at the moment.
        Tables that do not exist, or are closed, are left out."""
        ...

    async def place(self, key: str) -> int | None:
        """The node that is to run what goes by this key."""
        ...

    async def common_table(self, game: str) -> str | None:
        """The id of the house's own table of a game, if it is open."""
        ...

    async def last_table(self, visitor: str, game: str) -> str | None:
        """The id of the table where this visitor sat down last, if it is still open."""
        ...


class Lookup:
    """Finds the node to ask, for one node."""

    def __init__(
        self, address: int, directory: Directory, questions: Questions, *, runs_tables: bool
    ) -> None:
        self._address = address
        self._directory = directory
        self._ask = questions.ask
        self._several: dict[str, Callable[..., Awaitable[Any]]] = {
            ops.FIND.name: self._find,
            ops.LIST_TABLES.name: self._list_tables,
            ops.LIST_ALL.name: self._list_all,
        }
        """Operations for which more than one node may have to be asked."""
        self.runs_tables = runs_tables
        """Whether new tables may be opened here."""

    # -- which node -------------------------------------------------------------------

    async def node_of(self, table: str) -> int | None:
        """The node that runs a table; None: there is no such table. If no node runs it at the
        moment, this waits."""
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
        """The node that runs the house's own table of a game, or is to open one."""
        table = await self._directory.common_table(game)
        node = None if table is None else await self.node_of(table)
        return await self._directory.place(f"common {game}") if node is None else node

    async def for_join(self, request: JoinRequest) -> int | None:
        """The node to ask for somebody who wants to sit or watch."""
        match request.seek.where:
            case At(table):
                node = await self.node_of(table)
                if node is None and _is_uuid(table):
                    found = await self._found(table)
                    node = await self.node_of(found.id) if isinstance(found, Roster) else None
                # Every node refuses a table that it can't find, with the reason.
                return self._address if node is None else node
            case Own(last=True):
                last = await self._directory.last_table(request.visitor, request.game)
                if last is not None:
                    found = await self._found(last)
                    # The node of a table that stays shut tells those who sat there why.
                    if found == TABLE_SHUT or _sits(found, request.visitor):
                        return await self.node_of(last)
                return await self.for_new_table()
            case Own():
                return await self.for_new_table()
            case Common():
                return await self.for_common_table(request.game)

    async def _found(self, table: str) -> Roster | str | None:
        """A table, or the code of the refusal."""
        try:
            return await self.call(ops.FIND, table)
        except Illegal as no:
            if no.code == TRY_AGAIN:
                raise
            return no.code

    # -- operations -------------------------------------------------------------------

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """Run an operation at the node that its entry names; raises `Illegal`."""

        async def once() -> A:
            several = self._several.get(operation.name)
            if several is not None:
                answer: A = await several(*arguments)
                return answer
            node = await self._node_for(operation, *arguments)
            if node is None:
                raise Illegal("no-such-table", "There is no such table.")
            return await self._ask(node, operation, *arguments)

        return await (until_answered(once) if operation.repeatable else once())

    async def _node_for(self, operation: Operation[A, *Args], *arguments: *Args) -> int | None:
        match operation.node:
            case Node.NEW_TABLE:
                return await self.for_new_table()
            case Node.TABLE:
                return await self.node_of(operation.table(*arguments))
            case Node.TABLE_OR_ASKED:
                node = await self.node_of(operation.table(*arguments))
                return self._address if node is None else node
            case Node.COMMON_TABLE:
                return await self.for_common_table(operation.table(*arguments))
            case _:
                return self._address

    async def _find(self, table: str) -> Roster | None:
        node = await self.node_of(table)
        if node is not None:
            found = await self._ask(node, ops.FIND, table)
            if found is None:
                # A node that has just taken a table over may still be reading its log.
                raise unreachable()
            return found
        found = await self._ask(self._address, ops.FIND, table)
        if found is None and _is_uuid(table):
            nodes = await self._directory.running()
            answers = await asyncio.gather(*(self._try(n, ops.FIND, table) for n in nodes))
            found = next((each for each in answers if each is not None), None)
        return found

    async def _list_tables(self, game: str | None, visitor: str | None, after: int) -> TablePage:
        """Node after node; the tables that concern the visitor come first, from all nodes."""
        nodes = sorted(await self._directory.running())
        listed: list[Roster] = []
        if not after and visitor is not None:
            pages = await asyncio.gather(
                *(self._try(node, ops.LIST_TABLES, game, visitor, 0) for node in nodes)
            )
            for told in filter(None, pages):
                listed += [roster for roster in told.tables if _concerns(roster, visitor)]

        async def others(node: int, after: int) -> TablePage | None:
            page = await self._try(node, ops.LIST_TABLES, game, visitor, after)
            if page is None:
                return None
            kept = [roster for roster in page.tables if not _concerns(roster, visitor)]
            return TablePage(kept, page.next)

        return await _node_after_node(nodes, listed, after, others)

    async def _list_all(self, after: int) -> TablePage:
        async def page(node: int, after: int) -> TablePage | None:
            return await self._try(node, ops.LIST_ALL, after)

        return await _node_after_node(sorted(await self._directory.running()), [], after, page)

    async def _try(self, node: int, operation: Operation[A, *Args], *arguments: *Args) -> A | None:
        """The answer of one of several nodes; None: it refuses, or can't be reached."""
        with suppress(Illegal):
            return await self._ask(node, operation, *arguments)
        return None


async def _node_after_node(
    nodes: Sequence[int],
    listed: list[Roster],
    after: int,
    page: Callable[[int, int], Awaitable[TablePage | None]],
) -> TablePage:
    """Add the lists of these nodes to `listed`, until that is long enough; `after` says how far
    earlier pages came."""
    at, after = divmod(after, NODES_APART)
    while at < len(nodes) and len(listed) < SHORT_PAGE:
        told = await page(nodes[at], after)
        after = 0
        if told is not None:
            listed += told.tables
            after = told.next
        at += not after
    return TablePage(listed, at * NODES_APART + after if at < len(nodes) else 0)


async def until_answered(ask: Callable[[], Awaitable[A]]) -> A:
    """Ask again while the node that is asked is gone and no other has taken its place."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return await ask()
        except Illegal as no:
            if no.code != TRY_AGAIN or time.monotonic() > until:
                raise
        await asyncio.sleep(LOOK_EVERY)


def _sits(found: Roster | str | None, visitor: str) -> bool:
    return isinstance(found, Roster) and found.of_visitor(visitor) is not None


def _concerns(roster: Roster, visitor: str | None) -> bool:
    return visitor is not None and (visitor in roster.invited or _sits(roster, visitor))


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
