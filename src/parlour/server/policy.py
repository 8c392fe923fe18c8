"""Who is asking: addresses, origins and proxies, judged in one place for sockets and HTTP."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from ipaddress import ip_network
from typing import Literal

from aiohttp import web

from parlour.protocol import Arrival
from parlour.server.addresses import site
from parlour.server.config import Config, is_loopback
from parlour.server.limits import address_block, parse_address

log = logging.getLogger("parlour.http")

_MOST_PROXIES = 16
"""Entries of `X-Forwarded-For` that are looked at, from its end."""
_QUIET_FOR = 60.0
"""Seconds between two lines of the log about a proxy that is not trusted."""
_LONGEST_ADDRESS = 64
"""Characters of what a proxy calls an address: it is kept, compared and logged."""


class RequestPolicy:
    """What we believe of a request, by the configuration."""

    def __init__(self, config: Config) -> None:
        trusted = config.trusted_proxies if config.proxy_headers else ()
        self._proxies = [ip_network(each, strict=False) for each in trusted]
        self._proxy_headers = config.proxy_headers
        self._last_said = -_QUIET_FOR
        self._origins = config.origins
        self._sites = {found for origin in config.origins if (found := site(origin))}
        self._tls = config.tls_cert is not None
        self._public_site = site(config.public_url) if config.public_url else None

    def trusted(self, address: str) -> bool:
        """Whether a proxy at this address is believed."""
        if not self._proxies:
            return False
        try:
            ip = parse_address(address)
        except ValueError:
            return False
        return any(ip in network for network in self._proxies)

    def by_proxy(self, request: web.Request) -> bool:
        """Whether a trusted proxy passed this request on."""
        return self.trusted(request.remote or "")

    def address(self, request: web.Request) -> str:
        """The client's address; behind trusted proxies, the last one in `X-Forwarded-For` that is
        not a trusted proxy.

        A client can write anything into the entries before that one.
        """
        address = request.remote or "unknown"
        if self.by_proxy(request):
            said = ",".join(request.headers.getall("X-Forwarded-For", ())).split(",")
            for entry in reversed(said[-_MOST_PROXIES:]):
                address = entry.strip()[:_LONGEST_ADDRESS] or address
                if not self.trusted(address):
                    break
        elif self._proxy_headers and "X-Forwarded-For" in request.headers:
            self._say(address)
        return address_block(address)

    def _say(self, peer: str) -> None:
        """Warn, at most once a minute, of a proxy that may be missing in `trusted_proxies`."""
        now = time.monotonic()
        if now - self._last_said >= _QUIET_FOR:
            self._last_said = now
            log.warning(
                "%s sends X-Forwarded-For and is not believed: if it is your proxy, name it in "
                "trusted_proxies",
                peer,
            )

    def _of_proxy(self, request: web.Request, header: str) -> str:
        """The last value of a header that a trusted proxy sent; "" if there is none.

        Some proxies append to the header they received, some add another: the last value is theirs.
        """
        if not self.by_proxy(request):
            return ""
        return ",".join(request.headers.getall(header, ())).rpartition(",")[2].strip()

    def origin_allowed(self, request: web.Request) -> bool:
        """Programs send no Origin and may; pages must be ours, or on the list."""
        origin = request.headers.get("Origin")
        if origin is None:
            return True
        if "*" in self._origins or origin in self._origins:
            return True
        theirs = site(origin)
        if theirs is None:
            return False
        if theirs in self._sites or theirs == self._public_site:
            return True
        return theirs == site(f"{self._scheme(request)}://{request.host}")

    def same_host(self, request: web.Request) -> bool:
        """Whether a page comes from the host we are reached by, at whatever port."""
        theirs = site(request.headers.get("Origin", ""))
        ours = (site(f"//{request.host}"), self._public_site)
        return theirs is not None and theirs.host in [our.host for our in ours if our is not None]

    def port(self, request: web.Request) -> int:
        """The port at which browsers reach us: not the one we listen on, behind a proxy."""
        scheme = self._scheme(request)
        ours, asked = self._public_site, site(f"{scheme}://{request.host}")
        # A page with a name of its own has its own port; a proxy that hides the name asks here.
        if ours is None or (asked and asked.host != ours.host and not is_loopback(asked.host)):
            ours = asked
        return (ours and ours.port) or (443 if scheme == "https" else 80)

    def arrival(self, request: web.Request) -> Arrival:
        """All we know of how a request came."""
        named = "X-Forwarded-For" in request.headers
        believed: Literal["believed", "missing"] = "believed" if named else "missing"
        ignored: Literal["ignored", "none"] = "ignored" if named else "none"
        return Arrival(
            address=self.address(request),
            scheme=self._scheme(request),
            host=request.host,
            port=self.port(request),
            local=not named and is_loopback(request.remote or ""),
            proxy=believed if self.by_proxy(request) else ignored,
        )

    def https_alone(self, request: web.Request) -> bool:
        """Whether browsers may be told to come to this host by https and nothing else (HSTS).

        They then do so at every port of the host. So the host must be the one that the public
        address has, or all of our ports must speak TLS.
        """
        if self._scheme(request) != "https":
            return False
        if self._public_site is None:
            return self._tls
        ours = site(f"//{request.host}")
        return (
            self._public_site.scheme == "https"
            and ours is not None
            and ours.host == self._public_site.host
        )

    def _scheme(self, request: web.Request) -> str:
        return self._of_proxy(request, "X-Forwarded-Proto").lower() or request.scheme

    @web.middleware
    async def secure_cookies(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """A proxy may speak https for us: the cookies it passes on are then for https alone."""
        response = await handler(request)
        if not response.prepared:
            self.bind_to_https(request, response)
        return response

    def bind_to_https(self, request: web.Request, response: web.StreamResponse) -> None:
        if self._of_proxy(request, "X-Forwarded-Proto").lower() == "https":
            for cookie in response.cookies.values():
                cookie["secure"] = True
