"""A gateway's connections at tables: which node tells each of them, and up to where it was told.

When that node is gone the connections stay open, and what they send waits. As soon as another node
runs the table they rejoin it there and are told what they have missed. What they had sent and
nobody had confirmed is sent again, unless the record has something of theirs that they were not
told of: then it may be just that, and to do it twice would be worse than to leave it to them.

Connections at one table may be told by different nodes for a moment: who comes when the table has
moved already finds it where it is, while others still wait to hear of it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeVar, TypeVarTuple

import msgspec

from parlour.bus.base import (
    ConnectionId,
    Here,
    JoinRequest,
    Member,
    RejoinRequest,
    Welcome,
)
from parlour.bus.items import Frame
from parlour.bus.operations import REJOIN
from parlour.kit import Illegal
from parlour.protocol import Operation

A = TypeVar("A")
Args = TypeVarTuple("Args")

log = logging.getLogger("parlour.bus")

MOST_HELD: Final = 1_000
"""Frames of one connection that wait while its table is looked for."""
PATIENCE: Final = 20.0
"""Seconds for which a table is looked for before its connections are sent away."""
COME_BACK: Final = 1012


class _Table(msgspec.Struct, eq=False):
    """A table that some of our connections are at."""

    id: str
    told: dict[int, int] = {}
    """By node: up to where it has told those it knows."""
    seats: dict[ConnectionId, _Seat] = {}
    looked_for_since: float = 0.0
    rejoining: bool = False


class _Seat(msgspec.Struct, eq=False):
    """One connection at a table."""

    request: JoinRequest
    place: int | None
    table: _Table
    node: int | None
    """Who tells it; None: that is being looked for."""
    since: int
    """The version it was greeted with there or, of what is looked for, was told up to."""
    held: list[bytes] | None = None
    """What it sends meanwhile; None: what it sends goes out at once."""
    unsure: list[bytes] = []
    """What it had sent to a node that is gone."""
    returned: list[bytes] = []
    """What it had sent to a node that knew it no more, and so has not done it."""


class Ends(Protocol):
    """What the bus does for them."""

    address: int

    async def ask(self, node: int, operation: Operation[A, *Args], *arguments: *Args) -> A: ...

    def send(self, node: int, connection: ConnectionId, frame: bytes) -> None: ...

    def gone(self, node: int, connection: ConnectionId) -> None: ...

    def close(self, connections: Iterable[ConnectionId], code: int, reason: str) -> None: ...

    def spawn(self, work: Any) -> None: ...


class Seats:
    """All of them."""

    def __init__(self, bus: Ends) -> None:
        self._bus = bus
        self._seats: dict[ConnectionId, _Seat] = {}
        self._tables: dict[str, _Table] = {}
        self._looked_for: set[_Table] = set()
        """Those that some connections have lost."""
        self._joins = 0
        self._early: dict[tuple[str, int], int] = {}
        """By table and node: what is told of tables that somebody may just be joining."""

    # -- coming and going -------------------------------------------------------------

    @contextmanager
    def joining(self) -> Generator[None, None, None]:
        """While somebody joins a table: they may be told more before we know that they have."""
        self._joins += 1
        try:
            yield
        finally:
            self._joins -= 1
            if not self._joins:
                self._early.clear()

    def take(self, request: JoinRequest, welcome: Welcome, node: int) -> None:
        """A connection has joined a table, or has moved to another one."""
        held = None
        before = self._seats.get(request.connection)
        if before is not None:
            held = before.held
            self._get_up(before)
        table = self._tables.get(welcome.table)
        if table is None:
            table = self._tables[welcome.table] = _Table(welcome.table)
        early = self._early.get((table.id, node), 0)
        table.told[node] = max(table.told.get(node, 0), early)
        seat = _Seat(request, welcome.place, table, node, welcome.version, held)
        table.seats[request.connection] = self._seats[request.connection] = seat

    def moved(self, connection: ConnectionId, welcome: Welcome, node: int) -> None:
        """A connection has gone to another table of the node that runs the one it was at."""
        seat = self._seats.get(connection)
        if seat is not None and seat.node == node:
            self.take(seat.request, welcome, node)

    def leave(self, connection: ConnectionId) -> int | None:
        """A connection is gone; gives the node that is to know, if there is one."""
        seat = self._seats.pop(connection, None)
        if seat is None:
            return None
        self._get_up(seat)
        return seat.node

    def _get_up(self, seat: _Seat) -> None:
        table = seat.table
        table.seats.pop(seat.request.connection, None)
        if not table.seats:
            self._tables.pop(table.id, None)

    def node_of(self, connection: ConnectionId, frame: bytes) -> int | None:
        """Where what a connection sends is to go; None: nowhere, or not yet."""
        seat = self._seats.get(connection)
        if seat is None:
            return None
        if seat.held is not None:
            if len(seat.held) < MOST_HELD:
                seat.held.append(frame)
            return None
        return seat.node

    def told(self, table: str, version: int, node: int) -> None:
        """A node has told those of our connections that it knows of everything up to here."""
        known = self._tables.get(table)
        if known is not None:
            # What one node tells comes in order; a lower number is of a log written anew.
            known.told[node] = version
        elif self._joins:
            self._early[table, node] = version

    # -- waiting ----------------------------------------------------------------------

    def hold_table(self, table: str) -> None:
        """Let what connections send to a table wait, which is about to be given up."""
        known = self._tables.get(table)
        for seat in () if known is None else known.seats.values():
            seat.held = seat.held or []

    def hold(self, connection: ConnectionId) -> bool:
        """Let what a connection sends wait, while it moves to another table."""
        seat = self._seats.get(connection)
        if seat is None:
            return False
        seat.held = []
        return True

    def let_go(self, connection: ConnectionId) -> None:
        seat = self._seats.get(connection)
        if seat is not None and seat.node is not None:
            self._send(seat, seat.held or [])

    def _send(self, seat: _Seat, frames: list[bytes]) -> None:
        seat.held, seat.unsure, seat.returned = None, [], []
        for frame in frames:
            if frame and seat.node is not None:
                self._bus.send(seat.node, seat.request.connection, frame)

    # -- tables whose node is gone ----------------------------------------------------

    def lost_node(self, node: int, unconfirmed: list[Frame]) -> None:
        """A node is gone, and may or may not have done what it was sent last."""
        for table in self._tables.values():
            self._lost(table, node)
        for frame in unconfirmed:
            seat = self._seats.get(frame.connection)
            if seat is not None and seat.node is None:
                seat.unsure = [*seat.unsure, frame.data]

    def bounced(self, connection: ConnectionId, frame: bytes, node: int) -> None:
        """A node does not know this connection any more: it gives up the table, or has."""
        seat = self._seats.get(connection)
        if seat is None:
            return
        if seat.node in (node, None):
            seat.held = seat.held or []
            seat.returned = [*seat.returned, frame][:MOST_HELD]
        else:
            self._bus.send(seat.node, connection, frame)

    def lost_table(self, table: str, node: int) -> None:
        """A node has given up a table; it had done all that it was sent, or told so."""
        known = self._tables.get(table)
        if known is not None:
            self._lost(known, node)

    def _lost(self, table: _Table, node: int) -> None:
        """Those whom this node told wait for another."""
        told = table.told.pop(node, 0)
        seats = [seat for seat in table.seats.values() if seat.node == node]
        if seats and not _is_lost(table):
            table.looked_for_since = time.monotonic()
            self._looked_for.add(table)
        for seat in seats:
            seat.node, seat.since = None, max(seat.since, told)
            seat.held = seat.held or []

    async def look(self, directory: Any) -> None:
        """Find out who runs the tables now whose nodes are gone."""
        self._looked_for = {table for table in self._looked_for if _is_lost(table)}
        lost = [table for table in self._looked_for if not table.rejoining]
        if not lost:
            return
        owners: dict[str, int | None] = await directory.owners([table.id for table in lost])
        for table in lost:
            node = owners.get(table.id)
            if node is not None:
                table.rejoining = True
                self._bus.spawn(self._rejoin(table, node))
            elif time.monotonic() - table.looked_for_since > PATIENCE:
                self._give_up(table)

    async def _rejoin(self, table: _Table, node: int) -> None:
        try:
            by_version: dict[int, list[_Seat]] = {}
            for seat in table.seats.values():
                if seat.node is None:
                    by_version.setdefault(seat.since, []).append(seat)
            for version, seats in sorted(by_version.items()):
                if not await self._rejoin_some(table, node, version, seats):
                    return
        finally:
            table.rejoining = False

    async def _rejoin_some(
        self, table: _Table, node: int, version: int, seats: list[_Seat]
    ) -> bool:
        """Those who were told up to the same version; False: not yet."""
        members = [Member(seat.request, seat.place) for seat in seats]
        request = RejoinRequest(table.id, version, members)
        log.debug("table %s: %d connections rejoin node %d", table.id, len(members), node)
        try:
            await self._bus.ask(node, REJOIN, request)
        except Illegal as no:
            log.info("table %s can't be rejoined yet: %s", table.id, no.code)
            if time.monotonic() - table.looked_for_since > PATIENCE:
                self._give_up(table)
            return False
        return True

    def rejoined(self, connection: ConnectionId, here: Here, node: int) -> None:
        """A node tells a connection that had lost its own, and has told it what it had missed."""
        seat = self._seats.get(connection)
        if seat is None:
            # It was closed meanwhile, and nobody could be told.
            self._bus.gone(node, connection)
        elif seat.node is None and seat.table.id == here.table:
            log.debug("table %s: rejoined at version %d", here.table, here.version)
            seat.node, seat.since = node, here.version
            again = [] if here.done else seat.unsure
            self._send(seat, [*again, *seat.returned, *(seat.held or [])])

    def _give_up(self, table: _Table) -> None:
        lost = [connection for connection, seat in table.seats.items() if seat.node is None]
        self._bus.close(lost, COME_BACK, "the table can't be found")


def _is_lost(table: _Table) -> bool:
    return any(seat.node is None for seat in table.seats.values())
