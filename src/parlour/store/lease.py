"""A node's lease: for how long this process may act on its tables without asking.

Only the database's clock decides when a lease has ended, and only the database says who is a node.
This process counts from the moment *before* it asked for more time, on a clock that goes on while
the machine sleeps, so that it stops before any other node may start. A lease that has ended can be
renewed until another node deletes this node's row: nothing has happened meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import asyncpg

from parlour.lifecycle import Lifecycle
from parlour.store import Away, StoreTrouble, TakenOver, patience
from parlour.store.postgres_link import CONNECTING, LOST, Link, reason

log = logging.getLogger("parlour.store")

LEASE: Final = 2.0
"""Seconds from one renewal to the moment at which others may take over, by default."""
RENEWALS: Final = 4
"""How often it is renewed in that time."""
MARGIN: Final = 0.1
"""Seconds by which this process stops before the others start: two clocks never run alike."""
TIME_FOR_OTHERS: Final = 2
"""Lease periods for which a node that could not renew its lease declares no other node dead."""

_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady() -> float:
    """Seconds on a clock that is never set, and that goes on while the machine sleeps."""
    return time.clock_gettime(_CLOCK)


_BEGINNING: Final = 0x7061726E
"""The lock that is held while a node looks at the others and inserts its row."""
ALONE: Final = "alone"
"""The role of a node that has the database to itself."""
RUN, DRAIN, CLOSE = "run", "drain", "close"
"""An operator's orders: go on; hand all tables over; hand them over, then close all connections."""


@dataclass(frozen=True)
class NodeInfo:
    """A node's row in the database, as far as it does not change."""

    address: int
    """Where other nodes find it."""
    name: str = ""
    """Its name for operators."""
    role: str = ALONE
    key: bytes = field(default=b"", repr=False)
    """Seals its packets to other nodes."""
    speaks: tuple[int, ...] = ()
    """The versions of the bus that it can speak."""

    @property
    def runs_tables(self) -> bool:
        return self.role != "gateway"


class Lease:
    """This process's row in `nodes`."""

    connected: Callable[[asyncpg.Connection], Awaitable[None]]
    """Awaited with every new connection, to listen on it."""

    def __init__(self, url: str, info: NodeInfo, seconds: float, lifecycle: Lifecycle) -> None:
        self._link = Link(url)
        self.info = info
        self._seconds = seconds
        self._one_try = min(seconds, CONNECTING)
        self._lifecycle = lifecycle
        self.ordered: Callable[[str], None] = lambda order: None
        """Called at every renewal with an operator's order."""
        self.connections: Callable[[], int] = lambda: 0
        """Asked at every renewal, for operators to see."""
        self.late: Callable[[], None] = lambda: None
        """Called when the lease was renewed after it had ended."""
        self._until = 0.0
        self._sees_others_from = 0.0
        self._connection: asyncpg.Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self.node: int = 0
        """The number of this process among all that ever were nodes."""

    def current(self) -> bool:
        """Whether no other node can have taken over."""
        return steady() < self._until

    def sees_others(self) -> bool:
        """Whether a lease that has ended means that its node is dead. If the database was away for
        all nodes, the first that is back must not declare all others dead."""
        return self.current() and steady() >= self._sees_others_from

    async def begin(self) -> None:
        connection = await self._get()
        async with connection.transaction():
            # Of two nodes that begin at once, the second one sees the first.
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _BEGINNING)
            await self._check_versions(connection)
            sent = steady()
            number: int | None = await connection.fetchval(
                "INSERT INTO nodes (address, runs_tables, name, role, key, speaks, expires) VALUES "
                "($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7)) "
                "RETURNING no",
                self.info.address,
                self.info.runs_tables,
                self.info.name,
                self.info.role,
                self.info.key,
                self.info.speaks,
                self._seconds,
            )
            assert number is not None, "the row was inserted"
            self.node = number
        self._until = sent + self._seconds - MARGIN
        self._task = asyncio.get_running_loop().create_task(self._keep())

    async def _check_versions(self, connection: asyncpg.Connection) -> None:
        """`StoreTrouble` unless every other node of the bus can understand this one."""
        if self.info.role == ALONE:
            return
        other = await connection.fetchrow(
            "SELECT name, speaks FROM nodes WHERE role <> $1 AND expires > clock_timestamp() "
            "AND NOT speaks && $2 LIMIT 1",
            ALONE,
            self.info.speaks,
        )
        if other is not None:
            theirs, ours = (", ".join(map(str, v)) for v in (other["speaks"], self.info.speaks))
            raise StoreTrouble(
                f"Node {other['name']} speaks version {theirs} of the bus and this one {ours}: "
                "stop all nodes before you start this version."
            )

    async def end(self) -> None:
        """Give it up, so that others need not wait for its end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._until = 0.0
        try:
            if self.node:
                async with asyncio.timeout(self._one_try):
                    connection = await self._get()
                    await connection.execute("DELETE FROM nodes WHERE no = $1", self.node)
        except LOST as wrong:
            log.warning("the lease ends by itself: %s", reason(wrong))
            self._link.drop()
        await self._link.close()

    async def _get(self) -> asyncpg.Connection:
        connection = await self._link.get()
        if connection is not self._connection:
            await self.connected(connection)
            self._connection = connection
        return connection

    async def _keep(self) -> None:
        in_trouble = False
        while True:
            sent = steady()
            try:
                async with asyncio.timeout(self._one_try):
                    renewed = await self._renew()
            except LOST as wrong:
                self._link.drop()
                ended = steady() - self._until
                if not self._lifecycle.open and ended > patience(self._lifecycle):
                    self._lifecycle.lose(Away(f"The database is away: {reason(wrong)}."))
                    return
                if not in_trouble:
                    log.error("the lease can't be renewed: %s", reason(wrong))
                in_trouble = True
            except Exception as wrong:
                self._lifecycle.lose(wrong)
                return
            else:
                if renewed is None:
                    self._until = 0.0
                    taken = TakenOver("Another node has taken over: the lease had ended.")
                    self._lifecycle.lose(taken)
                    return
                late = not self.current()
                self._until = sent + self._seconds - MARGIN
                if in_trouble:
                    log.warning("the lease is renewed again")
                in_trouble = False
                if late:
                    self._sees_others_from = steady() + TIME_FOR_OTHERS * self._seconds
                    self.late()
                self.ordered(renewed)
            await asyncio.sleep(max(0.05, self._seconds / RENEWALS - (steady() - sent)))

    async def _renew(self) -> str | None:
        """An operator's order for this node; None: this node's row was deleted."""
        connection = await self._get()
        order: str | None = await connection.fetchval(
            "UPDATE nodes SET expires = clock_timestamp() + make_interval(secs => $2), "
            "connections = $3 WHERE no = $1 RETURNING ordered",
            self.node,
            self._seconds,
            self.connections(),
        )
        return order
