"""The relay's channels: the sessions in each, at every node, and our hosts of games there.

No I/O: `parlour.relay.nodes` keeps all nodes up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import msgspec

from parlour.bus import ConnectionId
from parlour.wcp.message import Message


class Standing(Enum):
    """Whether a host of ours hosts in its channel."""

    PROBING = "probing"
    """It has asked whether somebody else does."""
    HOSTING = "hosting"
    YIELDED = "yielded"
    """Somebody else does."""


class HostNote(msgspec.Struct, array_like=True):
    """A host as all nodes know it; the table's next host continues with it."""

    code: str
    """Of its table."""
    standing: Standing = Standing.PROBING
    other_host: str | None = None
    """The user who answered that they host here."""
    put_out: list[str] = []
    """Users who were put out: they are seated again only if they or the opener ask for it."""


@dataclass(frozen=True)
class Hosting:
    """A host as every node knows it."""

    note: HostNote
    reserved: frozenset[str] = frozenset()
    """Labels that nobody but the host may use, in lower case."""


class ChannelHost(Protocol):
    """A host of a game in a channel, at this node."""

    def heard(self, connection: ConnectionId, message: Message) -> None:
        """A client has sent this message, which has been relayed."""
        ...

    def answers(self, message: Message) -> bool:
        """Whether everybody is told something soon because of this message."""
        ...

    def arrived(self, connection: ConnectionId, user: str) -> None: ...

    def departed(self, connection: ConnectionId, user: str) -> None:
        """One session of a user has ended; the user may have others."""
        ...

    def forgive(self, user: str) -> None:
        """Seat a user again who was put out."""
        ...

    async def probe(self, take_over: bool) -> None:
        """Ask again whether somebody else hosts in the channel; or host all the same."""
        ...


@dataclass(eq=False)
class Channel:
    """One channel, the same at all nodes."""

    name: str
    sessions: dict[ConnectionId, str] = field(default_factory=dict)
    """By connection, at any node, the user."""
    of_user: dict[str, list[ConnectionId]] = field(default_factory=dict)
    """By user, their connections."""
    here: dict[ConnectionId, str] = field(default_factory=dict)
    """The same for the connections of this node."""
    host: ChannelHost | None = None
    """At this node."""
    claims: dict[int, Hosting] = field(default_factory=dict)
    """By node, its host in this channel; the newest is last. There are two while a table moves to
    another node and the old node does not know it yet."""
    note: HostNote | None = None
    """Of the newest host, which may have left."""
    expected: dict[int, int] = field(default_factory=dict)
    """By node, the number of sessions that are about to enter there."""
    listening: frozenset[int] = frozenset()
    """The other nodes to which messages in this channel are sent."""
    reserved: frozenset[str] = frozenset()
    """Labels that nobody but the host may use, in lower case (`Hosting.reserved`)."""
    story: str = ""
    """The game whose beginning sessions at this node were told, and not its end; "": none."""

    @property
    def hosting(self) -> Hosting | None:
        """Of the newest host in this channel, at any node."""
        return next(reversed(self.claims.values()), None)

    @property
    def hosted_at(self) -> int | None:
        return next(reversed(self.claims), None)


class Channels:
    """All channels that have a session or a host."""

    def __init__(self, me: int, node_of: Callable[[ConnectionId], int]) -> None:
        """`me` is this node; `node_of` gives the node of a connection."""
        self._me = me
        self._node_of = node_of
        self._by_name: dict[str, Channel] = {}
        """By name in lower case."""
        self.of: dict[ConnectionId, Channel] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[Channel]:
        return iter(list(self._by_name.values()))

    def get(self, name: str) -> Channel | None:
        return self._by_name.get(name.casefold())

    def have(self, name: str) -> Channel:
        """The channel of that name, made if there is none."""
        return self._by_name.setdefault(name.casefold(), Channel(name))

    def enter(self, connection: ConnectionId, name: str, user: str) -> Channel:
        channel = self.of[connection] = self.have(name)
        if connection not in channel.sessions:
            channel.sessions[connection] = user
            channel.of_user.setdefault(user, []).append(connection)
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
        channel.of_user[user].remove(connection)
        if not channel.of_user[user]:
            del channel.of_user[user]
        if channel.here.pop(connection, None) is None:
            self._listen(channel)
        if channel.host is not None:
            channel.host.departed(connection, user)
        self._forget_if_empty(channel)
        return True

    def expect(self, name: str, node: int, more: int) -> None:
        """A node is about to let a session in (1), or that did not happen in time (-1)."""
        channel = self.have(name)
        channel.expected[node] = channel.expected.get(node, 0) + more
        if channel.expected[node] <= 0:
            del channel.expected[node]
        self._listen(channel)
        self._forget_if_empty(channel)

    def host(self, name: str, node: int, hosting: Hosting) -> None:
        """That node has a host in the channel."""
        channel = self.have(name)
        channel.claims.pop(node, None)
        channel.claims[node] = hosting
        channel.note = hosting.note
        self._listen(channel)

    def host_out(self, channel: Channel, node: int) -> None:
        """The host of that node has left; another node may have a host there already."""
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
        if not (channel.sessions or channel.host or channel.claims or channel.expected):
            self._by_name.pop(channel.name.casefold(), None)
