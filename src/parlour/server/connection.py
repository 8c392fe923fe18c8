"""A WebSocket after its handshake (RFC 6455): reads frames, sends messages, and ends.

aiohttp answers the handshake; then this protocol takes the transport over (`upgrade.py`). Nothing
here waits: a message goes to its client object as soon as its bytes have come, and `send` and
`close` return at once.

`for p in table: await p.send(...)` would stall a whole table when one player stops reading.
So messages go into the transport's buffer without waiting, and a connection whose buffer grows
past a bound is cut; its client can reconnect and resume from the log.

An action often causes several messages to the same reader, and a write is expensive. So messages
are gathered until the event loop's next iteration, and each connection's go out in one write.
Bytes are counted when they are queued. What is gathered past the bound is written at once, so that
the transport's buffer shows whether it is read.

Longer than most modules here: reading, sending and ending share the transport and one state, and
calls between several objects would be on the path of every message.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from time import monotonic
from typing import Final, Protocol

from parlour.server import frames
from parlour.server.aiohttp_private import Taken
from parlour.server.frames import BrokenFrame, FrameReader, short_text
from parlour.server.logs import OncePerCause
from parlour.server.outgoing import Outgoing

log = logging.getLogger("parlour.connection")
log.addFilter(OncePerCause())

_HEADS: Final = [frames.head(frames.TEXT, size) for size in range(1024)]
_PING: Final = frames.head(frames.PING, 0)

_JOINED: Final = 65_536
"""Up to so many bytes, joining frames and writing once is faster than `writelines`."""

CLOSE_TIMEOUT = 3.0
"""Seconds in which the client must answer our close frame."""


class State(Enum):
    """How far a connection is."""

    OPEN = "open"
    CLOSING = "closing"
    """A close frame was sent, and the client's is waited for; or the transport is closing."""
    BROKEN = "broken"
    """A frame was wrong, so the bytes after it mean nothing. They are read and dropped."""
    LOST = "lost"


_OPEN: Final = State.OPEN


class Receiver(Protocol):
    """Handles what comes over one connection."""

    def text(self, data: bytes) -> None: ...

    def binary(self) -> None: ...

    def pong(self) -> None: ...

    def ended(self) -> None:
        """Nothing more will come: the connection is closing, or it is lost. Called once."""
        ...


class WebSocket(asyncio.Protocol):
    """One connection. `listen` lets its first message in."""

    __slots__ = (
        "_bound",
        "_drops",
        "_due",
        "_frames",
        "_held",
        "_largest",
        "_longest",
        "_lost",
        "_outgoing",
        "_reader",
        "_receiver",
        "_timer",
        "_transport",
        "_unwritten",
        "cut_for",
        "heard_at",
        "pinged_at",
        "queued",
        "state",
    )

    def __init__(
        self,
        taken: Taken,
        outgoing: Outgoing,
        *,
        bound: int,
        longest: int,
        drops: bool = False,
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        """`bound`: how many bytes may wait to be sent, besides the longest message. `longest`: the
        bytes of the largest message accepted. `drops`: end by closing TCP, without a close frame,
        unless the client has sent one. `lost` is called when TCP is closed."""
        self._transport = taken.transport
        self._outgoing = outgoing
        self._bound = bound
        self._longest = longest
        self._drops = drops
        self._lost = lost
        self._receiver: Receiver | None = None
        self._reader: FrameReader | None = None
        """Made when something comes that is not one short message."""
        if taken.early:
            self._reader = FrameReader(longest)
            self._reader.feed(taken.early)
        self._frames: list[bytes] = []
        """Gathered, not written yet."""
        self._due = False
        """Whether they are written in the loop's next iteration."""
        self._unwritten = outgoing.unwritten
        self._largest = 0
        self._held: asyncio.TimerHandle | None = None
        """Set while nothing is read."""
        self._timer: asyncio.TimerHandle | None = None
        """Ends a connection whose client does not answer our close frame."""
        self.state = State.OPEN
        self.cut_for = ""
        """Why it was cut: "slow-reader", "too-much-waits", "flood", "silent" or "broken"; "": it
        was not."""
        self.queued = 0
        """Bytes that wait: those gathered, and those in the transport when it was last asked."""
        self.heard_at = monotonic()
        self.pinged_at: float | None = None
        """When a ping was sent because of silence, if nothing was heard since (`Gateway`)."""
        outgoing.open[self] = None
        # Nothing is read before `listen`, so that its receiver is ready.
        self._pause()
        self._transport.set_protocol(self)

    @property
    def closing(self) -> bool:
        """Whether everything that is sent from now on is dropped."""
        return self.state is not _OPEN

    # -- reading ----------------------------------------------------------------------

    def listen(self, receiver: Receiver) -> None:
        """Hand all messages to `receiver`."""
        if self.state is not _OPEN:
            receiver.ended()
            return
        self._receiver = receiver
        self._resume()

    def _pause(self) -> None:
        if self._transport.is_reading():
            self._transport.pause_reading()

    def _resume(self) -> None:
        """Handle what has been read already, then read on."""
        if self._reader is not None:
            self._read(self._reader)
        if self._held is None and not self._transport.is_closing():
            self._transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        self.heard_at = monotonic()
        self.pinged_at = None
        reader, receiver = self._reader, self._receiver
        if (reader is None or reader.empty) and receiver is not None and self.state is _OPEN:
            text = short_text(data)
            if text is not None and text.isascii():
                receiver.text(text)
                return
        if reader is None:
            reader = self._reader = FrameReader(self._longest)
        if self.state is not State.BROKEN:
            reader.feed(data)
            self._read(reader)

    def _read(self, reader: FrameReader) -> None:
        """Handle the frames that are complete, until the connection ends or is held."""
        try:
            while self._held is None and self.state in (State.OPEN, State.CLOSING):
                frame = reader.next()
                if frame is None:
                    return
                self._handle(*frame)
        except BrokenFrame as broken:
            self._fail(broken.code)

    def _handle(self, opcode: int, payload: bytes) -> None:
        if opcode == frames.CLOSE:
            frames.check_close(payload)
            self._answer_close()
        elif self.state is not _OPEN:
            return  # after our close frame only theirs matters
        elif opcode == frames.TEXT:
            self._text(payload)
        elif opcode == frames.PING:
            self._append(frames.head(frames.PONG, len(payload)), payload)
        elif self._receiver is not None:
            self._receiver.binary() if opcode == frames.BINARY else self._receiver.pong()

    def _text(self, data: bytes) -> None:
        if not (data.isascii() or _is_utf8(data)):
            # RFC 6455, 8.1: a text frame that is not UTF-8 ends the connection.
            self.close(1007, "text frames are UTF-8")
        elif self._receiver is not None:
            self._receiver.text(data)

    def hold(self, seconds: float, data: bytes) -> None:
        """Read nothing for so long; then hand over `data` again, and what comes after it."""
        self._pause()
        loop = asyncio.get_running_loop()
        self._held = loop.call_later(seconds, self._go_on, data)

    def _go_on(self, data: bytes) -> None:
        self._held = None
        if self.state is not _OPEN:
            return
        self._text(data)
        if self._held is None:
            self._resume()

    # -- sending ----------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Send one text message, unless the connection is closing."""
        if self.state is not _OPEN:
            return
        gathered = self._frames
        if not self._due:
            # `_write_soon`, without the call.
            self._due = True
            if not self._unwritten:
                self._outgoing.write_soon()
            self._unwritten.append(self)
            if gathered:
                self._outgoing.late.pop(self, None)
        size = len(data)
        if size < 1024:
            gathered.append(_HEADS[size])
        else:
            gathered.append(frames.head(frames.TEXT, size))
            self._largest = max(self._largest, size)
        gathered.append(data)
        self.queued += size
        self._outgoing.queued += size
        if self.queued > self._bound:
            self.flush()

    def send_later(self, data: bytes) -> None:
        """Send a short text message together with the next message, or soon without it."""
        size = len(data)
        if self._frames or size >= 1024 or self.state is not _OPEN:
            self.send(data)
            return
        self._frames += _HEADS[size], data
        self.queued += size
        self._outgoing.queued += size
        if not self._outgoing.late:
            self._outgoing.write_later()
        self._outgoing.late[self] = monotonic()

    def ping(self) -> None:
        if self.state is _OPEN:
            self._append(_PING)

    def _append(self, *parts: bytes) -> None:
        """Gather a control frame."""
        if not self._due:
            self._write_soon()
        self._frames += parts

    def _write_soon(self) -> None:
        """Write what is gathered in the loop's next iteration."""
        self._due = True
        if not self._unwritten:
            self._outgoing.write_soon()
        self._unwritten.append(self)
        if self._frames:
            self._outgoing.late.pop(self, None)

    def flush(self) -> None:
        """Write what was gathered; cut the connection if its client does not read."""
        self._due = False
        gathered = self._frames
        if not gathered:
            return
        self._frames = []
        if self._transport.is_closing():
            self.state = State.CLOSING if self.state is _OPEN else self.state
            self._count(0)
            return
        try:
            if self.queued > _JOINED:
                # Long messages are not copied: other connections may be sent the same bytes.
                self._transport.writelines(gathered)
            else:
                self._transport.write(b"".join(gathered))
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

    # -- ending -----------------------------------------------------------------------

    def cut(self, why: str) -> None:
        """End the connection at once, and drop what waits."""
        if self.state is State.LOST:
            return
        self.cut_for = why
        self.state = State.CLOSING
        self._frames = []
        # No close frame: it would only queue behind what is not being read.
        self._transport.abort()
        self._count(0)

    def close(self, code: int, reason: str) -> None:
        """Send a close frame after everything that was sent before, and wait for the client's."""
        if self.state is not _OPEN:
            return
        self.state = State.CLOSING
        # Later: whoever closes a connection may be in the middle of a table's input.
        _call_soon(self._end)
        if self._drops:
            self.flush()
            self._transport.close()
            return
        # A close frame has room for 123 bytes of reason (RFC 6455, 5.5), and they are UTF-8.
        self._say_goodbye(code, reason.encode()[:123].decode(errors="ignore").encode())
        # If the client's close frame is not read, the socket closes with unread bytes, and our
        # close frame is lost.
        if self._held is not None:
            self._held.cancel()
            self._held = None
        self._resume()

    def _say_goodbye(self, code: int, reason: bytes = b"") -> None:
        self._append(frames.head(frames.CLOSE, 2 + len(reason)), code.to_bytes(2, "big"), reason)
        self.flush()
        if self._timer is None:
            loop = asyncio.get_running_loop()
            # A client that no longer reads never gets the close frame.
            self._timer = loop.call_later(CLOSE_TIMEOUT, self._transport.abort)

    def _answer_close(self) -> None:
        """The client has sent a close frame: it gets one, if it has not, and TCP is closed."""
        if self.state is _OPEN:
            self.state = State.CLOSING
            self._say_goodbye(1000)
            _call_soon(self._end)
        self._transport.close()

    def _fail(self, code: int) -> None:
        """End the connection because of a broken frame (7.1.7)."""
        was_open = self.state is _OPEN
        self.state = State.BROKEN
        _call_soon(self._end)
        if code == 1008:
            self.cut_for = "flood"
        if self._drops or not was_open:
            self._transport.close()
            return
        self._say_goodbye(code)
        if self._transport.can_write_eof():
            # TCP closed with unread bytes resets the connection, and the close frame may be lost.
            # So only our half is closed, and what still comes is dropped.
            self._transport.write_eof()
        else:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.state = State.LOST
        for timer in (self._held, self._timer):
            if timer is not None:
                timer.cancel()
        self._frames = []
        self._count(0)
        self._outgoing.remove(self)
        self._end()
        self._lost()

    def _end(self) -> None:
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.ended()


def _call_soon(work: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_soon(work)


def _is_utf8(data: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        data.decode()
        return True
    return False
