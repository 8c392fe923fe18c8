"""A node's lease: for how long this process may act on its tables without asking.

Only the database's clock decides when a lease has ended, and only the database says who is a node.
This process counts from the moment *before* it asked for more time, on a clock that goes on while
the machine sleeps, so that it stops before anybody else may start. A lease that has ended is not
lost before somebody has taken the node's row away: until then it can be renewed, and nothing has
happened meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from parlour.store.base import StoreTrouble
from parlour.store.postgres_link import CONNECTING, LOST, Link, reason

log = logging.getLogger("parlour.store")

LEASE: Final = 2.0
"""Seconds from one renewal to the moment at which others may take over, unless told otherwise."""
RENEWALS: Final = 4
"""How often it is renewed in that time."""
MARGIN: Final = 0.1
"""Seconds by which this process stops before the others start: two clocks never run alike."""

TIME_FOR_OTHERS: Final = 2
"""For how many leases a node that could not renew its own gives others time to renew theirs."""

_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady() -> float:
    """Seconds on a clock that nobody sets, and that goes on while the machine sleeps."""
    return time.clock_gettime(_CLOCK)


_BEGINNING: Final = 0x7061726E
"""Held while a node looks at the others and becomes one of them."""
ALONE: Final = "alone"
"""The role of a node that has the record to itself."""
RUN, DRAIN, CLOSE = "run", "drain", "close"
"""What an operator may want of a node: to go on, to give its tables away, to send its connections
away when it has."""


@dataclass(frozen=True)
class NodeInfo:
    """What a node says of itself in the record."""

    address: int
    """Where other nodes find it."""
    name: str = ""
    """What operators call it."""
    role: str = ALONE
    key: bytes = field(default=b"", repr=False)
    """With which it seals what it says to other nodes."""
    speaks: tuple[int, ...] = ()
    """The versions of the bus that it can speak."""

    @property
    def runs_tables(self) -> bool:
        return self.role != "gateway"


class Lease:
    """This process's row in `nodes`."""

    def __init__(
        self,
        url: str,
        *,
        info: NodeInfo,
        seconds: float,
        renewed: Callable[[], None],
        lost: Callable[[BaseException], None],
        connected: Callable[[Any], Any],
        patience: Callable[[], float],
    ) -> None:
        """`renewed` is called when it was renewed after it had ended; `connected` is awaited with
        every new connection: it may listen on it. `patience` says for how many seconds a lease
        that has ended is worth trying to renew: whoever waits for it does so for that long."""
        self._link = Link(url)
        self.info = info
        self._seconds = seconds
        self._one_try = min(seconds, CONNECTING)
        self.ordered: Callable[[str], None] = lambda order: None
        """Called with what an operator wants of this node, at every renewal."""
        self.connections: Callable[[], int] = lambda: 0
        """Asked at every renewal, for operators to see."""
        self._renewed = renewed
        self._lost = lost
        self._connected = connected
        self._patience = patience
        self._until = 0.0
        self._sees_others_from = 0.0
        self._connection: Any = None
        self._task: asyncio.Task[None] | None = None
        self.node = 0
        """The number of this process among all that ever were nodes."""

    def current(self) -> bool:
        """Whether nobody else can have taken over."""
        return steady() < self._until

    def sees_others(self) -> bool:
        """Whether another node's lease that has ended speaks of that node, and not of a database
        that was away for all. Then the first to be back would take everybody else for gone."""
        return self.current() and steady() >= self._sees_others_from

    async def begin(self) -> None:
        connection = await self._get()
        async with connection.transaction():
            # Of two that begin at once, the second one sees the first.
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _BEGINNING)
            await self._check_versions(connection)
            sent = steady()
            self.node = await connection.fetchval(
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
        self._until = sent + self._seconds - MARGIN
        self._task = asyncio.get_running_loop().create_task(self._keep())

    async def _check_versions(self, connection: Any) -> None:
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
        """Give it up: others need not wait."""
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

    async def _get(self) -> Any:
        connection = await self._link.get()
        if connection is not self._connection:
            await self._connected(connection)
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
                if steady() - self._until > self._patience():
                    self._lost(StoreTrouble(f"The database is away: {reason(wrong)}."))
                    return
                if not in_trouble:
                    log.error("the lease can't be renewed: %s", reason(wrong))
                in_trouble = True
            except Exception as wrong:
                self._lost(wrong)
                return
            else:
                if renewed is None:
                    self._until = 0.0
                    self._lost(StoreTrouble("Another node has taken over: the lease had ended."))
                    return
                late = not self.current()
                self._until = sent + self._seconds - MARGIN
                if in_trouble:
                    log.warning("the lease is renewed again")
                in_trouble = False
                if late:
                    self._sees_others_from = steady() + TIME_FOR_OTHERS * self._seconds
                    self._renewed()
                self.ordered(renewed)
            await asyncio.sleep(max(0.05, self._seconds / RENEWALS - (steady() - sent)))

    async def _renew(self) -> str | None:
        """What an operator wants of this node; None: it is none any more."""
        connection = await self._get()
        order: str | None = await connection.fetchval(
            "UPDATE nodes SET expires = clock_timestamp() + make_interval(secs => $2), "
            "connections = $3 WHERE no = $1 RETURNING ordered",
            self.node,
            self._seconds,
            self.connections(),
        )
        return order
