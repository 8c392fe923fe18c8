"""A message of the Websocket Collab Protocol: strictly read, plainly written.

`{"version": 1, "type": …, "from": user, "to": [user…] or ["all"], "payload": {"name", "content"}}`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from json import JSONEncoder
from json.encoder import encode_basestring_ascii as _quoted
from typing import Final, Generic, TypeVar

import msgspec

ALL: Final = "all"
"""In `to`: everybody in the channel."""
TEXT: Final = "message"
DATA: Final = "data"

MOST_BYTES: Final = 63_999
"""Of a frame that we send. A larger one disconnects some clients."""

DEEPEST: Final = 32
"""How deep lists and objects may be nested, with the message itself. Some readers fail at 64."""

# ASCII only, as `_quoted` is: some clients read a frame in pieces and fail at half a character.
_write = JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


class NotAMessage(ValueError):
    """Bytes that are no message of the protocol."""


class Message(msgspec.Struct, frozen=True):
    """One message, as it is sent to a channel."""

    sender: str
    to: tuple[str, ...]
    name: str
    """Of data its label; of a text whatever its sender put there."""
    content: str
    type: str = DATA
    extra: dict[str, object] = {}
    """Fields of the message that the protocol does not know; they are passed on."""
    payload_extra: dict[str, object] = {}

    def is_for(self, user: str) -> bool:
        return user in self.to or ALL in self.to

    def encode(self) -> bytes:
        """One frame."""
        begun = _begun(self.sender, self.to, self.name, self.type)
        inner = f",{_write(self.payload_extra)[1:-1]}" if self.payload_extra else ""
        outer = f",{_write(self.extra)[1:-1]}" if self.extra else ""
        return f"{begun}{_quoted(self.content)}{inner}}}{outer}}}".encode("ascii")


def _begun(sender: str, to: Sequence[str], name: str, type: str) -> str:
    """A message up to its content."""
    users = ",".join([_quoted(user) for user in to])
    return (
        f'{{"version":1,"type":{_quoted(type)},"from":{_quoted(sender)},"to":[{users}],'
        f'"payload":{{"name":{_quoted(name)},"content":'
    )


@lru_cache(maxsize=4096)
def _data_begun(sender: str, to: tuple[str, ...], label: str) -> bytes:
    """The same, and a quote, for data of a host, whose readers and labels are nearly always the
    same."""
    return _begun(sender, to, label, DATA).encode("ascii") + b'"'


def escaped(text: str) -> bytes:
    """A text as it is written within a content, without quotes around it."""
    return _quoted(text)[1:-1].encode("ascii")


def data_frame(sender: str, to: Sequence[str], label: str, content: Iterable[bytes]) -> bytes:
    """The frame of a data message, without a `Message` in between. `content` is `escaped`, and may
    be in pieces."""
    return b"".join([_data_begun(sender, tuple(to), label), *content, b'"}}'])


class _Payload(msgspec.Struct):
    name: str
    content: str


P = TypeVar("P", bound="_Payload")


class _Shape(msgspec.Struct, Generic[P]):
    """The fields of every message."""

    version: int
    type: str
    sender: str = msgspec.field(name="from")
    to: tuple[str, ...]
    payload: P


class _OnlyPayload(_Payload, forbid_unknown_fields=True):
    pass


class _OnlyShape(_Shape[_OnlyPayload], forbid_unknown_fields=True):
    """A message without other fields: nearly every one."""


_read_usual: Final = msgspec.json.Decoder(_OnlyShape).decode
_KNOWN: Final = frozenset(_Shape.__struct_encode_fields__)
_KNOWN_PAYLOAD: Final = frozenset(_Payload.__struct_encode_fields__)


def read(frame: bytes | str) -> Message:
    """The message in a frame, or `NotAMessage`.

    A bare `null`, a number, a missing field: all of these have crashed clients they were
    relayed to, so nothing goes on that is not exactly of this shape.
    """
    try:
        told = _read_usual(frame)
    except msgspec.ValidationError:
        return _read_unusual(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotAMessage("that is not JSON") from None
    payload = told.payload
    return Message(told.sender, told.to, payload.name, payload.content, told.type)


def _read_unusual(frame: bytes | str) -> Message:
    """A message with other fields, which are passed on; or none."""
    try:
        whole = msgspec.json.decode(frame)
        told = msgspec.convert(whole, _Shape[_Payload])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise NotAMessage(str(wrong)) from None
    if _deeper(whole, DEEPEST):
        raise NotAMessage("too much lies in each other")
    payload = whole["payload"]
    return Message(
        told.sender,
        told.to,
        told.payload.name,
        told.payload.content,
        told.type,
        {key: whole[key] for key in whole if key not in _KNOWN},
        {key: payload[key] for key in payload if key not in _KNOWN_PAYLOAD},
    )


def _deeper(value: object, levels: int) -> bool:
    """Whether lists and objects are nested more than so many levels deep."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(one, levels - 1) for one in inner)
