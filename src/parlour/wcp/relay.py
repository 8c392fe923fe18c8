"""The relay: channels in which every valid message of one session is told to all.

A listener of the gateway, which holds the connections and counts what they send. No hello, no
history, no acknowledgement: what is not valid is dropped without a word.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Final, Protocol

from parlour.bus import ConnectionId
from parlour.server.listeners import Admission, Overrun, Parting, Terms
from parlour.table import CloseWith, Hello, TurnAway
from parlour.wcp.message import ALL, MOST_BYTES, Message, NotAMessage, read
from parlour.wcp.registry import Authenticator, Registry

log = logging.getLogger("parlour.wcp")

HOST: Final = "onu-host"
"""The user name under which a host of ours takes part."""
CHALLENGE: Final = 'Basic realm="Websocket Collab"'
UNHURRIED: Final = 1.0
"""Seconds before somebody is refused: some try again at once, for ever."""
MOST_CHANNELS: Final = 1_000
"""Channels made on use, at a time."""
MOST_SESSIONS: Final = 500
"""In one channel: each of them hears what each of them says."""
HARD_BOUND: Final = 1 << 20
"""Bytes of a message that ends the connection; smaller ones that are too large are dropped."""


class ChannelHost(Protocol):
    """Somebody of ours who hosts a game in a channel."""

    def passes(self, message: Message) -> bool:
        """Whether a client's message is told to the others."""
        ...

    def heard(self, connection: ConnectionId, message: Message) -> None:
        """What a client said; it has been told to the others."""
        ...

    def arrived(self, connection: ConnectionId, user: str) -> None: ...

    def departed(self, connection: ConnectionId, user: str) -> None:
        """One session of a user's is gone; perhaps not the last."""
        ...


@dataclass(eq=False)
class Channel:
    """One channel: its sessions, and who of ours hosts a game there."""

    name: str
    sessions: dict[ConnectionId, str] = field(default_factory=dict)
    """By connection, the user's name."""
    host: ChannelHost | None = None

    def of_user(self, user: str) -> list[ConnectionId]:
        return [connection for connection, name in self.sessions.items() if name == user]

    @property
    def users(self) -> list[str]:
        """One for each session."""
        return list(self.sessions.values())


class Sender(Protocol):
    """Who holds the connections: the gateway."""

    def deliver(self, connections: list[ConnectionId], data: bytes) -> None: ...


class Relay:
    """All channels, as the gateway's listener."""

    name = "wcp"
    game = "wcp"
    subprotocols: tuple[str, ...] = ()
    frame: Callable[[bytes, int], bytes] | None = None

    def __init__(
        self,
        sender: Sender,
        registry: Registry,
        *,
        open_to_all: bool,
        message_size: int,
        rate: float,
        burst: int,
    ) -> None:
        self._sender = sender
        self._registry = registry
        self._open = open_to_all
        self._authenticator = Authenticator(registry, open_to_all)
        self._message_size = message_size
        self._channels: dict[str, Channel] = {}
        """By name, whatever its case: those with sessions or a host."""
        self._of: dict[ConnectionId, Channel] = {}
        self.terms = Terms(
            overrun=Overrun.DELAY,
            parting=Parting.DROP,
            pong_within=10.0,
            message_size=HARD_BOUND,
            rate=rate,
            burst=burst,
            # A window that only shows never says anything; pings tell whether it is there.
            idle_timeout=inf,
        )

    # -- channels ---------------------------------------------------------------------

    def find(self, name: str) -> Channel | None:
        """The channel of that name in whatever case, if there is one."""
        live = self._channels.get(name.casefold())
        if live is not None:
            return live
        known = self._registry.channel(name)
        if known is None and self._open and self._registry.good_name(name):
            known = name if len(self._channels) < MOST_CHANNELS else None
        return None if known is None else Channel(known)

    def host_in(self, name: str, host: ChannelHost | None) -> Channel:
        """Let a host of ours into a channel, which is there as long as the host is; None: out."""
        channel = self.find(name) or Channel(name)
        channel.host = host
        self._channels[channel.name.casefold()] = channel
        self._forget_if_empty(channel)
        return channel

    def users(self, name: str) -> list[str]:
        """Who is in a channel, one for each session."""
        live = self._channels.get(name.casefold())
        return [] if live is None else live.users

    def say(self, channel: Channel, message: Message) -> None:
        """Something our host says: told to those it is for and to nobody else."""
        if ALL in message.to:
            self.send(list(channel.sessions), message)
        else:
            to = set(message.to)
            self.send([c for c, user in channel.sessions.items() if user in to], message)

    def send(self, connections: Iterable[ConnectionId], message: Message) -> None:
        """The same to these sessions alone."""
        to = list(connections)
        frame = message.encode()
        if len(frame) > MOST_BYTES:
            log.error("a message %s of our own is too large to be sent", message.name)
        elif to:
            self._sender.deliver(to, frame)

    def _forget_if_empty(self, channel: Channel) -> None:
        if not channel.sessions and channel.host is None:
            self._channels.pop(channel.name.casefold(), None)

    # -- the listener -----------------------------------------------------------------

    def meant(self, hello: Hello) -> bool:
        return True

    async def turn_away(self, refusal: TurnAway) -> TurnAway:
        """No body, no keep-alive, and not before a second has passed."""
        await asyncio.sleep(UNHURRIED)
        headers = {k: v for k, v in refusal.headers.items() if k == "WWW-Authenticate"}
        return TurnAway(refusal.status, "", {**headers, "Connection": "close"})

    async def admit(self, hello: Hello) -> Admission | TurnAway | CloseWith:
        user = await self._authenticator.identify(hello.credentials, hello.address)
        if user is None:
            return TurnAway(401, "Who are you?", {"WWW-Authenticate": CHALLENGE})
        name = hello.params["channel"].strip("/")
        channel = self.find(name)
        if channel is None:
            return TurnAway(404, "There is no such channel.")
        if len(channel.sessions) >= MOST_SESSIONS:
            return TurnAway(503, "This channel is full.")
        return Admission(user, about=name)

    async def opened(self, connection: ConnectionId, admission: Admission) -> CloseWith | None:
        # In the broadcast before anything else can happen: the answer to the handshake was
        # written in this very turn of the loop.
        channel = self.find(admission.about)
        if channel is None:
            return CloseWith(1001, "The channel is gone.")
        self._channels[channel.name.casefold()] = channel
        channel.sessions[connection] = admission.visitor
        self._of[connection] = channel
        if channel.host is not None:
            channel.host.arrived(connection, admission.visitor)
        return None

    def received(self, connection: ConnectionId, data: bytes) -> None:
        channel = self._of[connection]
        user = channel.sessions[connection]
        message = self._read(data)
        if message is None or message.sender != user:
            return
        frame = message.encode()
        if len(frame) > MOST_BYTES:
            return
        host = channel.host
        if host is None or host.passes(message):
            # To the sender, too: a character's window and its bot are two sessions of one user.
            self._sender.deliver(list(channel.sessions), frame)
        if host is not None:
            host.heard(connection, message)

    def _read(self, data: bytes) -> Message | None:
        if len(data) > self._message_size:
            return None
        try:
            return read(data)
        except NotAMessage:
            return None

    def closed(self, connection: ConnectionId) -> None:
        channel = self._of.pop(connection, None)
        if channel is None:
            return
        user = channel.sessions.pop(connection)
        if channel.host is not None:
            channel.host.departed(connection, user)
        self._forget_if_empty(channel)

    def refuse(self, code: str, sentence: str) -> bytes | None:
        """Nothing is ever answered."""
        return None
