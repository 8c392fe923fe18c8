"""Who is asking: addresses, origins and proxies, judged in one place for sockets and HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from aiohttp import web

from parlour.server.addresses import site
from parlour.server.config import Config, is_loopback
from parlour.server.limits import address_block
from parlour.table import Arrival

_LONGEST_ADDRESS = 64
"""Characters of what a proxy calls an address: it is kept, compared and logged."""


class RequestPolicy:
    """What we believe of a request, by the configuration."""

    def __init__(self, config: Config) -> None:
        self._proxy_headers = config.proxy_headers
        self._origins = config.origins
        self._sites = {found for origin in config.origins if (found := site(origin))}
        self._public_site = site(config.public_url) if config.public_url else None

    def address(self, request: web.Request) -> str:
        """The client's address; behind a proxy, what the proxy nearest to us says it is."""
        said = self._of_proxy(request, "X-Forwarded-For")[:_LONGEST_ADDRESS]
        return address_block(said or request.remote or "unknown")

    def _of_proxy(self, request: web.Request, header: str) -> str:
        """The last word of a proxy's header, if there is one and we believe it.

        Some proxies lengthen the line they were sent, some add another: the end is theirs.
        """
        if not self._proxy_headers:
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
        ours = self._public_site or site(f"{scheme}://{request.host}")
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
            proxy=believed if self._proxy_headers else ignored,
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
