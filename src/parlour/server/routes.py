"""Runs HTTP routes: origin, limits, sessions, bodies, statuses and JSON, once for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import ETag, web
from aiohttp.typedefs import Handler, Middleware

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Reply, Route, RouteSet
from parlour.server.bodies import Bodies
from parlour.server.limits import GUESSES, RateLimiter
from parlour.server.policy import RequestPolicy
from parlour.server.refusals import Refusals
from parlour.server.sessions import COOKIE, DEVICE, Sessions

STATUS = {
    "no-cookie": 401,
    "bad-cookie": 403,
    "bad-token": 403,
    "origin": 403,
    "wrong-password": 403,
    "wrong-passkey": 403,
    "not-here": 403,
    "host-only": 403,
    "operator-only": 403,
    "used-link": 403,
    "no-such-account": 404,
    "no-such-node": 404,
    "no-such-table": 404,
    "no-such-game": 404,
    "no-such-replay": 404,
    "no-such-lesson": 404,
    "no-such-player": 404,
    "no-such-evening": 404,
    "bad-settings": 400,
    "bad-bots": 400,
    "bad-name": 400,
    "bad-message": 400,
    "bad-email": 400,
    "bad-password": 400,
    "bad-limit": 400,
    "no-such-pool": 400,
    "has-account": 400,
    "bad-content": 400,
    "too-fast": 429,
    "too-many-tables": 429,
    "closing": 503,
    "house-full": 503,
    "too-many-names": 503,
    "too-busy": 503,
    "try-again": 503,
}
"""By code; everything else is a conflict, 409."""

_OF_HTTP = {
    404: ("not-found", "There is nothing at this address."),
    405: ("not-allowed", "That can't be done at this address."),
    408: ("too-slow", "The rest of that did not come in time."),
    413: ("too-large", "That is too much at once."),
}
"""Codes and sentences for errors of aiohttp."""

LARGEST_MARKED = 1024 * 1024
"""The largest answer that gets an `ETag`, in bytes."""
LEAST_COMPRESSED = 1400
"""The smallest answer that is compressed: less fits into one packet. Answers with a token are
shorter, so that nobody can guess one by how well it compresses together with their own data."""


@dataclass(eq=False)
class RouteRunner:
    """Adds sets of routes to the application and answers for them."""

    _desk: Desk
    _sessions: Sessions
    _policy: RequestPolicy
    _requests: RateLimiter
    _refusals: Refusals
    _bodies: Bodies
    _slow: RateLimiter = field(default_factory=lambda: RateLimiter(rate=2, burst=100))
    """For slow routes, which hash a password for example."""

    def add(self, app: web.Application, routes: RouteSet, cookies: Sequence[str] = ()) -> None:
        """`cookies`: names under which clients of these routes keep the token, besides ours."""
        for route in routes.routes:
            handler = self._handler(route, routes, (*cookies, COOKIE))
            app.router.add_route(route.method, route.path, handler)

    def _handler(self, route: Route, routes: RouteSet, cookies: Sequence[str]) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            try:
                return await self._answer(request, route, routes, cookies)
            except Illegal as no:
                if no.code in GUESSES:
                    self._requests.charge_miss(self._policy.address(request))
                return refused(routes, no.code, no.sentence)

        return handle

    async def _answer(
        self, request: web.Request, route: Route, routes: RouteSet, cookies: Sequence[str]
    ) -> web.Response:
        address = self._policy.address(request)
        if not self._requests.take(address) or (route.slow and not self._slow.take(address)):
            raise Illegal("too-fast", "That was too fast: slow down.")
        if route.method != "GET" and not self._policy.origin_allowed(request):
            self._refusals.origin(request, "http")
            raise Illegal(
                "origin",
                "Pages of this origin may not do that. If it is the house's own address, whoever "
                "runs it has to say so with --public-url.",
            )
        visitor, newcomer = self._visitor(request, route)
        arrival = self._policy.arrival(request)
        device = request.cookies.get(DEVICE, "")
        async with self._body(request, route, routes, address) as body:
            asked = Asked(visitor, request.match_info, request.query, body, arrival, device)
            answer = await route.answer(self._desk, asked)
        reply = answer if isinstance(answer, Reply) else Reply(answer, route.status)
        if reply.missed:
            self._requests.charge_miss(address)
        response = _json(reply.data, reply.status)
        response.headers["Cache-Control"] = route.cache
        if route.method == "GET" and reply.status == 200:
            response = unless_known(request, response)
        if reply.sign_out:
            for name in cookies:
                self._sessions.forget_cookie(response, name)
        if reply.sign_in is not None:
            for name in cookies:
                self._sessions.set_cookie(response, reply.sign_in, name)
            if self._desk.account_of(reply.sign_in) is not None:
                self._sessions.set_device(response, reply.sign_in)
        elif newcomer is not None:
            self._sessions.set_cookie(response, newcomer)
        elif visitor is not None and not reply.sign_out:
            self._sessions.renew(request, response)
        return response

    @asynccontextmanager
    async def _body(
        self, request: web.Request, route: Route, routes: RouteSet, address: str
    ) -> AsyncGenerator[Any]:
        """The body as the route's type; it counts as held until the request is answered."""
        if route.body is None:
            yield None
            return
        needed = request.body_exists or any(f.required for f in msgspec.structs.fields(route.body))
        if needed and not routes.any_content_type and request.content_type != "application/json":
            raise Illegal("bad-message", "Send JSON, and say so in Content-Type.")
        async with self._bodies.read(request, address, route.largest) as data:
            try:
                body = msgspec.json.decode(data or b"{}", type=route.body)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
                message = f"That is not what was asked for: {wrong}."
                raise Illegal("bad-message", message) from None
            yield body

    def _visitor(self, request: web.Request, route: Route) -> tuple[str | None, str | None]:
        """The visitor who sent a request; and the same again if their session is new."""
        if route.who == "nobody":
            return None, None
        visitor, fault = self._sessions.of_request(request)
        if route.who == "known":
            if fault:
                raise Illegal("bad-cookie", "This cookie is not one of ours.")
            if visitor is None:
                raise Illegal("no-cookie", "Say who you are: ask for a session first.")
        if route.who == "newcomer" and visitor is None:
            if fault and "token" in request.query:
                raise Illegal("bad-token", "This token is not one of ours.")
            newcomer = self._sessions.new_visitor()
            return newcomer, newcomer
        return visitor, None


def in_words_of(routes: RouteSet, prefix: str) -> Middleware:
    """A middleware: below `prefix`, errors of aiohttp look like refusals of `routes`."""

    @web.middleware
    async def translate(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPException as no:
            if no.status in _OF_HTTP and request.path.startswith(prefix):
                code, sentence = _OF_HTTP[no.status]
                no.text = msgspec.json.encode(routes.refusal(code, sentence)).decode()
                no.content_type = "application/json"
            raise

    return translate


@web.middleware
async def compress_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A middleware: gzip for long JSON. Files of the page are compressed when it is built."""
    response = await handler(request)
    if not isinstance(response, web.Response) or response.content_type != "application/json":
        return response
    if isinstance(response.body, bytes) and len(response.body) >= LEAST_COMPRESSED:
        response.headers["Vary"] = "Accept-Encoding"
        if "gzip" in request.headers.get("Accept-Encoding", "").lower():
            response.enable_compression(web.ContentCoding.gzip)
    return response


def refused(routes: RouteSet, code: str, sentence: str) -> web.Response:
    return _json(routes.refusal(code, sentence), STATUS.get(code, 409))


def unless_known(request: web.Request, response: web.Response) -> web.Response:
    """The answer with an `ETag`; or 304, if the client has it already."""
    body = response.body
    if not isinstance(body, bytes) or len(body) > LARGEST_MARKED:
        return response
    mark = hashlib.blake2b(body, digest_size=16).hexdigest()
    known = request.if_none_match or ()
    if any(tag.value in (mark, "*") for tag in known):
        headers = {"Cache-Control": response.headers["Cache-Control"]}
        response = web.Response(status=304, headers=headers)
    # Weak: the bytes sent differ if they are compressed.
    response.etag = ETag(mark, is_weak=True)
    return response


def _json(data: object, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(data),
        status=status,
        content_type="application/json",
        # Larger answers are compressed in a thread.
        zlib_executor_size=65_536,
    )
