"""The gateway: holds the open connections of all listeners, and limits how much each may send.

It hands every message to the connection's listener. It knows no table and no protocol. Handshakes
are in `upgrade.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aiohttp import WSCloseCode, WSMsgType, web

from parlour.bus import Bus, ConnectionId, first_connection
from parlour.protocol import BadMessage, CloseWith
from parlour.server.config import Config
from parlour.server.connection import CLOSE_TIMEOUT, Outgoing, WebSocket
from parlour.server.limits import AddressLimiter, TokenBucket
from parlour.server.listeners import Admission, Listener, Overrun
from parlour.server.metrics import Metrics
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
    """One connection, its listener and its limits."""

    id: ConnectionId
    connection: WebSocket
    listener: Listener
    bucket: TokenBucket
    handler: asyncio.Task[object] | None = field(default_factory=asyncio.current_task)
    number: int = 0
    """Of the last frame, where frames are numbered."""
    over_rate: int = 0
    """Messages over the rate, minus those within it since."""
    alarm: asyncio.TimerHandle | None = None
    pong: asyncio.Future[bool] | None = None
    """Set while `Gateway.alive` waits: whether a ping was answered."""
    send: Callable[[bytes], None] = field(init=False)

    def __post_init__(self) -> None:
        self.send = self.connection.send if self.listener.frame is None else self._send_framed

    def _send_framed(self, data: bytes) -> None:
        assert self.listener.frame is not None
        self.number += 1
        self.connection.send(self.listener.frame(data, self.number))

    def heard(self, alive: bool) -> None:
        """A pong has come, or the connection is gone."""
        if self.pong is not None and not self.pong.done():
            self.pong.set_result(alive)
        self.pong = None

    def refuse(self, code: str, sentence: str) -> None:
        answer = self.listener.refuse(code, sentence)
        if answer is not None:
            self.send(answer)

    def end(self, ending: CloseWith) -> None:
        if ending.first is not None:
            self.send(ending.first)
        self.connection.close(ending.code, ending.sentence)


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
        for connection in connections:
            if connection in clients:
                clients[connection].send(data)

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None:
        client = self._clients.get(connection)
        if client is not None:
            client.connection.close(code, reason)

    async def alive(self, connection: ConnectionId) -> bool:
        client = self._clients.get(connection)
        if client is None:
            return False
        if client.pong is None:
            client.pong = asyncio.get_running_loop().create_future()
            client.connection.ping()
        try:
            async with asyncio.timeout(PROBE):
                # Others may wait for the same answer.
                return await asyncio.shield(client.pong)
        except TimeoutError:
            return False

    def _signed_out(self, visitor: str) -> None:
        for connection in self._of_visitor.get(visitor, ()):
            self.close_connection(connection, SIGNED_OUT, "you have signed out")

    # -- one connection ---------------------------------------------------------------

    async def serve(
        self,
        ws: web.WebSocketResponse,
        transport: asyncio.WriteTransport,
        listener: Listener,
        verdict: Admission | CloseWith,
        address: str,
    ) -> None:
        """Serve one connection until it ends."""
        connection = WebSocket(ws, transport, self._config.outgoing_bytes, self._outgoing)
        terms = listener.terms
        bucket = TokenBucket(
            terms.rate or self._config.message_rate, terms.burst or self._config.message_burst
        )
        self._last_id += 1
        client = Client(self._last_id, connection, listener, bucket)
        try:
            if isinstance(verdict, CloseWith):
                client.end(verdict)
            else:
                await self._attend(ws, client, verdict, address)
            await connection.finish_close()
        finally:
            connection.ended()

    async def _attend(
        self, ws: web.WebSocketResponse, client: Client, admission: Admission, address: str
    ) -> None:
        connection, listener = client.connection, client.listener
        self._clients[client.id] = client
        theirs = self._of_visitor.setdefault(admission.visitor, set())
        theirs.add(client.id)
        gauge = self._metrics.connections.labels(listener.name)
        gauge.inc()
        log.debug("connection %d: %s from %s", client.id, listener.name, address)
        try:
            refused = await admission.opened(client.id)
            if refused is not None:
                client.end(refused)
            elif not connection.closing:
                self._watch(client)
                of_address = self.addresses.bucket(address)
                await connection.while_open(self._listen(ws, client, of_address))
        finally:
            gauge.dec()
            if client.alarm is not None:
                client.alarm.cancel()
            if connection.cut_for:
                self._metrics.cut.labels(connection.cut_for).inc()
                log.info("connection %d was cut: %s", client.id, connection.cut_for)
            log.debug("connection %d is gone", client.id)
            client.heard(alive=False)
            del self._clients[client.id]
            theirs.remove(client.id)
            if not theirs:
                del self._of_visitor[admission.visitor]
            listener.closed(client.id)

    async def _listen(
        self, ws: web.WebSocketResponse, client: Client, of_address: TokenBucket
    ) -> None:
        receive, received = ws.receive, client.listener.received
        id_, bucket, connection = client.id, client.bucket, client.connection
        delays = client.listener.terms.overrun is Overrun.DELAY
        # Frames that have already been read from the socket are dropped once it is closing.
        while not connection.closing:
            frame = await receive()
            if frame.type is not WSMsgType.TEXT and frame.type is not WSMsgType.BINARY:
                if frame.type is WSMsgType.PING:
                    await ws.pong(frame.data)
                elif frame.type is WSMsgType.PONG:
                    client.heard(alive=True)
                else:
                    if getattr(frame.data, "code", 0) == WSCloseCode.POLICY_VIOLATION:
                        self._metrics.cut.labels("flood").inc()
                    return
                continue
            if delays:
                # While nothing is read here, further messages wait at the sender.
                while not bucket.take() or not of_address.take():  # noqa: ASYNC110 - only time changes it
                    await asyncio.sleep(max(bucket.wait, of_address.wait))
            elif not (bucket.take() and of_address.take()):
                if self._too_fast(client):
                    return
                continue
            if client.over_rate:
                # A message within the rate makes up for one over it: only a flood leads to a cut.
                client.over_rate -= 1
            if frame.type is WSMsgType.BINARY:
                self._bad(client, BadMessage("bad-frame", "Messages are text frames."))
                continue
            if not (frame.data.isascii() or _is_utf8(frame.data)):
                # RFC 6455, 8.1: a text frame that is not UTF-8 ends the connection.
                client.connection.close(1007, "text frames are UTF-8")
                return
            try:
                received(id_, frame.data)
            except BadMessage as bad:
                self._bad(client, bad)

    def _watch(self, client: Client) -> None:
        """Close the connection if it was silent for too long; otherwise check again later."""
        allowed = client.listener.terms.idle_timeout or self._config.idle_timeout
        left = allowed - client.bucket.idle
        if left > 0:
            client.alarm = asyncio.get_running_loop().call_later(left, self._watch, client)
            return
        client.alarm = None
        self._metrics.cut.labels("idle").inc()
        client.connection.close(client.listener.terms.come_back, "nothing heard for too long")

    def _too_fast(self, client: Client) -> bool:
        """Refuse one message over the rate; returns whether the connection is cut for it."""
        self._metrics.rejected.labels(client.listener.game, "too-fast").inc()
        client.over_rate += 1
        if client.over_rate > MOST_OVER_RATE:
            self._metrics.cut.labels("flood").inc()
            client.connection.close(1008, "too many messages")
            return True
        client.refuse("too-fast", "That was too fast: slow down.")
        return False

    def _bad(self, client: Client, bad: BadMessage) -> None:
        self._metrics.rejected.labels(client.listener.game, bad.code).inc()
        client.refuse(bad.code, bad.sentence)

    async def close(self) -> None:
        """Close all connections so that clients come back later; waits until they are gone."""
        clients = list(self._clients.values())
        for client in clients:
            client.connection.close(client.listener.terms.come_back, "the house is closing")
        handlers = [client.handler for client in clients if client.handler is not None]
        if handlers:
            await asyncio.wait(handlers, timeout=2 * CLOSE_TIMEOUT)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
