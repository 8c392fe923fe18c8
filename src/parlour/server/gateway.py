"""The gateway: holds the connections, speaks every wire, and knows no table.

One handler serves the sockets of all games. It checks who comes and how much they send,
lets the wire translate, and passes everything else over the bus.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web

from parlour.bus import Bus, Knock, Line, Refusal
from parlour.server.config import Config
from parlour.server.connection import PARTING, Connection, Tray, WebSocket
from parlour.server.limits import AddressBook, TokenBucket, Turnstile, neighbourhood
from parlour.server.metrics import Metrics
from parlour.server.sessions import Sessions
from parlour.table import BadMessage, CloseWith, Game, Hello, Seek, TurnAway, Wire

log = logging.getLogger("parlour.gateway")

PATIENCE = 100
"""How many messages over the rate are refused one by one before the connection is cut."""

_CLOSE_FOR = {"no-such-table": 4404, "table-full": 4409, "round-running": 4409, "closing": 1001}


class Caller:
    """One open socket and what we hold against it."""

    __slots__ = (
        "alarm",
        "bucket",
        "connection",
        "game",
        "handler",
        "number",
        "over",
        "send",
        "wire",
    )

    def __init__(
        self,
        connection: Connection,
        game: Game,
        wire: Wire,
        bucket: TokenBucket,
        handler: asyncio.Task[Any],
    ) -> None:
        self.connection = connection
        self.game = game
        self.wire = wire
        self.bucket = bucket
        self.handler = handler
        self.number = 0
        self.over = 0
        self.alarm: asyncio.TimerHandle | None = None
        self.send: Callable[[bytes], None] = self._framed if wire.framed else connection.send

    def _framed(self, data: bytes) -> None:
        self.number += 1
        self.connection.send(self.wire.frame(data, self.number))


class Gateway:
    """All sockets of this process. See `parlour.bus.Gateway` for what the tables ask of it."""

    def __init__(self, bus: Bus, sessions: Sessions, config: Config, metrics: Metrics) -> None:
        self._bus = bus
        self._sessions = sessions
        self._config = config
        self._metrics = metrics
        self._callers: dict[Line, Caller] = {}
        self._next_line: Line = 0
        self._tray = Tray()
        self._addresses = AddressBook(
            config.address_connections, config.address_rate, config.address_burst
        )
        self.requests = Turnstile(config.request_rate, config.request_burst)
        """For what is asked by HTTP, an upgrade included, and not on a connection."""
        self.draining = False
        bus.attach_gateway(self)

    # -- the gateway's side of the bus ------------------------------------------------

    def deliver(self, lines: Sequence[Line], data: bytes) -> None:
        callers = self._callers
        for line in lines:
            if line in callers:
                callers[line].send(data)

    def cut(self, line: Line, code: int, reason: str) -> None:
        caller = self._callers.get(line)
        if caller is not None:
            caller.connection.close(code, reason)

    # -- one connection, from the upgrade to the end ----------------------------------

    def handler(self, game: Game, wire: Wire) -> Any:
        """The aiohttp handler of one wire."""

        async def handle(request: web.Request) -> web.StreamResponse:
            return await self._connect(request, game, wire)

        return handle

    async def _connect(self, request: web.Request, game: Game, wire: Wire) -> web.StreamResponse:
        if self.draining:
            return web.Response(status=503, text="The house is closing.")
        if not self.origin_allowed(request):
            self._metrics.rejected.labels(game.id, "origin").inc()
            log.info("a page of %r may not connect", request.headers["Origin"])
            return web.Response(status=403, text="Pages of this origin may not connect.")
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return web.Response(
                status=426, text="This is a WebSocket address.", headers={"Upgrade": "websocket"}
            )
        address = self.address(request)
        if not self._addresses.connect(address):
            self._metrics.rejected.labels(game.id, "connections").inc()
            log.info("%s has too many connections", address)
            return web.Response(status=429, text="Too many connections from your address.")
        try:
            # To come, or to try a code, is as much work as any request.
            if not self.requests.take(address):
                self._metrics.rejected.labels(game.id, "too-fast").inc()
                return web.Response(status=429, text="That was too fast: slow down.")
            return await self._admitted(request, game, wire, address)
        finally:
            self._addresses.disconnect(address)

    async def _admitted(
        self, request: web.Request, game: Game, wire: Wire, address: str
    ) -> web.StreamResponse:
        visitor, fault = self._sessions.of_request(request)
        offered = tuple(
            p.strip()
            for p in request.headers.get("Sec-WebSocket-Protocol", "").split(",")
            if p.strip()
        )
        hello = Hello(
            path=request.path,
            params=dict(request.match_info),
            query=dict(request.query),
            offered=offered,
            visitor=visitor,
            bad_token=fault != "",
            bad_user=fault == "user",
        )
        seek = wire.seek(hello)
        verdict: TurnAway | CloseWith | None = None
        if isinstance(seek, Seek):
            table = await self._bus.find(seek.table) if seek.table is not None else None
            verdict = wire.admit(hello, table)
        else:
            verdict = seek
        if isinstance(verdict, TurnAway):
            return web.Response(status=verdict.status, text=verdict.sentence)
        ws = web.WebSocketResponse(
            heartbeat=self._config.heartbeat,
            protocols=wire.subprotocols,
            compress=False,
            max_msg_size=self._config.message_size,
            decode_text=False,
        )
        if visitor is None:
            visitor = self._sessions.new_visitor()
            if wire.upgrade_cookie and verdict is None:
                self._sessions.set_cookie(ws, visitor, wire.upgrade_cookie)
                self._bind_to_https(request, ws)
        await ws.prepare(request)
        transport = request.transport
        if transport is None:
            return ws
        connection = WebSocket(ws, transport, self._config.outgoing_bytes, self._tray)
        if isinstance(verdict, CloseWith):
            if verdict.first is not None:
                connection.send(verdict.first)
            connection.close(verdict.code, verdict.sentence)
            await connection.part()
            return ws
        if isinstance(seek, Seek):
            await self._serve(ws, connection, game, wire, seek, visitor, address)
        return ws

    async def _serve(
        self,
        ws: web.WebSocketResponse,
        connection: WebSocket,
        game: Game,
        wire: Wire,
        seek: Seek,
        visitor: str,
        address: str,
    ) -> None:
        self._next_line += 1
        line = self._next_line
        bucket = TokenBucket(self._config.message_rate, self._config.message_burst)
        handler = asyncio.current_task()
        assert handler is not None
        caller = self._callers[line] = Caller(connection, game, wire, bucket, handler)
        gauge = self._metrics.connections.labels(wire.name)
        gauge.inc()
        log.debug("line %d: %s from %s", line, wire.name, address)
        try:
            answer = await self._bus.knock(
                Knock(
                    line=line,
                    game=game.id,
                    wire=wire.name,
                    visitor=self._sessions.new_visitor() if seek.stranger else visitor,
                    name=self._sessions.name(visitor),
                    table=seek.table,
                    watch=seek.watch,
                    resume_last=seek.resume_last,
                    resumable=seek.resumable,
                    make=seek.make,
                    for_match=seek.for_match,
                )
            )
            if isinstance(answer, Refusal):
                caller.send(wire.refuse(answer.code, answer.sentence))
                connection.close(_CLOSE_FOR.get(answer.code, 4403), answer.sentence)
            elif not connection.closing:
                self._watch(caller)
                of_address = self._addresses.bucket(address)
                await connection.while_open(self._listen(ws, caller, line, of_address))
        finally:
            gauge.dec()
            if caller.alarm is not None:
                caller.alarm.cancel()
            if connection.slow:
                self._metrics.cut.labels("slow-reader").inc()
                log.info("line %d is cut: it does not read", line)
            log.debug("line %d is gone", line)
            del self._callers[line]
            self._bus.hang(line)
        await connection.part()

    async def _listen(
        self,
        ws: web.WebSocketResponse,
        caller: Caller,
        line: Line,
        of_address: TokenBucket,
    ) -> None:
        receive, post, decode = ws.receive, self._bus.post, caller.wire.decode
        bucket = caller.bucket
        while True:
            frame = await receive()
            if frame.type is not WSMsgType.TEXT and frame.type is not WSMsgType.BINARY:
                return
            if not (bucket.take() and of_address.take()):
                if self._too_fast(caller):
                    return
                continue
            if caller.over:
                # Forgiven one by one, or a long evening would add up to a flood.
                caller.over -= 1
            if frame.type is WSMsgType.BINARY:
                self._bad(caller, BadMessage("bad-frame", "Messages are text frames."))
                continue
            if not (frame.data.isascii() or _is_utf8(frame.data)):
                # RFC 6455, 8.1: a text frame that is not UTF-8 ends the connection.
                caller.connection.close(1007, "text frames are UTF-8")
                return
            try:
                wish = decode(frame.data)
            except BadMessage as bad:
                self._bad(caller, bad)
                continue
            post(line, wish)

    def _watch(self, caller: Caller) -> None:
        """Cut who says nothing at all; asked when that may be, not at every message."""
        left = self._config.idle_timeout - caller.bucket.idle
        if left > 0:
            caller.alarm = asyncio.get_running_loop().call_later(left, self._watch, caller)
            return
        caller.alarm = None
        self._metrics.cut.labels("idle").inc()
        caller.connection.close(1001, "nothing heard for too long")

    def _too_fast(self, caller: Caller) -> bool:
        """Refuse one message over the rate; give whether that was the last one."""
        self._metrics.rejected.labels(caller.game.id, "too-fast").inc()
        caller.over += 1
        if caller.over > PATIENCE:
            self._metrics.cut.labels("flood").inc()
            caller.connection.close(1008, "too many messages")
            return True
        caller.send(caller.wire.refuse("too-fast", "That was too fast: slow down."))
        return False

    def _bad(self, caller: Caller, bad: BadMessage) -> None:
        self._metrics.rejected.labels(caller.game.id, bad.code).inc()
        caller.send(caller.wire.refuse(bad.code, bad.sentence))

    # -- closing ----------------------------------------------------------------------

    async def close(self) -> None:
        """Tell every socket that the house is closing; returns when all of them are gone."""
        self.draining = True
        callers = list(self._callers.values())
        for caller in callers:
            caller.connection.close(1001, "the house is closing")
        if callers:
            await asyncio.wait([caller.handler for caller in callers], timeout=2 * PARTING)

    # -- who is calling ---------------------------------------------------------------

    def address(self, request: web.Request) -> str:
        """The caller's address; behind a proxy, what the proxy nearest to us says it is."""
        return neighbourhood(
            self._of_proxy(request, "X-Forwarded-For") or request.remote or "unknown"
        )

    def _of_proxy(self, request: web.Request, header: str) -> str:
        """The last word of a proxy's header, if there is one and we believe it.

        Some proxies lengthen the line they were sent, some add another: the end is theirs.
        """
        if not self._config.proxy_headers:
            return ""
        return ",".join(request.headers.getall(header, ())).rpartition(",")[2].strip()

    def origin_allowed(self, request: web.Request) -> bool:
        """Programs send no Origin and may; pages must be ours, or on the list."""
        origin = request.headers.get("Origin")
        if origin is None:
            return True
        allowed = self._config.origins
        if "*" in allowed or origin in allowed:
            return True
        site = _site(origin)
        if self._config.public_url and site == _site(self._config.public_url):
            return True
        return site is not None and site[1] == request.host.lower()

    @web.middleware
    async def cookies_by_proxy(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """A proxy may speak https for us: the cookies it passes on are then for https alone."""
        response = await handler(request)
        if not response.prepared:
            self._bind_to_https(request, response)
        return response

    def _bind_to_https(self, request: web.Request, response: web.StreamResponse) -> None:
        if self._of_proxy(request, "X-Forwarded-Proto").lower() == "https":
            for cookie in response.cookies.values():
                cookie["secure"] = True


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _site(url: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(url)
    except ValueError:  # "http://[", say
        return None
    return parts.scheme, parts.netloc.lower()
