"""The log of HTTP requests, with filters that shorten what clients sent and limit repetition."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Final

from aiohttp.http_exceptions import HttpProcessingError

EVERY: Final = 1.0
"""Seconds between two errors with the same cause."""
WARN_EVERY: Final = 60.0
"""Seconds between two warnings with the same text."""
LONGEST: Final = 200
"""Characters of an error's text that are logged: it may contain what a client sent."""

log = logging.getLogger("parlour.http")


class Quiet(logging.Filter):
    """Logs invalid HTTP and broken connections at debug level only, without what was sent.

    aiohttp logs them as errors with all that the client sent, tokens included.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        wrong = record.exc_info[1] if record.exc_info else None
        if not isinstance(wrong, HttpProcessingError | ConnectionError):
            return True
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        record.msg += f": {type(wrong).__name__}"
        record.exc_info = record.exc_text = None
        return log.isEnabledFor(logging.DEBUG)


class OncePerCause(logging.Filter):
    """Limits how often errors of the same type from the same line of code are logged, and warnings
    with the same text.

    The next one that is logged says how many were left out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._causes: dict[tuple[object, ...], tuple[float, int]] = {}
        """When each was last logged, and how many were left out since."""

    def filter(self, record: logging.LogRecord) -> bool:
        wrong = record.exc_info[1] if record.exc_info else None
        cause: tuple[object, ...] = (record.msg,)
        every = WARN_EVERY
        if wrong is not None:
            cause = (record.msg, type(wrong), *_raised_in(wrong.__traceback__))
            every = EVERY
        elif record.levelno != logging.WARNING:
            return True
        now = self._clock()
        last, left_out = self._causes.get(cause, (-every, 0))
        if now - last < every:
            self._causes[cause] = (last, left_out + 1)
            return False
        self._causes[cause] = (now, 0)
        if left_out:
            record.msg += f" ({left_out} more like this were left out)"
        if wrong is not None:
            trace = "".join(traceback.format_tb(wrong.__traceback__))
            record.exc_text = f"Traceback:\n{trace}{type(wrong).__name__}: {str(wrong)[:LONGEST]}"
        return True


def _raised_in(trace: TracebackType | None) -> tuple[str, int]:
    frames = traceback.extract_tb(trace)
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0)


log.addFilter(Quiet())
log.addFilter(OncePerCause())
