"""A process that serves until it is told to stop, also when its log can't be written for a while.

A server whose log is lost must not go on: what happened since is told to nobody, and another node
may run its tables. So it ends, as after a crash, and clients are told to come back. Meanwhile a
waiting room listens at the same address and says why; once the log can be written again, a fresh
server opens it, with whatever tables are its own now.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from aiohttp import WSCloseCode, web

from parlour.server.config import BadConfig, Config
from parlour.server.metrics import CONTENT_TYPE, PAUSED
from parlour.server.page import add_page, file_limit, secure
from parlour.server.policy import RequestPolicy
from parlour.server.ports import CannotStart, Port
from parlour.server.server import Server
from parlour.server.tls import Certificate
from parlour.store import InUse, StoreTrouble, is_temporary

log = logging.getLogger("parlour.server")

SHORTEST_WAIT: Final = 0.25
LONGEST_WAIT: Final = 15.0
"""Seconds between two attempts: doubled after each, as long as no server ran for a minute."""
ROOM: Final = 16 * 1024 * 1024
"""Bytes that must be free on the disk of the log."""
ONE_PROBE: Final = 5.0
STEADY: Final = 60.0
_SORRY: Final = (
    "The server can't write to its database just now. Nothing is lost: it goes on by itself."
)


async def serve(config: Config, started: Callable[[Server, int], None]) -> None:
    """Serve until a signal. Raises `StoreTrouble` and the like if waiting would not help."""
    wait, why = SHORTEST_WAIT, ""
    while True:
        began = time.monotonic()
        server: Server | None = None
        try:
            server = Server(config)
            await server.run(_again if why else started)
        except (StoreTrouble, CannotStart, BadConfig) as wrong:
            if not _may_wait(server, wrong, config, again=bool(why)):
                raise
            why = str(wrong)
        else:
            return
        if server is not None:
            config = _same_ports(server)
            if not server.lifecycle.lost:
                await _clear_away(server)
        if time.monotonic() - began > STEADY:
            wait = SHORTEST_WAIT
        log.error("waiting for the log: %s", why)
        if not await WaitingRoom(config, why).until_it_can_be_written(wait):
            return
        wait = min(2 * wait, LONGEST_WAIT)


def _may_wait(server: Server | None, wrong: Exception, config: Config, again: bool) -> bool:
    """Whether to wait after this: the first start fails at once, later ones are tried again."""
    if isinstance(wrong, InUse) or (server is not None and server.told_to_end):
        return False
    if server is None or not server.lifecycle.lost:
        return again
    return is_temporary(server.lifecycle.why, several_nodes=config.bus is not None)


async def _clear_away(server: Server) -> None:
    """A server that did not start completely."""
    with suppress(Exception):
        async with asyncio.timeout(ONE_PROBE):
            await server.stop()


def _again(server: Server, found: int) -> None:
    log.warning("the log can be written again: %d tables go on", found)


def _same_ports(server: Server) -> Config:
    """The configuration with the ports that were chosen for 0."""
    main, *others = server.ports
    config = msgspec.structs.replace(server.config, port=main)
    return msgspec.structs.replace(config, wcp_port=others[0]) if others else config


class WaitingRoom:
    """Answers in place of a server whose log can't be written."""

    def __init__(self, config: Config, why: str) -> None:
        self._config = config
        self._why = why
        self._told_to_end = asyncio.Event()
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/metrics", self._metrics)
        policy = RequestPolicy(config)
        if config.role != "owner":
            # The page needs no log, and tells people in their language what it waits for.
            app.on_response_prepare.append(partial(secure, policy))
            add_page(app, file_limit(config, policy), lambda request: "", config.root)
        app.router.add_route("*", "/{path:.*}", self._refuse)
        self._ports = [Port(app, config, policy, config.port, "--port")]
        if config.wcp_port is not None:
            refusing = web.Application()
            refusing.router.add_route("*", "/{path:.*}", self._refuse)
            self._ports.append(Port(refusing, config, policy, config.wcp_port, "--wcp-port"))

    async def until_it_can_be_written(self, wait: float) -> bool:
        """Returns once it is worth another attempt; False: the process was told to end."""
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._told_to_end.set)
        context = None
        if self._config.tls_cert is not None and self._config.tls_key is not None:
            context = Certificate(self._config.tls_cert, self._config.tls_key).context
        try:
            for port in self._ports:
                await port.listen(context)
            while not await self._ends_within(wait):
                if await _can_be_written(self._config):
                    return True
                wait = min(2 * wait, LONGEST_WAIT)
            return False
        finally:
            for port in self._ports:
                await port.close()

    async def _ends_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._told_to_end.wait()
        return self._told_to_end.is_set()

    async def _healthz(self, request: web.Request) -> web.Response:
        # The process is well, so nobody should restart it.
        return web.json_response({"ok": False, "state": "waiting", "why": self._why})

    async def _metrics(self, request: web.Request) -> web.Response:
        text = f"# TYPE {PAUSED} gauge\n{PAUSED} 1\n"
        return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})

    async def _refuse(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(timeout=1.0)
        if socket.can_prepare(request).ok:
            await socket.prepare(request)
            await socket.close(code=WSCloseCode.SERVICE_RESTART, message=_SORRY.encode())
            return socket
        error = {"code": "try-again", "message": _SORRY}
        headers = {"Retry-After": "5", "Cache-Control": "no-store"}
        return web.json_response({"error": error}, status=503, headers=headers)


async def _can_be_written(config: Config) -> bool:
    """Whether an attempt is worth it."""
    if config.store is None:
        return await asyncio.to_thread(_disk_has_room, Path(config.data))
    from parlour.store.postgres_link import LOST, Link

    link = Link(config.store)
    try:
        async with asyncio.timeout(ONE_PROBE):
            connection = await link.get()
            return not await connection.fetchval("SELECT pg_is_in_recovery()")
    except (StoreTrouble, *LOST):
        return False
    finally:
        link.drop()
        await link.close()


def _disk_has_room(folder: Path) -> bool:
    try:
        if shutil.disk_usage(folder).free < ROOM:
            return False
        with closing(sqlite3.connect(folder / "parlour.sqlite", timeout=0.1)) as db:
            db.execute("BEGIN IMMEDIATE")
            db.rollback()
    except (OSError, sqlite3.Error):
        return False
    return True
