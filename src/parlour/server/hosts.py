"""Names this house goes by: a request to any other is not for us.

A page of a stranger's can have its own name lead to this machine (DNS rebinding), and then reads
and plays here as if it were ours. So only names are answered that nobody else can have: those that
were configured, this machine's own, addresses, and names that no public domain has (one word, or
below a domain that is for local networks).
"""

from __future__ import annotations

import ipaddress
import logging
import socket
import time
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from parlour.server.config import Config
from parlour.server.policy import RequestPolicy

log = logging.getLogger("parlour.http")

_LOCAL = ("localhost", "local", "lan", "home", "internal", "home.arpa", "test")
"""Domains that name servers of the Internet know nothing below (RFC 6761, 6762, 8375, ICANN)."""
QUIET_FOR = 60.0
"""Seconds between two lines of the log about it."""
_FOR_WATCHERS = ("/healthz", "/readyz")
"""Monitoring asks for these by any name; their answers hold no secrets."""


class HostNames:
    """Which names in a request's `Host` are ours."""

    def __init__(self, config: Config, policy: RequestPolicy) -> None:
        self._policy = policy
        self._any = "*" in config.hosts
        known = [*config.hosts, config.host, socket.gethostname()]
        if config.public_url:
            known.append(urlsplit(config.public_url).hostname or "")
        self._ours = frozenset(name.lower().rstrip(".") for name in known)
        self._refused = 0
        self._last_said = -QUIET_FOR

    def ours(self, host: str) -> bool:
        """Whether this `Host` header names us."""
        if self._any:
            return True
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if not name or name in self._ours or "." not in name or _is_address(name):
            return bool(name)
        return any(name.endswith(f".{domain}") for domain in _LOCAL)

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what is not for us (RFC 9110, 15.5.20)."""
        # Which names lead to a proxy is for the proxy to say: it passes on what it was asked for.
        by_proxy = self._policy.by_proxy(request)
        if by_proxy or self.ours(request.host) or request.path in _FOR_WATCHERS:
            return await handler(request)
        self._say(request.host)
        return web.Response(
            status=421,
            text="This house does not go by that name. Its host can name it with --public-url or "
            "--hosts.\n",
        )

    def _say(self, host: str) -> None:
        """Log at most one line a minute, however many requests are refused."""
        self._refused += 1
        now = time.monotonic()
        if now - self._last_said >= QUIET_FOR:
            log.warning(
                "refused %d requests to names nobody said are ours, the last to %.60r: "
                "see `hosts` and `public_url`",
                self._refused,
                host,
            )
            self._refused, self._last_said = 0, now


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
