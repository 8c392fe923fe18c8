"""The relay as part of the server: its listener, its hosts, its routes and its addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from aiohttp import web

from parlour.bus import Bus
from parlour.house import Journal
from parlour.protocol import Game
from parlour.relay.hosting import ChannelHosts, installed_hosts
from parlour.relay.registry import Registry
from parlour.relay.relay import Relay
from parlour.relay.routes import RelayRoutes
from parlour.server.config import Config
from parlour.server.gateway import Gateway
from parlour.server.keys import SigningKey
from parlour.server.upgrade import Upgrader

CHANNEL: Final = "/{channel:/*[^/]+/*}"
"""Any top-level path, with or without extra slashes."""
_FIRST: Final = re.compile(r"/+([A-Za-z0-9._-]+)")


class RelayService:
    """The relay, and the hosts of games that are played over it."""

    def __init__(
        self,
        bus: Bus,
        gateway: Gateway,
        journal: Journal,
        config: Config,
        key: SigningKey,
        games: Iterable[Game],
        charge_miss: Callable[[str], None],
    ) -> None:
        """`key` signs orders that change users and channels."""
        kinds = installed_hosts()
        self.registry = Registry(journal.store, (kind.user for kind in kinds.values()))
        self.listener = Relay(
            bus,
            gateway,
            self.registry,
            open_to_all=config.relay_is_open,
            message_size=config.message_size,
            rate=config.wcp_message_rate,
            burst=config.wcp_message_burst,
            charge_miss=charge_miss,
        )
        self.hosts = ChannelHosts(bus, self.listener, journal.store, games, kinds)
        self.routes = RelayRoutes(self.listener, self.hosts, self.registry, journal, key)

    def add_channels(self, app: web.Application, upgrader: Upgrader) -> None:
        """Route every other top-level path to its channel. All other routes must exist."""
        paths = [resource.canonical for resource in app.router.resources()]
        self.registry.reserve(found[1] for path in paths if (found := _FIRST.match(path)))
        upgrade = upgrader.handler([self.listener])

        async def channel(request: web.Request) -> web.StreamResponse:
            # Some proxies remove the first of these headers.
            if "Upgrade" not in request.headers and "Sec-WebSocket-Key" not in request.headers:
                raise web.HTTPNotFound
            return await upgrade(request)

        app.router.add_get(CHANNEL, channel, allow_head=False)
