"""Who is asking: addresses, origins and proxies, judged in one place for sockets and HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

from parlour.server.config import Config
from parlour.server.limits import address_block


class RequestPolicy:
    """What we believe of a request, by the configuration."""

    def __init__(self, config: Config) -> None:
        self._proxy_headers = config.proxy_headers
        self._origins = config.origins
        self._public_site = _site(config.public_url) if config.public_url else None

    def address(self, request: web.Request) -> str:
        """The client's address; behind a proxy, what the proxy nearest to us says it is."""
        return address_block(
            self._of_proxy(request, "X-Forwarded-For") or request.remote or "unknown"
        )

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
        site = _site(origin)
        if self._public_site is not None and site == self._public_site:
            return True
        return site == (self._scheme(request), request.host.lower())

    def same_host(self, request: web.Request) -> bool:
        """Whether a page comes from the host we are reached by, at whatever port."""
        site = _site(request.headers.get("Origin", ""))
        host = None if site is None else _host(site[1])
        ours = [request.host.lower()]
        if self._public_site is not None:
            ours.append(self._public_site[1])
        return bool(host) and host in [_host(our) for our in ours]

    def port(self, request: web.Request) -> int:
        """The port at which browsers reach us: not the one we listen on, behind a proxy."""
        scheme, place = self._public_site or (self._scheme(request), request.host)
        try:
            port = urlsplit(f"//{place}").port
        except ValueError:
            port = None
        return port or (443 if scheme == "https" else 80)

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


def _site(url: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(url)
    except ValueError:  # "http://[", say
        return None
    return parts.scheme, parts.netloc.lower()


def _host(place: str) -> str:
    """A host without its port."""
    try:
        return urlsplit(f"//{place}").hostname or ""
    except ValueError:
        return ""
