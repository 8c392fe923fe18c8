"""NATS carries packets between nodes, with one subject for each node. It may lose any packet."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from ssl import SSLCertVerificationError, SSLError
from typing import Any, Final

from nats.aio.client import Client
from nats.errors import Error as NatsError

log = logging.getLogger("parlour.bus")

SUBJECT: Final = "parlour.node"
STARTING: Final = 10
"""Seconds in which NATS must answer for the first time."""
MOST_WAITING: Final = 50_000
"""Packets that wait to be sent; older ones are dropped, and sent again by their link."""
_UNAUTHORIZED: Final = "Authorization Violation"


class NatsTrouble(Exception):
    """NATS can't be used; the sentence says why."""


class _NoTls(NatsError):
    pass


class _Client(Client):
    """Refuses a server without TLS if the URL is tls://: nats-py would send it the password."""

    def _connect_command(self) -> bytes:
        assert self._current_server is not None
        secure: bool = self._server_info.get("tls_required", False)
        if self._current_server.uri.scheme == "tls" and not secure:
            raise _NoTls("it does not use TLS, as tls:// asks for")
        return super()._connect_command()


class NatsCarrier:
    """One connection to NATS, made again whenever it is lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Any = _Client()  # its types are not those it takes
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=MOST_WAITING)
        self._some = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None
        self._starting = True
        self._wrong: Exception | None = None
        """The last error during the start."""
        self._away = False
        """Whether the connection is lost: that is logged once, and later errors are not."""

    @property
    def connected(self) -> bool:
        return bool(self._client.is_connected)

    async def start(self, address: int, arrived: Callable[[bytes], None]) -> None:
        async def hear(message: Any) -> None:
            arrived(message.data)

        try:
            async with asyncio.timeout(STARTING):
                await self._connect()
            self._wrong = None
            await self._client.subscribe(f"{SUBJECT}.{address}", cb=hear)
            await self._client.flush()
            if self._wrong is not None:  # the user may not subscribe
                raise self._wrong
        except (OSError, TimeoutError, NatsError, NatsTrouble) as wrong:
            why = _reason(self._wrong or wrong)
            await self.stop()
            raise NatsTrouble(f"NATS can't be used: {why}.") from None
        self._starting = False
        self._sending = asyncio.get_running_loop().create_task(self._send())

    async def _connect(self) -> None:
        await self._client.connect(
            self._url,
            name="parlour",
            error_cb=self._trouble,
            disconnected_cb=self._lost,
            reconnected_cb=self._found,
            connect_timeout=2,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.25,
            ping_interval=2,
            max_outstanding_pings=2,
        )

    async def _trouble(self, wrong: Exception) -> None:
        if self._starting:
            self._wrong = wrong
            if isinstance(wrong, SSLError | _NoTls) or _UNAUTHORIZED in str(wrong):
                # Another try would fail, too. (nats-py raises this in `connect`.)
                raise NatsTrouble
        elif not self._away:
            log.warning("NATS: %s", _reason(wrong))

    async def _lost(self) -> None:
        if not self._away:
            log.error("NATS is away: nodes hear nothing of each other, and what they say waits")
        self._away = True

    async def _found(self) -> None:
        log.warning("NATS is back: what nobody has confirmed is sent again")
        self._away = False

    def carry(self, address: int, data: bytes) -> None:
        self._waiting.append((f"{SUBJECT}.{address}", data))
        self._some.set()

    async def _send(self) -> None:
        while True:
            await self._some.wait()
            self._some.clear()
            while self._waiting:
                subject, data = self._waiting.popleft()
                try:
                    await self._client.publish(subject, data)
                except (OSError, NatsError):
                    # It is sent again when nobody confirms it.
                    await asyncio.sleep(0.05)

    async def stop(self) -> None:
        if self._sending is not None:
            # Let the last packets go out, such as farewells.
            for _ in range(10):
                await asyncio.sleep(0)
            self._sending.cancel()
            await asyncio.gather(self._sending, return_exceptions=True)
        self._away = True  # no log lines about a connection that is closed on purpose
        try:
            await asyncio.wait_for(self._client.close(), 2)
        except (OSError, TimeoutError, NatsError, TypeError) as wrong:
            # A TypeError comes from asyncio (Python 3.13.0): the connection was lost before.
            log.info("NATS: %s", _reason(wrong))


def _reason(wrong: Exception) -> str:
    if _UNAUTHORIZED in str(wrong):
        return "it refuses the user or the password of the URL (nats://user:password@host:4222)"
    if isinstance(wrong, SSLCertVerificationError):
        return f"its certificate is not trusted ({wrong.verify_message.rstrip('.')})"
    return getattr(wrong, "strerror", None) or str(wrong) or "it does not answer"
