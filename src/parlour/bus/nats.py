"""NATS carries packets between nodes: one subject each. It may lose any of them."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import nats
from nats.errors import Error as NatsError

log = logging.getLogger("parlour.bus")

SUBJECT: Final = "parlour.node"
STARTING: Final = 10
"""Seconds in which NATS must answer for the first time."""
MOST_WAITING: Final = 50_000
"""Packets that wait to be sent; older ones are dropped, and sent again by their link."""


class NatsTrouble(Exception):
    """NATS can't be used; the sentence says why."""


class NatsCarrier:
    """One connection to NATS, made again as often as it is lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Any = None
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=MOST_WAITING)
        self._some = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        return self._client is not None and bool(self._client.is_connected)

    async def start(self, address: int, arrived: Callable[[bytes], None]) -> None:
        async def hear(message: Any) -> None:
            arrived(message.data)

        async def trouble(wrong: Exception) -> None:
            log.warning("NATS: %s", wrong)

        try:
            async with asyncio.timeout(STARTING):
                await self._connect(trouble)
            await self._client.subscribe(f"{SUBJECT}.{address}", cb=hear)
            await self._client.flush()
        except (OSError, TimeoutError, NatsError) as wrong:
            why = str(wrong) or "it does not answer"
            raise NatsTrouble(f"NATS can't be used: {why}.") from None
        self._sending = asyncio.get_running_loop().create_task(self._send())

    async def _connect(self, trouble: Any) -> None:
        self._client = await nats.connect(
            self._url,
            name="parlour",
            error_cb=trouble,
            connect_timeout=2,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.25,
            ping_interval=2,
            max_outstanding_pings=2,
        )

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
            # What was handed over last, a farewell say, still goes out.
            for _ in range(10):
                await asyncio.sleep(0)
            self._sending.cancel()
            await asyncio.gather(self._sending, return_exceptions=True)
        if self._client is not None:
            try:
                await asyncio.wait_for(self._client.close(), 2)
            except (OSError, TimeoutError, NatsError) as wrong:
                log.info("NATS: %s", wrong)
