"""Host names: requests to a name that is not ours are refused.

The DNS name of an attacker's page can be made to lead to this machine (DNS rebinding); the browser
then treats that page as ours. So only names are answered that no attacker can have: those in the
configuration, this machine's own, IP addresses, and names outside the public DNS (one word, or
below a domain for local networks).
"""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from parlour.server.config import Config
from parlour.server.limits import parse_address
from parlour.server.logs import log
from parlour.server.policy import RequestPolicy

_LOCAL = ("localhost", "local", "lan", "home", "internal", "home.arpa", "test")
"""Domains that are not in the public DNS (RFC 6761, 6762, 8375, ICANN)."""
_FOR_WATCHERS = ("/healthz", "/readyz")
"""Monitoring may use any name for these; their answers contain no secrets."""


class HostNames:
    """Which names in a request's `Host` are ours."""

    def __init__(self, config: Config, policy: RequestPolicy) -> None:
        self._policy = policy
        self._any = "*" in config.hosts
        known = [*config.hosts, config.host, socket.gethostname()]
        if config.public_url:
            known.append(urlsplit(config.public_url).hostname or "")
        self._ours = frozenset(name.lower().rstrip(".") for name in known)

    def ours(self, host: str) -> bool:
        """Whether this `Host` header names us."""
        if self._any:
            return True
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if not name or name in self._ours or "." not in name or parse_address(name) is not None:
            return bool(name)
        return any(name.endswith(f".{domain}") for domain in _LOCAL)

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """A middleware: refuses other names with 421 (RFC 9110, 15.5.20)."""
        # A trusted proxy decides which names it serves, and passes them on.
        by_proxy = self._policy.by_proxy(request)
        if by_proxy or self.ours(request.host) or request.path in _FOR_WATCHERS:
            return await handler(request)
        log.warning(
            "refused a request to the unknown host name %.60r: set `hosts` or `public_url` if it "
            "is ours",
            request.host,
        )
        return web.Response(
            status=421,
            text="This house does not go by that name. Its host can name it with --public-url or "
            "--hosts.\n",
        )
