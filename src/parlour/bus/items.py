"""The items that nodes send each other over a link."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from parlour.bus.base import ConnectionId, Refusal


class _Item(msgspec.Struct, array_like=True, tag=True):
    """Short on its way: an array that begins with the name of its class."""


class Frame(_Item):
    """To an owner: what a connection sent."""

    connection: ConnectionId
    data: bytes


class Bounced(_Item):
    """To a gateway: a frame of a connection that is at none of our tables, or not any more."""

    connection: ConnectionId
    data: bytes


class Gone(_Item):
    """To an owner: a connection is closed."""

    connection: ConnectionId


class Say(_Item):
    """To a gateway: one message."""

    connections: list[ConnectionId]
    data: bytes


class End(_Item):
    """To a gateway: the last these connections hear."""

    connections: list[ConnectionId]
    code: int
    reason: str


class Version(_Item):
    """To a gateway: what came before tells of a table up to here."""

    table: str
    version: int


class MovedTo(_Item):
    """To a gateway: a connection is at another table of the same node."""

    connection: ConnectionId
    table: str
    code: str
    place: int | None
    version: int


class HereNow(_Item):
    """To a gateway: a connection that has rejoined a table is told by us (`base.Here`)."""

    connection: ConnectionId
    table: str
    version: int
    done: bool


class Released(_Item):
    """To a gateway: another node will run this table."""

    table: str


class Note(_Item):
    """To the other node's service."""

    data: bytes


class Ask(_Item):
    """A question; the answer has the same number."""

    number: int
    method: str
    arguments: msgspec.Raw


class Reply(_Item):
    number: int
    refused: Refusal | None
    answer: msgspec.Raw


Item: TypeAlias = (
    Frame | Bounced | Gone | Say | End | Version | MovedTo | HereNow | Released | Note | Ask | Reply
)

VERSIONS: Final = (2,)
"""The versions of all this that a node can speak, each part of the next; 1 was not authenticated.

An item or a question that peers of the current version can't read makes a new version. It is sent
only to nodes that speak that one (`Peers.version`); the others get what they know. A version that
has left this list can't share a house with this one: see `docs/scaling.md`. A new field that has a
default needs no new version.
"""

encode: Final = msgspec.msgpack.Encoder().encode
decode_items: Final = msgspec.msgpack.Decoder(list[Item]).decode
