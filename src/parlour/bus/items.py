"""The items that nodes send each other over a link."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from parlour.bus import ConnectionId, Here, Item, Moved, Refusal


class Frame(Item):
    """To an owner: a frame that a connection sent."""

    connection: ConnectionId
    data: bytes


class Bounced(Item):
    """To a gateway: a frame of a connection that is at no table of this node, returned."""

    connection: ConnectionId
    data: bytes


class Gone(Item):
    """To an owner: a connection is closed."""

    connection: ConnectionId


class Say(Item):
    """To a gateway: one message."""

    connections: list[ConnectionId]
    data: bytes


class End(Item):
    """To a gateway: close these connections."""

    connections: list[ConnectionId]
    code: int
    reason: str


class Version(Item):
    """To a gateway: its connections at a table have been told of everything up to a version."""

    table: str
    version: int


class Released(Item):
    """To a gateway: another node will run this table."""

    table: str


class Note(Item):
    """To the other node's service (`Nodes.post`)."""

    data: bytes


class Ask(Item):
    """A question; the answer has the same number."""

    number: int
    method: str
    arguments: msgspec.Raw


class Reply(Item):
    number: int
    refused: Refusal | None
    answer: msgspec.Raw


AnyItem: TypeAlias = (
    Frame | Bounced | Gone | Say | End | Version | Moved | Here | Released | Note | Ask | Reply
)

VERSIONS: Final = (2,)
"""The versions of the bus that a node can speak, each part of the next; 1 was not authenticated.

An item or a question that nodes of the current version can't read makes a new version. It is sent
only to nodes that speak that one (`SealedCarrier.version`). Nodes whose version has left this list
can't share a house with this one: see `docs/scaling.md`. A new field with a default needs no new
version.
"""

encode: Final = msgspec.msgpack.Encoder().encode
decode_items: Final = msgspec.msgpack.Decoder(list[AnyItem]).decode
