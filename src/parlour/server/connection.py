"""A WebSocket as the rest of the server uses it: `send` and `close`, neither of which waits.

`for p in table: await p.send(...)` would stall a whole table when one player stops reading.
So messages go into the transport's buffer without waiting, and a connection whose buffer grows
past a bound is cut; its client can reconnect and resume from the log.

An action often causes several messages to the same reader, and a write is expensive. So messages
are gathered until the event loop's next iteration, and each connection's go out in one write.
Bytes are counted when they are queued. What is gathered past the bound is written at once, so that
the transport's buffer shows whether it is read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from parlour.server.logs import OncePerCause

log = logging.getLogger("parlour.connection")
log.addFilter(OncePerCause())


def _head(size: int) -> bytes:
    """The frame header of an unfragmented text message of `size` bytes (RFC 6455, 5.2)."""
    if size < 126:
        return bytes((0x81, size))
    if size < 65536:
        return b"\x81\x7e" + size.to_bytes(2, "big")
    return b"\x81\x7f" + size.to_bytes(8, "big")


_HEADS: Final = [_head(size) for size in range(1024)]

_PING: Final = bytes((0x89, 0))

_JOINED: Final = 65_536
"""Up to so many bytes, joining frames and writing once is faster than `writelines`."""

CLOSE_TIMEOUT = 3.0
"""Seconds in which the client must answer our close frame."""


@dataclass(slots=True)
class Outgoing:
    """All open connections, and how many bytes wait to be sent to them."""

    bound: int
    """How many bytes may wait for all connections together."""
    open: set[WebSocket] = field(default_factory=set)
    queued: int = 0
    """Bytes that wait for all connections, as far as each has counted its own."""

    def cut_largest(self) -> None:
        """Cut the connections for which most bytes wait, until an eighth of the bound is free.

        So all connections are looked at again only after that much more was queued.
        """
        for connection in self.open:
            connection.recount()
        allowed = self.bound - self.bound // 8
        for connection in sorted(self.open, key=lambda each: each.queued, reverse=True):
            if self.queued <= allowed:
                return
            connection.cut("too-much-waits")


@dataclass(slots=True, eq=False)
class WebSocket:
    """A connection on aiohttp's WebSocket, which must not compress."""

    _ws: web.WebSocketResponse
    _transport: asyncio.WriteTransport
    _bound: int
    """How many bytes may wait, besides the longest message."""
    _outgoing: Outgoing
    _call_soon: Callable[[Callable[[], None]], object] = field(
        default_factory=lambda: asyncio.get_running_loop().call_soon
    )
    _frames: list[bytes] = field(default_factory=list)
    """Gathered, not written yet. While there are any, a `flush` is scheduled."""
    _largest: int = 0
    _listener: asyncio.Task[None] | None = None
    _close_frame: tuple[int, str] | None = None
    closing: bool = False
    """Whatever is sent from now on is dropped."""
    cut_for: str = ""
    """Why it was cut: "slow-reader", "too-much-waits" or "broken"; "": it was not."""
    queued: int = 0
    """Bytes that wait: those gathered, and those in the transport when it was last asked."""

    def __post_init__(self) -> None:
        self._outgoing.open.add(self)

    def send(self, data: bytes) -> None:
        """Send one text message, unless the connection is closing."""
        if self.closing:
            return
        frames = self._frames
        if not frames:
            self._call_soon(self.flush)
        size = len(data)
        if size < 1024:
            frames.append(_HEADS[size])
        else:
            frames.append(_head(size))
            self._largest = max(self._largest, size)
        frames.append(data)
        self.queued += size
        self._outgoing.queued += size
        if self.queued > self._bound:
            self.flush()

    def ping(self) -> None:
        if self.closing:
            return
        if not self._frames:
            self._call_soon(self.flush)
        self._frames.append(_PING)

    def flush(self) -> None:
        """Write what was gathered; cut the connection if its client does not read."""
        frames = self._frames
        if not frames:
            return
        self._frames = []
        # After a close frame, ours or theirs, nothing more may follow (RFC 6455, 5.5.1).
        if self._ws.closed or self._transport.is_closing():
            self.closing = True
            self._count(0)
            return
        try:
            if self.queued > _JOINED:
                # Long messages are not copied: other connections may be sent the same bytes.
                self._transport.writelines(frames)
            else:
                self._transport.write(b"".join(frames))
        except Exception:
            log.exception("a connection can't be written to")
            self.cut("broken")
            return
        # `_count`, without the call.
        waiting = self._transport.get_write_buffer_size()
        self._outgoing.queued += waiting - self.queued
        self.queued = waiting
        # The longest message may wait however slow its reader is.
        if waiting > self._bound + self._largest:
            self.cut("slow-reader")
        if self._outgoing.queued > self._outgoing.bound:
            self._outgoing.cut_largest()

    def recount(self) -> None:
        """Ask the transport how many bytes wait, unless some are gathered."""
        if not self._frames:
            self._count(self._transport.get_write_buffer_size())

    def _count(self, waiting: int) -> None:
        self._outgoing.queued += waiting - self.queued
        self.queued = waiting

    def cut(self, why: str) -> None:
        """End the connection at once, and drop what waits."""
        self.closing = True
        self.cut_for = why
        self._frames = []
        # No close frame: it would only queue behind what is not being read.
        self._transport.abort()
        self._count(0)

    def close(self, code: int, reason: str) -> None:
        """Stop listening and send a close frame, after what was sent before (`finish_close`)."""
        if self.closing:
            return
        self.closing = True
        self._close_frame = code, reason
        if self._listener is not None:
            self._listener.cancel()

    async def while_open(self, listening: Coroutine[object, None, None]) -> None:
        """Run `listening` until it ends or `close` cancels it.

        Whoever sends a close frame must read the other side's, so nobody else may be reading. If it
        is not read, the socket closes with unread bytes, and our close frame is lost.
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
            # The client no longer reads, so the close frame will never arrive.
            self._transport.abort()

    def ended(self) -> None:
        """The connection is gone, and nothing waits for it any more."""
        self._outgoing.open.discard(self)
        self._count(0)
