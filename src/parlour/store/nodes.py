"""The nodes of a house as an operator sees them, and the orders that an operator can give.

An order is a word in a node's row, which the node reads whenever it renews its lease. Only somebody
with the database's password can write it there.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
import msgspec

from parlour.store import StoreTrouble
from parlour.store.lease import ALONE, CLOSE, DRAIN, RUN
from parlour.store.postgres_link import connected, shown

FORMAT: Final = 3
"""The first format of the database in which nodes have names and take orders."""
_ORDERS: Final = 0x7061726D
"""The lock that is held while an order is given: two operators could each drain the other's node,
and leave none."""

_NODES: Final = """
    SELECT no, name, role, ordered, connections,
        extract(epoch FROM expires - clock_timestamp())::float8,
        (SELECT count(*) FROM owners WHERE owners.node = nodes.no)
    FROM nodes WHERE expires > clock_timestamp() ORDER BY name, no
"""


class Node(msgspec.Struct, frozen=True):
    """One node that is alive."""

    number: int
    name: str
    role: str
    ordered: str
    connections: int
    lease: float
    """Seconds that are left of it."""
    tables: int

    @property
    def runs_tables(self) -> bool:
        return self.role in ("both", "owner")

    @property
    def is_door(self) -> bool:
        """Whether people connect to it."""
        return self.role in ("both", "gateway")


class NodeList:
    """The rows of nodes in the database."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def all(self) -> list[Node]:
        """Those that are alive."""
        return [Node(*row) for row in await self._connection.fetch(_NODES)]

    async def get(self, number: int) -> Node | None:
        return next((node for node in await self.all() if node.number == number), None)

    async def drain(self, name: str, *, close: bool) -> Node:
        """Let a node hand its tables over to the others and accept nobody new."""
        async with self._connection.transaction():
            await self._connection.execute("SELECT pg_advisory_xact_lock($1)", _ORDERS)
            nodes = await self.all()
            node = _named(nodes, name)
            _check_others(node, [n for n in nodes if n != node and n.ordered == RUN])
            await self._order(node, CLOSE if close else DRAIN)
            return node

    async def resume(self, name: str) -> Node:
        """Take a drain back."""
        node = _named(await self.all(), name)
        await self._order(node, RUN)
        return node

    async def _order(self, node: Node, order: str) -> None:
        await self._connection.execute(
            "UPDATE nodes SET ordered = $2 WHERE no = $1", node.number, order
        )


def _named(nodes: list[Node], name: str) -> Node:
    """By its name or its number; `StoreTrouble` unless that is exactly one."""
    found = [node for node in nodes if name in (node.name, str(node.number))]
    if len(found) == 1:
        return found[0]
    if found:
        numbers = " and ".join(str(node.number) for node in found)
        raise StoreTrouble(f"Nodes {numbers} are both called {name}: say which by its number.")
    if not nodes:
        raise StoreTrouble("No node is running on this database.")
    names = ", ".join(node.name or str(node.number) for node in nodes)
    raise StoreTrouble(f"There is no node called {name}. Running: {names}.")


def _check_others(node: Node, others: Iterable[Node]) -> None:
    """`StoreTrouble` unless these can take its place."""
    if node.role == ALONE:
        raise StoreTrouble(
            f"Node {node.name} runs without a bus, alone: nobody can have its tables. Stop it "
            "with SIGTERM; they go on where they were when it starts again."
        )
    if node.runs_tables and not any(other.runs_tables for other in others):
        raise StoreTrouble(f"No other node runs tables: nobody can have those of {node.name}.")
    if node.is_door and not any(other.is_door for other in others):
        raise StoreTrouble(
            f"No other node takes in connections: with {node.name} drained nobody could come."
        )


@asynccontextmanager
async def node_list(url: str) -> AsyncGenerator[NodeList]:
    """The nodes on a database; `StoreTrouble` where it can't be used."""
    async with connected(url) as connection:
        known = await connection.fetchval("SELECT to_regclass('format') IS NOT NULL")
        version = await connection.fetchval("SELECT max(version) FROM format") if known else 0
        if (version or 0) < FORMAT:
            raise StoreTrouble(
                f"{shown(url)} has never been used by a Parlour of this version: "
                "start a node first."
            )
        yield NodeList(connection)
