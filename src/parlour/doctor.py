"""`parlour doctor URL`: try a house from outside, as a browser comes to it, and say what is wrong.

It asks for the page and what the page asks for: the API, cookies, a socket. Everything it sends
is a few small requests; nothing is changed there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial, reduce
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
"""Of an answer, as much as is read."""
FORGED: Final = "192.0.2.123"
"""An address that nobody has (RFC 5737)."""
STRANGER: Final = "https://stranger.invalid"

NO_JSON_OF_OURS: Final = (
    *(msgspec.DecodeError, KeyError, TypeError, AttributeError, UnicodeDecodeError),
    RecursionError,
)
"""Raised when an answer is not JSON, or not the JSON that was asked for."""

State = Literal["good", "doubtful", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one thing tried: a sentence, and how to mend it where there is something to."""

    state: State
    sentence: str
    mend: str = ""


good = partial(Finding, "good")
doubt = partial(Finding, "doubtful")
fault = partial(Finding, "wrong")


class GiveUp(Exception):
    """Nothing further can be tried."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer over HTTP, as far as it was read."""

    status: int
    headers: Any
    body: bytes
    url: URL

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def told(self, *keys: str) -> Any:
        """What its JSON says below these keys; None if it does not, or is no JSON."""
        try:
            return reduce(getitem, keys, msgspec.json.decode(self.body))
        except NO_JSON_OF_OURS:
            return None


async def examine(address: str) -> AsyncIterator[Finding]:
    """Try everything at a house's address, one thing after another."""
    base = _base(address)
    if base is None:
        yield fault(f"{address} is no address: it begins with http:// or https:// and a host.")
        return
    timeout = aiohttp.ClientTimeout(total=PATIENCE)
    # Cookies are sent by hand: a jar may think better of one than browsers do, or worse.
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), timeout=timeout) as http:
        doctor = _Doctor(http, base)
        tries = (
            doctor.certificate,
            doctor.page,
            doctor.api,
            doctor.cookies,
            doctor.origin,
            doctor.sockets,
            doctor.proxy,
            doctor.health,
        )
        for attempt in tries:
            try:
                async for finding in attempt():
                    yield finding
            except GiveUp as wrong:
                yield fault(str(wrong))
                return
            except ValueError as wrong:
                yield fault(f"{base} names an address that is none: {wrong}.")


class _Doctor:
    """One visit; what was learnt by one try is there for the next."""

    def __init__(self, http: aiohttp.ClientSession, base: URL) -> None:
        self._http = http
        self._base = base
        self._verify = True

    async def _ask(self, method: str, path: str, **headers: str) -> Answer:
        url = self._base.join(URL(path.removeprefix("/"))) if path else self._base
        try:
            async with self._http.request(
                method, url, headers=headers, ssl=self._verify, max_redirects=5
            ) as answer:
                body = bytearray()
                async for part in answer.content.iter_any():
                    body += part
                    if len(body) > MOST_BYTES:
                        break
                return Answer(answer.status, answer.headers, bytes(body), answer.url)
        except aiohttp.ClientConnectorDNSError:
            raise GiveUp(f"There is no host {url.host}: is the name right, and known?") from None
        except aiohttp.TooManyRedirects:
            raise GiveUp(f"{url} leads on and on: the proxy sends everybody in a circle.") from None
        except TimeoutError:
            raise GiveUp(f"{url} did not answer within {PATIENCE:.0f} s.") from None
        except aiohttp.ClientError as wrong:
            raise GiveUp(f"{url} can't be reached: {wrong}.") from None

    def _origin(self) -> str:
        return str(self._base.origin())

    # -- one thing after another --------------------------------------------------------

    async def certificate(self) -> AsyncIterator[Finding]:
        """Whether a browser would believe it; if not, the rest is tried all the same."""
        if self._base.scheme != "https":
            yield doubt(
                "No TLS: others on the way can read along, and phones share no links.",
                "On a network of your own that may be good enough; elsewhere use https.",
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
                "Renew it, name this host in it, or have it signed by somebody browsers know; "
                "tls_cert needs the whole chain.",
            )
        except aiohttp.ClientSSLError as wrong:
            raise GiveUp(f"No TLS is spoken at {self._base.authority}: {wrong}.") from None
        except (aiohttp.ClientError, TimeoutError):
            return  # the page says more
        else:
            yield good("The TLS certificate is one that browsers take.")

    async def page(self) -> AsyncIterator[Finding]:
        """The page itself, and its first script."""
        answer = await self._ask("GET", "")
        if answer.url != self._base:
            yield good(f"{self._base} leads on to {answer.url}.")
            self._base = answer.url if answer.url.path.endswith("/") else answer.url / ""
        if answer.status in (502, 503, 504):
            raise GiveUp(
                f"The proxy answers {answer.status}: it does not reach the house. Is it running, "
                "and is the port the one the proxy asks?"
            )
        root = re.search(r'<meta name="root" content="([^"]*)"', answer.text)
        if answer.status != 200 or root is None:
            raise GiveUp(
                f"{self._base} is no page of Parlour's (status {answer.status}): another site, "
                "another path, or a page that was not built."
            )
        if root[1] != self._base.path:
            yield fault(
                f"The page believes to be at {root[1]}, and is at {self._base.path}: it stays "
                "blank.",
                f"Start the house with --public-url {self._base}",
            )
        script = re.search(r'<script type="module"[^>]* src="([^"]+)"', answer.text)
        if script is None:
            yield doubt("The page has no script of its own.", "Build it anew.")
            return
        fetched = await self._ask("GET", str(self._base.join(URL(script[1]))))
        kind = fetched.headers.get("Content-Type", "")
        if fetched.status != 200 or "javascript" not in kind:
            yield fault(
                f"The page's script {script[1]} does not come (status {fetched.status}, {kind}).",
                f"The proxy must pass on everything below {self._base.path}.",
            )
        else:
            yield good("The page and its script are there.")

    async def api(self) -> AsyncIterator[Finding]:
        answer = await self._ask("GET", "api/games")
        try:
            games = [str(game["name"]) for game in msgspec.json.decode(answer.body)["games"]]
        except NO_JSON_OF_OURS:
            raise GiveUp(
                f"The API does not answer (status {answer.status}): the proxy must pass on "
                f"everything below {self._base.path}, /api/ too."
            ) from None
        yield good(f"The API answers; games: {', '.join(games)}.")

    async def cookies(self) -> AsyncIterator[Finding]:
        """Whether a browser would keep the session's cookie and send it back."""
        first = await self._ask("GET", "api/me")
        said = [c for c in first.headers.getall("Set-Cookie", ()) if c.startswith(f"{COOKIE}=")]
        if not said:
            yield fault(
                "No cookie comes with the first answer: everybody is a stranger at every step.",
                "Let the proxy pass on Set-Cookie.",
            )
            return
        marks = said[0].lower()
        path = next((m.strip()[5:] for m in marks.split(";") if m.strip().startswith("path=")), "/")
        if not self._base.path.lower().startswith(path):
            yield fault(
                f"The cookie is for {path}, and the house is at {self._base.path}.",
                f"Start it with --public-url {self._base}",
            )
        secure = "; secure" in marks
        if secure and self._base.scheme == "http":
            yield fault(
                "The cookie is for https alone, and this is http: browsers drop it.",
                f"Come by https, or start the house with --public-url {self._base}",
            )
        elif not secure and self._base.scheme == "https":
            yield doubt(
                "The cookie is not marked Secure, though this is https.",
                f"Start the house with --public-url {self._base}",
            )
        session = said[0].partition(";")[0]
        again = await self._ask("GET", "api/me", Cookie=session)
        visitor = first.told("id")
        if visitor is None or visitor != again.told("id"):
            yield fault(
                "The cookie does not come back to the house: everybody stays a stranger.",
                "Let the proxy pass on the Cookie header, and cache nothing below /api/.",
            )
        else:
            yield good("The session's cookie is set, and known again.")

    async def origin(self) -> AsyncIterator[Finding]:
        ours = await self._ask("POST", "api/connection", Origin=self._origin())
        if ours.told("error", "code") == "origin":
            yield fault(
                f"The house takes its own page for a stranger's: {self._origin()} is no address "
                "it knows.",
                f"Start it with --public-url {self._base}, or let the proxy pass on the Host "
                "header as it came.",
            )
            return
        if ours.status == 404:
            yield doubt("This house is older than this doctor: some is not tried.")
            return
        if ours.status != 200:
            yield fault(f"Posting is refused (status {ours.status}).")
            return
        stranger = await self._ask("POST", "api/connection", Origin=STRANGER)
        if stranger.status == 200:
            yield doubt(
                "Pages of any other site may use this house in their visitors' names.",
                "That is so where origins is '*', or where a proxy takes the Origin header away.",
            )
        else:
            yield good("Its own pages may post and others may not.")

    async def sockets(self) -> AsyncIterator[Finding]:
        url = self._base.join(URL(SOCKET.removeprefix("/")))
        try:
            async with (
                asyncio.timeout(PATIENCE),
                self._http.ws_connect(url, origin=self._origin(), ssl=self._verify) as socket,
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
                yield good("WebSockets get through.")
            else:
                yield fault(
                    "A WebSocket opens, and nothing comes over it.",
                    "Let the proxy pass on what comes at once, without buffering.",
                )

    async def proxy(self) -> AsyncIterator[Finding]:
        """What the house believes of where requests come from."""
        answer = await self._ask("GET", "api/connection")
        forged = await self._ask("GET", "api/connection", **{"X-Forwarded-For": FORGED})
        try:
            seen = msgspec.json.decode(answer.body, type=ConnectionInfo)
            fooled = msgspec.json.decode(forged.body, type=ConnectionInfo).address == FORGED
        except NO_JSON_OF_OURS:
            return
        if fooled:
            yield fault(
                "The house believes whatever anybody writes into X-Forwarded-For: nobody is "
                "limited who does not want to be.",
                "Leave --proxy-headers out where there is no proxy, or let the proxy write that "
                "header itself.",
            )
        elif seen.proxy == "ignored":
            yield doubt(
                f"There is a proxy, and its word is ignored: all come from {seen.address} and "
                "share one limit.",
                "Start the house with --proxy-headers and, unless the proxy is on the same "
                "machine, --trusted-proxies.",
            )
        elif seen.proxy == "missing":
            yield doubt(
                f"The proxy does not say for whom it asks: all come from {seen.address} and share "
                "one limit.",
                "Let it write X-Forwarded-For and X-Forwarded-Proto.",
            )
        else:
            yield good(f"The house knows you by {seen.address}.")
        if seen.link is not None and URL(f"{seen.link}/") != self._base:
            yield doubt(
                f"Links that are handed on lead to {seen.link}/, not here.",
                f"If this is the address for everybody: --public-url {self._base}",
            )

    async def health(self) -> AsyncIterator[Finding]:
        answer = await self._ask("GET", "healthz")
        # Some proxies keep this address from the world.
        if answer.told("ok") is False:
            yield fault("The house is not well: its log can't be written.")
        warning = answer.told("certificate", "warning")
        if warning:
            yield doubt(str(warning), "Renew it; it is read anew by itself.")


def _base(address: str) -> URL | None:
    """The address with a slash at its end; None for what is none."""
    try:
        url = URL(address if address.endswith("/") else f"{address}/")
        (url.host or "").encode("idna")
    except ValueError:
        return None
    return url if url.scheme in ("http", "https") and url.host else None


def _socket_refused(status: int) -> Finding:
    if status in (400, 426, 200, 404):
        return fault(
            f"WebSockets do not get through (status {status}): the proxy does not pass WebSocket "
            "upgrades.",
            "nginx: proxy_http_version 1.1, and the headers Upgrade and Connection; "
            "docs/hosting.md has the lines. Caddy and HAProxy do it by themselves.",
        )
    if status == 403:
        return fault(
            "WebSockets are refused to the house's own page (status 403).",
            "Start it with --public-url, or let the proxy pass on the Host header.",
        )
    return fault(f"WebSockets are refused (status {status}).")
