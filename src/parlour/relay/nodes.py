"""The relay at other nodes: who is there, and what is said in channels that are here and there.

Each node tells all others who comes to it and who goes, and which channels its hosts are in; so
every node knows all sessions. What a client says goes from its node straight to those that have
somebody in the channel, what a host says to the nodes of those it is for. There is nothing that one
node does for another, and so nothing to be taken over when one is gone: its sessions are gone with
it, and so is its host, whose table somebody else runs then.
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
"""Seconds for which another node's word is waited for: one that is killed never gives it."""
UPGRADE: Final = 10.0
"""Seconds in which somebody who may come in does, or does not."""
MOST_WAITING: Final = 16 << 20
"""Bytes that may wait for a node that can't be reached; what clients say then is not sent there."""
KEPT: Final = 60.0
"""Seconds for which a channel without anybody in it waits for its table's next node."""


class Sender(Protocol):
    """Who holds the connections of this node: the gateway."""

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None: ...


class _Word(msgspec.Struct, array_like=True, tag=True):
    """Short on its way: an array that begins with the name of its class."""


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
    """It has left."""

    channel: str


class Hello(_Word):
    """The first word of a node to another: all that there is at it."""

    sessions: list[Came]
    hosts: list[Hosts]


class Said(_Word):
    """What a client said."""

    connection: ConnectionId
    frame: bytes
    passed: bool
    """Whether it is for everybody; otherwise for the host alone."""


class Told(_Word):
    """What a host says to some."""

    channel: str
    connections: list[ConnectionId]
    frame: bytes
    story: str | None
    """What they have been shown then, and not the end of; None: as before."""


class Ended(_Word):
    """What a host says to all where the end of a story has not been told."""

    channel: str
    frame: bytes
    story: str


Word: TypeAlias = Came | Went | Hosts | HostsNoMore | Hello | Said | Told | Ended


class Expect(_Word):
    """Asked of a node: somebody is about to come in, to hear all that is said from now on."""

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
        self._sender = sender
        self._others: set[int] = set()
        self._silent: set[int] = set()
        """Those who have not said yet who is at them."""
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
                # Its table goes on elsewhere: until then, the channel is there for who comes.
                self._expect(channel.name, self._nodes.address, KEPT)
        self.channels.node_left(node)

    async def introduced(self) -> None:
        """Returns once all other nodes have said who is at them; those that are killed never do."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        while self._silent and loop.time() < until:  # noqa: ASYNC110 - once, at the start
            await asyncio.sleep(0.01)

    # -- what happens here ------------------------------------------------------------

    async def expect(self, channel: str) -> None:
        """Returns once every node sends us what is said in a channel from now on."""
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
        """What a client of ours said; those who are here have been told."""
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
        """What a host of ours says to some, wherever they are."""
        if not channel.listening:
            if story is not None:
                channel.story = story
            self._sender.deliver(connections, frame)
            return
        by_node: dict[int, list[ConnectionId]] = {}
        for connection in connections:
            by_node.setdefault(self._nodes.node_of(connection), []).append(connection)
        here = by_node.pop(self._nodes.address, [])
        for node, there in by_node.items():
            self._nodes.post(node, _encode(Told(channel.name, there, frame, story)))
        self._tell_here(channel, here, frame, story)

    def end(self, channel: Channel, frame: bytes, story: str) -> None:
        """What a host of ours says to all, at all nodes where this story has not ended."""
        for node in channel.listening:
            self._nodes.post(node, _encode(Ended(channel.name, frame, story)))
        self._end_here(channel, frame, story)

    async def ask_host(self, channel: Channel, data: bytes) -> bytes:
        """The answer of the host in a channel, at whatever node; raises `Illegal`."""
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
            self._sender.deliver(connections, frame)

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
            self._sender.deliver(list(channel.here), word.frame)
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
