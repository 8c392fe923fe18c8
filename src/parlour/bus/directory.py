"""Who is where, as the record has it; and the tables of all nodes as one list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, Protocol

from parlour.protocol import TablePage
from parlour.table import Roster

SHORT_PAGE: Final = 50
"""Tables in a list below which it goes on with those of the next node."""
NODES_APART: Final = 1 << 32
"""How far apart the places of two nodes are in a list of tables."""


class Directory(Protocol):
    """Who is where, as the record has it. Raises `Illegal` while it can't be asked."""

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        """All nodes with a row, by address: the key with which each seals its packets, and the
        versions of the bus that it speaks."""
        ...

    async def running(self) -> list[int]:
        """The addresses of the nodes that run tables now."""
        ...

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        """By id or code: the address of the node that runs a table; None: nobody yet."""
        ...

    async def place(self, key: str) -> int | None:
        """The address of the node that is to run whatever goes by this key."""
        ...

    async def common_table(self, game: str) -> str | None:
        """The id of the house's own table of a game, if it is open."""
        ...

    async def last_table(self, visitor: str, game: str) -> str | None:
        """The id of the table where this visitor sat down last, if it is still open."""
        ...


async def list_tables(
    directory: Directory,
    ask: Callable[..., Awaitable[Any]],
    game: str | None,
    visitor: str | None,
    after: int,
) -> TablePage:
    """Node after node; the tables that concern the visitor, wherever they are, first."""
    nodes = sorted(await directory.running())
    listed: list[Roster] = []
    if not after and visitor is not None:
        told = await asyncio.gather(*(ask(node, "list_tables", game, visitor, 0) for node in nodes))
        for page in told:
            if isinstance(page, TablePage):
                listed += [roster for roster in page.tables if _concerns(roster, visitor)]
    at, after = divmod(after, NODES_APART)
    while at < len(nodes) and len(listed) < SHORT_PAGE:
        page = await ask(nodes[at], "list_tables", game, visitor, after)
        after = 0
        if isinstance(page, TablePage):
            listed += [roster for roster in page.tables if not _concerns(roster, visitor)]
            after = page.next
        at += not after
    return TablePage(listed, at * NODES_APART + after if at < len(nodes) else 0)


def _concerns(roster: Roster, visitor: str | None) -> bool:
    return visitor is not None and (
        visitor in roster.invited or roster.of_visitor(visitor) is not None
    )
