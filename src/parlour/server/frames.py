"""Reads the frames of a client from bytes as they arrive (RFC 6455, section 5). No I/O here.

The bounds are checked before a frame's payload has come: the size of a message, the number of its
fragments, and how many pings and pongs a connection may send.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

from parlour.server.limits import TokenBucket

MOST_FRAGMENTS: Final = 128
"""Of one message. Clients make fragments of a few kilobytes."""

CONTROL_RATE, CONTROL_BURST = 10.0, 200
"""Pings and pongs of a connection: per second, and at once."""

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

_FINAL: Final = 0x80
_RESERVED: Final = 0x70
_OPCODE: Final = 0x0F
_MASKED: Final = 0x80
_LENGTH: Final = 0x7F
_WHOLE_TEXT: Final = _FINAL | TEXT
_CONTROL: Final = 0x8
"""The first opcode of control frames, which may come between the fragments of a message."""
_LONGEST_CONTROL: Final = 125
_MIDDLE_HEAD: Final = Struct("!BBH").pack
_LONG_HEAD: Final = Struct("!BBQ").pack


class BrokenFrame(Exception):
    """A frame that ends the connection, with the close code that says why."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Frame(NamedTuple):
    """A whole message, put together from its fragments, or a control frame."""

    opcode: int
    payload: bytes


def head(opcode: int, size: int) -> bytes:
    """The header of an unfragmented frame that the server sends (5.2)."""
    if size < 126:
        return bytes((_FINAL | opcode, size))
    if size < 65536:
        return _MIDDLE_HEAD(_FINAL | opcode, 126, size)
    return _LONG_HEAD(_FINAL | opcode, 127, size)


SHORT: Final = 256
"""Bytes of a message that is never too long: limits on the size of messages are not lower."""


def short_text(data: bytes) -> bytes | None:
    """The message, if `data` is exactly one text frame of at most `SHORT` bytes.

    Nearly all that clients send is, so this is worth a path of its own.
    """
    size = len(data)
    if size > 5 and data[0] == _WHOLE_TEXT:
        if size - 6 == data[1] - _MASKED < 126:
            return unmasked(data[2:6], data[6:])
        size -= 8
        if 126 <= size <= SHORT and data[1] - _MASKED == 126 and data[2] << 8 | data[3] == size:
            return unmasked(data[4:8], data[8:])
    return None


def unmasked(mask: bytes | bytearray, payload: bytes | bytearray) -> bytes:
    """A payload without its mask (5.3)."""
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    plain = int.from_bytes(payload, "little") ^ int.from_bytes(key, "little")
    return plain.to_bytes(size, "little")


class FrameReader:
    """The frames of one connection."""

    __slots__ = ("_buffer", "_control", "_fragments", "_largest", "_message", "_opcode")

    def __init__(self, largest: int) -> None:
        self._largest = largest
        """Bytes of a message."""
        self._buffer = bytearray()
        self._message = bytearray()
        """The fragments so far."""
        self._opcode = CONTINUATION
        """Of the message whose fragments are coming."""
        self._fragments = 0
        self._control: TokenBucket | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing of a frame or a message is left to be completed."""
        return not self._buffer and not self._opcode

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next(self) -> Frame | None:
        """The next message or control frame, if it is complete; or `BrokenFrame`."""
        while (frame := self._next_frame()) is not None:
            final, opcode, payload = frame
            if opcode >= _CONTROL:
                self._count_control()
                return Frame(opcode, payload)
            if final and not self._opcode:
                return Frame(opcode, payload)
            self._add_fragment(opcode, payload)
            if final:
                whole = Frame(self._opcode, bytes(self._message))
                self._message = bytearray()
                self._opcode = CONTINUATION
                self._fragments = 0
                return whole
        return None

    def _next_frame(self) -> tuple[int, int, bytes] | None:
        """Whether it is the last of its message, its opcode and its payload."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        opcode, length = first & _OPCODE, second & _LENGTH
        self._check_head(first, second)
        wide = 2 if length == 126 else 8 if length == 127 else 0
        if len(buffer) < 2 + wide:
            return None
        size = int.from_bytes(buffer[2 : 2 + wide], "big") if wide else length
        if opcode < _CONTROL and size + len(self._message) > self._largest:
            raise BrokenFrame(1009, "the message is too large")
        start = 2 + wide + 4
        if len(buffer) < start + size:
            return None
        payload = unmasked(buffer[start - 4 : start], buffer[start : start + size])
        del buffer[: start + size]
        return first & _FINAL, opcode, payload

    def _check_head(self, first: int, second: int) -> None:
        """The first two bytes of a frame: all but the size of a long payload (5.2, 5.4, 5.5)."""
        opcode = first & _OPCODE
        if first & _RESERVED:
            raise BrokenFrame(1002, "reserved bits are set")
        if not second & _MASKED:
            raise BrokenFrame(1002, "frames of clients are masked")
        if opcode in (CLOSE, PING, PONG):
            if not first & _FINAL or second & _LENGTH > _LONGEST_CONTROL:
                raise BrokenFrame(1002, "a control frame is in pieces or too long")
        elif opcode not in (CONTINUATION, TEXT, BINARY):
            raise BrokenFrame(1002, "there is no such opcode")
        elif (opcode == CONTINUATION) != (self._opcode != CONTINUATION):
            raise BrokenFrame(1002, "fragments of messages are mixed up")

    def _add_fragment(self, opcode: int, payload: bytes) -> None:
        if opcode == CONTINUATION:
            self._fragments += 1
            if self._fragments > MOST_FRAGMENTS:
                raise BrokenFrame(1008, "too many fragments")
        else:
            self._opcode = opcode
        self._message += payload

    def _count_control(self) -> None:
        if self._control is None:
            self._control = TokenBucket(CONTROL_RATE, CONTROL_BURST)
        if not self._control.take():
            raise BrokenFrame(1008, "too many pings")


def check_close(payload: bytes) -> None:
    """The code and the reason in a client's close frame (5.5.1, 7.4), or `BrokenFrame`."""
    if not payload:
        return
    code = int.from_bytes(payload[:2], "big")
    known = 1000 <= code <= 1014 and code not in (1004, 1005, 1006)
    if not (known or 3000 <= code < 5000):
        raise BrokenFrame(1002, "there is no such close code")
    try:
        payload[2:].decode()
    except UnicodeDecodeError:
        raise BrokenFrame(1007, "the reason is no UTF-8") from None
