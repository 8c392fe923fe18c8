"""A wire: one published protocol of one game, made of a door and a codec."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import msgspec

from parlour.protocol.codec import Codec
from parlour.protocol.door import CloseWith, Door
from parlour.protocol.requests import Request


class Scope(Enum):
    """The purpose of a connection."""

    TABLE = "table"
    LOBBY = "lobby"
    """Nobody can play over it: its connections do not count as present at the match."""
    MATCH = "match"
    """The match under way; the connection ends with it."""


@dataclass(frozen=True)
class Framing:
    """Numbered frames around the messages of a connection."""

    envelope: type[msgspec.Struct]
    """For the published documents: its `type` is that of the message, its `payload` is the
    message."""
    before: bytes
    """The beginning of a frame, before its number."""
    after: Callable[[bytes], bytes]
    """Makes the rest of a frame, after its number, from a message: once for all recipients."""
    message: Callable[[bytes], bytes] = bytes
    """The message in a client's frame; by default, the frame as it is."""

    def frame(self, data: bytes, number: int) -> bytes:
        """One outgoing message as the connection's nth frame."""
        return b"%b%d%b" % (self.before, number, self.after(data))


@dataclass(frozen=True, eq=False)
class Wire:
    """One protocol of one game."""

    name: str
    paths: tuple[str, ...]
    codec: Codec
    door: Door = field(default_factory=Door)
    scope: Scope = Scope.TABLE
    framing: Framing | None = None
    """None: frames are messages."""

    @cached_property
    def decode(self) -> Callable[[bytes], Request]:
        """Makes the request from a client's frame; raises `BadMessage`, whatever the bytes are."""
        # No lambda: wires are sent to worker processes.
        return self.codec.decode if self.framing is None else self._decode_framed

    def _decode_framed(self, data: bytes) -> Request:
        assert self.framing is not None
        return self.codec.decode(self.framing.message(data))

    def turn_away(self, code: str, sentence: str) -> CloseWith:
        """How a connection ends that the table refused, or whose player was put out."""
        end = self.door.turn_away(code, sentence)
        if end.first is not None:
            return end
        return replace(end, first=self.codec.refuse(code, sentence))
