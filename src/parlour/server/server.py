"""The server: house, gateway, control plane and page on one port, from start to drain."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

from aiohttp import web

from parlour.bus import LocalBus
from parlour.games import games
from parlour.house import House, HouseLimits
from parlour.house.house import Heard
from parlour.server.cambia import CambiaHttp
from parlour.server.config import BadConfig, Config
from parlour.server.control import Control
from parlour.server.gateway import Gateway
from parlour.server.metrics import CONTENT_TYPE, Metrics
from parlour.server.page import add_page, secure
from parlour.server.sessions import Sessions, load_key
from parlour.store import MemoryStore, SqliteStore, Store

log = logging.getLogger("parlour.server")


class CannotStart(Exception):
    """Why the server can't start, in one sentence."""


class Server:
    """One Parlour. `start`, then `stop`; or `run` for both with signals between."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.metrics = Metrics()
        self.stopping = asyncio.Event()
        self.trouble = False
        self.port = config.port
        # What can't be used is found out before anything is opened that would have to be shut.
        self._tls = _tls(config)
        folder = _folder(config)
        key = load_key(folder)
        self.store: Store = (
            MemoryStore()
            if folder is None
            else SqliteStore(folder / "parlour.sqlite", self.metrics.on_sync)
        )
        bus = LocalBus()
        self.games = games()
        self.sessions = Sessions(key, self.store, config.secure)
        self.gateway = Gateway(bus, self.sessions, config, self.metrics)
        cambia = CambiaHttp(bus, self.sessions, self.gateway, self.store)
        self.house = House(
            self.games,
            self.store,
            bus,
            limits=HouseLimits(config.tables, config.tables_per_session, config.spectators),
            heard=Heard(
                action=self.metrics.action,
                refused=lambda game, code: self.metrics.rejected.labels(game, code).inc(),
                tables=self.metrics.tables.set,
                finished=cambia.finished,
            ),
            bot_pace=config.bot_pace,
            on_trouble=self._in_trouble,
        )
        self.app = web.Application(client_max_size=256 * 1024)
        self.app.on_response_prepare.append(secure)
        self.app.middlewares.append(self.gateway.cookies_by_proxy)
        for game in self.games:
            for wire in game.wires:
                for path in wire.paths:
                    self.app.router.add_get(path, self.gateway.handler(game, wire))
        Control(self.games, bus, self.sessions, self.gateway).add_to(self.app)
        cambia.add_to(self.app)
        self.app.router.add_get("/healthz", self._healthz)
        self.app.router.add_get("/readyz", self._readyz)
        self.app.router.add_get("/metrics", self._metrics)
        add_page(self.app)
        self._runner = web.AppRunner(
            self.app, access_log=None, handle_signals=False, shutdown_timeout=2.0
        )

    async def start(self) -> int:
        """Open the log, fold its tables, listen. Gives how many tables were found."""
        await self.store.start()
        found = self.house.reopen()
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.config.host, self.config.port, ssl_context=self._tls)
        try:
            await site.start()
        except OSError as wrong:
            await self.stop()
            # asyncio wraps the reason in more words; a name that leads nowhere has only its own.
            known = wrong.errno in errno.errorcode
            why = os.strerror(wrong.errno or 0) if known else wrong.strerror or str(wrong)
            raise CannotStart(
                f"Port {self.config.port} on {self.config.host} can't be used: "
                f"{why.lower()}. Try another one with --port."
            ) from None
        self.port = self._runner.addresses[0][1]
        return found

    async def stop(self) -> None:
        """No new tables, entries committed, sockets told, all within a few seconds."""
        await self.house.close()
        await self.gateway.close()
        await self._runner.cleanup()
        await self.store.stop()

    async def run(self, started: Callable[[Server, int], None]) -> None:
        """Serve until SIGTERM or SIGINT."""
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self.stopping.set)
        found = await self.start()
        # What was loaded to get here stays; and games make so much that lives on, and so little
        # that ends in circles, that looking for those every few actions is a waste.
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        started(self, found)
        await self.stopping.wait()
        log.info("closing: entries are being kept and sockets told")
        await self.stop()

    def _in_trouble(self) -> None:
        self.trouble = True
        self.stopping.set()

    # -- for those who watch over it --------------------------------------------------

    async def _healthz(self, request: web.Request) -> web.Response:
        return web.json_response({"ok": not self.trouble}, status=500 if self.trouble else 200)

    async def _readyz(self, request: web.Request) -> web.Response:
        ready = not (self.stopping.is_set() or self.house.draining)
        return web.json_response({"ready": ready}, status=200 if ready else 503)

    async def _metrics(self, request: web.Request) -> web.Response:
        return web.Response(body=self.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    # -- addresses --------------------------------------------------------------------

    def address(self) -> str:
        """The address to open on this machine."""
        if self.config.public_url:
            return self.config.public_url
        host = self.config.host
        if host in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
            host = "localhost"
        return f"{self._scheme()}://{host}:{self.port}"

    def lan_address(self) -> str | None:
        """The address for others in the same network, if we listen to them."""
        if self.config.host not in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
            return None
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                # Nothing is sent: connecting a datagram socket only asks which way is out.
                probe.connect(("192.0.2.1", 9))
            except OSError:
                return None
            host = probe.getsockname()[0]
        return None if host.startswith("127.") else f"{self._scheme()}://{host}:{self.port}"

    def _scheme(self) -> str:
        return "https" if self.config.tls_cert else "http"


def _folder(config: Config) -> Path | None:
    if config.data == ":memory:":
        return None
    folder = Path(config.data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as wrong:
        raise CannotStart(
            f"The data folder {folder} can't be written: {(wrong.strerror or str(wrong)).lower()}. "
            "Choose another one with --data."
        ) from None
    return folder


def _tls(config: Config) -> ssl.SSLContext | None:
    if config.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(config.tls_cert, config.tls_key)
    except (OSError, ssl.SSLError) as wrong:
        raise BadConfig(f"The TLS certificate can't be used: {wrong}.") from None
    return context
