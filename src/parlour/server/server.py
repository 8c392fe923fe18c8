"""The server: house, gateway, control plane and page on one port, from start to drain."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import resource
import signal
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from aiohttp import web

from parlour.bus import LocalBus
from parlour.games import games
from parlour.house import House, HouseLimits
from parlour.house.house import Heard
from parlour.server.cambia import CambiaHttp
from parlour.server.config import BadConfig, Config
from parlour.server.control import Control
from parlour.server.door import Doorkeeper, bodies_within
from parlour.server.door import log as http_log
from parlour.server.gateway import Gateway
from parlour.server.metrics import CONTENT_TYPE, Metrics
from parlour.server.page import add_page, secure
from parlour.server.sessions import Sessions, load_key
from parlour.store import MemoryStore, SqliteStore, Store

log = logging.getLogger("parlour.server")

MOST_FILES = 65_536
"""As many file handles as are of use to one house."""


_EVERYWHERE = {
    "0.0.0.0": (socket.AF_INET, "192.0.2.1"),  # noqa: S104 - compared, not bound
    "": (socket.AF_INET, "192.0.2.1"),
    "::": (socket.AF_INET6, "2001:db8::1"),
}
"""Hosts that mean every address of this machine, and somewhere far off (RFC 5737, RFC 3849)."""


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
        self._door = Doorkeeper(config.address_connections)
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
        self.app.middlewares.append(bodies_within(config.request_timeout))
        self.app.router.add_get("/healthz", self._healthz)
        self.app.router.add_get("/readyz", self._readyz)
        self.app.router.add_get("/metrics", self._metrics)
        add_page(self.app)
        self._runner = web.AppRunner(
            self.app,
            access_log=None,
            logger=http_log,
            handle_signals=False,
            shutdown_timeout=2.0,
            keepalive_timeout=config.request_timeout,
        )

    async def start(self) -> int:
        """Open the log, fold its tables, listen. Gives how many tables were found."""
        await self.store.start()
        found = self.house.reopen()
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.config.host, self.config.port, ssl_context=self._tls)
        try:
            await site.start()
        except (OSError, UnicodeError) as wrong:
            await self.stop()
            raise CannotStart(
                f"Port {self.config.port} on {self.config.host} can't be used: "
                f"{_reason(wrong)}. Try another one with --port."
            ) from None
        self.port = self._runner.addresses[0][1]
        if self._runner.server is not None and not self.config.proxy_headers:
            self._door.watch(self._runner.server)
        return found

    async def stop(self) -> None:
        """No new tables, entries committed, sockets told, all within a few seconds."""
        self._door.rest()
        await self.house.close()
        await self.gateway.close()
        await self._runner.cleanup()
        await self.store.stop()

    async def run(self, started: Callable[[Server, int], None]) -> None:
        """Serve until SIGTERM or SIGINT."""
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self.stopping.set)
        _take_file_handles()
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
        return self._url("localhost" if host in _EVERYWHERE else host)

    def lan_address(self) -> str | None:
        """The address for others in the same network, if we listen to them."""
        if self.config.host not in _EVERYWHERE:
            return None
        family, far = _EVERYWHERE[self.config.host]
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                # Nothing is sent: connecting a datagram socket only asks which way is out.
                probe.connect((far, 9))
                host = probe.getsockname()[0]
        except OSError:
            return None
        return None if ip_address(host).is_loopback else self._url(host)

    def _url(self, host: str) -> str:
        scheme = "https" if self.config.tls_cert else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"


def _take_file_handles() -> None:
    """A connection is a file handle; a shell's usual limit of a thousand is there to be raised."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _folder(config: Config) -> Path | None:
    if config.data == ":memory:":
        return None
    folder = Path(config.data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except (OSError, ValueError) as wrong:
        raise CannotStart(
            f"The data folder {folder} can't be written: {_reason(wrong)}. "
            "Choose another one with --data."
        ) from None
    return folder


def _tls(config: Config) -> ssl.SSLContext | None:
    if config.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        # Nobody is there to be asked for a pass phrase; without this one OpenSSL would.
        context.load_cert_chain(config.tls_cert, config.tls_key, password="")
    except (OSError, ValueError) as wrong:
        raise BadConfig(f"The TLS certificate can't be used: {_reason(wrong)}.") from None
    return context


def _reason(wrong: Exception) -> str:
    """What is wrong, in as few words as there are for it."""
    if isinstance(wrong, ssl.SSLError):
        told = (wrong.reason or "").replace("_", " ").lower()
        return told or "its files must be PEM, the key without a pass phrase"
    if isinstance(wrong, OSError):
        # asyncio wraps the reason in more words; a name that leads nowhere has only its own.
        known = wrong.errno in errno.errorcode
        return (os.strerror(wrong.errno or 0) if known else wrong.strerror or str(wrong)).lower()
    return str(wrong)
