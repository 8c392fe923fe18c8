"""`parlour doctor URL`: test a server from outside, like a browser, and say what is wrong.

It requests the page and what the page needs: the API, cookies, a socket. These are a few small
requests; nothing is changed there.

It is longer than other modules because half of it are sentences for people, each beside its test.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from http.cookies import SimpleCookie
from operator import getitem
from typing import Any, Final, Literal

import aiohttp
import msgspec
from yarl import URL

from parlour.server.reach import SOCKET, ConnectionInfo
from parlour.server.sessions import COOKIE

PATIENCE: Final = 10.0
"""Seconds for each answer."""
MOST_BYTES: Final = 2**20
"""Bytes of an answer that are read."""
FORGED: Final = "192.0.2.123"
"""An address that nobody has (RFC 5737)."""
STRANGER: Final = "https://stranger.invalid"

NO_JSON_OF_OURS: Final = (
    *(msgspec.DecodeError, KeyError, TypeError, AttributeError, UnicodeDecodeError),
    RecursionError,
)
"""Raised when an answer is not JSON, or not the JSON that was asked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one test, and what to do about it if something is wrong."""

    state: Literal["good", "doubtful", "wrong"]
    sentence: str
    mend: str = ""


good = partial(Finding, "good")
doubt = partial(Finding, "doubtful")
fault = partial(Finding, "wrong")


class GiveUp(Exception):
    """Nothing further can be tested."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, as far as it was read."""

    status: int
    kind: str
    """Its `Content-Type`."""
    cookies: SimpleCookie
    body: bytes
    url: URL

    def told(self, *keys: str) -> Any:
        """The value below these keys of its JSON; None if there is none."""
        try:
            return reduce(getitem, keys, msgspec.json.decode(self.body))
        except NO_JSON_OF_OURS:
            return None


async def examine(address: str) -> AsyncIterator[Finding]:
    """Test everything at a server's address, one thing after another."""
    base = _base(address)
    if base is None:
        yield fault(f"{address} is not an address: begin with http:// or https:// and a host.")
        return
    timeout = aiohttp.ClientTimeout(total=PATIENCE)
    # Cookies are sent by hand: aiohttp's cookie jar has other rules than browsers.
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), timeout=timeout) as http:
        doctor = _Doctor(http, base)
        tests = (
            doctor.certificate,
            doctor.page,
            doctor.api,
            doctor.cookies,
            doctor.origin,
            doctor.sockets,
            doctor.proxy,
            doctor.health,
        )
        for test in tests:
            try:
                async for finding in test():
                    yield finding
            except GiveUp as wrong:
                yield fault(str(wrong))
                return
            except ValueError as wrong:
                yield fault(f"{base} contains an invalid address: {wrong}.")


class _Doctor:
    """One examination. Each test may use what the tests before it found out."""

    def __init__(self, http: aiohttp.ClientSession, base: URL) -> None:
        self._http = http
        self._base = base
        self._verify = True

    @property
    def _origin(self) -> str:
        return str(self._base.origin())

    @property
    def _set_public_url(self) -> str:
        return f"Start the server with --public-url {self._base}"

    async def _ask(
        self, path: str, headers: Mapping[str, str] | None = None, method: str = "GET"
    ) -> Answer:
        url = self._base.join(URL(path)) if path else self._base
        try:
            async with self._http.request(
                method, url, headers=headers, ssl=self._verify, max_redirects=5
            ) as answer:
                body = bytearray()
                async for part in answer.content.iter_any():
                    body += part
                    if len(body) > MOST_BYTES:
                        break
                kind = answer.headers.get("Content-Type", "")
                return Answer(answer.status, kind, answer.cookies, bytes(body), answer.url)
        except aiohttp.ClientConnectorDNSError:
            raise GiveUp(f"The host {url.host} is unknown. Is the name right?") from None
        except aiohttp.TooManyRedirects:
            raise GiveUp(f"{url} redirects in a circle. Check the proxy.") from None
        except TimeoutError:
            raise GiveUp(f"{url} did not answer within {PATIENCE:.0f} s.") from None
        except aiohttp.ClientError as wrong:
            raise GiveUp(f"{url} can't be reached: {wrong}.") from None

    async def certificate(self) -> AsyncIterator[Finding]:
        """Whether browsers accept it. If not, everything else is tested all the same."""
        if self._base.scheme != "https":
            yield doubt(
                "No TLS: others can read the traffic, and phones do not offer to share links.",
                "That may be good enough in your own network. Elsewhere use https.",
            )
            return
        try:
            async with self._http.head(self._base, allow_redirects=False):
                pass
        except aiohttp.ClientConnectorCertificateError as wrong:
            self._verify = False
            told = getattr(wrong.certificate_error, "verify_message", "") or "it is not trusted"
            yield fault(
                f"Browsers refuse the TLS certificate: {told}.",
                "Renew it, include this host's name, or have it signed by an authority that "
                "browsers know. tls_cert needs the whole chain.",
            )
        except aiohttp.ClientSSLError as wrong:
            raise GiveUp(f"{self._base.authority} does not speak TLS: {wrong}.") from None
        except (aiohttp.ClientError, TimeoutError):
            return  # the next test says why
        else:
            yield good("Browsers accept the TLS certificate.")

    async def page(self) -> AsyncIterator[Finding]:
        """The page itself, and its first script."""
        waiting = await self._ask("healthz")
        if waiting.told("state") == "waiting":
            why = waiting.told("why")
            raise GiveUp(f"The server can't write its log, and waits until it can: {why}")
        answer = await self._ask("")
        if answer.url != self._base:
            yield good(f"{self._base} redirects to {answer.url}.")
            self._base = answer.url if answer.url.path.endswith("/") else answer.url / ""
        if answer.status in (502, 503, 504):
            raise GiveUp(
                f"The proxy answers {answer.status}: it can't reach the server. Check that the "
                "server is running, and that the proxy uses the right port."
            )
        html = answer.body.decode("utf-8", "replace")
        root = re.search(r'<meta name="root" content="([^"]*)"', html)
        if answer.status != 200 or root is None:
            raise GiveUp(
                f"{self._base} is not Parlour's page (status {answer.status}). It may be another "
                "site or another path, or the page was not built."
            )
        if root[1] != self._base.path:
            yield fault(
                f"The page was made for the path {root[1]}, but is at {self._base.path}: it stays "
                "blank.",
                self._set_public_url,
            )
        script = re.search(r'<script type="module"[^>]* src="([^"]+)"', html)
        if script is None:
            yield doubt("The page has no script.", "Build the page again.")
            return
        fetched = await self._ask(script[1])
        if fetched.status != 200 or "javascript" not in fetched.kind:
            got = f"status {fetched.status}, {fetched.kind}"
            yield fault(
                f"The page's script {script[1]} can't be loaded ({got}).",
                f"The proxy must pass on everything below {self._base.path}.",
            )
        else:
            yield good("The page and its script can be loaded.")

    async def api(self) -> AsyncIterator[Finding]:
        answer = await self._ask("api/games")
        try:
            games = [str(game["name"]) for game in answer.told("games")]
        except NO_JSON_OF_OURS:
            raise GiveUp(
                f"The API does not answer (status {answer.status}). The proxy must pass on "
                f"everything below {self._base.path}, including /api/."
            ) from None
        yield good(f"The API answers. Games: {', '.join(games)}.")

    async def cookies(self) -> AsyncIterator[Finding]:
        """Whether a browser would keep the session's cookie and send it back."""
        first = await self._ask("api/me")
        cookie = first.cookies.get(COOKIE)
        if cookie is None:
            yield fault(
                "The first answer sets no cookie: everybody is a new visitor at every request.",
                "Let the proxy pass on Set-Cookie.",
            )
            return
        path = cookie["path"] or "/"
        if not self._base.path.lower().startswith(path.lower()):
            yield fault(
                f"The cookie is for {path}, but the server is at {self._base.path}.",
                self._set_public_url,
            )
        secure = bool(cookie["secure"])
        if secure and self._base.scheme == "http":
            yield fault(
                "The cookie is only for https, but this is http: browsers drop it.",
                f"Use https, or: {self._set_public_url}",
            )
        elif not secure and self._base.scheme == "https":
            yield doubt(
                "The cookie is not marked Secure, although this is https.", self._set_public_url
            )
        again = await self._ask("api/me", {"Cookie": f"{COOKIE}={cookie.coded_value}"})
        visitor = first.told("id")
        if visitor is None or visitor != again.told("id"):
            yield fault(
                "The cookie does not reach the server: everybody stays a new visitor.",
                "Let the proxy pass on the Cookie header, and cache nothing below /api/.",
            )
        else:
            yield good("The session's cookie is set, and recognised again.")

    async def origin(self) -> AsyncIterator[Finding]:
        ours = await self._ask("api/connection", {"Origin": self._origin}, "POST")
        if ours.told("error", "code") == "origin":
            yield fault(
                f"The server refuses its own page: it does not know the origin {self._origin}.",
                f"{self._set_public_url}, or let the proxy pass on the Host header unchanged.",
            )
            return
        if ours.status == 404:
            yield doubt("This server is older than this command: some tests are left out.")
            return
        if ours.status != 200:
            yield fault(f"POST requests are refused (status {ours.status}).")
            return
        stranger = await self._ask("api/connection", {"Origin": STRANGER}, "POST")
        if stranger.status == 200:
            yield doubt(
                "Pages of all other sites may use this server in their visitors' names.",
                "Either `origins` is '*', or a proxy removes the Origin header.",
            )
        else:
            yield good("Its own pages may post; pages of other sites may not.")

    async def sockets(self) -> AsyncIterator[Finding]:
        url = self._base.join(URL(SOCKET.removeprefix("/")))
        try:
            async with (
                asyncio.timeout(PATIENCE),
                self._http.ws_connect(url, origin=self._origin, ssl=self._verify) as socket,
            ):
                first = await socket.receive()
        except aiohttp.WSServerHandshakeError as no:
            yield _socket_refused(no.status)
        except TimeoutError:
            yield fault(f"No WebSocket opened within {PATIENCE:.0f} s.")
        except (aiohttp.ClientError, OSError) as wrong:
            yield fault(f"No WebSocket can be opened: {wrong}.")
        else:
            if first.type is aiohttp.WSMsgType.TEXT:
                yield good("WebSockets work.")
            else:
                yield fault(
                    "A WebSocket opens, but no message arrives.",
                    "Let the proxy pass on messages at once, without buffering.",
                )

    async def proxy(self) -> AsyncIterator[Finding]:
        """Which address the server believes requests to come from."""
        answer = await self._ask("api/connection")
        forged = await self._ask("api/connection", {"X-Forwarded-For": FORGED})
        try:
            seen = msgspec.json.decode(answer.body, type=ConnectionInfo)
            fooled = msgspec.json.decode(forged.body, type=ConnectionInfo).address == FORGED
        except NO_JSON_OF_OURS:
            return
        one_limit = f"Everybody seems to come from {seen.address}, and shares one rate limit."
        if fooled:
            yield fault(
                "The server believes any X-Forwarded-For header, so anybody can evade the limits.",
                "Without a proxy, do not use --proxy-headers. With one, let the proxy set that "
                "header itself.",
            )
        elif seen.proxy == "ignored":
            yield doubt(
                f"There is a proxy, but its headers are ignored. {one_limit}",
                "Start the server with --proxy-headers and, unless the proxy is on the same "
                "machine, --trusted-proxies.",
            )
        elif seen.proxy == "missing":
            yield doubt(
                f"The proxy does not send X-Forwarded-For. {one_limit}",
                "Let it set X-Forwarded-For and X-Forwarded-Proto.",
            )
        else:
            yield good(f"The server sees your address as {seen.address}.")
        if seen.link is not None and URL(f"{seen.link}/") != self._base:
            yield doubt(
                f"Links to share begin with {seen.link}/, which is another address.",
                f"If everybody uses the address you tested: {self._set_public_url}",
            )

    async def health(self) -> AsyncIterator[Finding]:
        # Some proxies do not pass this address on: then nothing is said.
        answer = await self._ask("healthz")
        if answer.told("ok") is False:
            yield fault("The server can't write its log.")
        elif answer.told("state") == "paused":
            yield fault("The server can't reach its database just now, and waits for it.")
        warning = answer.told("certificate", "warning")
        if warning:
            yield doubt(str(warning), "Renew it; the server loads the new one by itself.")


def _base(address: str) -> URL | None:
    """The address, ending with a slash; None if it is not valid."""
    try:
        url = URL(address if address.endswith("/") else f"{address}/")
        (url.host or "").encode("idna")
    except ValueError:
        return None
    return url if url.scheme in ("http", "https") and url.host else None


def _socket_refused(status: int) -> Finding:
    if status in (400, 426, 200, 404):
        return fault(
            f"WebSockets fail (status {status}): the proxy does not pass WebSocket upgrades.",
            "nginx: proxy_http_version 1.1, and the headers Upgrade and Connection; "
            "docs/hosting.md has the lines. Caddy and HAProxy do it by themselves.",
        )
    if status == 403:
        return fault(
            "WebSockets are refused to the server's own page (status 403).",
            "Start it with --public-url, or let the proxy pass on the Host header.",
        )
    return fault(f"WebSockets are refused (status {status}).")
