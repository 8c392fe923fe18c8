"""The only module that uses private names of aiohttp: its WebSocket, changed in three places.

A release of aiohttp may rename them without notice. So pyproject.toml sets an upper bound, and
`tests/server/test_aiohttp_private.py` lists each name and what it is needed for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import WSCloseCode, web
from aiohttp.web_request import BaseRequest

from parlour.server.frames import FrameCheck

if TYPE_CHECKING:
    from aiohttp._websocket.writer import WebSocketWriter


class CheckedWebSocket(web.WebSocketResponse):
    """aiohttp's, with a `FrameCheck` in front of its reader."""

    def _post_start(
        self, request: BaseRequest, protocol: str | None, writer: WebSocketWriter
    ) -> None:
        http = request.protocol
        # aiohttp feeds the bytes that came with the handshake to the reader at once, so they are
        # held back until the check is installed.
        early, http._message_tail = http._message_tail, b""
        super()._post_start(request, protocol, writer)
        assert self._reader is not None
        check = FrameCheck(http._payload_parser, self._reader.set_exception)
        http._payload_parser = check
        if early:
            check.feed_data(early)


class UnclosedWebSocket(CheckedWebSocket):
    """For clients that never reconnect after a close frame: the server does not send one first.

    Where aiohttp would send one, after too large a message for example, the TCP connection is
    closed. These clients also reject unknown headers in the handshake, so `page.secure` adds none.
    """

    async def close(self, *, code: int = 1000, message: bytes = b"", drain: bool = True) -> bool:
        if self._closing:
            # The client's close frame is answered.
            return await super().close(code=code, message=message, drain=drain)
        if self.closed:
            return False
        self._set_closed()
        self._set_code_close_transport(WSCloseCode.ABNORMAL_CLOSURE)
        return True

    def pong_within(self, seconds: float) -> None:
        """How long to wait for the answer to a ping."""
        self._pong_heartbeat = seconds
