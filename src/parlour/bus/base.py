"""Between sockets and tables: the only words they have for each other.

A gateway holds connections and speaks wires; an owner runs tables. On one machine both are this
process and the bus is a few function calls; on many it is a network. Nobody on either side may
know which. Besides the sockets' gateway others may attend tables, a relay's game host say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, TypeVar, TypeVarTuple

import msgspec

from parlour.protocol import Common, Operation, Request, Seek

A = TypeVar("A")
Args = TypeVarTuple("Args")

ConnectionId: TypeAlias = int
"""One connection's number, unique among all gateways: the upper half says which gateway's."""

TRY_AGAIN = "try-again"
"""The code of a refusal that may be none a moment later: a table changes its node."""

GATEWAY_SHIFT = 32


def gateway_of(connection: ConnectionId) -> int:
    """The number of the gateway that holds this connection."""
    return connection >> GATEWAY_SHIFT


def first_connection(gateway: int) -> ConnectionId:
    """The number before the first that this gateway may give out."""
    return gateway << GATEWAY_SHIFT


class Farewell(msgspec.Struct, frozen=True, tag=True):
    """In place of a message: the last thing a connection hears."""

    code: int
    reason: str


class Done(msgspec.Struct, frozen=True, tag=True):
    """In place of a message, for a bus: all that came of its packet up to here has been said."""

    node: int
    life: int
    number: int


class LinkLost(msgspec.Struct, frozen=True, tag=True):
    """In place of a message, for a bus: what was said to this node up to here was meant for a
    link that is gone."""

    node: int


class Moved(msgspec.Struct, frozen=True, tag=True):
    """In place of a message, for a bus: a connection is at another table of the same owner."""

    table: str
    code: str
    place: int | None
    version: int


class Here(msgspec.Struct, frozen=True, tag=True):
    """In place of a message, for a bus: from here on we tell a connection that has rejoined.

    Sent together with what it had missed: whoever hears of the one has heard the other.
    """

    table: str
    version: int
    """Up to which it is told with this."""
    done: bool
    """Whether part of that are inputs of its own."""


Letter: TypeAlias = tuple[list[ConnectionId], bytes | Farewell | Done | LinkLost | Moved | Here]
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
    """Which extras it is told besides its protocol: "", or "story" too; None: none at all."""
    person: str = ""
    """The visitor as whom its browser is signed in, also where it sits down as a stranger: whose
    names it may have."""

    @property
    def called(self) -> str:
        """What they want to be called."""
        return self.name if self.seek.name is None else self.seek.name


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
    """A gateway's connections at a table that has another owner now, or whose owner it lost sight
    of for a moment: all of them had been told of everything up to `version`."""

    table: str
    version: int
    members: list[Member]


class Rejoined(msgspec.Struct, frozen=True):
    """They are at the table; what they had missed has been sent (see `Here`)."""


class Refusal(msgspec.Struct, frozen=True):
    """They do not, or may not: a code for programs, a sentence for people."""

    code: str
    sentence: str


class Owner(Protocol):
    """The tables' side. What it answers has been committed."""

    async def join(self, request: JoinRequest) -> Welcome | Refusal: ...

    def submit(self, connection: ConnectionId, request: Request) -> None:
        """What a connection asks for. Answers, if any, come out through its gateway."""
        ...

    def submit_frame(self, connection: ConnectionId, frame: bytes) -> bool:
        """The same as it was sent, which its gateway could read; False: it is at no table here."""
        ...

    def disconnect(self, connection: ConnectionId) -> None:
        """A connection is gone."""
        ...

    def say(self, letters: Sequence[Letter]) -> None:
        """Send these behind everything said so far, once that is kept."""
        ...

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """Run an operation on our tables; raises `Illegal`."""
        ...


class Gateway(Protocol):
    """Who holds connections: the sockets, or somebody else who attends tables."""

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        """One message for these connections, in the order delivered."""
        ...

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None: ...

    async def alive(self, connection: ConnectionId) -> bool:
        """Whether somebody is still at the other end: asked there, within about a second."""
        ...


class NodeService(Protocol):
    """A part of the server that talks to the same part at all other nodes: a relay, say."""

    def node_joined(self, node: int) -> None:
        """There is another node: from now on it can be told something."""
        ...

    def node_left(self, node: int) -> None:
        """A node is gone for good."""
        ...

    def noted(self, node: int, data: bytes) -> None:
        """What another node posted; each once, in the order in which it did."""
        ...

    async def requested(self, node: int, data: bytes) -> bytes:
        """What another node asks for, or this one."""
        ...


class Nodes(Protocol):
    """All nodes there are, for a service that is at every one of them."""

    address: int
    """Of this node, among all there are."""

    def attach(self, service: NodeService) -> None:
        """Called once, before there can be other nodes."""
        ...

    def node_of(self, connection: ConnectionId) -> int:
        """The address of the node that holds a connection."""
        ...

    def post(self, node: int, data: bytes) -> None:
        """Tell another node's service something."""
        ...

    def waiting(self, node: int) -> int:
        """How many bytes wait until another node has them."""
        ...

    async def request(self, node: int, data: bytes) -> bytes | Refusal:
        """The answer of a node's service."""
        ...


class Bus(Protocol):
    """Both directions: what gateways ask of owners, wherever they are, and what owners tell."""

    nodes: Nodes

    async def join(self, request: JoinRequest) -> Welcome | Refusal: ...

    def move(self, request: JoinRequest, answered: Callable[[Welcome | Refusal], None]) -> None:
        """Asked by an owner: let a connection join a table of another owner's."""
        ...

    def submit(self, connection: ConnectionId, request: Request, frame: bytes = b"") -> None:
        """What a connection asks for, and the frame that was read as this."""
        ...

    def disconnect(self, connection: ConnectionId) -> None: ...

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        """Run an operation at the node that its entry names; raises `Illegal`."""
        ...

    def tell(self, letters: Sequence[Letter], table: str = "", version: int = 0) -> None:
        """Deliver these in order: then who is at `table` has been told of all up to `version`."""
        ...

    async def alive(self, connection: ConnectionId) -> bool:
        """Whether somebody is still at the other end: asked there, within about a second."""
        ...

    def attach_owner(self, owner: Owner) -> None:
        """Called once, by the tables' side."""
        ...

    def attach_gateway(self, gateway: Gateway) -> int:
        """Called once by everybody who holds connections; gives the gateway's number."""
        ...
