"""Checks a client's WebSocket frames before aiohttp reads them (RFC 6455, 5.1 and 5.4).

aiohttp accepts unmasked frames, any number of empty fragments per message, and any number of pings.
So the headers of frames are parsed here, in the bytes as they arrive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from aiohttp import WebSocketError, WSCloseCode

from parlour.server.limits import TokenBucket

if TYPE_CHECKING:
    from aiohttp.http import WebSocketReader

MOST_FRAGMENTS: Final = 128
"""Of one message. Clients make fragments of a few kilobytes."""

CONTROL_RATE, CONTROL_BURST = 10.0, 200
"""Pings and pongs of a connection: per second, and at once."""

_WHOLE_TEXT: Final = 0x81
_MASKED: Final = 0x80
_FINAL: Final = 0x80
_OPCODE: Final = 0x0F
_CONTROL: Final = 0x8
"""The first opcode of control frames, which may come between the fragments of a message."""


class FrameCheck:
    """Passes bytes on to aiohttp's reader, until a frame is wrong."""

    __slots__ = ("_control", "_fail", "_feed", "_fragments", "_head", "_reader", "_skip")

    def __init__(self, reader: WebSocketReader, fail: Callable[[BaseException], None]) -> None:
        """`fail` ends the connection with the close code of the error."""
        self._reader = reader
        self._feed = reader.feed_data
        self._fail = fail
        self._head = b""
        """An incomplete frame header."""
        self._skip = 0
        """Bytes of the current frame's payload that are still to come; -1: the connection ends."""
        self._fragments = 0
        self._control = TokenBucket(CONTROL_RATE, CONTROL_BURST)

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        # The usual case: exactly one unfragmented text frame.
        if not self._skip and not self._head and len(data) > 5 and data[0] == _WHOLE_TEXT:
            size = data[1] - _MASKED
            if 0 <= size < 126:
                whole = 6 + size
            else:
                whole = 8 + int.from_bytes(data[2:4], "big") if size == 126 else 0
            if len(data) == whole:
                return self._feed(data)
        wrong = self._wrong(data)
        if wrong is None:
            return self._feed(data)
        self._fail(wrong)
        self._skip = -1
        return True, b""

    def feed_eof(self) -> None:
        self._reader.feed_eof()

    def _wrong(self, data: bytes) -> WebSocketError | None:
        """Parse the frames in `data`; returns what is wrong with the first bad one."""
        if self._skip < 0:
            return WebSocketError(WSCloseCode.PROTOCOL_ERROR, "the connection has ended")
        at = min(self._skip, len(data))
        self._skip -= at
        while at < len(data):
            head = self._head + data[at : at + 14 - len(self._head)]
            size = _head_size(head)
            if size is None or len(head) < size:
                if len(head) > 1 and not head[1] & _MASKED:
                    return _unmasked()
                self._head = head
                return None
            if not head[1] & _MASKED:
                return _unmasked()
            at += size - len(self._head)
            self._head = b""
            opcode, final = head[0] & _OPCODE, head[0] & _FINAL
            if opcode == 0:
                self._fragments += 1
                if self._fragments > MOST_FRAGMENTS:
                    return WebSocketError(WSCloseCode.POLICY_VIOLATION, "too many fragments")
            if opcode >= _CONTROL:
                if not self._control.take():
                    return WebSocketError(WSCloseCode.POLICY_VIOLATION, "too many pings")
            elif final:
                self._fragments = 0
            payload = _payload_size(head)
            self._skip = max(0, payload - (len(data) - at))
            at += payload
        return None


def _head_size(head: bytes) -> int | None:
    """The size of a masked frame's header; None if too few bytes have come."""
    if len(head) < 2:
        return None
    length = head[1] & 0x7F
    return 6 if length < 126 else 8 if length == 126 else 14


def _payload_size(head: bytes) -> int:
    length = head[1] & 0x7F
    if length < 126:
        return length
    return int.from_bytes(head[2 : 4 if length == 126 else 10], "big")


def _unmasked() -> WebSocketError:
    return WebSocketError(WSCloseCode.PROTOCOL_ERROR, "frames of clients are masked")
