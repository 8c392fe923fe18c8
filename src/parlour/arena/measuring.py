"""What measuring players takes, whatever the game: processes, and how sure a share is."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from math import sqrt
from multiprocessing import get_context
from multiprocessing.pool import Pool


def interval(wins: int, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    z = 1.96
    rate = wins / count
    middle = (rate + z * z / (2 * count)) / (1 + z * z / count)
    spread = z * sqrt(rate * (1 - rate) / count + z * z / (4 * count * count))
    spread /= 1 + z * z / count
    return max(middle - spread, 0.0), min(middle + spread, 1.0)


@contextmanager
def pool(hands: int) -> Generator[Pool]:
    """So many processes, which leave Ctrl+C to this one: it ends them."""
    # A new process inherits which signals are ignored.
    heeded = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        # Spawned, not forked: a progress bar runs in a thread, and threads do not survive a fork.
        made = get_context("spawn").Pool(hands)
    finally:
        signal.signal(signal.SIGINT, heeded)
    with made:
        yield made
