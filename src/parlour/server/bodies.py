"""What comes behind a request's head: read in time, and never more of it at once than we hold."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

from parlour.kit import Illegal

SMALL: Final = 65_536
"""Bytes that are not counted: aiohttp holds as much for every connection anyway."""
MOST: Final = 64 * 1024 * 1024
"""Bytes of larger bodies that are held at a time."""
MOST_EACH: Final = 8 * 1024 * 1024
"""The same for each address."""


class Bodies:
    """Reads bodies, and holds a place for each until its request is answered."""

    def __init__(self, within: float) -> None:
        """`within`: seconds in which all of a body must have come."""
        self._within = within
        self._held: Counter[str] = Counter()
        """By address."""

    @asynccontextmanager
    async def read(self, request: web.Request, address: str, largest: int) -> AsyncGenerator[bytes]:
        """All of a body, if it has at most `largest` bytes."""
        size = largest if request.content_length is None else request.content_length
        if size > largest:
            raise web.HTTPRequestEntityTooLarge(largest, size)
        if size <= SMALL:
            yield await self._read(request, largest)
            return
        if self._held[address] + size > MOST_EACH or self._held.total() + size > MOST:
            raise Illegal("too-busy", "Too much is being sent just now: try again in a moment.")
        self._held[address] += size
        try:
            yield await self._read(request, largest)
        finally:
            self._held[address] -= size
            if not self._held[address]:
                del self._held[address]

    async def _read(self, request: web.Request, largest: int) -> bytes:
        data = bytearray()
        try:
            async with asyncio.timeout(self._within):
                async for part in request.content.iter_any():
                    data += part
                    if len(data) > largest:
                        raise web.HTTPRequestEntityTooLarge(largest, len(data))
        except TimeoutError:
            raise web.HTTPRequestTimeout from None
        return bytes(data)
