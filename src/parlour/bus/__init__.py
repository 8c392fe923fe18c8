"""The bus between sockets and tables.

A gateway holds connections and speaks wires; an owner runs tables. They know each other only by
what is here. On one machine both are in this process, and the bus is a few function calls (`Bus`);
on many it is a network (`cluster.ClusterBus`). Neither side can tell which. Besides the sockets
other gateways may attend tables, for example the host of a game in a relay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, TypeAlias, TypeVar, TypeVarTuple

import msgspec

from parlour.protocol import Common, Operation, Request, Seek

A = TypeVar("A")
Args = TypeVarTuple("Args")

ConnectionId: TypeAlias = int
"""One connection's number, unique among all gateways: the upper half says which gateway's."""

TRY_AGAIN: Final = "try-again"
"""The code of a refusal that may be over in a moment: a table changes its node."""

GATEWAY_SHIFT: Final = 32


def gateway_of(connection: ConnectionId) -> int:
    """The number of the gateway that holds this connection."""
    return connection >> GATEWAY_SHIFT


def first_connection(gateway: int) -> ConnectionId:
    """The number before the first that this gateway may give out."""
    return gateway << GATEWAY_SHIFT


class Farewell(msgspec.Struct, frozen=True):
    """In place of a message: the connection is closed."""

    code: int
    reason: str


class Item(msgspec.Struct, array_like=True, tag=True):
    """A message between nodes (`bus.items`), encoded as an array that begins with its name."""


class Moved(Item, tag="MovedTo"):
    """In place of a message, for a bus: a connection is at another table of the same owner."""

    connection: ConnectionId
    table: str
    code: str
    place: int | None
    version: int


class Here(Item, tag="HereNow"):
    """In place of a message, for a bus: from here on this node tells a connection that has
    rejoined. It is sent in one packet with what the connection had missed."""

    connection: ConnectionId
    table: str
    version: int
    """Up to which the connection is told with this."""
    done: bool
    """Whether some of the missed entries are inputs of the connection's own."""


class Then(msgspec.Struct, frozen=True):
    """In place of a message, for a bus: `call` this when everything before it is kept and sent."""

    call: Callable[[], None]


Letter: TypeAlias = tuple[list[ConnectionId], bytes | Farewell | Moved | Here | Then]
"""One message, for connections of one gateway."""


class JoinRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody has connected and wants to sit, watch, or open a table of their own."""

    connection: ConnectionId
    game: str
    wire: str
    visitor: str
    name: str = ""
    seek: Seek = Seek(where=Common())
    address: str = ""
    """Where it connects from, as far as limits tell addresses apart."""
    extras: str | None = None
    """Which extras it is told besides its protocol: "", "story", "scene", or several with commas
    between them; None: no extras."""
    since: str | None = None
    """How far it got before it was cut off ("": not at all): see `extras_at`. None: it does not
    want to be told how far it is."""
    person: str = ""
    """The visitor as whom its browser is signed in, even if it sits down as a stranger: decides
    which names it may have."""

    @property
    def called(self) -> str:
        """The name they ask for."""
        return self.name if self.seek.name is None else self.seek.name

    def asks(self, extra: str) -> bool:
        """Whether it asks for these extras by name."""
        return self.extras is not None and extra in self.extras.split(",")


class Welcome(msgspec.Struct, frozen=True):
    """They sit (or, without a place, watch). Their greeting is on its way."""

    table: str
    code: str
    place: int | None
    version: int = 0
    """Of the table, when they were greeted."""


class Member(msgspec.Struct, frozen=True):
    """A connection that had joined a table, and the place it had there."""

    request: JoinRequest
    place: int | None


class RejoinRequest(msgspec.Struct, frozen=True):
    """A gateway's connections at a table whose owner has changed, or whose link to its owner was
    broken: all of them had been told of everything up to `version`."""

    table: str
    version: int
    members: list[Member]


class Rejoined(msgspec.Struct, frozen=True):
    """They are at the table; what they had missed has been sent (see `Here`)."""


class Refusal(msgspec.Struct, frozen=True):
    """A request was refused: a code for programs, a sentence for people."""

    code: str
    sentence: str


class Owner(Protocol):
    """The tables' side. Everything that it answers has been committed."""

    @property
    def connections(self) -> Iterable[ConnectionId]:
        """All connections at its tables."""
        ...

    async def join(self, request: JoinRequest) -> Welcome | Refusal: ...

    def submit(self, connection: ConnectionId, request: Request) -> None:
        """A request by a connection. Answers, if any, come out through its gateway."""
        ...

    def submit_frame(self, connection: ConnectionId, frame: bytes) -> bool:
        """The same, as the frame that its gateway could read; False: it is at no table here."""
        ...

    def disconnect(self, connection: ConnectionId) -> None:
        """A connection is closed."""
        ...

    def say(self, letters: Sequence[Letter]) -> None:
        """Send these after everything said so far, once that is kept."""
        ...

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """Run an operation on the tables here; raises `Illegal`."""
        ...


class Gateway(Protocol):
    """Holds connections: the sockets, or another part that attends tables."""

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        """One message for these connections, in the order delivered."""
        ...

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None: ...

    async def alive(self, connection: ConnectionId) -> bool:
        """Whether the client still answers; takes about a second at most."""
        ...


class NodeService(Protocol):
    """A part of the server that talks to the same part at all other nodes, such as a relay."""

    def node_joined(self, node: int) -> None:
        """There is another node: from now on it can be told something."""
        ...

    def node_left(self, node: int) -> None:
        """A node is gone, or the link to it was broken: `node_joined` may follow."""
        ...

    def noted(self, node: int, data: bytes) -> None:
        """A message that another node posted; each once, in order."""
        ...

    async def requested(self, node: int, data: bytes) -> bytes:
        """The answer to a question by another node, or by this one."""
        ...


class Nodes:
    """The nodes that there are, for a service that runs on every one of them. This is for a house
    of one node."""

    address = 0
    """Of this node, among all there are."""
    _service: NodeService

    def attach(self, service: NodeService) -> None:
        """Called once, before there can be other nodes."""
        self._service = service

    def node_of(self, connection: ConnectionId) -> int:
        """The address of the node that holds a connection."""
        return self.address

    def post(self, node: int, data: bytes) -> None:
        """Send a message to another node's service."""
        raise AssertionError("there is no other node")

    def waiting(self, node: int) -> int:
        """How many bytes another node has not confirmed yet."""
        return 0

    async def request(self, node: int, data: bytes) -> bytes | Refusal:
        """The answer of a node's service."""
        return await self._service.requested(node, data)


class Bus:
    """Both directions: what gateways ask of owners, and what owners tell. This is the bus of a
    house on one machine: function calls."""

    nodes: Nodes
    _owner: Owner

    def __init__(self) -> None:
        self.nodes = Nodes()
        self._gateways: list[Gateway] = []

    def attach_owner(self, owner: Owner) -> None:
        """Called once, by the tables' side."""
        self._owner = owner

    def attach_gateway(self, gateway: Gateway) -> int:
        """Called once by everybody who holds connections; returns the gateway's number."""
        self._gateways.append(gateway)
        return len(self._gateways) - 1

    async def join(self, request: JoinRequest) -> Welcome | Refusal:
        return await self._owner.join(request)

    def move(self, request: JoinRequest, answered: Callable[[Welcome | Refusal], None]) -> None:
        """Asked by an owner: let a connection join a table of another owner's."""
        answered(Refusal("no-such-table", "There is no table with that code."))

    def submit(self, connection: ConnectionId, request: Request, frame: bytes = b"") -> None:
        """A request by a connection, and the frame that was read as this request."""
        self._owner.submit(connection, request)

    def disconnect(self, connection: ConnectionId) -> None:
        self._owner.disconnect(connection)

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """Run an operation at the node that its entry names; raises `Illegal`."""
        return await self._owner.call(operation, *arguments)

    def tell(self, letters: Sequence[Letter], table: str = "", version: int = 0) -> None:
        """Deliver these in order: then the connections at `table` know all up to `version`."""
        for connections, data in letters:
            # As `gateway_of` says, without a call for each message.
            gateway = self._gateways[connections[0] >> GATEWAY_SHIFT]
            if isinstance(data, bytes):
                gateway.deliver(connections, data)
            elif isinstance(data, Farewell):
                for connection in connections:
                    gateway.close_connection(connection, data.code, data.reason)

    async def alive(self, connection: ConnectionId) -> bool:
        """Whether the client still answers; takes about a second at most."""
        return await self._gateways[gateway_of(connection)].alive(connection)
