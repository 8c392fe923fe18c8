"""The gateway: holds the open connections of all listeners, and limits how much each may send.

It hands every message to the connection's listener. It knows no table and no protocol. Handshakes
are in `upgrade.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

from parlour.bus import Bus, ConnectionId, first_connection
from parlour.protocol import BadMessage, CloseWith, Framing
from parlour.server.aiohttp_private import Taken
from parlour.server.config import Config
from parlour.server.connection import CLOSE_TIMEOUT, WebSocket
from parlour.server.heartbeat import Heartbeat
from parlour.server.limits import AddressLimiter, TokenBucket
from parlour.server.listeners import Admission, Listener, Overrun, Parting
from parlour.server.metrics import Metrics
from parlour.server.outgoing import Outgoing
from parlour.server.sessions import Sessions

log = logging.getLogger("parlour.gateway")

PROBE = 1.0
"""Seconds to wait for the answer to a ping (`Gateway.alive`)."""
SIGNED_OUT = 4401
"""Close code for the connections of a visitor who has signed out."""
MOST_OVER_RATE = 100
"""How many messages over the rate are refused one by one before the connection is cut."""


@dataclass(slots=True, eq=False)
class Client:
    """One connection, its listener and its limits: the connection's `Receiver`."""

    id: ConnectionId
    connection: WebSocket
    listener: Listener
    bucket: TokenBucket
    of_address: TokenBucket
    _metrics: Metrics
    _ended: Callable[[Client], None]
    visitor: str = ""
    number: int = 0
    """Of the last frame, where frames are numbered."""
    over_rate: int = 0
    """Messages over the rate, minus those within it since."""
    answered: asyncio.Future[bool] | None = None
    """Set while `Gateway.alive` waits: whether a ping was answered."""
    framing: Framing | None = field(init=False)

    def __post_init__(self) -> None:
        self.framing = self.listener.framing

    def send(self, data: bytes) -> None:
        if self.framing is None:
            self.connection.send(data)
        else:
            self.send_framed(self.framing, self.framing.after(data))

    def send_framed(self, framing: Framing, after: bytes) -> None:
        """Send a frame with the next number, and this after the number."""
        self.number += 1
        # `Framing.frame`, with `after` made once for all.
        self.connection.send(b"%b%d%b" % (framing.before, self.number, after))

    def text(self, data: bytes) -> None:
        if not (self.bucket.take() and self.of_address.take()):
            self._over_rate(data)
            return
        if self.over_rate:
            # A message within the rate makes up for one over it: only a flood leads to a cut.
            self.over_rate -= 1
        try:
            self.listener.received(self.id, data)
        except BadMessage as bad:
            self._bad(bad)

    def binary(self) -> None:
        if self.bucket.take() and self.of_address.take():
            self._bad(BadMessage("bad-frame", "Messages are text frames."))
        else:
            self._too_fast()

    def _over_rate(self, data: bytes) -> None:
        if self.listener.terms.overrun is Overrun.DELAY:
            # While nothing is read here, further messages wait at the sender.
            self.connection.hold(max(self.bucket.wait, self.of_address.wait), data)
        else:
            self._too_fast()

    def _too_fast(self) -> None:
        """Refuse one message over the rate; after too many, close the connection."""
        self._metrics.rejected.labels(self.listener.game, "too-fast").inc()
        self.over_rate += 1
        if self.over_rate > MOST_OVER_RATE:
            self.connection.cut_for = "flood"
            self.connection.close(1008, "too many messages")
        else:
            self.refuse("too-fast", "That was too fast: slow down.")

    def _bad(self, bad: BadMessage) -> None:
        self._metrics.rejected.labels(self.listener.game, bad.code).inc()
        self.refuse(bad.code, bad.sentence)

    def pong(self) -> None:
        self._heard(alive=True)

    def ended(self) -> None:
        self._heard(alive=False)
        self._ended(self)

    def _heard(self, alive: bool) -> None:
        if self.answered is not None and not self.answered.done():
            self.answered.set_result(alive)
        self.answered = None

    def refuse(self, code: str, sentence: str) -> None:
        answer = self.listener.refuse(code, sentence)
        if answer is not None:
            self.send(answer)

    def end(self, ending: CloseWith) -> None:
        if ending.first is not None:
            self.send(ending.first)
        self.connection.close(ending.code, ending.sentence)

    def look_after(self, now: float, ping_after: float, idle_timeout: float) -> None:
        """Ping a silent connection; end one that does not answer, or says nothing for too long."""
        connection, terms = self.connection, self.listener.terms
        if connection.pinged_at is not None:
            within = ping_after / 2 if terms.pong_within is None else terms.pong_within
            if now - connection.pinged_at >= within:
                connection.cut("silent")
        elif now - connection.heard_at >= ping_after:
            connection.ping()
            connection.pinged_at = now
        if self.bucket.idle >= (terms.idle_timeout or idle_timeout) and not connection.closing:
            connection.cut_for = "idle"
            connection.close(terms.come_back, "nothing heard for too long")


class Gateway:
    """All open connections of this process. `parlour.bus.Gateway` says what tables ask of it."""

    def __init__(self, bus: Bus, sessions: Sessions, config: Config, metrics: Metrics) -> None:
        self._config = config
        self._metrics = metrics
        self._clients: dict[ConnectionId, Client] = {}
        self._of_visitor: dict[str, set[ConnectionId]] = {}
        sessions.on_sign_out(self._signed_out)
        self._last_id: ConnectionId = first_connection(bus.attach_gateway(self))
        self._outgoing = Outgoing(config.outgoing_total)
        metrics.watch_queued(lambda: self._outgoing.queued)
        self._heartbeat: Heartbeat[Client] = Heartbeat(
            min(config.heartbeat, config.idle_timeout), self._look_after
        )
        self.addresses = AddressLimiter(
            config.address_connections, config.address_rate, config.address_burst
        )

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._clients)

    # -- the gateway's side of the bus ------------------------------------------------

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        clients = self._clients
        framing: Framing | None = None
        after = b""
        for connection in connections:
            if connection not in clients:
                continue
            client = clients[connection]
            own = client.framing
            if own is None:
                client.connection.send(data)
                continue
            if own is not framing:
                # Once for all of them: they have the same protocol.
                framing, after = own, own.after(data)
            client.send_framed(own, after)

    def deliver_later(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        """Send these connections, whose frames are not numbered, a message to which others follow
        soon: they share a write."""
        for connection in connections:
            if connection in self._clients:
                self._clients[connection].connection.send_later(data)

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None:
        client = self._clients.get(connection)
        if client is not None:
            client.connection.close(code, reason)

    async def alive(self, connection: ConnectionId) -> bool:
        client = self._clients.get(connection)
        if client is None:
            return False
        if client.answered is None:
            client.answered = asyncio.get_running_loop().create_future()
            client.connection.ping()
        try:
            async with asyncio.timeout(PROBE):
                # Others may wait for the same answer.
                return await asyncio.shield(client.answered)
        except TimeoutError:
            return False

    def _signed_out(self, visitor: str) -> None:
        for connection in self._of_visitor.get(visitor, ()):
            self.close_connection(connection, SIGNED_OUT, "you have signed out")

    # -- one connection ---------------------------------------------------------------

    async def serve(
        self,
        taken: Taken,
        listener: Listener,
        verdict: Admission | CloseWith,
        address: str,
        held: ExitStack,
    ) -> None:
        """Hold a connection from now on, and open it at its listener; `held` is released when it
        is gone."""
        terms, config = listener.terms, self._config
        connection = WebSocket(
            taken,
            self._outgoing,
            bound=config.outgoing_bytes,
            longest=terms.message_size or config.message_size,
            drops=terms.parting is Parting.DROP,
            lost=held.close,
        )
        bucket = TokenBucket(terms.rate or config.message_rate, terms.burst or config.message_burst)
        of_address = self.addresses.bucket(address)
        self._last_id += 1
        client = Client(
            self._last_id, connection, listener, bucket, of_address, self._metrics, self._forget
        )
        if isinstance(verdict, CloseWith):
            client.end(verdict)
            return
        log.debug("connection %d: %s from %s", client.id, listener.name, address)
        self._clients[client.id] = client
        client.visitor = verdict.visitor
        self._of_visitor.setdefault(verdict.visitor, set()).add(client.id)
        self._metrics.connections.labels(listener.name).inc()
        self._heartbeat.add(client)
        try:
            refused = await verdict.opened(client.id)
        except BaseException:
            connection.cut("broken")
            client.ended()
            raise
        if refused is not None:
            client.end(refused)
        connection.listen(client)

    def _forget(self, client: Client) -> None:
        """A connection has ended, or is about to."""
        cut_for = client.connection.cut_for
        if cut_for:
            self._metrics.cut.labels(cut_for).inc()
            log.info("connection %d was cut: %s", client.id, cut_for)
        log.debug("connection %d is gone", client.id)
        self._metrics.connections.labels(client.listener.name).dec()
        self._heartbeat.remove(client)
        del self._clients[client.id]
        theirs = self._of_visitor[client.visitor]
        theirs.remove(client.id)
        if not theirs:
            del self._of_visitor[client.visitor]
        client.listener.closed(client.id)

    def _look_after(self, client: Client, now: float) -> None:
        client.look_after(now, self._config.heartbeat, self._config.idle_timeout)

    async def close(self) -> None:
        """Close all connections so that clients come back later; waits until they are gone."""
        for client in list(self._clients.values()):
            client.connection.close(client.listener.terms.come_back, "the house is closing")
        with suppress(TimeoutError):
            async with asyncio.timeout(2 * CLOSE_TIMEOUT):
                await self._outgoing.until_none_is_left()
