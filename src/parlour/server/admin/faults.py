"""The last warnings and errors of this process, for the operator's page."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from typing import Final

import msgspec

MOST: Final = 200
LONGEST: Final = 500
"""Characters of one."""


class Fault(msgspec.Struct, frozen=True):
    """A line of the log."""

    at: int
    """Milliseconds since the epoch."""
    level: str
    text: str


class RecentFaults(logging.Handler):
    """Keeps what is logged as a warning or worse, after the filters that limit repetition."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._last: deque[Fault] = deque(maxlen=MOST)

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += f" ({type(record.exc_info[1]).__name__})"
        self._last.append(Fault(int(record.created * 1000), record.levelname, text[:LONGEST]))

    def last(self) -> Sequence[Fault]:
        """The last one first."""
        return list(reversed(self._last))
