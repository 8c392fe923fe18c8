"""The time by which tables live: it starts at the machine's clock and only ever goes forward.

Somebody who sets the machine's clock back or forward by an hour neither stops every timer nor
ends everybody's turn at once.
"""

from __future__ import annotations

import time

from parlour.kit import Millis


class SteadyClock:
    """Milliseconds since the epoch, as far as the machine knew when this process began."""

    def __init__(self) -> None:
        self.base: Millis = _wall() - _steady()
        """What is added to the time the process has run by."""

    def __call__(self) -> Millis:
        return self.base + time.monotonic_ns() // 1_000_000

    def right(self, moment: Millis) -> None:
        """Those who share the log go by another clock, by which it is now so late."""
        self.base = moment - _steady()

    def not_before(self, moment: Millis) -> None:
        """The log has an entry of this moment: no later one may seem to be earlier."""
        self.base = max(self.base, moment - _steady())


def _wall() -> Millis:
    return time.time_ns() // 1_000_000


def _steady() -> Millis:
    return time.monotonic_ns() // 1_000_000
