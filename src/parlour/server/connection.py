"""A connection as the rest of the house knows it: `send` and `close`, neither of which waits.

`for p in table: await p.send(...)` would stall a whole table when one player stops reading.
So what is sent goes into the transport's buffer without waiting, the buffer is watched, and a
connection that lets it grow past a bound is cut; it can resume from the log.

An action often brings several messages for the same reader, and a write costs more than all
it took to find out what to write. So messages lie on a tray until the loop's turn is over,
and then each connection's go out in one write.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from aiohttp import web

_TEXT: Final = 0x81
"""The first byte of a whole text frame (RFC 6455, 5.2)."""
_SHORT: Final = [bytes((_TEXT, size)) for size in range(126)]

PARTING = 3.0
"""Seconds a goodbye may take, to be read and to be answered."""


class Connection(Protocol):
    """What a gateway needs of a transport, whichever it is."""

    def send(self, data: bytes) -> None:
        """One text message; to somebody who is being cut, nothing."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Say goodbye, in the background; what was sent before goes out first."""
        ...

    async def goodbye(self, code: int, reason: str) -> None:
        """Say goodbye, and return when the connection is gone."""
        ...


class Tray:
    """The connections with something to write, once the loop's turn is over."""

    __slots__ = ("_laden",)

    def __init__(self) -> None:
        self._laden: list[WebSocket] = []

    def add(self, connection: WebSocket) -> None:
        if not self._laden:
            asyncio.get_running_loop().call_soon(self._empty)
        self._laden.append(connection)

    def _empty(self) -> None:
        laden, self._laden = self._laden, []
        for connection in laden:
            connection.flush()


class WebSocket:
    """A `Connection` on aiohttp's WebSocket, which must not compress."""

    __slots__ = ("_bound", "_closing", "_frames", "_transport", "_tray", "_ws", "slow", "tasks")

    def __init__(
        self, ws: web.WebSocketResponse, transport: asyncio.WriteTransport, bound: int, tray: Tray
    ) -> None:
        self._ws = ws
        self._transport = transport
        self._bound = bound
        self._tray = tray
        self._frames: list[bytes] = []
        self._closing = False
        self.slow = False
        """It was cut for not reading."""
        self.tasks: set[asyncio.Task[object]] = set()

    def send(self, data: bytes) -> None:
        if self._closing:
            return
        frames = self._frames
        if not frames:
            self._tray.add(self)
        size = len(data)
        if size < 126:
            frames.append(_SHORT[size])
        elif size < 65536:
            frames.append(b"\x81\x7e" + size.to_bytes(2, "big"))
        else:
            frames.append(b"\x81\x7f" + size.to_bytes(8, "big"))
        frames.append(data)

    def flush(self) -> None:
        """Write what was sent; cut who does not read it."""
        frames = self._frames
        if not frames:
            return
        self._frames = []
        # After a close frame, ours or theirs, nothing more may follow (RFC 6455, 5.5.1).
        if self._ws.closed or self._transport.is_closing():
            self._closing = True
            return
        self._transport.write(b"".join(frames))
        if self._transport.get_write_buffer_size() > self._bound:
            self._closing = self.slow = True
            # No goodbye: it would only queue behind what is not being read.
            self._transport.abort()

    def close(self, code: int, reason: str) -> None:
        if self._closing:
            return
        closing = asyncio.get_running_loop().create_task(self.goodbye(code, reason))
        self._closing = True
        self.tasks.add(closing)
        closing.add_done_callback(self.tasks.discard)

    async def goodbye(self, code: int, reason: str) -> None:
        """Send what is left and the close frame, and wait a little for theirs."""
        self.flush()
        self._closing = True
        # A close frame has room for 123 bytes of reason (RFC 6455, 5.5), and they are UTF-8.
        told = reason.encode()[:123].decode(errors="ignore").encode()
        try:
            async with asyncio.timeout(PARTING):
                await self._ws.close(code=code, message=told)
        except TimeoutError:
            # It does not even read this. Its table must not wait for it.
            self._transport.abort()

    async def parted(self) -> None:
        """Returns once a goodbye under way has been said and answered."""
        if self.tasks:
            await asyncio.wait(self.tasks)
