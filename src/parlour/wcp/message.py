"""A message of the Websocket Collab Protocol: strictly read, plainly written.

`{"version": 1, "type": …, "from": user, "to": [user…] or ["all"], "payload": {"name", "content"}}`
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

ALL: Final = "all"
"""In `to`: everybody in the channel."""
TEXT: Final = "message"
DATA: Final = "data"

MOST_BYTES: Final = 63_999
"""Of a frame that we send. A larger one disconnects some clients."""

DEEPEST: Final = 32
"""How deep lists and objects may be nested, with the message itself. Some readers fail at 64."""

_REQUIRED: Final = ("version", "type", "from", "to", "payload")

# ASCII only: some clients read a frame in pieces and fail at half a character.
_write = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


class NotAMessage(ValueError):
    """Bytes that are no message of the protocol."""


@dataclass(frozen=True)
class Message:
    """One message, as it is sent to a channel."""

    sender: str
    to: tuple[str, ...]
    name: str
    """Of data its label; of a text whatever its sender put there."""
    content: str
    type: str = DATA
    extra: dict[str, object] = field(default_factory=dict)
    """Fields of the message that the protocol does not know; they are passed on."""
    payload_extra: dict[str, object] = field(default_factory=dict)

    def is_for(self, user: str) -> bool:
        return user in self.to or ALL in self.to

    def encode(self) -> bytes:
        """One frame."""
        payload = {"name": self.name, "content": self.content, **self.payload_extra}
        whole = {
            "version": 1,
            "type": self.type,
            "from": self.sender,
            "to": list(self.to),
            "payload": payload,
            **self.extra,
        }
        return _write(whole).encode("ascii")


def data_frame(sender: str, to: Iterable[str], label: str, content: str) -> bytes:
    """The frame of a data message, without a `Message` in between."""
    payload = {"name": label, "content": content}
    whole = {"version": 1, "type": DATA, "from": sender, "to": list(to), "payload": payload}
    return _write(whole).encode("ascii")


def read(frame: bytes | str) -> Message:
    """The message in a frame, or `NotAMessage`.

    A bare `null`, a number, a missing field: all of these have crashed clients they were
    relayed to, so nothing goes on that is not exactly of this shape.
    """
    try:
        told = msgspec.json.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotAMessage("that is not JSON") from None
    if not isinstance(told, dict) or any(key not in told for key in _REQUIRED):
        raise NotAMessage("a message is an object with version, type, from, to and payload")
    version, to, payload = told["version"], told["to"], told["payload"]
    if type(version) is not int:
        raise NotAMessage("version is an integer")
    if not isinstance(told["type"], str) or not isinstance(told["from"], str):
        raise NotAMessage("type and from are strings")
    if not isinstance(to, list) or not all(isinstance(user, str) for user in to):
        raise NotAMessage("to is a list of strings")
    if not isinstance(payload, dict):
        raise NotAMessage("payload is an object")
    name, content = payload.get("name"), payload.get("content")
    if not isinstance(name, str) or not isinstance(content, str):
        raise NotAMessage("name and content are strings")
    extra = {key: told[key] for key in told if key not in _REQUIRED}
    payload_extra = {key: payload[key] for key in payload if key not in ("name", "content")}
    if (extra or payload_extra) and _deeper(told, DEEPEST):
        raise NotAMessage("too much lies in each other")
    return Message(told["from"], tuple(to), name, content, told["type"], extra, payload_extra)


def _deeper(value: object, levels: int) -> bool:
    """Whether lists and objects are nested more than so many levels deep."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(one, levels - 1) for one in inner)
