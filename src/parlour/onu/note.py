"""What nodes know of each other's hosts, and what can be asked of a host at another node."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

import msgspec


class Standing(Enum):
    """Whether this host hosts."""

    PROBING = "probing"
    """It has asked whether somebody else does."""
    HOSTING = "hosting"
    YIELDED = "yielded"
    """Somebody else does."""


class HostNote(msgspec.Struct, array_like=True):
    """What all nodes know of a host, and what a host that takes its place goes on with."""

    code: str
    """Of its table."""
    standing: Standing = Standing.PROBING
    other_host: str | None = None
    """Who answered that they host here."""
    put_out: list[str] = []
    """Who is not played for again unless they ask for it, or the opener does."""


class Forgive(msgspec.Struct, tag=True):
    """Asked of a host: play again for somebody who was put out."""

    user: str


class Probe(msgspec.Struct, tag=True):
    """Asked of a host: whether somebody else hosts there; or host all the same."""

    take_over: bool


Wanted: TypeAlias = Forgive | Probe

_decode_note: Final = msgspec.msgpack.Decoder(HostNote).decode
_decode_wanted: Final = msgspec.msgpack.Decoder(Wanted).decode


def read_note(data: bytes) -> HostNote | None:
    """What a host has announced; None: there is none."""
    return _decode_note(data) if data else None


def read_wanted(data: bytes) -> Wanted:
    wanted: Wanted = _decode_wanted(data)
    return wanted
