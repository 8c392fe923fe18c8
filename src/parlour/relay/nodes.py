"""The relay at other nodes: which sessions they have, and messages between nodes.

Each node tells all others which sessions it gains and loses, and in which channels its hosts are.
So every node knows all sessions. A client's message goes from its node directly to the nodes with a
session or a host in the channel, a host's message to the nodes of its receivers. No node does
anything for another, so nothing has to be taken over when a node is lost: its sessions end with it,
and another node runs its tables and makes hosts for them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

import msgspec

from parlour.bus import Bus, ConnectionId, NodeService, Refusal
from parlour.kit import Illegal
from parlour.relay.channels import Channel, Channels, Hosting
from parlour.wcp.message import read

log = logging.getLogger("parlour.relay")

PATIENCE: Final = 1.0
"""Seconds to wait for another node's answer: a killed node never answers."""
UPGRADE: Final = 10.0
"""Seconds in which an admitted session must come in."""
MOST_WAITING: Final = 16 << 20
"""Bytes that may wait for an unreachable node; beyond that, it is sent no clients' messages."""
KEPT: Final = 60.0
"""Seconds for which an empty channel is kept until its table has another node."""


class Sender(Protocol):
    """Holds the connections of this node: the gateway."""

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None: ...


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
    """Whether it is relayed to everybody; otherwise only the host gets it."""


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


class Answer(_Word):
    """Of a host; or why there is none."""

    data: bytes
    refused: Refusal | None = None


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Word).decode
_decode_question: Final = msgspec.msgpack.Decoder(Expect | AskHost).decode
_decode_answer: Final = msgspec.msgpack.Decoder(Answer).decode


class RelayNodes(NodeService):
    """All other nodes, as the relay of this one sees them."""

    def __init__(self, bus: Bus, sender: Sender) -> None:
        self._nodes = bus.nodes
        self.channels = Channels(bus.nodes.address, bus.nodes.node_of)
        self.deliver = sender.deliver
        self._others: set[int] = set()
        self._silent: set[int] = set()
        """Nodes that have not sent their `Hello` yet."""
        bus.nodes.attach(self)

    # -- nodes that come and go -------------------------------------------------------

    def node_joined(self, node: int) -> None:
        self._others.add(node)
        self._silent.add(node)
        sessions: list[Came] = []
        hosts: list[Hosts] = []
        for channel in self.channels:
            sessions += [Came(c, channel.name, user) for c, user in channel.here.items()]
            if channel.host is not None and self._nodes.address in channel.claims:
                hosts.append(_hosts(channel.name, channel.claims[self._nodes.address]))
        self._nodes.post(node, _encode(Hello(sessions, hosts)))

    def node_left(self, node: int) -> None:
        self._others.discard(node)
        self._silent.discard(node)
        for channel in self.channels:
            if channel.hosted_at == node:
                # Another node will run its table: until then, keep the channel for its users.
                self._expect(channel.name, self._nodes.address, KEPT)
        self.channels.node_left(node)

    async def introduced(self) -> None:
        """Returns once all other nodes have sent their `Hello`, or `PATIENCE` is over."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        while self._silent and loop.time() < until:  # noqa: ASYNC110 - once, at the start
            await asyncio.sleep(0.01)

    # -- what happens here ------------------------------------------------------------

    async def expect(self, channel: str) -> None:
        """Returns once every node sends us the messages of a channel."""
        here = self.channels.get(channel)
        if not self._others or (here is not None and here.here):
            return
        question = _encode(Expect(channel))
        asked = [asyncio.ensure_future(self._nodes.request(n, question)) for n in self._others]
        await asyncio.wait(asked, timeout=PATIENCE)

    def came(self, connection: ConnectionId, channel: Channel, user: str) -> None:
        self._tell_all(Came(connection, channel.name, user))

    def went(self, connection: ConnectionId) -> None:
        self._tell_all(Went(connection))

    def host(self, channel: Channel, hosting: Hosting) -> None:
        """A host of this node is in a channel, or has changed."""
        self.channels.host(channel.name, self._nodes.address, hosting)
        self._tell_all(_hosts(channel.name, hosting))

    def host_out(self, channel: Channel) -> None:
        """The host of this node has left a channel."""
        channel.host = None
        self.channels.host_out(channel, self._nodes.address)
        self._tell_all(HostsNoMore(channel.name))

    def said(self, channel: Channel, connection: ConnectionId, frame: bytes, passed: bool) -> None:
        """Send a message of a client of this node to the other nodes."""
        word = _encode(Said(connection, frame, passed))
        for node in channel.listening:
            if not passed and node not in channel.claims:
                continue
            if self._nodes.waiting(node) < MOST_WAITING:
                self._nodes.post(node, word)

    def tell(
        self,
        channel: Channel,
        connections: Sequence[ConnectionId],
        frame: bytes,
        story: str | None,
    ) -> None:
        """Send a host's message to some sessions, at any node."""
        by_node: dict[int, list[ConnectionId]] = {}
        for connection in connections:
            by_node.setdefault(self._nodes.node_of(connection), []).append(connection)
        here = by_node.pop(self._nodes.address, [])
        for node, there in by_node.items():
            self._nodes.post(node, _encode(Told(channel.name, there, frame, story)))
        self._tell_here(channel, here, frame, story)

    def end(self, channel: Channel, frame: bytes, story: str) -> None:
        """Send a host's message to all sessions of nodes that were not told this story's end."""
        for node in channel.listening:
            self._nodes.post(node, _encode(Ended(channel.name, frame, story)))
        self._end_here(channel, frame, story)

    async def ask_host(self, channel: Channel, data: bytes) -> bytes:
        """The answer of the host in a channel, at any node; raises `Illegal`."""
        node = channel.hosted_at
        answer: bytes | Refusal = Refusal("no-such-table", "No table is open in this channel.")
        if node is not None:
            answer = await self._nodes.request(node, _encode(AskHost(channel.name, data)))
        if isinstance(answer, bytes):
            told = _decode_answer(answer)
            if told.refused is None:
                return told.data
            answer = told.refused
        raise Illegal(answer.code, answer.sentence)

    def _tell_all(self, word: Word) -> None:
        if self._others:
            data = _encode(word)
            for node in self._others:
                self._nodes.post(node, data)

    def _tell_here(
        self,
        channel: Channel,
        connections: Sequence[ConnectionId],
        frame: bytes,
        story: str | None,
    ) -> None:
        if story is not None:
            channel.story = story
        if connections:
            self.deliver(connections, frame)

    def _end_here(self, channel: Channel, frame: bytes, story: str) -> None:
        if channel.story == story:
            self._tell_here(channel, list(channel.here), frame, "")

    # -- what other nodes tell and ask ------------------------------------------------

    def noted(self, node: int, data: bytes) -> None:
        try:
            word: Word = _decode(data)
        except (msgspec.DecodeError, msgspec.ValidationError):
            log.error("node %d says what is no word of the relay's", node)
            return
        match word:
            case Said():
                self._hear(word)
            case Told(name, connections, frame, story):
                if (channel := self.channels.get(name)) is not None:
                    self._tell_here(channel, connections, frame, story)
            case Ended(name, frame, story):
                if (channel := self.channels.get(name)) is not None:
                    self._end_here(channel, frame, story)
            case Came(connection, name, user):
                self.channels.enter(connection, name, user)
            case Went(connection):
                self.channels.leave(connection)
            case Hosts():
                self._learn_host(node, word)
            case HostsNoMore(name):
                if (channel := self.channels.get(name)) is not None:
                    self.channels.host_out(channel, node)
            case Hello(sessions, hosts):
                self._silent.discard(node)
                for came in sessions:
                    self.channels.enter(came.connection, came.channel, came.user)
                for one in hosts:
                    self._learn_host(node, one)

    def _hear(self, word: Said) -> None:
        channel = self.channels.of.get(word.connection)
        if channel is None:
            return
        if word.passed and channel.here:
            self.deliver(list(channel.here), word.frame)
        if channel.host is not None:
            channel.host.heard(word.connection, read(word.frame))

    def _learn_host(self, node: int, word: Hosts) -> None:
        self.channels.host(word.channel, node, Hosting(frozenset(word.reserved), word.note))
        channel = self.channels.have(word.channel)
        if channel.host is None and self._nodes.address in channel.claims:
            # Ours has moved there.
            self.host_out(channel)

    def _expect(self, channel: str, node: int, seconds: float) -> None:
        self.channels.expect(channel, node, 1)
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, self.channels.expect, channel, node, -1)

    async def requested(self, node: int, data: bytes) -> bytes:
        question = _decode_question(data)
        if isinstance(question, Expect):
            self._expect(question.channel, node, UPGRADE)
            return b""
        channel = self.channels.get(question.channel)
        if channel is None or channel.host is None:
            no = Refusal("no-such-table", "No table is open in this channel.")
            return _encode(Answer(b"", no))
        try:
            return _encode(Answer(await channel.host.asked(question.data)))
        except Illegal as no:
            return _encode(Answer(b"", Refusal(no.code, no.sentence)))


def _hosts(name: str, hosting: Hosting) -> Hosts:
    return Hosts(name, sorted(hosting.reserved), hosting.note)
