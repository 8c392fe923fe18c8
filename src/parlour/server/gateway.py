"""The gateway: holds the connections of all listeners, and how much each may send.

It checks who comes, counts what they send, and hands every message to the connection's
listener. It knows no table and no protocol.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from parlour.bus import Bus, ConnectionId, first_connection
from parlour.lifecycle import Lifecycle
from parlour.protocol import BadMessage, CloseWith, Hello, Origins, TurnAway
from parlour.server.aiohttp_private import CheckedWebSocket, UnclosedWebSocket
from parlour.server.config import Config
from parlour.server.connection import (
    CLOSE_TIMEOUT,
    WebSocket,
    WriteBatch,
)
from parlour.server.limits import AddressLimiter, RateLimiter, TokenBucket
from parlour.server.listeners import Admission, Listener, Overrun, Parting
from parlour.server.metrics import Metrics
from parlour.server.policy import RequestPolicy
from parlour.server.refusals import Refusals
from parlour.server.sessions import Sessions

log = logging.getLogger("parlour.gateway")

PROBE = 1.0
"""Seconds in which a connection answers a ping, if anybody is there."""
SIGNED_OUT = 4401
"""Close code for the connections of a visitor who has signed out."""
MOST_OVER_RATE = 100
"""How many messages over the rate are refused one by one before the connection is cut."""


class Client:
    """One open connection and what we hold against it."""

    __slots__ = (
        "alarm",
        "bucket",
        "connection",
        "handler",
        "id",
        "listener",
        "number",
        "over_rate",
        "pong",
        "send",
    )

    def __init__(
        self,
        id: ConnectionId,
        connection: WebSocket,
        listener: Listener,
        bucket: TokenBucket,
        handler: asyncio.Task[Any],
    ) -> None:
        self.id = id
        self.connection = connection
        self.listener = listener
        self.bucket = bucket
        self.handler = handler
        self.number = 0
        """Of the last frame, where frames are numbered."""
        self.over_rate = 0
        """Messages over the rate; each one within it forgives one."""
        self.alarm: asyncio.TimerHandle | None = None
        self.pong: asyncio.Future[bool] | None = None
        """What comes of a ping that somebody waits for: an answer, or the end."""
        self.send: Callable[[bytes], None] = (
            connection.send if listener.frame is None else self._send_framed
        )

    def _send_framed(self, data: bytes) -> None:
        assert self.listener.frame is not None
        self.number += 1
        self.connection.send(self.listener.frame(data, self.number))

    def heard(self, alive: bool) -> None:
        """A sign of life, or the end of the connection."""
        if self.pong is not None and not self.pong.done():
            self.pong.set_result(alive)
        self.pong = None

    def refuse(self, code: str, sentence: str) -> None:
        answer = self.listener.refuse(code, sentence)
        if answer is not None:
            self.send(answer)


class Gateway:
    """All sockets of this process. See `parlour.bus.Gateway` for what the tables ask of it."""

    def __init__(
        self,
        bus: Bus,
        sessions: Sessions,
        policy: RequestPolicy,
        requests: RateLimiter,
        config: Config,
        metrics: Metrics,
        refusals: Refusals,
        lifecycle: Lifecycle,
    ) -> None:
        """`requests` limits what is asked by HTTP; an upgrade counts like any request."""
        self._sessions = sessions
        self._policy = policy
        self._requests = requests
        self._config = config
        self._metrics = metrics
        self._refusals = refusals
        self._lifecycle = lifecycle
        self._clients: dict[ConnectionId, Client] = {}
        self._of_visitor: dict[str, set[ConnectionId]] = {}
        sessions.on_sign_out(self._signed_out)
        self._last_id: ConnectionId = first_connection(bus.attach_gateway(self))
        self._batch = WriteBatch(config.outgoing_total)
        metrics.watch_queued(lambda: self._batch.queued)
        self._addresses = AddressLimiter(
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
                # Somebody else may wait for the same answer.
                return await asyncio.shield(client.pong)
        except TimeoutError:
            return False

    def _signed_out(self, visitor: str) -> None:
        for connection in self._of_visitor.get(visitor, ()):
            self.close_connection(connection, SIGNED_OUT, "you have signed out")

    # -- one connection, from the upgrade to the end ----------------------------------

    def handler(
        self, listeners: Sequence[Listener]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """The HTTP handler that upgrades to the connections of the listeners at one address."""

        async def handle(request: web.Request) -> web.StreamResponse:
            return await self._connect(request, listeners)

        return handle

    async def _connect(
        self, request: web.Request, listeners: Sequence[Listener]
    ) -> web.StreamResponse:
        listener = listeners[0]
        address = self._policy.address(request)
        if not self._addresses.connect(address):
            self._metrics.rejected.labels(listener.game, "connections").inc()
            log.info("%s has too many connections", address)
            no = TurnAway(429, "Too many connections from your address.")
            return await _turned_away(listener, no)
        try:
            if not self._requests.take(address):
                self._metrics.rejected.labels(listener.game, "too-fast").inc()
                no = TurnAway(429, "That was too fast: slow down.")
                return await _turned_away(listener, no)
            if self._lifecycle.draining:
                no = TurnAway(503, "No more newcomers here: try again.", {"Retry-After": "1"})
                return await _turned_away(listener, no)
            ours = self._policy.origin_allowed(request)
            same_host = listener.terms.origins is Origins.SAME_HOST
            if not ours and not (same_host and self._policy.same_host(request)):
                self._refusals.origin(request, listener.game)
                no = TurnAway(403, "Pages of this origin may not connect.")
                return await _turned_away(listener, no)
            if request.headers.get("Upgrade", "").lower() != "websocket":
                self._refusals.upgrade(request, listener.game)
                no = TurnAway(426, "This is a WebSocket address.", {"Upgrade": "websocket"})
                return await _turned_away(listener, no)
            hello = self._hello(request, address)
            if not ours:
                # A page that is not ours may play, but for nobody we know: the browser sends it
                # our cookies along unasked.
                hello = replace(hello, visitor=None, bad_token=False, bad_user=False)
            meant = next((each for each in listeners if each.meant(hello)), listeners[-1])
            return await self._upgrade(request, meant, hello)
        finally:
            self._addresses.disconnect(address)

    async def _upgrade(
        self, request: web.Request, listener: Listener, hello: Hello
    ) -> web.StreamResponse:
        verdict = await listener.admit(hello)
        if isinstance(verdict, TurnAway):
            return await _turned_away(listener, verdict)
        ws = self._socket(listener)
        if not ws.can_prepare(request):
            return await _turned_away(listener, TurnAway(400, "That is no WebSocket handshake."))
        if isinstance(verdict, Admission) and verdict.cookie:
            self._sessions.set_cookie(ws, verdict.visitor, verdict.cookie)
            self._policy.bind_to_https(request, ws)
        elif hello.visitor is not None and listener.terms.parting is Parting.CLOSE:
            self._sessions.renew(request, ws)
            self._policy.bind_to_https(request, ws)
        await ws.prepare(request)
        transport = request.transport
        if transport is None:
            return ws
        connection = WebSocket(ws, transport, self._config.outgoing_bytes, self._batch)
        self._batch.open(connection)
        if hello.visitor is not None and self._sessions.of_request(request)[0] is None:
            # Signed out while the table was looked for.
            verdict = CloseWith(SIGNED_OUT, "you have signed out")
        try:
            if isinstance(verdict, CloseWith):
                await _close(connection, listener, verdict)
            else:
                await self._serve(ws, connection, listener, verdict, hello.address)
        finally:
            self._batch.closed(connection)
        return ws

    def _socket(self, listener: Listener) -> web.WebSocketResponse:
        terms = listener.terms
        drops = terms.parting is Parting.DROP
        ws: web.WebSocketResponse = (UnclosedWebSocket if drops else CheckedWebSocket)(
            timeout=CLOSE_TIMEOUT,
            heartbeat=self._config.heartbeat,
            protocols=listener.subprotocols,
            compress=False,
            max_msg_size=terms.message_size or self._config.message_size,
            decode_text=False,
            # Pongs are for us to see: see `alive`.
            autoping=False,
        )
        if isinstance(ws, UnclosedWebSocket) and terms.pong_within is not None:
            ws.pong_within(terms.pong_within)
        return ws

    def _hello(self, request: web.Request, address: str) -> Hello:
        visitor, fault = self._sessions.of_request(request)
        offered = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
        return Hello(
            path=request.path,
            params=dict(request.match_info),
            query=dict(request.query),
            cookies=request.cookies,
            offered=tuple(name.strip() for name in offered if name.strip()),
            origin=request.headers.get("Origin"),
            address=address,
            credentials=_basic(request.headers.get("Authorization", "")),
            visitor=visitor,
            bad_token=fault != "",
            bad_user=fault == "user",
        )

    async def _serve(
        self,
        ws: web.WebSocketResponse,
        connection: WebSocket,
        listener: Listener,
        admission: Admission,
        address: str,
    ) -> None:
        self._last_id += 1
        handler = asyncio.current_task()
        assert handler is not None
        terms = listener.terms
        bucket = TokenBucket(
            terms.rate or self._config.message_rate, terms.burst or self._config.message_burst
        )
        client = Client(self._last_id, connection, listener, bucket, handler)
        self._clients[client.id] = client
        theirs = self._of_visitor.setdefault(admission.visitor, set())
        theirs.add(client.id)
        gauge = self._metrics.connections.labels(listener.name)
        gauge.inc()
        log.debug("connection %d: %s from %s", client.id, listener.name, address)
        try:
            refused = await listener.opened(client.id, admission)
            if refused is not None:
                if refused.first is not None:
                    client.send(refused.first)
                connection.close(refused.code, refused.sentence)
            elif not connection.closing:
                self._watch(client)
                of_address = self._addresses.bucket(address)
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
        await connection.finish_close()

    async def _listen(
        self, ws: web.WebSocketResponse, client: Client, of_address: TokenBucket
    ) -> None:
        receive, received = ws.receive, client.listener.received
        id_, bucket, connection = client.id, client.bucket, client.connection
        delays = client.listener.terms.overrun is Overrun.DELAY
        # Much may have come at once: of a connection that is cut, the rest is not heard.
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
                # Not reading is what delays: the rest waits at the sender's.
                while not bucket.take() or not of_address.take():  # noqa: ASYNC110 - time it is
                    await asyncio.sleep(max(bucket.wait, of_address.wait))
            elif not (bucket.take() and of_address.take()):
                if self._too_fast(client):
                    return
                continue
            if client.over_rate:
                # Each message within the rate forgives one over it: only a flood adds up to a cut.
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
        """Cut who says nothing at all; asked when that may be, not at every message."""
        allowed = client.listener.terms.idle_timeout or self._config.idle_timeout
        left = allowed - client.bucket.idle
        if left > 0:
            client.alarm = asyncio.get_running_loop().call_later(left, self._watch, client)
            return
        client.alarm = None
        self._metrics.cut.labels("idle").inc()
        client.connection.close(client.listener.terms.come_back, "nothing heard for too long")

    def _too_fast(self, client: Client) -> bool:
        """Refuse one message over the rate; give whether that was the last one."""
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

    # -- closing ----------------------------------------------------------------------

    async def close(self) -> None:
        """Tell every socket to come back later, or elsewhere; returns when all are gone."""
        clients = list(self._clients.values())
        for client in clients:
            client.connection.close(client.listener.terms.come_back, "the house is closing")
        if clients:
            await asyncio.wait([client.handler for client in clients], timeout=2 * CLOSE_TIMEOUT)


async def _turned_away(listener: Listener, refusal: TurnAway) -> web.Response:
    """No upgrade: an answer of HTTP."""
    told = await listener.turn_away(refusal)
    answer = web.Response(status=told.status, text=told.sentence, headers=told.headers)
    if told.headers.get("Connection") == "close":
        answer.force_close()
    return answer


async def _close(connection: WebSocket, listener: Listener, ending: CloseWith) -> None:
    """End a connection nobody listens to."""
    first = ending.first
    if first is not None:
        connection.send(first if listener.frame is None else listener.frame(first, 1))
    connection.close(ending.code, ending.sentence)
    await connection.finish_close()


def _basic(header: str) -> tuple[str, str] | None:
    """User and password of an HTTP Basic header (RFC 7617), if that is what it is."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic" or len(encoded) > 1024:
        return None
    try:
        plain = base64.b64decode(encoded.strip(), validate=True)
    except ValueError:  # no base64, or not even ASCII
        return None
    try:
        decoded = plain.decode()
    except UnicodeDecodeError:
        # RFC 7617 leaves the encoding open, and some clients still use this one.
        decoded = plain.decode("latin-1")
    user, colon, password = decoded.partition(":")
    return (user, password) if colon else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
