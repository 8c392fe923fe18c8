"""The relay's channels: who is in each, at whichever node, and who of ours hosts a game there.

No I/O: `parlour.relay.nodes` keeps the same picture at all nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from parlour.bus import ConnectionId
from parlour.wcp.message import Message


class ChannelHost(Protocol):
    """Somebody of ours who hosts a game in a channel, at this node."""

    def heard(self, connection: ConnectionId, message: Message) -> None:
        """What a client said; it has been told to the others."""
        ...

    def arrived(self, connection: ConnectionId, user: str) -> None: ...

    def departed(self, connection: ConnectionId, user: str) -> None:
        """One session of a user's is gone; perhaps not the last."""
        ...

    async def asked(self, data: bytes) -> bytes:
        """What somebody at another node, or at this one, wants of the host."""
        ...


@dataclass(frozen=True)
class Hosting:
    """What every node knows of a host."""

    reserved: frozenset[str] = frozenset()
    """Labels that nobody but the host may use, in lower case."""
    note: bytes = b""
    """What the host wants its likes at other nodes to know, and who hosts here after it."""


@dataclass(eq=False)
class Channel:
    """One channel of the whole house."""

    name: str
    sessions: dict[ConnectionId, str] = field(default_factory=dict)
    """By connection, wherever it is, the user's name."""
    here: dict[ConnectionId, str] = field(default_factory=dict)
    """The same for the connections of this node."""
    host: ChannelHost | None = None
    """At this node."""
    claims: dict[int, Hosting] = field(default_factory=dict)
    """By node, its host here, the one heard of last behind the others: where a table has changed
    its node, the one before may not know yet."""
    note: bytes = b""
    """Of the last host, which may be gone."""
    expected: dict[int, int] = field(default_factory=dict)
    """By node: how often it has said of late that somebody will come there."""
    listening: frozenset[int] = frozenset()
    """The other nodes that are to hear what is said here."""
    reserved: frozenset[str] = frozenset()
    """Labels that nobody but the host may use, in lower case (`Hosting.reserved`)."""
    story: str = ""
    """What those at this node have been shown by a host, and not yet the end of."""

    def of_user(self, user: str) -> list[ConnectionId]:
        return [connection for connection, name in self.sessions.items() if name == user]

    @property
    def users(self) -> list[str]:
        """One for each session."""
        return list(self.sessions.values())

    @property
    def hosting(self) -> Hosting | None:
        """Of whoever of ours hosts here, at whatever node."""
        return next(reversed(self.claims.values()), None)

    @property
    def hosted_at(self) -> int | None:
        return next(reversed(self.claims), None)

    @property
    def empty(self) -> bool:
        return not (self.sessions or self.host or self.claims or self.expected)


class Channels:
    """All channels in which there is somebody."""

    def __init__(self, me: int, node_of: Callable[[ConnectionId], int]) -> None:
        """`me` is this node; `node_of` says where a connection is."""
        self._me = me
        self._node_of = node_of
        self._by_name: dict[str, Channel] = {}
        """In whatever case it is written."""
        self.of: dict[ConnectionId, Channel] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[Channel]:
        return iter(list(self._by_name.values()))

    def get(self, name: str) -> Channel | None:
        return self._by_name.get(name.casefold())

    def have(self, name: str) -> Channel:
        """The channel of that name, which is there from now on."""
        return self._by_name.setdefault(name.casefold(), Channel(name))

    def enter(self, connection: ConnectionId, name: str, user: str) -> Channel:
        channel = self.of[connection] = self.have(name)
        channel.sessions[connection] = user
        if self._node_of(connection) == self._me:
            channel.here[connection] = user
        else:
            self._listen(channel)
        if channel.host is not None:
            channel.host.arrived(connection, user)
        return channel

    def leave(self, connection: ConnectionId) -> bool:
        """Whether it was in a channel."""
        channel = self.of.pop(connection, None)
        if channel is None:
            return False
        user = channel.sessions.pop(connection)
        if channel.here.pop(connection, None) is None:
            self._listen(channel)
        if channel.host is not None:
            channel.host.departed(connection, user)
        self._forget_if_empty(channel)
        return True

    def expect(self, name: str, node: int, more: int) -> None:
        """A node is about to let a session in, or has given that up (-1)."""
        channel = self.have(name)
        channel.expected[node] = channel.expected.get(node, 0) + more
        if channel.expected[node] <= 0:
            del channel.expected[node]
        self._listen(channel)
        self._forget_if_empty(channel)

    def host(self, name: str, node: int, hosting: Hosting) -> None:
        """Somebody of ours hosts there, at that node."""
        channel = self.have(name)
        channel.claims.pop(node, None)
        channel.claims[node] = hosting
        channel.note = hosting.note
        self._listen(channel)

    def host_out(self, channel: Channel, node: int) -> None:
        """The host of that node is gone; somebody else may have taken its place already."""
        channel.claims.pop(node, None)
        self._listen(channel)
        self._forget_if_empty(channel)

    def node_left(self, node: int) -> None:
        for connection in [c for c in self.of if self._node_of(c) == node]:
            self.leave(connection)
        for channel in self:
            channel.expected.pop(node, None)
            self.host_out(channel, node)

    def _listen(self, channel: Channel) -> None:
        elsewhere = {self._node_of(c) for c in channel.sessions if c not in channel.here}
        elsewhere |= channel.claims.keys() | channel.expected.keys()
        channel.listening = frozenset(elsewhere - {self._me})
        hosting = channel.hosting
        channel.reserved = frozenset() if hosting is None else hosting.reserved

    def _forget_if_empty(self, channel: Channel) -> None:
        if channel.empty:
            self._by_name.pop(channel.name.casefold(), None)
