"""A server that measures how long its event loop is blocked.

    python -m bench.probe FILE serve ...

A timer looks every millisecond how much processor time the loop's thread has used since it last
looked; so the work of one iteration counts, with up to a millisecond of others before it. Time that
other programs had the processor for does not count, but is measured, too.

SIGUSR1: write what was found since the last such signal into FILE, as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from parlour import cli

_EVERY = 0.001


class Blocks(msgspec.Struct):
    """In milliseconds. The longest come first in lists."""

    cpu: list[float] = []
    """Processor time of the loop's thread between two looks."""
    wall: list[float] = []
    collections: dict[str, list[float]] = {}
    """By generation, how long garbage collections took."""
    tracked: int = 0
    """Objects that the collector would look at in a full collection."""


class Probe:
    def __init__(self, loop: asyncio.AbstractEventLoop, file: Path) -> None:
        self._loop = loop
        self._file = file
        self._collecting = 0
        self._forget()
        gc.callbacks.append(self._collected)
        loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._loop.add_signal_handler(signal.SIGUSR1, self._tell)
        self._wall, self._cpu = time.perf_counter_ns(), time.thread_time_ns()
        self._look()

    def _forget(self) -> None:
        self._cpus: list[int] = []
        self._walls: list[int] = []
        self._collections: dict[str, list[float]] = {}

    def _look(self) -> None:
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        self._cpus.append(cpu - self._cpu)
        self._walls.append(wall - self._wall)
        self._wall, self._cpu = wall, cpu
        self._loop.call_later(_EVERY, self._look)

    def _collected(self, phase: str, about: dict[str, Any]) -> None:
        if phase == "start":
            self._collecting = time.perf_counter_ns()
        else:
            took = (time.perf_counter_ns() - self._collecting) / 1e6
            self._collections.setdefault(str(about["generation"]), []).append(round(took, 2))

    def _tell(self) -> None:
        found = Blocks(
            cpu=_longest(self._cpus),
            wall=_longest(self._walls),
            collections={g: sorted(took, reverse=True) for g, took in self._collections.items()},
            tracked=len(gc.get_objects()),
        )
        self._forget()
        part = self._file.with_suffix(".part")
        part.write_bytes(msgspec.json.encode(found))
        part.replace(self._file)
        self._wall, self._cpu = time.perf_counter_ns(), time.thread_time_ns()


def _longest(nanoseconds: list[int]) -> list[float]:
    return [round(each / 1e6, 2) for each in sorted(nanoseconds, reverse=True)[:20]]


def found(pid: int, file: Path) -> Blocks:
    """Ask a server for what it has measured since it was last asked."""
    file.unlink(missing_ok=True)
    os.kill(pid, signal.SIGUSR1)
    for _ in range(600):
        if file.exists():
            return msgspec.json.decode(file.read_bytes(), type=Blocks)
        time.sleep(0.05)
    raise RuntimeError("the server does not say how long it was blocked")


def main() -> None:
    file = Path(sys.argv[1])

    def new_loop() -> asyncio.AbstractEventLoop:
        loop = uvloop.new_event_loop()
        Probe(loop, file)
        return loop

    cli.loop_factory = lambda: new_loop
    sys.argv[1:2] = []
    cli.main()


if __name__ == "__main__":
    main()
