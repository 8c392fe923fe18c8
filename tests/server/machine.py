"""A machine whose clocks a test moves."""

from __future__ import annotations

HOUR = 3_600_000


class Machine:
    """A machine's two clocks, in milliseconds: the one on its wall, and how long it has run."""

    wall = 1_800_000_000_000
    running = 5 * HOUR

    def time_ns(self) -> int:
        return self.wall * 1_000_000

    def monotonic_ns(self) -> int:
        return self.running * 1_000_000 + 999_999

    def goes_on(self, by: int) -> None:
        self.wall += by
        self.running += by
