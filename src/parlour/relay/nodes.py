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
from typing import Final, Protocol

import msgspec

from parlour.bus import Bus, ConnectionId, NodeService, Refusal
from parlour.kit import Illegal
from parlour.relay import words
from parlour.relay.channels import Channel, Channels, Hosting, HostNote
from parlour.relay.words import Word
from parlour.wcp.message import read

log = logging.getLogger("parlour.relay")

PATIENCE: Final = 1.0
"""Seconds to wait for another node's answer: a killed node never answers."""
UPGRADE: Final = 10.0
"""Seconds in which an admitted session must enter its channel."""
MOST_WAITING: Final = 16 << 20
"""Bytes that may wait for an unreachable node; beyond that, it is sent no clients' messages."""
KEPT: Final = 60.0
"""Seconds for which an empty channel is kept until another node runs its table."""


class Sender(Protocol):
    """Holds the connections of this node: the gateway."""

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None: ...

    def deliver_later(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        """The same, if more follows soon: it is sent together with that."""
        ...


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Word).decode
_decode_question: Final = msgspec.msgpack.Decoder(words.Expect | words.AskHost).decode
_decode_wish: Final = msgspec.msgpack.Decoder(words.Wish).decode
_decode_answer: Final = msgspec.msgpack.Decoder(words.Answer).decode
_decode_note: Final = msgspec.msgpack.Decoder(HostNote).decode

_NO_HOST: Final = Refusal("no-such-table", "No table is open in this channel.")


class RelayNodes(NodeService):
    """The relay's link to all other nodes."""

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
        sessions: list[words.Came] = []
        hosts: list[words.Hosts] = []
        for channel in self.channels:
            sessions += [words.Came(c, channel.name, user) for c, user in channel.here.items()]
            if channel.host is not None and self._nodes.address in channel.claims:
                hosts.append(_hosts(channel.name, channel.claims[self._nodes.address]))
        self._nodes.post(node, _encode(words.Hello(sessions, hosts)))

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
        question = _encode(words.Expect(channel))
        asked = [asyncio.ensure_future(self._nodes.request(n, question)) for n in self._others]
        await asyncio.wait(asked, timeout=PATIENCE)

    def enter(self, connection: ConnectionId, channel: str, user: str) -> None:
        """A session of this node is in a channel now."""
        self.channels.enter(connection, channel, user)
        self._tell_all(words.Came(connection, channel, user))

    def leave(self, connection: ConnectionId) -> bool:
        """A session of this node has ended; False: it was in no channel."""
        left = self.channels.leave(connection)
        if left:
            self._tell_all(words.Went(connection))
        return left

    def host(self, channel: Channel, hosting: Hosting) -> None:
        """A host of this node is in a channel, or has changed."""
        self.channels.host(channel.name, self._nodes.address, hosting)
        self._tell_all(_hosts(channel.name, hosting))

    def host_out(self, channel: Channel) -> None:
        """The host of this node has left a channel."""
        channel.host = None
        self.channels.host_out(channel, self._nodes.address)
        self._tell_all(words.HostsNoMore(channel.name))

    def said(self, channel: Channel, connection: ConnectionId, frame: bytes, passed: bool) -> None:
        """Send a message of a client of this node to the other nodes."""
        word = _encode(words.Said(connection, frame, passed))
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
        """Send a host's message to some sessions, at several nodes."""
        by_node: dict[int, list[ConnectionId]] = {}
        for connection in connections:
            by_node.setdefault(self._nodes.node_of(connection), []).append(connection)
        here = by_node.pop(self._nodes.address, ())
        for node, there in by_node.items():
            self._nodes.post(node, _encode(words.Told(channel.name, there, frame, story)))
        self.deliver(here, frame)

    def end(self, channel: Channel, frame: bytes, story: str) -> None:
        """Send a host's message to all sessions of nodes that were not told this story's end."""
        for node in channel.listening:
            self._nodes.post(node, _encode(words.Ended(channel.name, frame, story)))
        self._end_here(channel, frame, story)

    async def ask_host(self, channel: Channel, wish: words.Wish) -> None:
        """Have the host in a channel do something, at any node; raises `Illegal`."""
        refused: Refusal | None = _NO_HOST
        if channel.hosted_at is not None:
            question = _encode(words.AskHost(channel.name, _encode(wish)))
            answer = await self._nodes.request(channel.hosted_at, question)
            refused = answer if isinstance(answer, Refusal) else _decode_answer(answer).refused
        if refused is not None:
            raise Illegal(refused.code, refused.sentence)

    def _tell_all(self, word: Word) -> None:
        if self._others:
            data = _encode(word)
            for node in self._others:
                self._nodes.post(node, data)

    def _end_here(self, channel: Channel, frame: bytes, story: str) -> None:
        if channel.story == story:
            channel.story = ""
            self.deliver(list(channel.here), frame)

    # -- what other nodes tell and ask ------------------------------------------------

    def noted(self, node: int, data: bytes) -> None:
        try:
            self._note(node, _decode(data))
        except msgspec.DecodeError:
            log.error("node %d sent a message that the relay does not know", node)

    def _note(self, node: int, word: Word) -> None:
        match word:
            case words.Said():
                self._hear(word)
            case words.Told(name, connections, frame, story):
                if (channel := self.channels.get(name)) is not None:
                    if story is not None:
                        channel.story = story
                    self.deliver(connections, frame)
            case words.Ended(name, frame, story):
                if (channel := self.channels.get(name)) is not None:
                    self._end_here(channel, frame, story)
            case words.Came(connection, name, user):
                self.channels.enter(connection, name, user)
            case words.Went(connection):
                self.channels.leave(connection)
            case words.Hosts():
                self._learn_host(node, word)
            case words.HostsNoMore(name):
                if (channel := self.channels.get(name)) is not None:
                    self.channels.host_out(channel, node)
            case words.Hello(sessions, hosts):
                self._silent.discard(node)
                all_of_it: list[Word] = [*sessions, *hosts]
                for each in all_of_it:
                    self._note(node, each)

    def _hear(self, word: words.Said) -> None:
        channel = self.channels.of.get(word.connection)
        if channel is None:
            return
        if word.passed and channel.here:
            self.deliver(list(channel.here), word.frame)
        if channel.host is not None:
            channel.host.heard(word.connection, read(word.frame))

    def _learn_host(self, node: int, word: words.Hosts) -> None:
        hosting = Hosting(_decode_note(word.note), frozenset(word.reserved))
        self.channels.host(word.channel, node, hosting)
        channel = self.channels.have(word.channel)
        if channel.host is None and self._nodes.address in channel.claims:
            # Our host has moved to that node.
            self.host_out(channel)

    def _expect(self, channel: str, node: int, seconds: float) -> None:
        self.channels.expect(channel, node, 1)
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, self.channels.expect, channel, node, -1)

    async def requested(self, node: int, data: bytes) -> bytes:
        question = _decode_question(data)
        if isinstance(question, words.Expect):
            self._expect(question.channel, node, UPGRADE)
            return b""
        channel = self.channels.get(question.channel)
        if channel is None or channel.host is None:
            return _encode(words.Answer(refused=_NO_HOST))
        try:
            wish: words.Wish = _decode_wish(question.data)
            if isinstance(wish, words.Forgive):
                channel.host.forgive(wish.user)
            else:
                await channel.host.probe(wish.take_over)
        except Illegal as no:
            return _encode(words.Answer(refused=Refusal(no.code, no.sentence)))
        return _encode(words.Answer())


def _hosts(name: str, hosting: Hosting) -> words.Hosts:
    return words.Hosts(name, sorted(hosting.reserved), _encode(hosting.note))
