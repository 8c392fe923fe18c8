"""The bus of a house on many machines: every process a gateway, most of them owners as well.

What concerns a table of this very process is a function call, as on one machine; the rest goes over
links (`parlour.bus.peers`). Which node runs a table the directory knows, which is in the record.
When a node is gone, its tables are looked for until somebody else runs them, and their connections
here, which have stayed open, rejoin them there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar, TypeVarTuple, cast

import msgspec

from parlour.bus.base import (
    TRY_AGAIN,
    Bus,
    ConnectionId,
    Done,
    Farewell,
    Gateway,
    Here,
    JoinRequest,
    Letter,
    LinkLost,
    Moved,
    Owner,
    Refusal,
    Welcome,
    gateway_of,
)
from parlour.bus.connections import Connections
from parlour.bus.directory import Directory
from parlour.bus.items import (
    Ask,
    Bounced,
    End,
    Frame,
    Gone,
    HereNow,
    Item,
    MovedTo,
    Note,
    Released,
    Reply,
    Say,
    Version,
)
from parlour.bus.lookup import LOOK_EVERY, Lookup, until_answered
from parlour.bus.operations import (
    ALIVE,
    BETWEEN_NODES,
    JOIN,
    MOVE,
    REJOIN,
    REQUEST,
    read_answer,
    read_arguments,
    write_answer,
)
from parlour.bus.peers import Peers, unreachable
from parlour.bus.sealed import Carrier, SealedCarrier
from parlour.bus.services import PeerServices
from parlour.kit import Illegal
from parlour.protocol import Game, Operation, Request

A = TypeVar("A")
Args = TypeVarTuple("Args")

log = logging.getLogger("parlour.bus")

GATEWAYS: Final = 8
"""How many may attend tables from one process."""
ADDRESSES: Final = 1 << 28
"""How many addresses there are: one, a gateway's number and a connection's make a 64-bit number."""


class ClusterBus(Bus):
    """This process's end of it."""

    _owner: Owner

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
        for every packet that is not taken (`parlour.bus.sealed`)."""
        self.address = address
        self._directory = directory
        self._games: Mapping[str, Game] = {game.id: game for game in games}
        self.lookup = Lookup(address, directory, self.ask, runs_tables=runs_tables)
        self._gateways: list[Gateway] = []
        self._carrier = SealedCarrier(address, key, carrier, dropped)
        self._peers = Peers(self._carrier, self._receive, self._out_of_touch)
        self._services = PeerServices(address, self._peers, _node_of)
        self.nodes = self._services
        self._connections = Connections(self)
        self._attached: dict[int, set[ConnectionId]] = {}
        """By other node: its connections at our tables."""
        self._unfinished: dict[tuple[int, int], int] = {}
        """By other node and its link's life: how many of its packets wait until what follows from
        them is kept."""
        self._late: dict[int, int] = {}
        """By other node: with how many links that are gone what is about to be said was meant to
        go. It is in the record, and is told to who rejoins."""
        self._moving: dict[ConnectionId, bool] = {}
        """Connections of ours on their way to another table: whether they are still open."""
        self._functions: dict[str, Callable[..., Awaitable[Any]]] = {
            JOIN.name: self._join_here,
            MOVE.name: self._moved,
            ALIVE.name: self.alive,
            REQUEST.name: self._services.requested,
        }
        """By name: the operations that the bus runs itself; the owner runs all others."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._alive: set[int] = {address}

    def attach_owner(self, owner: Owner) -> None:
        self._owner = owner

    def attach_gateway(self, gateway: Gateway) -> int:
        self._gateways.append(gateway)
        assert len(self._gateways) <= GATEWAYS
        return self.address * GATEWAYS + len(self._gateways) - 1

    async def start(self) -> None:
        await self._peers.start()
        self._alive = await self._met()
        self.spawn(self._look())

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._peers.stop()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("the bus failed", exc_info=task.exception())

    # -- what gateways ask ------------------------------------------------------------

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
                answered(await self.ask(_node_of(request.connection), MOVE, request))
            except Illegal as no:
                answered(Refusal(no.code, no.sentence))

        self.spawn(moved())

    async def _join_here(self, request: JoinRequest) -> Welcome | Refusal:
        return await self._owner.join(request)

    async def _moved(self, request: JoinRequest) -> Welcome | Refusal:
        """One of our connections goes to another table; what it sends meanwhile waits."""
        if not self._connections.hold(request.connection):
            raise unreachable()
        self._moving[request.connection] = True
        try:
            answer = await self.join(request)
        finally:
            still_there = self._moving.pop(request.connection, False)
            self._connections.let_go(request.connection)
        if not still_there:
            # Closed before it was known where it had gone: nobody has told them there.
            self.disconnect(request.connection)
        return answer

    def submit(self, connection: ConnectionId, request: Request, frame: bytes = b"") -> None:
        node = self._connections.node_of(connection, frame)
        if node == self.address:
            self._owner.submit(connection, request)
        elif node is not None:
            self._peers.put(node, Frame(connection, frame))

    def send(self, node: int, connection: ConnectionId, frame: bytes) -> None:
        """A frame that had to wait."""
        if node == self.address:
            self._owner.submit_frame(connection, frame)
        else:
            self._peers.put(node, Frame(connection, frame))

    def disconnect(self, connection: ConnectionId) -> None:
        if connection in self._moving:
            self._moving[connection] = False
        node = self._connections.leave(connection)
        if node is not None:
            self.gone(node, connection)

    def gone(self, node: int, connection: ConnectionId) -> None:
        """Tell a node that a connection is closed."""
        if node == self.address:
            self._owner.disconnect(connection)
        else:
            self._peers.put(node, Gone(connection))

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        return await self.lookup.call(operation, *arguments)

    # -- who is asked -----------------------------------------------------------------

    async def ask(self, node: int, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """The answer of one node; raises `Illegal`."""
        if node == self.address:
            return cast("A", await self._answer(operation, arguments))
        data = await self._peers.ask(node, operation, arguments)
        try:
            return cast("A", read_answer(operation.name, data, self._games))
        except (msgspec.DecodeError, msgspec.ValidationError):
            self._peers.unreadable()
            raise unreachable() from None

    async def _answer(self, operation: Operation[Any, *Args], arguments: tuple[*Args]) -> Any:
        """What this node answers; raises `Illegal`."""
        own = self._functions.get(operation.name)
        if own is None:
            return await self._owner.call(operation, *arguments)
        answer = await own(*arguments)
        if isinstance(answer, Refusal):
            raise Illegal(answer.code, answer.sentence)
        return answer

    # -- what owners tell -------------------------------------------------------------

    def tell(self, letters: Sequence[Letter], table: str = "", version: int = 0) -> None:
        elsewhere: set[int] = set()
        for connections, data in letters:
            if isinstance(data, Done):
                self._finished(data)
                continue
            if isinstance(data, LinkLost):
                self._is_late(data.node)
                continue
            node = _node_of(connections[0])
            if node in self._late:
                continue
            if isinstance(data, Moved):
                self._moved_here(node, connections[0], data)
            elif isinstance(data, Here):
                self._told_here(node, connections[0], data)
            elif node == self.address:
                self._deliver(connections, data)
            else:
                elsewhere.add(node)
                if isinstance(data, bytes):
                    self._peers.put(node, Say(connections, data))
                else:
                    self._peers.put(node, End(connections, data.code, data.reason))
        if table:
            for node in elsewhere:
                self._peers.put(node, Version(table, version))
            self._connections.told(table, version, self.address)

    def _finished(self, done: Done) -> None:
        link = (done.node, done.life)
        if link in self._unfinished:
            # Otherwise it is gone, and nobody waits for this any more.
            self._unfinished[link] -= 1
            self._peers.finished(*link, done.number)

    def _is_late(self, node: int) -> None:
        """What was said so far to this node was meant for a link that is gone."""
        self._late[node] -= 1
        if not self._late[node]:
            del self._late[node]

    def _moved_here(self, node: int, connection: ConnectionId, to: Moved) -> None:
        if node == self.address:
            welcome = Welcome(to.table, to.code, to.place, to.version)
            self._connections.moved(connection, welcome, self.address)
        else:
            item = MovedTo(connection, to.table, to.code, to.place, to.version)
            self._peers.put(node, item)

    def _told_here(self, node: int, connection: ConnectionId, here: Here) -> None:
        if node == self.address:
            self._connections.rejoined(connection, here, self.address)
        else:
            item = HereNow(connection, here.table, here.version, here.done)
            self._peers.put(node, item)

    def _deliver(self, connections: Sequence[ConnectionId], data: bytes | Farewell) -> None:
        gateway = self._gateways[gateway_of(connections[0]) % GATEWAYS]
        if isinstance(data, bytes):
            gateway.deliver(connections, data)
        else:
            for connection in connections:
                gateway.close_connection(connection, data.code, data.reason)

    def close(self, connections: Iterable[ConnectionId], code: int, reason: str) -> None:
        """End connections of ours."""
        for connection in connections:
            self._deliver([connection], Farewell(code, reason))

    async def alive(self, connection: ConnectionId) -> bool:
        gateway = gateway_of(connection)
        node = gateway // GATEWAYS
        if node == self.address:
            return await self._gateways[gateway % GATEWAYS].alive(connection)
        with suppress(Illegal):
            return await self.ask(node, ALIVE, connection)
        return False

    def hold(self, table: str) -> None:
        """We are about to give up a table: what our connections send to it waits."""
        self._connections.hold_table(table)

    def release(self, table: str) -> None:
        """Another node will run this table of ours: its connections are to look for it."""
        for node in self._peers:
            self._peers.put(node, Released(table))
        self._connections.lost_table(table, self.address)

    # -- what comes from other nodes --------------------------------------------------

    def _receive(self, peer: int, life: int, number: int, items: list[Item]) -> None:
        inputs = False
        for item in items:
            match item:
                case Say(connections, data):
                    self._deliver(connections, data)
                case Frame(connection, data):
                    inputs = True
                    if not self._owner.submit_frame(connection, data):
                        self._peers.put(peer, Bounced(connection, data))
                case Bounced(connection, data):
                    self._connections.bounced(connection, data, peer)
                case Version(table, version):
                    self._connections.told(table, version, peer)
                case Note(data):
                    self._services.noted(peer, data)
                case Ask():
                    self.spawn(self._asked(peer, item))
                case Gone(connection):
                    inputs = True
                    self._attached.get(peer, set()).discard(connection)
                    self._owner.disconnect(connection)
                case End(connections, code, reason):
                    self._deliver(connections, Farewell(code, reason))
                case MovedTo(connection, table, code, place, version):
                    welcome = Welcome(table, code, place, version)
                    self._connections.moved(connection, welcome, peer)
                case HereNow(connection, table, version, done):
                    self._connections.rejoined(connection, Here(table, version, done), peer)
                case Released(table):
                    self._connections.lost_table(table, peer)
                case Reply():
                    pass
        link = (peer, life)
        if inputs or self._unfinished.get(link):
            # Confirmed once all that follows from it is kept and sent, and not before what came
            # before it.
            self._unfinished[link] = self._unfinished.get(link, 0) + 1
            self._owner.say([([], Done(peer, life, number))])
        else:
            self._peers.finished(peer, life, number)

    async def _asked(self, peer: int, ask: Ask) -> None:
        refused, data = None, msgspec.Raw(b"\xc0")
        try:
            arguments = read_arguments(ask)
            answer = await self._answer(BETWEEN_NODES[ask.method], arguments)
            data = msgspec.Raw(write_answer(answer))
        except (msgspec.DecodeError, msgspec.ValidationError):
            self._peers.unreadable()
            refused = Refusal(TRY_AGAIN, "This node can't read what another one asks.")
        except Illegal as no:
            refused = Refusal(no.code, no.sentence)
        else:
            if ask.method == JOIN.name:
                self._attached.setdefault(peer, set()).add(arguments[0].connection)
            elif ask.method == REJOIN.name:
                members = {member.request.connection for member in arguments[0].members}
                self._attached.setdefault(peer, set()).update(members)
        self._peers.put(peer, Reply(ask.number, refused, data))

    # -- who is gone ------------------------------------------------------------------

    async def _look(self) -> None:
        """Find out which nodes are gone, and where their tables are now."""
        in_trouble = False
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self._look_once()
                in_trouble = False
            except Illegal as no:
                if not in_trouble:
                    log.warning("who is there can't be found out: %s", no)
                in_trouble = True
            except Exception:
                log.exception("who is there can't be found out")

    async def _look_once(self) -> None:
        # Who begins while we ask is not in the answer, and not gone either.
        known = self._alive | set(self._peers)
        alive = await self._met()
        for node in known - alive - {self.address}:
            self._lost(node)
        self._alive = alive
        await self._connections.look(self._directory)

    async def _met(self) -> set[int]:
        """Make the acquaintance of all nodes there are."""
        nodes = await self._directory.nodes()
        self._carrier.meet(nodes)
        self._services.meet(nodes)
        return set(nodes)

    def _lost(self, node: int) -> None:
        log.warning("node %d is gone", node)
        self._forget(node, self._peers.drop(node))

    def _out_of_touch(self, node: int, unconfirmed: list[Item]) -> None:
        """A node is there, but what was on its way between us is lost: all begin anew."""
        self._late[node] = self._late.get(node, 0) + 1
        self._forget(node, unconfirmed)
        self._owner.say([([], LinkLost(node))])
        self._services.meet([node])

    def _forget(self, node: int, unconfirmed: list[Item]) -> None:
        for link in [link for link in self._unfinished if link[0] == node]:
            del self._unfinished[link]
        for connection in self._attached.pop(node, ()):
            self._owner.disconnect(connection)
        self._services.lose(node)
        self._connections.lost_node(node, [item for item in unconfirmed if isinstance(item, Frame)])


def _node_of(connection: ConnectionId) -> int:
    return gateway_of(connection) // GATEWAYS
