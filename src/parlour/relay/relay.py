"""The relay: channels in which every valid message of one session is sent to all sessions.

It is a listener of the gateway, which holds the connections and limits their rates. There is no
hello, no history and no acknowledgement; invalid messages are dropped silently. A channel is the
same at all nodes (`parlour.relay.nodes`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Final

from parlour.bus import Bus, ConnectionId
from parlour.protocol import CloseWith, Hello, TurnAway
from parlour.relay.channels import Channel
from parlour.relay.nodes import RelayNodes, Sender
from parlour.relay.registry import Authenticator, Registry
from parlour.server.listeners import Admission, Listener, Overrun, Parting, Terms
from parlour.wcp.message import MOST_BYTES, NotAMessage, read

CHALLENGE: Final = 'Basic realm="Websocket Collab"'
UNHURRIED: Final = 1.0
"""Seconds before a refusal is sent: some clients try again at once, for ever."""
MOST_CHANNELS: Final = 1_000
"""Channels made on use, at a time."""
MOST_SESSIONS: Final = 500
"""Sessions in one channel: each message is sent to all of them."""
MOST_OF_USER: Final = 8
"""Sessions of one user in a channel. A character has two, and for a moment four when it
reconnects."""
MOST_OF_ADDRESS: Final = 100
"""Sessions from one address in a channel, at one node."""
HARD_BOUND: Final = 1 << 20
"""A message of more bytes ends the connection; one over the usual limit is only dropped."""


class Relay(Listener):
    """All channels, as the gateway's listener."""

    name = "wcp"
    game = "wcp"

    def __init__(
        self,
        bus: Bus,
        sender: Sender,
        registry: Registry,
        *,
        open_to_all: bool,
        message_size: int,
        rate: float,
        burst: int,
        charge_miss: Callable[[str], None] = lambda address: None,
    ) -> None:
        """`charge_miss` is called with the address of a client that names an unknown channel."""
        self._sender = sender
        self._registry = registry
        self._open = open_to_all
        self._authenticator = Authenticator(registry, open_to_all)
        self._addresses: dict[ConnectionId, str] = {}
        """By connection of this node, its network address."""
        self._message_size = message_size
        self._charge_miss = charge_miss
        self.nodes = RelayNodes(bus, sender)
        self._channels = self.nodes.channels
        self.terms = Terms(
            overrun=Overrun.DELAY,
            parting=Parting.DROP,
            pong_within=10.0,
            message_size=HARD_BOUND,
            rate=rate,
            burst=burst,
            # A game window never sends anything; pings show whether it is still connected.
            idle_timeout=inf,
        )

    # -- channels ---------------------------------------------------------------------

    def find(self, name: str) -> Channel | None:
        """The channel of that name in any case, if it exists or may be created now."""
        live = self._channels.get(name)
        if live is not None:
            return live
        known = self._registry.channel(name)
        if known is None and self._open and self._registry.good_name(name):
            known = name if len(self._channels) < MOST_CHANNELS else None
        return None if known is None else Channel(known)

    def known(self, name: str) -> bool:
        """Whether the channel exists already."""
        return self._channels.get(name) is not None or self._registry.channel(name) is not None

    def users(self, name: str) -> list[str]:
        """The users in a channel, once for each session."""
        live = self._channels.get(name)
        return [] if live is None else list(live.sessions.values())

    # -- the listener -----------------------------------------------------------------

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
        if not self.known(name):
            # Also where channels are created on use: a session can see whether a host is there.
            self._charge_miss(hello.address)
        channel = self.find(name)
        if channel is None:
            return TurnAway(404, "There is no such channel.")
        if (full := self._full(channel, user, hello.address)) is not None:
            return full
        # From here on other nodes send us the channel's messages, before we answer the handshake.
        await self.nodes.expect(channel.name)
        return Admission(user, partial(self.enter, name, user, hello.address))

    def _full(self, channel: Channel, user: str, address: str) -> TurnAway | None:
        """A refusal, if there are too many sessions already. No older session is closed instead."""
        if len(channel.sessions) >= MOST_SESSIONS:
            return TurnAway(503, "This channel is full.")
        if len(channel.of_user.get(user, ())) >= MOST_OF_USER:
            return TurnAway(429, "This user has too many sessions in the channel.")
        addresses = [self._addresses[connection] for connection in channel.here]
        if addresses.count(address) >= MOST_OF_ADDRESS:
            return TurnAway(429, "This address has too many sessions in the channel.")
        return None

    async def enter(
        self, name: str, user: str, address: str, connection: ConnectionId
    ) -> CloseWith | None:
        # The answer to the handshake was written in this turn of the event loop, so the session
        # misses no message of this node.
        found = self.find(name)
        if found is None:
            return CloseWith(1001, "The channel is gone.")
        # Others may have come in since this one was admitted.
        if (full := self._full(found, user, address)) is not None:
            return CloseWith(1013, full.sentence)
        self._addresses[connection] = address
        self.nodes.enter(connection, found.name, user)
        return None

    def received(self, connection: ConnectionId, data: bytes) -> None:
        channel = self._channels.of[connection]
        user = channel.here[connection]
        if len(data) > self._message_size:
            return
        try:
            message = read(data)
        except NotAMessage:
            return
        frame = message.encode()
        if message.sender != user or len(frame) > MOST_BYTES:
            return
        # Only our host may use its labels. Some clients read the label and ignore the type of the
        # message, so we ignore the type, too.
        passed = not channel.reserved or message.name.casefold() not in channel.reserved
        if passed:
            # To the sender, too: a character's window and its bot are two sessions of one user.
            answered = channel.host is not None and channel.host.answers(message)
            deliver = self._sender.deliver_later if answered else self._sender.deliver
            deliver(list(channel.here), frame)
        if channel.listening:
            self.nodes.said(channel, connection, frame, passed)
        if channel.host is not None:
            channel.host.heard(connection, message)

    def closed(self, connection: ConnectionId) -> None:
        if self.nodes.leave(connection):
            del self._addresses[connection]
