"""Ports: what the server listens on, and why it can't.

A server can be below a path of its host (`public_url`: https://cards.example/parlour/). Some
proxies remove the path from requests, some do not. Here it is removed before anything else sees a
request, so that no route and no log has it. Only the page (`page.py`) and cookies (`sessions.py`)
need it.
"""

from __future__ import annotations

import errno
import resource
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import TypeAlias

from aiohttp import web
from aiohttp.http_parser import RawRequestMessage
from yarl import URL

from parlour.server.config import BadConfig, Config
from parlour.server.logs import log
from parlour.server.policy import RequestPolicy
from parlour.server.tcp import TcpLimiter
from parlour.server.tls import reason

MOST_FILES = 65_536
"""The largest limit of open files that the server asks for."""

FEW_FILES = 4_096
"""A limit below this is worth a warning."""

MOST_WAITING = 4096
"""Connections that may wait to be accepted: after a restart all players come back at once."""

Factory: TypeAlias = Callable[..., web.BaseRequest]


class CannotStart(Exception):
    """Why the server can't start, in one sentence."""


class Port:
    """One port with an application."""

    def __init__(
        self, app: web.Application, config: Config, policy: RequestPolicy, number: int, flag: str
    ) -> None:
        """`flag` is the option that sets the number."""
        self.number = number
        self._flag = flag
        self._config = config
        self._tcp = TcpLimiter(
            config.address_connections,
            policy.trusted,
            config.request_timeout,
            config.outgoing_total,
        )
        self._runner = web.AppRunner(
            app,
            access_log=None,
            logger=log,
            handle_signals=False,
            shutdown_timeout=2.0,
            keepalive_timeout=config.request_timeout,
        )

    async def listen(self, tls: ssl.SSLContext | None) -> None:
        """Raises `CannotStart`."""
        await self._runner.setup()
        server = self._runner.server
        assert server is not None
        _remove_root(self._config.root, server)
        host = self._config.host
        try:
            site = web.TCPSite(
                self._runner, host, self.number, ssl_context=tls, backlog=MOST_WAITING
            )
            await site.start()
        except (OSError, UnicodeError) as wrong:
            nowhere = isinstance(wrong, socket.gaierror | UnicodeError)
            if nowhere or getattr(wrong, "errno", None) == errno.EADDRNOTAVAIL:
                raise CannotStart(
                    f"The host {host} can't be listened on: {reason(wrong)}. --host takes an "
                    "address of this machine, or 0.0.0.0 for all of them."
                ) from None
            raise CannotStart(
                f"Port {self.number} on {host} can't be used: {reason(wrong)}. Try another one "
                f"with {self._flag}."
            ) from None
        self.number = self._runner.addresses[0][1]
        self._tcp.watch(server)

    async def close(self) -> None:
        self._tcp.rest()
        await self._runner.cleanup()


def check_root(root: str, paths: Iterable[str]) -> None:
    """Raise `BadConfig` if one of our own addresses begins like `root`."""
    first = root.split("/")[1] if root else ""
    if first and any(path.split("/")[1:2] == [first] for path in paths):
        raise BadConfig(
            f"public_url can't have the path {root}: addresses of the house begin with /{first}, "
            "too. Choose another one, /parlour/ say."
        )


def _remove_root(root: str, server: web.Server) -> None:
    """Remove `root` from the path of every request to `server` that begins with it."""
    make: Factory = server.request_factory

    def without(message: RawRequestMessage, *rest: object) -> web.BaseRequest:
        path, mark, query = message.path.partition("?")
        if path == root or path.startswith(f"{root}/"):
            path = path[len(root) :] or "/"
            url = URL.build(path=path, query_string=query, encoded=True)
            message = message._replace(path=f"{path}{mark}{query}", url=url)
        return make(message, *rest)

    if root:
        server.request_factory = without


def raise_file_limit() -> None:
    """Allow more open files: each connection is one, and shells often allow 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft == resource.RLIM_INFINITY or soft >= most:
        most = soft
    else:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):
            most = soft
    if most != resource.RLIM_INFINITY and most < FEW_FILES:
        log.warning(
            "this process may open only %d files, and every connection is one: raise the limit "
            "(`ulimit -Hn`, or LimitNOFILE= of a systemd unit) to serve more people",
            most,
        )
