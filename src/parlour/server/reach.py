"""How a request reached the server: routes that help to find a badly configured proxy.

`POST /api/connection` is refused to pages of other origins, `/api/connection/socket` is a
WebSocket that says hello and closes. The page uses both when its own sockets fail, and
`parlour doctor` uses them from outside.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from parlour.protocol import Arrival, Asked, CloseWith, Desk, Hello, Route
from parlour.protocol.routes import Method
from parlour.server.addresses import network_url, site
from parlour.server.config import Config, is_loopback
from parlour.server.listeners import Listener

SOCKET = "/api/connection/socket"


class ConnectionInfo(msgspec.Struct, frozen=True):
    """How a request reached the house, as far as it believes that."""

    address: str
    """The sender's address, as limits count it."""
    scheme: str
    host: str
    proxy: Literal["none", "ignored", "believed", "missing"]
    """Whether a proxy's headers were sent and believed (`proxy_headers`). "missing": they would
    have been believed, but the trusted proxy sent none."""
    link: str | None
    """The beginning of links for others; None: the address of this request."""


class Reach:
    """The routes, and the address that links begin with."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.port = config.port
        """The port we listen on, once that is known."""

    def routes(self) -> tuple[Route, ...]:
        methods: tuple[Method, ...] = ("GET", "POST")
        return tuple(
            Route(method, "/api/connection", self.connection, gives=ConnectionInfo)
            for method in methods
        )

    async def connection(self, desk: Desk, asked: Asked) -> ConnectionInfo:
        """How this request reached the house, and what links for others begin with; POST is
        refused to pages of other origins."""
        came = asked.arrival
        return ConnectionInfo(came.address, came.scheme, came.host, came.proxy, self._link(came))

    def _link(self, came: Arrival) -> str | None:
        """The public address; for somebody at this machine who uses a loopback address, the one in
        the local network. Otherwise None: the address of the request works for others, too."""
        if self._config.public_url:
            return self._config.public_url.rstrip("/")
        here = site(f"//{came.host}")
        if came.local and here is not None and is_loopback(here.host):
            return network_url(self._config, self.port)
        return None


class Probe(Listener):
    """Shows that WebSockets can be opened: it says hello and closes."""

    name = "probe"
    game = ""

    async def admit(self, hello: Hello) -> CloseWith:
        return CloseWith(1000, "sockets work", b'{"type":"hello"}')
