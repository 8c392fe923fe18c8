"""Requests in a client's frame: an input of the log, or one of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from parlour.table.inputs import Input


class BadMessage(Exception):
    """Bytes that are no message of this protocol: a code for programs, a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class MoveTo(msgspec.Struct, frozen=True):
    """Get up here and sit down at the table with this code."""

    code: str


class SitDown(msgspec.Struct, frozen=True):
    """A spectator wants to play, if there is room."""


class Attempt(msgspec.Struct, frozen=True):
    """An action where a wrong answer counts too: refused, it is logged as a `Fumble`.

    None: not even an action could be read from the message.
    """

    action: object | None


class Question(msgspec.Struct, frozen=True):
    """Something to be answered to the asker alone, from what it has been shown."""

    kind: str
    about: object = None
    slow: bool = False
    """Takes long enough that a worker process answers."""
    effort: float = 1.0
    """The share of the usual effort for a slow answer: less than 1 when many wait."""
    notes: object = None
    """Notes of the last answer to the same place (`Answer.notes`)."""


class Choose(msgspec.Struct, frozen=True):
    """An action by its name and fields, as a scene's choices offer it (`Match.choices`)."""

    action: str
    fields: dict[str, object]


class InContext(msgspec.Struct, frozen=True):
    """A message whose meaning depends on what its sender has seen (`Codec.understand`)."""

    message: object


class Answer(msgspec.Struct, frozen=True):
    """Messages that are sent back at once; the table is not asked.

    `notes` go into the asker's next `Question`, as long as this process runs the table: what an
    answer says must be right without them. None: the earlier ones stay.
    """

    data: bytes | Sequence[bytes]
    notes: object = None


class Applaud(msgspec.Struct, frozen=True):
    """A spectator's applause (see `Talk.words`). It is not logged."""

    text: str


class Quit(msgspec.Struct, frozen=True):
    """Leave the table and the seat, and close the connection."""


class WaitForSeat(msgspec.Struct, frozen=True):
    """A spectator wants the next free seat. `key` is the table's password, if it has one."""

    key: str | None = None


class StopWaiting(msgspec.Struct, frozen=True):
    """A spectator no longer waits for a seat."""


Request: TypeAlias = (
    Input
    | MoveTo
    | SitDown
    | WaitForSeat
    | StopWaiting
    | Attempt
    | Choose
    | InContext
    | Question
    | Answer
    | Applaud
    | Quit
    | None
)
"""The request in one frame. None: there is none, or none that is answered (a pong, say)."""
