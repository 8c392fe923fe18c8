"""A connection as the rest of the house knows it: `send` and `close`, neither of which waits.

`for p in table: await p.send(...)` would stall a whole table when one player stops reading.
So what is sent goes into the transport's buffer without waiting, the buffer is watched, and a
connection that lets it grow past a bound is cut; it can resume from the log.

An action often brings several messages for the same reader, and a write costs more than all
it took to find out what to write. So messages are gathered until the loop's turn is over,
and then each connection's go out in one write. Bytes are counted when they are queued: what
is gathered past the bound is written at once, so that the transport says whether it is read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final

from aiohttp import web

from parlour.server.logs import OncePerCause

log = logging.getLogger("parlour.connection")
log.addFilter(OncePerCause())


def _head(size: int) -> bytes:
    """What stands before a whole text of `size` bytes (RFC 6455, 5.2)."""
    if size < 126:
        return bytes((0x81, size))
    if size < 65536:
        return b"\x81\x7e" + size.to_bytes(2, "big")
    return b"\x81\x7f" + size.to_bytes(8, "big")


_HEADS: Final = [_head(size) for size in range(1024)]
"""Of all but the longest messages."""

_PING: Final = bytes((0x89, 0))

_JOINED: Final = 65_536
"""Bytes up to which it is faster to copy what is gathered into one piece."""

CLOSE_TIMEOUT = 3.0
"""Seconds a close may take: our frame to be read, theirs to come."""


class WriteBatch:
    """All open connections: those with something to write, and how much waits for all of them."""

    __slots__ = ("_open", "_waiting", "bound", "queued")

    def __init__(self, bound: int) -> None:
        """`bound`: how many bytes may wait for all connections together."""
        self.bound = bound
        self._open: set[WebSocket] = set()
        self._waiting: list[WebSocket] = []
        self.queued = 0
        """Bytes that wait for all connections: each counts as when it was last looked at."""

    def open(self, connection: WebSocket) -> None:
        self._open.add(connection)

    def closed(self, connection: WebSocket) -> None:
        self._open.discard(connection)
        connection.count(0)

    def add(self, connection: WebSocket) -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting.append(connection)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            connection.flush()
            if self.queued > self.bound:
                self.cut_largest()

    def cut_largest(self) -> None:
        """Too much waits for all together: cut the connections for which most waits.

        An eighth of the bound is free then: so much more must be queued before all connections
        are looked at again.
        """
        for connection in self._open:
            connection.look()
        allowed = self.bound - self.bound // 8
        for connection in sorted(self._open, key=lambda each: each.queued, reverse=True):
            if self.queued <= allowed:
                return
            connection.cut("too-much-waits")


class WebSocket:
    """A connection on aiohttp's WebSocket, which must not compress."""

    __slots__ = (
        "_batch",
        "_bound",
        "_close_frame",
        "_frames",
        "_largest",
        "_listener",
        "_transport",
        "_ws",
        "closing",
        "cut_for",
        "queued",
    )

    def __init__(
        self,
        ws: web.WebSocketResponse,
        transport: asyncio.WriteTransport,
        bound: int,
        batch: WriteBatch,
    ) -> None:
        self._ws = ws
        self._transport = transport
        self._bound = bound
        self._batch = batch
        self._frames: list[bytes] = []
        self._largest = 0
        self.closing = False
        """Nothing that is sent from now on goes out."""
        self.cut_for = ""
        """Why it was cut, if it was: "slow-reader", "too-much-waits" or "broken"."""
        self.queued = 0
        """Bytes that wait: those gathered, and those the transport had when it was last asked."""
        self._listener: asyncio.Task[Any] | None = None
        self._close_frame: tuple[int, str] | None = None

    def send(self, data: bytes) -> None:
        """One text message; to somebody who is being cut, nothing."""
        if self.closing:
            return
        frames = self._frames
        if not frames:
            self._batch.add(self)
        size = len(data)
        if size < 1024:
            frames.append(_HEADS[size])
        else:
            frames.append(_head(size))
            self._largest = max(self._largest, size)
        frames.append(data)
        self.queued += size
        self._batch.queued += size
        if self.queued > self._bound:
            self.flush()
            if self._batch.queued > self._batch.bound:
                self._batch.cut_largest()

    def ping(self) -> None:
        """Ask the other end for a sign of life."""
        if self.closing:
            return
        if not self._frames:
            self._batch.add(self)
        self._frames.append(_PING)

    def flush(self) -> None:
        """Write what was sent; cut the connection if it does not read."""
        frames = self._frames
        if not frames:
            return
        self._frames = []
        # After a close frame, ours or theirs, nothing more may follow (RFC 6455, 5.5.1).
        if self._ws.closed or self._transport.is_closing():
            self.closing = True
            self.count(0)
            return
        try:
            if self.queued > _JOINED:
                # Long messages are not copied: other connections may be sent the same bytes.
                self._transport.writelines(frames)
            else:
                self._transport.write(b"".join(frames))
        except Exception:
            # The other connections of this batch are to be written to all the same.
            log.exception("a connection can't be written to")
            self.cut("broken")
            return
        self.count(self._transport.get_write_buffer_size())
        # A long message must be able to wait, however fast its reader is.
        if self.queued > self._bound + self._largest:
            self.cut("slow-reader")

    def look(self) -> None:
        """Count what the transport holds now, unless something is gathered for it."""
        if not self._frames:
            self.count(self._transport.get_write_buffer_size())

    def count(self, waiting: int) -> None:
        """So many bytes wait now."""
        self._batch.queued += waiting - self.queued
        self.queued = waiting

    def cut(self, why: str) -> None:
        """End the connection at once, and drop what waits."""
        self.closing = True
        self.cut_for = why
        self._frames = []
        # No close frame: it would only queue behind what is not being read.
        self._transport.abort()
        self.count(0)

    def close(self, code: int, reason: str) -> None:
        """Listen no more and send a close frame; what was sent before goes out first."""
        if self.closing:
            return
        self.closing = True
        self._close_frame = code, reason
        if self._listener is not None:
            self._listener.cancel()

    async def while_open(self, listening: Coroutine[Any, Any, None]) -> None:
        """Run `listening` until it is over or `close` ends it.

        Who sends a close frame waits for the other side's, and two can't wait for one frame. If
        nobody waited, the socket would close on unread bytes, and our close frame be lost with it.
        """
        if self.closing:
            listening.close()
            return
        # In a task of its own: otherwise every message would resume the whole chain of
        # coroutines that leads here, aiohttp's included.
        self._listener = asyncio.get_running_loop().create_task(listening)
        try:
            await self._listener
        except asyncio.CancelledError:
            handler = asyncio.current_task()
            if self._close_frame is None or (handler is not None and handler.cancelling()):
                raise
        finally:
            self._listener = None

    async def finish_close(self) -> None:
        """If `close` was called: send what is left and the close frame, and wait for theirs."""
        if self._close_frame is None:
            return
        code, reason = self._close_frame
        self.flush()
        # A close frame has room for 123 bytes of reason (RFC 6455, 5.5), and they are UTF-8.
        told = reason.encode()[:123].decode(errors="ignore").encode()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._ws.close(code=code, message=told)
        except TimeoutError:
            # The peer reads nothing any more, so the close frame will never arrive.
            self._transport.abort()
