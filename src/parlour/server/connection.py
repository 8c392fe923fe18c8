"""A connection as the rest of the house knows it: `send` and `close`, neither of which waits.

`for p in table: await p.send(...)` would stall a whole table when one player stops reading.
So a frame goes into the transport's buffer at once, the buffer is watched, and a connection
that lets it grow past a bound is cut; it can resume from the log.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from aiohttp import ClientConnectionResetError, WSMsgType, web


class Connection(Protocol):
    """What a gateway needs of a transport, whichever it is."""

    def send(self, data: bytes) -> bool:
        """Queue one text frame. False: the reader is too slow, or gone, and is being cut."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Say goodbye, in the background; what was sent before goes out first."""
        ...


class WebSocket:
    """A `Connection` on aiohttp's WebSocket."""

    __slots__ = ("_bound", "_closing", "_transport", "_ws", "tasks")

    def __init__(
        self, ws: web.WebSocketResponse, transport: asyncio.WriteTransport, bound: int
    ) -> None:
        self._ws = ws
        self._transport = transport
        self._bound = bound
        self._closing = False
        self.tasks: set[asyncio.Task[object]] = set()

    def send(self, data: bytes) -> bool:
        if self._closing:
            return False
        sending = self._ws.send_frame(data, WSMsgType.TEXT)
        try:
            # Runs up to where aiohttp would wait for the transport to drain: the frame is in
            # the buffer by then, and waiting is exactly what we do not want.
            sending.send(None)
        except StopIteration:
            pass
        except (ClientConnectionResetError, RuntimeError):
            self._closing = True
            return False
        else:
            sending.close()
        if self._transport.get_write_buffer_size() > self._bound:
            self._closing = True
            # No goodbye: it would only queue behind what is not being read.
            self._transport.abort()
            return False
        return True

    def close(self, code: int, reason: str) -> None:
        if self._closing:
            return
        self._closing = True
        closing = asyncio.get_running_loop().create_task(
            self._ws.close(code=code, message=reason.encode()[:120])
        )
        self.tasks.add(closing)
        closing.add_done_callback(self.tasks.discard)
