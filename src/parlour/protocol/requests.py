"""What one frame of a client may ask for: an input of the log, or one of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from parlour.table.inputs import Input


class BadMessage(Exception):
    """Bytes that are no message of this protocol: a code for programs, a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class MoveTo:
    """Get up here and sit down at the table with this code."""

    code: str


@dataclass(frozen=True, slots=True)
class SitDown:
    """Who watches wants to play, if there is room."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An action where a wrong answer counts too: refused, it is logged as a `Fumble`.

    None: not even an action could be read from the message.
    """

    action: object | None


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be answered to the asker alone, from what it has been shown."""

    kind: str
    about: object = None
    slow: bool = False
    """Takes long enough that a worker process answers."""
    effort: float = 1.0
    """How much of its usual thought a slow answer may cost: less when many wait."""
    notes: object = None
    """What an earlier answer to the same asker noted for the next ones (`Answer.notes`)."""


@dataclass(frozen=True, slots=True)
class InContext:
    """A message whose meaning hangs on what its sender has been shown: see `Codec.understand`."""

    message: object


@dataclass(frozen=True, slots=True)
class Answer:
    """Messages to send straight back; the table need not hear of it.

    `notes` go into the asker's next `Question`, as long as this process runs the table: what an
    answer says must be right without them. None: the earlier ones stay.
    """

    data: bytes | Sequence[bytes]
    notes: object = None


@dataclass(frozen=True, slots=True)
class Applaud:
    """Who watches calls something out (see `Talk.words`). It leaves no trace."""

    text: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Get up for good, and close the connection."""


@dataclass(frozen=True, slots=True)
class WaitForSeat:
    """Who watches wants the next free seat. `key`: what the table asks for (a password)."""

    key: str | None = None


@dataclass(frozen=True, slots=True)
class StopWaiting:
    """Who waits for a seat no longer wants one."""


Request: TypeAlias = (
    Input
    | MoveTo
    | SitDown
    | WaitForSeat
    | StopWaiting
    | Attempt
    | InContext
    | Question
    | Answer
    | Applaud
    | Quit
    | None
)
"""What one frame asks for. None: nothing (a pong, say), or nothing we would answer."""
