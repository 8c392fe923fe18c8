"""Messages and questions between the relays of two nodes, encoded with MessagePack."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from parlour.bus import ConnectionId, Refusal


class _Word(msgspec.Struct, array_like=True, tag=True):
    """Encoded as an array that begins with the name of its class."""


class Came(_Word):
    """A session is in a channel."""

    connection: ConnectionId
    channel: str
    user: str


class Went(_Word):
    """A session is gone."""

    connection: ConnectionId


class Hosts(_Word):
    """A host of ours is in a channel."""

    channel: str
    reserved: list[str]
    note: bytes


class HostsNoMore(_Word):
    """The host has left."""

    channel: str


class Hello(_Word):
    """The first message of a node to another: all of its sessions and hosts."""

    sessions: list[Came]
    hosts: list[Hosts]


class Said(_Word):
    """A client's message."""

    connection: ConnectionId
    frame: bytes
    passed: bool
    """Whether it is relayed to everybody; otherwise only to the host."""


class Told(_Word):
    """A host's message to some sessions."""

    channel: str
    connections: list[ConnectionId]
    frame: bytes
    story: str | None
    """See `Channel.story`; None: unchanged."""


class Ended(_Word):
    """A host's message to all sessions of a node that has not been told the end of this story."""

    channel: str
    frame: bytes
    story: str


Word: TypeAlias = Came | Went | Hosts | HostsNoMore | Hello | Said | Told | Ended


class Expect(_Word):
    """Asked of a node: send us a channel's messages from now on, for a session about to come in."""

    channel: str


class AskHost(_Word):
    """Asked of a node whose host is in a channel."""

    channel: str
    data: bytes
    """A `Wish`."""


class Forgive(msgspec.Struct, tag=True):
    """See `ChannelHost.forgive`."""

    user: str


class Probe(msgspec.Struct, tag=True):
    """See `ChannelHost.probe`."""

    take_over: bool


Wish: TypeAlias = Forgive | Probe


class Answer(_Word):
    """To `AskHost`: it is done, or why not."""

    data: bytes = b""
    """Empty."""
    refused: Refusal | None = None
