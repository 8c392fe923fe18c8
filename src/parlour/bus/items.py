"""What nodes say to each other over a link, and rosters as they go over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, TypeAlias

import msgspec

from parlour.bus.base import (
    ConnectionId,
    JoinRequest,
    OpenRequest,
    PinRequest,
    Refusal,
    Rejoined,
    RejoinRequest,
    RunRequest,
    Welcome,
)
from parlour.protocol import Game, TablePage
from parlour.table import Roster


class _Item(msgspec.Struct, array_like=True, tag=True):
    """Short on its way: an array that begins with the name of its class."""


class Frame(_Item):
    """To an owner: what a connection sent."""

    connection: ConnectionId
    data: bytes


class Bounced(_Item):
    """To a gateway: a frame of a connection that is at none of our tables, or not any more."""

    connection: ConnectionId
    data: bytes


class Gone(_Item):
    """To an owner: a connection is closed."""

    connection: ConnectionId


class Say(_Item):
    """To a gateway: one message."""

    connections: list[ConnectionId]
    data: bytes


class End(_Item):
    """To a gateway: the last these connections hear."""

    connections: list[ConnectionId]
    code: int
    reason: str


class Version(_Item):
    """To a gateway: what came before tells of a table up to here."""

    table: str
    version: int


class MovedTo(_Item):
    """To a gateway: a connection is at another table of the same node."""

    connection: ConnectionId
    table: str
    code: str
    place: int | None
    version: int


class HereNow(_Item):
    """To a gateway: a connection that has rejoined a table is told by us (`base.Here`)."""

    connection: ConnectionId
    table: str
    version: int
    done: bool


class Released(_Item):
    """To a gateway: another node will run this table."""

    table: str


class Note(_Item):
    """To the other node's service."""

    data: bytes


class Ask(_Item):
    """A question; the answer has the same number."""

    number: int
    method: str
    arguments: msgspec.Raw


class Reply(_Item):
    number: int
    refused: Refusal | None
    answer: msgspec.Raw


Item: TypeAlias = (
    Frame | Bounced | Gone | Say | End | Version | MovedTo | HereNow | Released | Note | Ask | Reply
)

ARGUMENTS: Final[Mapping[str, Any]] = {
    "join": tuple[JoinRequest],
    "move": tuple[JoinRequest],
    "rejoin": tuple[RejoinRequest],
    "open": tuple[OpenRequest],
    "run": tuple[RunRequest],
    "pin": tuple[PinRequest],
    "common": tuple[str],
    "find": tuple[str],
    "list_tables": tuple[str | None, str | None, int],
    "replay": tuple[str, str | None],
    "alive": tuple[ConnectionId],
    "request": tuple[int, bytes],
}
"""What may be asked, and with what."""

ANSWERS: Final[Mapping[str, Any]] = {
    "join": Welcome,
    "move": Welcome,
    "rejoin": Rejoined,
    "open": Roster,
    "run": Roster,
    "pin": Roster,
    "common": Roster,
    "find": Roster | None,
    "list_tables": TablePage,
    "replay": bytes,
    "alive": bool,
    "request": bytes,
}
"""Unless it is a refusal."""

VERSIONS: Final = (2,)
"""The versions of all this that a node can speak, each part of the next; 1 was not authenticated.

An item or a question that peers of the current version can't read makes a new version. It is sent
only to nodes that speak that one (`Peers.version`); the others get what they know. A version that
has left this list can't share a house with this one: see `docs/scaling.md`. A new field that has a
default needs no new version.
"""

encode: Final = msgspec.msgpack.Encoder().encode
decode_items: Final = msgspec.msgpack.Decoder(list[Item]).decode
_arguments: Final = {name: msgspec.msgpack.Decoder(of).decode for name, of in ARGUMENTS.items()}
_answers: Final = {name: msgspec.msgpack.Decoder(of).decode for name, of in ANSWERS.items()}


def read_arguments(ask: Ask) -> tuple[Any, ...]:
    """Raises `msgspec.ValidationError` for what can't be asked."""
    if ask.method not in _arguments:
        raise msgspec.ValidationError(f"nobody can be asked to {ask.method:.20}")
    arguments: tuple[Any, ...] = _arguments[ask.method](ask.arguments)
    return arguments


def write_answer(answer: Any) -> bytes:
    if isinstance(answer, Roster):
        answer = _to_send(answer, _digest)
    elif isinstance(answer, TablePage):
        # Who asks for many wants names.
        tables = [_to_send(each, lambda data: b"") for each in answer.tables]
        answer = TablePage(tables, answer.next)
    elif isinstance(answer, msgspec.Raw):
        answer = bytes(answer)
    return encode(answer)


def read_answer(method: str, data: msgspec.Raw, games: Mapping[str, Game]) -> Any:
    """A roster's content is still named by its hashes."""
    answer = _answers[method](data)
    for roster in answer.tables if isinstance(answer, TablePage) else [answer]:
        if isinstance(roster, Roster):
            roster.settings = msgspec.convert(roster.settings, games[roster.game].settings)
    # A replay is JSON already, and is not read on the way.
    return msgspec.Raw(answer) if method == "replay" and isinstance(answer, bytes) else answer


def _to_send(roster: Roster, instead: Callable[[bytes], bytes]) -> Roster:
    """Without the bytes of its content, which may be many and are in the record."""
    if roster.content:
        roster = roster.copy()
        roster.content = {name: instead(data) for name, data in roster.content.items()}
    return roster


@lru_cache(maxsize=256)
def _digest(data: bytes) -> bytes:
    """Under which the record has it. The same objects are asked for again and again."""
    return sha256(data).hexdigest().encode()
