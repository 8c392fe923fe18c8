"""Run as a program: folds logs in a process with other clocks, another hash seed and another home.

It reads a pickled game and its logs, and writes pickled digests. Nothing of the game is imported
before the clocks are changed.
"""

from __future__ import annotations

import datetime
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour.battery.night import Night

LATER = ((5_000 * 24 + 5) * 60 + 7) * 60 + 3
"""By how many seconds clocks are ahead there: another year, day, hour, minute and second."""


def folded_elsewhere(nights: Sequence[Night]) -> list[list[str]]:
    """The digests of nights of one game, folded again in another process."""
    game = nights[0].trial.game
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-P", __file__],
        input=pickle.dumps((game, [(night.log, night.content) for night in nights])),
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PYTHONHASHSEED": "12345",
            "HOME": os.devnull,
            "USER": "nobody",
        },
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    digests: list[list[str]] = pickle.loads(done.stdout)  # noqa: S301 - our own bytes
    return digests


def change_clocks() -> None:
    """All clocks show a later time, also for those who import them by name."""
    real = time.time

    class Later(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Later:
            return cls.fromtimestamp(real() + LATER, tz)

        @classmethod
        def utcnow(cls) -> Later:
            return cls.now(datetime.UTC).replace(tzinfo=None)

    class LaterDay(datetime.date):
        @classmethod
        def today(cls) -> LaterDay:
            return cls.fromtimestamp(real() + LATER)

    datetime.datetime, datetime.date = Later, LaterDay  # type: ignore[misc]
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, lambda: real() + LATER)
        setattr(time, f"{name}_ns", lambda: int((real() + LATER) * 1e9))


def main() -> None:
    change_clocks()
    from parlour.battery.night import digests

    game, logs = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the battery
    made = [digests(game, *log) for log in logs]
    sys.stdout.buffer.write(pickle.dumps(made))


if __name__ == "__main__":
    main()
