"""The bus of a house on many machines: every process is a gateway, most are owners as well.

Connections at tables of this process are served by function calls, as on one machine; everything
else goes over links (`parlour.bus.peers`). The directory, which is in the database, says which node
runs a table. When a node is gone, its tables are looked for until another node runs them, and their
connections, which have stayed open here, rejoin them there.

The module is longer than others because the gateway's side and the owner's side of a process share
its links.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Final

from parlour.bus import (
    GATEWAY_SHIFT,
    A,
    Args,
    Bus,
    ConnectionId,
    Farewell,
    Gateway,
    Here,
    Item,
    JoinRequest,
    Letter,
    Moved,
    Nodes,
    Owner,
    Refusal,
    Then,
    Welcome,
)
from parlour.bus.connections import Connections
from parlour.bus.items import (
    AnyItem,
    Ask,
    Bounced,
    End,
    Frame,
    Gone,
    Note,
    Released,
    Reply,
    Say,
    Version,
)
from parlour.bus.lookup import LOOK_EVERY, Directory, Lookup, until_answered
from parlour.bus.nodes import GATEWAYS, NODE_SHIFT, PeerNodes
from parlour.bus.operations import ALIVE, JOIN, MOVE, REJOIN, REQUEST
from parlour.bus.owner_side import OwnerSide
from parlour.bus.peers import Peers, unreachable
from parlour.bus.questions import Questions
from parlour.bus.sealed import Carrier, SealedCarrier
from parlour.kit import Illegal
from parlour.protocol import Game, Operation, Request

log = logging.getLogger("parlour.bus")

LOOK_AT_LEAST: Final = 1.0
"""Seconds between two looks into the directory, while all is well."""


class ClusterBus(Bus):
    """This process's end of it."""

    def __init__(
        self,
        address: int,
        carrier: Carrier,
        directory: Directory,
        games: Sequence[Game],
        *,
        key: bytes,
        dropped: Callable[[str], None] = lambda why: None,
        runs_tables: bool = True,
    ) -> None:
        """`key` is this process's, as the directory has it; `dropped` is called with the reason
        for every packet that is dropped (`parlour.bus.sealed`)."""
        super().__init__()
        self.address = address
        self._carrier = SealedCarrier(address, key, carrier, dropped)
        self._peers = Peers(self._carrier, self._receive, self._out_of_touch)
        self._questions = Questions(address, self._peers, {game.id: game for game in games})
        self.ask = self._questions.ask
        self.lookup = Lookup(address, directory, self._questions, runs_tables=runs_tables)
        self._nodes = PeerNodes(address, self._peers, self._questions)
        self.nodes: Nodes = self._nodes
        self._owner_side = OwnerSide(address, self._peers)
        self._connections = Connections(self)
        self._directory = directory
        self._alive: set[int] = set()
        """The nodes that the directory listed last."""
        self._look_at = 0.0
        """When to look into the directory again, unless there is a reason to look earlier."""
        self._given_up = False
        """Whether a node has given up a table since the last look began."""
        self.looked: Callable[[], None] = lambda: None
        """Called after every look into the directory."""
        self._questions.functions = {
            JOIN.name: self._owner_side.join,
            REJOIN.name: self._owner_side.rejoin,
            MOVE.name: self._moved,
            ALIVE.name: self.alive,
            REQUEST.name: self.nodes.requested,
        }
        self._moving: dict[ConnectionId, bool] = {}
        """Connections on their way to another table: whether they are still open."""
        self._tasks: dict[asyncio.Task[None], None] = {}

    def attach_owner(self, owner: Owner) -> None:
        self._owner = self._owner_side.owner = self._questions.owner = owner

    def attach_gateway(self, gateway: Gateway) -> int:
        number = super().attach_gateway(gateway)
        assert number < GATEWAYS
        return self.address * GATEWAYS + number

    async def start(self) -> None:
        await self._peers.start()
        await self._look()
        self.spawn(self._keep_looking())

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._peers.stop()

    def spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = None
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and task.exception() is not None:
            log.error("the bus failed", exc_info=task.exception())

    # -- the gateway's side -----------------------------------------------------------

    async def join(self, request: JoinRequest) -> Welcome | Refusal:
        try:
            # However often it asks, the same visitor has one place at a table.
            return await until_answered(lambda: self._join(request))
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    async def _join(self, request: JoinRequest) -> Welcome:
        node = await self.lookup.for_join(request)
        if node is None:
            raise Illegal("no-such-table", "There is no table with that code.")
        with self._connections.joining():
            welcome = await self.ask(node, JOIN, request)
            self._connections.take(request, welcome, node)
        return welcome

    def move(self, request: JoinRequest, answered: Callable[[Welcome | Refusal], None]) -> None:
        async def moved() -> None:
            try:
                answered(await self.ask(self.nodes.node_of(request.connection), MOVE, request))
            except Illegal as no:
                answered(Refusal(no.code, no.sentence))

        self.spawn(moved())

    async def _moved(self, request: JoinRequest) -> Welcome | Refusal:
        """Let a connection of this node join another table; its frames wait meanwhile."""
        if not self._connections.hold(request.connection):
            raise unreachable()
        self._moving[request.connection] = True
        try:
            answer = await self.join(request)
        finally:
            still_there = self._moving.pop(request.connection, False)
            self._connections.let_go(request.connection)
        if not still_there:
            # It was closed before its new node was known, so that node was not told.
            self.disconnect(request.connection)
        return answer

    def submit(self, connection: ConnectionId, request: Request, frame: bytes = b"") -> None:
        node = self._connections.node_of(connection, frame)
        if node == self.address:
            self._owner.submit(connection, request)
        elif node is not None:
            self._peers.put(node, Frame(connection, frame))

    def disconnect(self, connection: ConnectionId) -> None:
        if connection in self._moving:
            self._moving[connection] = False
        node = self._connections.leave(connection)
        if node is not None:
            self.put(node, Gone(connection))

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        return await self.lookup.call(operation, *arguments)

    async def alive(self, connection: ConnectionId) -> bool:
        node = self.nodes.node_of(connection)
        if node == self.address:
            return await self._gateway(connection).alive(connection)
        with suppress(Illegal):
            return await self.ask(node, ALIVE, connection)
        return False

    def _gateway(self, connection: ConnectionId) -> Gateway:
        """The gateway of this node that holds a connection."""
        return self._gateways[(connection >> GATEWAY_SHIFT) % GATEWAYS]

    # -- the owner's side -------------------------------------------------------------

    def tell(self, letters: Sequence[Letter], table: str = "", version: int = 0) -> None:
        elsewhere: set[int] = set()
        late = self._owner_side.late
        for connections, data in letters:
            if isinstance(data, Then):
                data.call()
                continue
            node = connections[0] >> NODE_SHIFT
            if node in late:
                continue
            if isinstance(data, bytes):
                if node == self.address:
                    self._gateway(connections[0]).deliver(connections, data)
                else:
                    elsewhere.add(node)
                    self._peers.put(node, Say(connections, data))
            elif isinstance(data, Farewell):
                elsewhere.add(node)
                self.put(node, End(connections, data.code, data.reason))
            else:
                self.put(node, data)
        if table:
            for node in elsewhere - {self.address}:
                self._peers.put(node, Version(table, version))
            self._connections.told(table, version, self.address)

    def hold(self, table: str) -> None:
        """This node is about to give up a table: let frames that are sent to it wait."""
        self._connections.hold_table(table)

    def release(self, table: str) -> None:
        """Another node will run this table: all its connections are to look for it."""
        for node in {*self._alive, *self._peers} - {self.address}:
            self._peers.put(node, Released(table))
        self._connections.lost_table(table, self.address)

    # -- items from and to nodes ------------------------------------------------------

    def put(self, node: int, item: AnyItem) -> None:
        """Send an item to a node, which may be this one."""
        if node != self.address:
            self._peers.put(node, item)
        else:
            self._handle(node, [item])

    def _receive(self, peer: int, life: int, number: int, items: list[AnyItem]) -> None:
        inputs = self._handle(peer, items)
        self._owner_side.received(peer, life, number, inputs=inputs)

    def _handle(self, node: int, items: Sequence[AnyItem]) -> bool:
        """Do what a node's items say; returns whether there are inputs for tables among them."""
        inputs = False
        for item in items:
            match item:
                case Say(connections, data):
                    self._gateway(connections[0]).deliver(connections, data)
                case Frame(connection, data):
                    inputs = True
                    if not self._owner.submit_frame(connection, data) and node != self.address:
                        self._peers.put(node, Bounced(connection, data))
                case Bounced(connection, data):
                    self._connections.bounced(connection, data, node)
                case Version(table, version):
                    self._connections.told(table, version, node)
                case Note(data):
                    self._nodes.noted(node, data)
                case Ask():
                    self.spawn(self._questions.reply(node, item))
                case Reply():
                    self._questions.replied(node, item)
                case Gone(connection):
                    inputs = True
                    self._owner.disconnect(connection)
                case End(connections, code, reason):
                    gateway = self._gateway(connections[0])
                    for connection in connections:
                        gateway.close_connection(connection, code, reason)
                case Moved():
                    self._connections.moved(item, node)
                case Here():
                    self._connections.rejoined(item, node)
                case Released(table):
                    self._given_up = True
                    self._connections.lost_table(table, node)
        return inputs

    # -- nodes that come and go -------------------------------------------------------

    async def _keep_looking(self) -> None:
        in_trouble = False
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if not self._has_to_look():
                continue
            try:
                await self._look()
                in_trouble = False
            except Illegal as no:
                if not in_trouble:
                    log.warning("cannot list the live nodes: %s", no)
                in_trouble = True
            except Exception:
                log.exception("cannot list the live nodes")

    def _has_to_look(self) -> bool:
        # The first packets of a new node wait until its key is known.
        waits = self._given_up or self._connections.looking or self._carrier.waiting
        return waits or time.monotonic() >= self._look_at

    async def _look(self) -> None:
        """Find nodes that are new and nodes that are gone, and where the tables of those are now;
        raises `Illegal`."""
        # A node that starts while the directory is asked is not in the answer, and not gone.
        known = self._alive | set(self._peers)
        began, self._given_up = time.monotonic(), False
        nodes = await self._directory.nodes()
        self._carrier.meet(nodes)
        self._nodes.meet(nodes)
        for node in known - nodes.keys() - {self.address}:
            log.warning("node %d is gone", node)
            self._forget(node, self._peers.drop(node))
        self._alive = set(nodes)
        await self._connections.look(self._directory)
        self._look_at = began + min(self._directory.quiet, LOOK_AT_LEAST)
        self.looked()

    def _out_of_touch(self, node: int, unconfirmed: list[Item]) -> None:
        """The link to a node was broken: both sides begin again."""
        self._owner_side.drop_letters(node)
        self._forget(node, unconfirmed)
        self._owner_side.resume_letters(node)
        self._nodes.meet([node])

    def _forget(self, node: int, unconfirmed: list[Item]) -> None:
        self._questions.lost(node)
        self._owner_side.lost(node)
        self._nodes.lose(node)
        self._connections.lost_node(node, [item for item in unconfirmed if isinstance(item, Frame)])
