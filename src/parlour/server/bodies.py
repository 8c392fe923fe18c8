"""Reads the bodies of requests, within a time and a bound on the memory for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

from parlour.server.limits import Quota

SMALL: Final = 65_536
"""Bytes that are not counted: aiohttp holds as much for every connection anyway."""
MOST: Final = 64 * 1024 * 1024
"""Bytes of larger bodies that are held at a time."""
MOST_EACH: Final = 8 * 1024 * 1024
"""The same for each address."""


class Bodies:
    """Reads bodies, and counts each until its request is answered."""

    def __init__(self, within: float) -> None:
        """`within`: seconds in which a whole body must have come."""
        self._within = within
        self._held = Quota(
            MOST, MOST_EACH, "Too much is being sent just now: try again in a moment."
        )

    @asynccontextmanager
    async def read(self, request: web.Request, address: str, largest: int) -> AsyncGenerator[bytes]:
        """All of a body, if it has at most `largest` bytes."""
        size = largest if request.content_length is None else request.content_length
        if size > largest:
            raise web.HTTPRequestEntityTooLarge(largest, size)
        if size <= SMALL:
            size = 0
        with self._held.hold(address, size):
            data = bytearray()
            try:
                async with asyncio.timeout(self._within):
                    async for part in request.content.iter_any():
                        data += part
                        if len(data) > largest:
                            raise web.HTTPRequestEntityTooLarge(largest, len(data))
            except TimeoutError:
                raise web.HTTPRequestTimeout from None
            yield bytes(data)
