"""Which client sent a request: its address, origin and proxies, for sockets and HTTP alike."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Literal

from aiohttp import web
from aiohttp.typedefs import Handler

from parlour.protocol import Arrival
from parlour.server.addresses import site
from parlour.server.config import Config, is_loopback
from parlour.server.limits import address_block, parse_address
from parlour.server.logs import log

_MOST_PROXIES = 16
"""How many entries of `X-Forwarded-For` are read, from its end."""
_LONGEST_ADDRESS = 64
"""Characters of an address in `X-Forwarded-For` that are used."""


class RequestPolicy:
    """Decides, by the configuration, what is believed about a request."""

    def __init__(self, config: Config) -> None:
        trusted = config.trusted_proxies if config.proxy_headers else ()
        self._proxies = [ip_network(each, strict=False) for each in trusted]
        self._proxy_headers = config.proxy_headers
        self._origins = config.origins
        self._sites = {found for origin in config.origins if (found := site(origin))}
        self._tls = config.tls_cert is not None
        self._public_site = site(config.public_url) if config.public_url else None

    def trusted(self, address: str) -> bool:
        """Whether a proxy at this address is believed."""
        ip = parse_address(address) if self._proxies else None
        return ip is not None and any(ip in network for network in self._proxies)

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
            log.warning(
                "X-Forwarded-For from %s is ignored: if it is your proxy, name it in "
                "trusted_proxies",
                address,
            )
        return address_block(address)

    def _of_proxy(self, request: web.Request, header: str) -> str:
        """The last value of a header that a trusted proxy sent; "" if there is none.

        Some proxies append to the header they received, some add another: the last value is theirs.
        """
        if not self.by_proxy(request):
            return ""
        return ",".join(request.headers.getall(header, ())).rpartition(",")[2].strip()

    def origin_allowed(self, request: web.Request) -> bool:
        """Whether a program sent it (no Origin), our own page, or one of an allowed origin."""
        origin = request.headers.get("Origin")
        if origin is None or "*" in self._origins or origin in self._origins:
            return True
        ours = site(f"{self._scheme(request)}://{request.host}")
        theirs = site(origin)
        return theirs is not None and theirs in (*self._sites, self._public_site, ours)

    def same_host(self, request: web.Request) -> bool:
        """Whether a page comes from the host of the request, at any port."""
        theirs = site(request.headers.get("Origin", ""))
        ours = (site(f"//{request.host}"), self._public_site)
        return theirs is not None and theirs.host in [our.host for our in ours if our is not None]

    def port(self, request: web.Request) -> int:
        """The port that browsers use; behind a proxy, not the one we listen on."""
        scheme = self._scheme(request)
        ours, asked = self._public_site, site(f"{scheme}://{request.host}")
        # Another name than the public one has its own port; loopback: a proxy hides the name.
        if ours is None or (asked and asked.host != ours.host and not is_loopback(asked.host)):
            ours = asked
        return (ours and ours.port) or (443 if scheme == "https" else 80)

    def arrival(self, request: web.Request) -> Arrival:
        """How a request reached us."""
        forwarded = "X-Forwarded-For" in request.headers
        proxy: Literal["none", "ignored", "believed", "missing"]
        if self.by_proxy(request):
            proxy = "believed" if forwarded else "missing"
        else:
            proxy = "ignored" if forwarded else "none"
        return Arrival(
            address=self.address(request),
            scheme=self._scheme(request),
            host=request.host,
            port=self.port(request),
            local=not forwarded and is_loopback(request.remote or ""),
            proxy=proxy,
        )

    def https_alone(self, request: web.Request) -> bool:
        """Whether browsers may be told to use only https for this host (HSTS).

        That is for every port of the host. So it must be the host of the public address, or all
        our ports must speak TLS.
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
    async def secure_cookies(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """A middleware: cookies that a proxy passes on over https are only for https."""
        response = await handler(request)
        if not response.prepared:
            self.bind_to_https(request, response)
        return response

    def bind_to_https(self, request: web.Request, response: web.StreamResponse) -> None:
        if self._of_proxy(request, "X-Forwarded-Proto").lower() == "https":
            for cookie in response.cookies.values():
                cookie["secure"] = True
