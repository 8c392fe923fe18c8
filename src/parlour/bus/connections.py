"""A gateway's connections at tables: which node tells each of them, and up to which version.

When a node is gone, its connections here stay open and their frames wait. As soon as another node
runs the table, they rejoin it there and are told what they missed. Frames that no node had
confirmed are sent again, unless the log holds an entry by that player that they have not seen: it
may be this frame, and doing it twice is worse than leaving it to them.

Connections at one table may be told by different nodes for a moment: a newcomer finds a table that
has moved where it is now, while the others still wait to hear of that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Final, Protocol

import msgspec

from parlour.bus import (
    A,
    Args,
    ConnectionId,
    Here,
    JoinRequest,
    Member,
    Moved,
    RejoinRequest,
    Welcome,
)
from parlour.bus.items import AnyItem, End, Frame, Gone
from parlour.bus.lookup import Directory
from parlour.bus.operations import REJOIN
from parlour.kit import Illegal
from parlour.protocol import Operation

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
    """By node: the version up to which it has told its connections."""
    connections: dict[ConnectionId, _Connection] = {}
    looked_for_since: float = 0.0
    rejoining: bool = False


class _Connection(msgspec.Struct, eq=False):
    """One connection at a table."""

    request: JoinRequest
    place: int | None
    table: _Table
    node: int | None
    """The node that tells it; None: that node is gone, and the next one is looked for."""
    since: int
    """Last table version that this connection has seen."""
    held: list[bytes] | None = None
    """Frames that wait; None: frames are sent at once."""
    unsure: list[bytes] = []
    """Frames that a node which is gone had not confirmed: they may be done or not."""
    returned: list[bytes] = []
    """Frames that a node returned because it no longer knew the connection."""


class Ends(Protocol):
    """The parts of the bus that connections use."""

    address: int

    async def ask(self, node: int, operation: Operation[A, *Args], *arguments: *Args) -> A: ...

    def put(self, node: int, item: AnyItem) -> None:
        """Send an item to a node, which may be this one."""
        ...

    def spawn(self, work: Coroutine[object, object, None]) -> None: ...


class Connections:
    """All connections of this process that are at tables."""

    def __init__(self, bus: Ends) -> None:
        self._bus = bus
        self._by_id: dict[ConnectionId, _Connection] = {}
        self._tables: dict[str, _Table] = {}
        self._looked_for: dict[_Table, None] = {}
        """Tables whose node some connections have lost."""
        self._joins = 0
        self._early: dict[tuple[str, int], int] = {}
        """By table and node: the version told while connections join, of tables not known yet."""

    # -- coming and going -------------------------------------------------------------

    @contextmanager
    def joining(self) -> Generator[None, None, None]:
        """While a connection joins a table: it may be told something before its welcome arrives."""
        self._joins += 1
        try:
            yield
        finally:
            self._joins -= 1
            if not self._joins:
                self._early.clear()

    def take(self, request: JoinRequest, welcome: Welcome | Moved, node: int) -> None:
        """A connection has joined a table, or has moved to another one."""
        held = None
        before = self._by_id.get(request.connection)
        if before is not None:
            held = before.held
            self._remove(before)
        table = self._tables.get(welcome.table)
        if table is None:
            table = self._tables[welcome.table] = _Table(welcome.table)
        early = self._early.get((table.id, node), 0)
        table.told[node] = max(table.told.get(node, 0), early)
        member = _Connection(request, welcome.place, table, node, welcome.version, held)
        table.connections[request.connection] = self._by_id[request.connection] = member

    def moved(self, moved: Moved, node: int) -> None:
        """A node has moved a connection from one of its tables to another."""
        member = self._by_id.get(moved.connection)
        if member is not None and member.node == node:
            self.take(member.request, moved, node)

    def leave(self, connection: ConnectionId) -> int | None:
        """A connection is closed; returns the node that must be told, if there is one."""
        member = self._by_id.pop(connection, None)
        if member is None:
            return None
        self._remove(member)
        return member.node

    def _remove(self, member: _Connection) -> None:
        table = member.table
        table.connections.pop(member.request.connection, None)
        if not table.connections:
            self._tables.pop(table.id, None)

    def node_of(self, connection: ConnectionId, frame: bytes) -> int | None:
        """The node to send a connection's frame to; None: the frame waits, or is dropped."""
        member = self._by_id.get(connection)
        if member is None:
            return None
        if member.held is not None:
            if len(member.held) < MOST_HELD:
                member.held.append(frame)
            return None
        return member.node

    def told(self, table: str, version: int, node: int) -> None:
        """A node has told its connections here everything up to this version."""
        known = self._tables.get(table)
        if known is not None:
            if version < known.told.get(node, 0):
                # One node tells in order, so the log was rewritten: older versions mean nothing.
                for member in known.connections.values():
                    if member.node == node:
                        member.since = 0
            known.told[node] = version
        elif self._joins:
            self._early[table, node] = version

    # -- waiting ----------------------------------------------------------------------

    def hold_table(self, table: str) -> None:
        """Let the frames wait that are sent to a table which is about to be given up."""
        known = self._tables.get(table)
        for member in () if known is None else known.connections.values():
            member.held = member.held or []

    def hold(self, connection: ConnectionId) -> bool:
        """Let a connection's frames wait while it moves to another table."""
        member = self._by_id.get(connection)
        if member is None:
            return False
        member.held = []
        return True

    def let_go(self, connection: ConnectionId) -> None:
        member = self._by_id.get(connection)
        if member is not None and member.node is not None:
            self._send(member, member.held or [])

    def _send(self, member: _Connection, frames: list[bytes]) -> None:
        member.held, member.unsure, member.returned = None, [], []
        for frame in frames:
            if frame and member.node is not None:
                self._bus.put(member.node, Frame(member.request.connection, frame))

    # -- tables whose node is gone ----------------------------------------------------

    def lost_node(self, node: int, unconfirmed: list[Frame]) -> None:
        """A node is gone, and may or may not have handled these frames."""
        for table in self._tables.values():
            self._lost(table, node)
        for frame in unconfirmed:
            member = self._by_id.get(frame.connection)
            if member is not None and member.node is None:
                member.unsure = [*member.unsure, frame.data]

    def bounced(self, connection: ConnectionId, frame: bytes, node: int) -> None:
        """A node no longer knows this connection: it is giving the table up, or has."""
        member = self._by_id.get(connection)
        if member is None:
            return
        if member.node in (node, None):
            member.held = member.held or []
            member.returned = [*member.returned, frame][:MOST_HELD]
        else:
            self._bus.put(member.node, Frame(connection, frame))

    def lost_table(self, table: str, node: int) -> None:
        """A node has given up a table, and has handled or returned every frame before that."""
        known = self._tables.get(table)
        if known is not None:
            self._lost(known, node)

    def _lost(self, table: _Table, node: int) -> None:
        """Let the connections wait that this node told."""
        told = table.told.pop(node, 0)
        members = [member for member in table.connections.values() if member.node == node]
        if members and not _is_lost(table):
            table.looked_for_since = time.monotonic()
            self._looked_for[table] = None
        for member in members:
            member.node, member.since = None, max(member.since, told)
            member.held = member.held or []

    @property
    def looking(self) -> bool:
        """Whether the node of a table is looked for."""
        return bool(self._looked_for)

    async def look(self, directory: Directory) -> None:
        """Find out which nodes run the tables now whose nodes are gone."""
        self._looked_for = {table: None for table in self._looked_for if _is_lost(table)}
        lost = [table for table in self._looked_for if not table.rejoining]
        if not lost:
            return
        owners = await directory.owners([table.id for table in lost])
        for table in lost:
            node = owners.get(table.id)
            if node is not None:
                table.rejoining = True
                self._bus.spawn(self._rejoin(table, node))
            elif time.monotonic() - table.looked_for_since > PATIENCE:
                self._give_up(table)

    async def _rejoin(self, table: _Table, node: int) -> None:
        """One request for all connections that have seen the same version."""
        by_version: dict[int, list[Member]] = {}
        for each in table.connections.values():
            if each.node is None:
                by_version.setdefault(each.since, []).append(Member(each.request, each.place))
        try:
            for version, members in sorted(by_version.items()):
                log.debug("table %s: %d connections rejoin node %d", table.id, len(members), node)
                await self._bus.ask(node, REJOIN, RejoinRequest(table.id, version, members))
        except Illegal as no:
            log.info("table %s can't be rejoined yet: %s", table.id, no.code)
            if time.monotonic() - table.looked_for_since > PATIENCE:
                self._give_up(table)
        finally:
            table.rejoining = False

    def rejoined(self, here: Here, node: int) -> None:
        """A node has taken over a connection that had lost its own, and told it what it missed."""
        member = self._by_id.get(here.connection)
        if member is None:
            # It was closed while it had no node that could be told.
            self._bus.put(node, Gone(here.connection))
        elif member.node is None and member.table.id == here.table:
            log.debug("table %s: rejoined at version %d", here.table, here.version)
            member.node, member.since = node, here.version
            again = [] if here.done else member.unsure
            self._send(member, [*again, *member.returned, *(member.held or [])])

    def _give_up(self, table: _Table) -> None:
        lost = [number for number, each in table.connections.items() if each.node is None]
        for connection in lost:
            end = End([connection], COME_BACK, "the table can't be found")
            self._bus.put(self._bus.address, end)


def _is_lost(table: _Table) -> bool:
    return any(member.node is None for member in table.connections.values())
