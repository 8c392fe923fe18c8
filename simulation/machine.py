"""Simulated machines: each has clocks of its own and random numbers of its own.

`install` replaces the clocks and the randomness of Python's standard library, so that everything in
this process lives in simulated time and repeats with its seed. Call it before anything that it
replaces is imported by name. The machine that runs is a context variable: asyncio passes it on to
every task and callback.
"""

from __future__ import annotations

import datetime
import os
import random
import time
from asyncio import Handle, Task
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from random import Random
from typing import Any, Final
from weakref import WeakSet

BEGIN: Final = 1_800_000_000.0
"""Seconds since the epoch at which every simulation begins."""

real_cpu: Final = time.process_time

HERE: Final[ContextVar[Machine | None]] = ContextVar("machine", default=None)
"""The machine on which this code runs; None: it is no part of the house."""


class Machine:
    """A process and its machine, from its start to its end. A restart is another `Machine`."""

    def __init__(self, name: str, place: str, rng: Random, now: Callable[[], float]) -> None:
        self.name = name
        self.place = place
        """The node that it is a life of."""
        self.rng = rng
        self._now = now
        self.drift = 1.0 + rng.uniform(-2e-4, 2e-4)
        """How many of its seconds pass in a second."""
        self._begin = now() - rng.uniform(1, 1e5)
        self.wrong = rng.uniform(-0.5, 0.5)
        """Seconds by which its wall clock is ahead."""
        self.dead = False
        self.paused = False
        self.held: list[Handle] = []
        """Callbacks that wait because it is paused."""
        self.context: Context = copy_context()
        self.context.run(HERE.set, self)
        self.tasks: WeakSet[Task[Any]] = WeakSet()
        self.signals: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}

    def monotonic(self) -> float:
        return (self._now() - self._begin) * self.drift

    def wall(self) -> float:
        return BEGIN + self._now() * self.drift + self.wrong

    def spread(self, least: float, most: float) -> float:
        """A random duration."""
        return self.rng.uniform(least, most)


class _Outside:
    """The clocks and random numbers of code that runs on no machine: players, checks."""

    def __init__(self) -> None:
        self.rng = Random(0)
        self.now: Callable[[], float] = lambda: 0.0

    def monotonic(self) -> float:
        return self.now()

    def wall(self) -> float:
        return BEGIN + self.now()


OUTSIDE: Final = _Outside()


def here() -> Machine | _Outside:
    return HERE.get() or OUTSIDE


def _urandom(count: int) -> bytes:
    return here().rng.randbytes(count)


class _VirtualDatetime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(time.time(), tz)


def install() -> None:
    """Replace the clocks and the randomness of this process."""

    def monotonic() -> float:
        return here().monotonic()

    def monotonic_ns() -> int:
        return int(here().monotonic() * 1e9)

    time.monotonic = time.perf_counter = time.thread_time = monotonic
    time.monotonic_ns = time.perf_counter_ns = monotonic_ns
    time.time = lambda: here().wall()
    time.time_ns = lambda: int(here().wall() * 1e9)
    time.clock_gettime = lambda clock: here().monotonic()
    os.urandom = _urandom
    random._urandom = _urandom

    from cryptography.hazmat.primitives.asymmetric import ed25519
    from jwt import api_jwt

    key = ed25519.Ed25519PrivateKey
    key.generate = classmethod(lambda cls: key.from_private_bytes(_urandom(32)))
    api_jwt.datetime = _VirtualDatetime
