"""The relay as a part of the server: its routes, its hosts, and its port."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from parlour.bus import Bus
from parlour.house import Journal
from parlour.onu.hosts import OnuHosts
from parlour.protocol import Game
from parlour.server.config import Config
from parlour.server.gateway import Gateway
from parlour.server.sessions import SigningKey
from parlour.table import Roster
from parlour.wcp.registry import Registry
from parlour.wcp.relay import Relay
from parlour.wcp.routes import CollabRoutes

CHANNEL: Final = "/{channel:/*[^/]+/*}"
"""Any top-level path; a slash too many is forgiven."""
_FIRST: Final = re.compile(r"/+([A-Za-z0-9._-]+)")


class CollabService:
    """A relay, and the hosts of games that are played over it."""

    def __init__(
        self,
        bus: Bus,
        gateway: Gateway,
        journal: Journal,
        config: Config,
        key: SigningKey,
        wrong_door: Callable[[str], None],
    ) -> None:
        """`key` is the server's own: who can sign with it may change users and channels."""
        self.registry = Registry(journal)
        self._gateway = gateway
        self.relay = Relay(
            bus,
            gateway,
            self.registry,
            open_to_all=config.relay_is_open,
            message_size=config.message_size,
            rate=config.wcp_message_rate,
            burst=config.wcp_message_burst,
            wrong_door=wrong_door,
        )
        self.hosts = OnuHosts(bus, self.relay, journal)
        self.routes = CollabRoutes(self.relay, self.hosts, self.registry, journal, key)

    # -- what the house asks and tells ------------------------------------------------

    def may_open(self, game: Game, settings: Any) -> None:
        if game.id == self.hosts.game:
            self.hosts.may_open(settings)

    async def claim(self, game: Game, settings: Any) -> str | None:
        return await self.hosts.claim(settings) if game.id == self.hosts.game else None

    def opened(self, roster: Roster) -> None:
        if roster.game == self.hosts.game:
            self.hosts.opened(roster)

    def released(self, roster: Roster) -> None:
        if roster.game == self.hosts.game:
            self.hosts.released(roster)

    # -- beginning and ending ---------------------------------------------------------

    async def start(self) -> None:
        """There are other nodes, perhaps: who is in channels there is known before anybody is let
        in here."""
        await self.relay.nodes.introduced()

    async def finish(self) -> None:
        """The house is closing: what is left to be shown is shown."""
        await self.hosts.finish()

    # -- addresses --------------------------------------------------------------------

    def add_channels(self, app: web.Application) -> None:
        """Every top-level path that is no other route is a channel: so this comes last."""
        paths = [resource.canonical for resource in app.router.resources()]
        self.registry.reserve(found[1] for path in paths if (found := _FIRST.match(path)))
        upgrade = self._gateway.handler([self.relay])

        async def channel(request: web.Request) -> web.StreamResponse:
            # Where a proxy has taken the one away, the other is left.
            if "Upgrade" not in request.headers and "Sec-WebSocket-Key" not in request.headers:
                raise web.HTTPNotFound
            return await upgrade(request)

        app.router.add_get(CHANNEL, channel, allow_head=False)
