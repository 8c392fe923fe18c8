"""A gateway's connections at tables: which node runs each table, and up to where it was told.

When that node is gone the connections stay open, and what they send waits. As soon as another node
runs the table they rejoin it there and are told what they have missed. What they had sent and
nobody had confirmed is sent again, unless the record has something of theirs that they were not
told of: then it may be just that, and to do it twice would be worse than to leave it to them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any, Final, Protocol

import msgspec

from parlour.bus.base import (
    ConnectionId,
    JoinRequest,
    Member,
    Refusal,
    Rejoined,
    RejoinRequest,
    Welcome,
)
from parlour.bus.items import Frame

log = logging.getLogger("parlour.bus")

MOST_HELD: Final = 1_000
"""Frames of one connection that wait while its table is looked for."""
PATIENCE: Final = 20.0
"""Seconds for which a table is looked for before its connections are sent away."""
COME_BACK: Final = 1012


class _Table(msgspec.Struct, eq=False):
    """A table that some of our connections are at."""

    id: str
    node: int | None
    """Who runs it; None: it is being looked for."""
    version: int
    seats: dict[ConnectionId, _Seat] = {}
    looked_for_since: float = 0.0
    rejoining: bool = False
    told_some: dict[int, int] = {}
    """By a node that has taken over: up to where it has told those it knows."""


class _Seat(msgspec.Struct, eq=False):
    """One connection at a table."""

    request: JoinRequest
    place: int | None
    table: _Table
    held: list[bytes] | None = None
    """What it sends meanwhile; None: what it sends goes out at once."""
    unsure: list[bytes] = []
    """What it had sent to a node that is gone."""


class Ends(Protocol):
    """What the bus does for them."""

    address: int

    async def ask(self, node: int, method: str, *arguments: Any) -> Any: ...

    def send(self, node: int, connection: ConnectionId, frame: bytes) -> None: ...

    def close(self, connections: Iterable[ConnectionId], code: int, reason: str) -> None: ...

    def spawn(self, work: Any) -> None: ...


class Seats:
    """All of them."""

    def __init__(self, bus: Ends) -> None:
        self._bus = bus
        self._seats: dict[ConnectionId, _Seat] = {}
        self._tables: dict[str, _Table] = {}
        self._moving: dict[ConnectionId, list[bytes]] = {}

    # -- coming and going -------------------------------------------------------------

    def take(self, request: JoinRequest, welcome: Welcome, node: int) -> None:
        """A connection has joined a table, or has moved to another one."""
        held = None
        before = self._seats.get(request.connection)
        if before is not None:
            held = before.held
            self._get_up(before)
        table = self._tables.get(welcome.table)
        if table is None:
            table = self._tables[welcome.table] = _Table(welcome.table, node, welcome.version)
        table.version = max(table.version, welcome.version)
        if table.node is None:
            held = held or []
        seat = _Seat(request, welcome.place, table, held)
        table.seats[request.connection] = self._seats[request.connection] = seat

    def moved(self, connection: ConnectionId, welcome: Welcome, node: int) -> None:
        """A connection has gone to another table of the node that runs the one it was at."""
        seat = self._seats.get(connection)
        if seat is not None and seat.table.node == node:
            self.take(seat.request, welcome, node)

    def leave(self, connection: ConnectionId) -> int | None:
        """A connection is gone; gives the node that runs its table, if one does."""
        seat = self._seats.pop(connection, None)
        if seat is None:
            return None
        self._get_up(seat)
        return seat.table.node

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
        return seat.table.node

    def told(self, table: str, version: int, node: int) -> None:
        """A node has told those of our connections that it knows of everything up to here."""
        known = self._tables.get(table)
        if known is None:
            return
        if known.node == node:
            # What one node tells comes in order; a lower number is of a log written anew.
            known.version = version
        else:
            # It has taken over, and ours have not rejoined it yet, or we do not know yet.
            known.told_some[node] = max(known.told_some.get(node, 0), version)

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
        if seat is not None and seat.table.node is not None and not seat.table.rejoining:
            self._send(seat, seat.held or [])

    def _send(self, seat: _Seat, frames: list[bytes]) -> None:
        seat.held, seat.unsure = None, []
        for frame in frames:
            if frame and seat.table.node is not None:
                self._bus.send(seat.table.node, seat.request.connection, frame)

    # -- tables whose node is gone ----------------------------------------------------

    def lost_node(self, node: int, unconfirmed: list[Frame]) -> None:
        """A node is gone, and may or may not have done what it was sent last."""
        for table in self._tables.values():
            if table.node == node:
                self._lost(table)
        for frame in unconfirmed:
            seat = self._seats.get(frame.connection)
            if seat is not None and seat.table.node is None:
                seat.unsure = [*seat.unsure, frame.data]

    def bounced(self, connection: ConnectionId, frame: bytes) -> None:
        """A node does not know this connection any more: it is about to give up the table."""
        seat = self._seats.get(connection)
        if seat is not None:
            seat.held = seat.held or []
            seat.unsure = [*seat.unsure, frame][:MOST_HELD]

    def lost_table(self, table: str) -> None:
        """A node has given up a table; it had done all that it was sent, or told so."""
        known = self._tables.get(table)
        if known is not None and known.node is not None:
            self._lost(known)

    def _lost(self, table: _Table) -> None:
        table.node = None
        table.looked_for_since = time.monotonic()
        for seat in table.seats.values():
            seat.held = seat.held or []

    async def look(self, directory: Any) -> None:
        """Find out who runs the tables now whose nodes are gone."""
        lost = [t for t in self._tables.values() if t.node is None and not t.rejoining]
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
            members = [Member(seat.request, seat.place) for seat in table.seats.values()]
            request = RejoinRequest(table.id, table.version, members)
            log.debug("table %s: %d connections rejoin node %d", table.id, len(members), node)
            answer: Rejoined | Refusal = await self._bus.ask(node, "rejoin", request)
            if isinstance(answer, Refusal):
                log.info("table %s can't be rejoined yet: %s", table.id, answer.code)
                if time.monotonic() - table.looked_for_since > PATIENCE:
                    self._give_up(table)
                return
            log.debug("table %s: rejoined at version %d", table.id, answer.version)
            table.node = node
            # What it told after that, it told all of them.
            table.version = max(table.version, answer.version, table.told_some.get(node, 0))
            table.told_some = {}
        finally:
            table.rejoining = False
        for seat in list(table.seats.values()):
            again = [] if seat.place in answer.places else seat.unsure
            self._send(seat, [*again, *(seat.held or [])])

    def _give_up(self, table: _Table) -> None:
        self._bus.close(list(table.seats), COME_BACK, "the table can't be found")
