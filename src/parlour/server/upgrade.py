"""WebSocket handshakes: who may open a connection, and as whom.

An accepted connection is handed to the gateway. Refusals are HTTP answers.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from aiohttp import web
from aiohttp.typedefs import Handler

from parlour.lifecycle import Lifecycle
from parlour.protocol import CloseWith, Hello, Origins, TurnAway
from parlour.server.aiohttp_private import Handshake
from parlour.server.config import Config
from parlour.server.gateway import SIGNED_OUT, Gateway
from parlour.server.limits import RateLimiter
from parlour.server.listeners import Admission, Listener, Parting
from parlour.server.metrics import Metrics
from parlour.server.policy import RequestPolicy
from parlour.server.refusals import Refusals
from parlour.server.sessions import Sessions

log = logging.getLogger("parlour.gateway")


@dataclass(eq=False)
class Upgrader:
    """Turns HTTP requests into connections of the gateway."""

    _gateway: Gateway
    _sessions: Sessions
    _policy: RequestPolicy
    _requests: RateLimiter
    """Of HTTP requests; a handshake is one of them."""
    _config: Config
    _metrics: Metrics
    _refusals: Refusals
    _lifecycle: Lifecycle

    def handler(self, listeners: Sequence[Listener]) -> Handler:
        """The HTTP handler of an address that these listeners share."""

        async def handle(request: web.Request) -> web.StreamResponse:
            listener = listeners[0]
            address = self._policy.address(request)
            if not self._gateway.addresses.connect(address):
                self._metrics.rejected.labels(listener.game, "connections").inc()
                log.info("%s has too many connections", address)
                no = TurnAway(429, "Too many connections from your address.")
                return await _turned_away(listener, no)
            with ExitStack() as held:
                held.callback(self._gateway.addresses.disconnect, address)
                return await self._connect(request, listeners, address, held)

        return handle

    async def _connect(
        self, request: web.Request, listeners: Sequence[Listener], address: str, held: ExitStack
    ) -> web.StreamResponse:
        """`held` is released once the connection is gone."""
        ours = self._policy.origin_allowed(request)
        refusal = self._refusal(request, listeners[0], address, ours)
        if refusal is not None:
            return await _turned_away(listeners[0], refusal)
        hello = self._hello(request, address)
        if not ours:
            # The browser sends our cookies with requests of any page. A page of another origin
            # may play, but not as the visitor whom those cookies name.
            hello = replace(hello, visitor=None, bad_token=False, bad_user=False)
        listener = next((each for each in listeners if each.meant(hello)), listeners[-1])
        verdict = await listener.admit(hello)
        if isinstance(verdict, TurnAway):
            return await _turned_away(listener, verdict)
        return await self._upgrade(request, listener, hello, verdict, held)

    def _refusal(
        self, request: web.Request, listener: Listener, address: str, ours: bool
    ) -> TurnAway | None:
        """Why this request is refused, whoever sent it; `ours`: by a page of an allowed origin."""
        if not self._requests.take(address):
            self._metrics.rejected.labels(listener.game, "too-fast").inc()
            return TurnAway(429, "That was too fast: slow down.")
        if self._lifecycle.draining:
            return TurnAway(503, "No more newcomers here: try again.", {"Retry-After": "1"})
        same_host = listener.terms.origins is Origins.SAME_HOST
        if not ours and not (same_host and self._policy.same_host(request)):
            self._refusals.origin(request, listener.game)
            return TurnAway(403, "Pages of this origin may not connect.")
        if request.headers.get("Upgrade", "").lower() != "websocket":
            self._refusals.upgrade(request, listener.game)
            return TurnAway(426, "This is a WebSocket address.", {"Upgrade": "websocket"})
        return None

    async def _upgrade(
        self,
        request: web.Request,
        listener: Listener,
        hello: Hello,
        verdict: Admission | CloseWith,
        held: ExitStack,
    ) -> web.StreamResponse:
        closes = listener.terms.parting is Parting.CLOSE
        handshake = Handshake(listener.subprotocols, bare=not closes)
        if not handshake.can_prepare(request):
            return await _turned_away(listener, TurnAway(400, "That is no WebSocket handshake."))
        if isinstance(verdict, Admission) and verdict.cookie:
            self._sessions.set_cookie(handshake, verdict.visitor, verdict.cookie)
            self._policy.bind_to_https(request, handshake)
        elif hello.visitor is not None and closes:
            self._sessions.renew(request, handshake)
            self._policy.bind_to_https(request, handshake)
        connection = await handshake.take_over(request)
        if hello.visitor is not None and self._sessions.of_request(request)[0] is None:
            # They signed out while the listener looked for their table.
            verdict = CloseWith(SIGNED_OUT, "you have signed out")
        if connection is not None:
            await self._gateway.serve(connection, listener, verdict, hello.address, held.pop_all())
        return handshake

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


async def _turned_away(listener: Listener, refusal: TurnAway) -> web.Response:
    told = await listener.turn_away(refusal)
    answer = web.Response(status=told.status, text=told.sentence, headers=told.headers)
    if told.headers.get("Connection") == "close":
        answer.force_close()
    return answer


def _basic(header: str) -> tuple[str, str] | None:
    """User and password of an HTTP Basic header (RFC 7617); None if it is none."""
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
