"""The only module that uses private names of aiohttp: its handshake, without what follows it.

A release of aiohttp may rename them without notice. So pyproject.toml sets an upper bound, and
`tests/server/test_aiohttp_private.py` lists each name and what it is needed for.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from aiohttp import web
from aiohttp.web_request import BaseRequest

if TYPE_CHECKING:
    from aiohttp._websocket.writer import WebSocketWriter


class Taken(NamedTuple):
    """A connection after its handshake. Nothing is read from it until its protocol is set."""

    transport: asyncio.Transport
    early: bytes
    """The bytes that arrived together with the handshake."""


class Handshake(web.WebSocketResponse):
    """aiohttp's answer to a WebSocket handshake. Afterwards the connection is taken from it."""

    def __init__(self, protocols: tuple[str, ...], *, bare: bool) -> None:
        """`bare`: for clients that reject unknown headers, so `page.secure` adds none."""
        super().__init__(protocols=protocols, compress=False)
        self.bare = bare
        self.early = b""

    def _post_start(
        self, request: BaseRequest, protocol: str | None, writer: WebSocketWriter
    ) -> None:
        """Here aiohttp would begin to read frames."""
        http = request.protocol
        self.early, http._message_tail = http._message_tail, b""

    async def write_eof(self, data: bytes = b"") -> None:
        """Here aiohttp would close the WebSocket, because its handler has returned."""

    async def take_over(self, request: web.Request) -> Taken | None:
        """Answer the handshake, and take the connection from aiohttp; None: it is gone already.

        aiohttp is told that the connection was lost, so it forgets all about it.
        """
        await self.prepare(request)
        http, transport = request.protocol, request.transport
        if transport is None or transport.is_closing():
            return None
        if transport.is_reading():
            transport.pause_reading()
        self.early += http._message_tail
        http.transport = None
        http.connection_lost(None)
        return Taken(transport, self.early)
