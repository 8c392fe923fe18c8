"""For measuring players of any game: worker processes, progress, how sure a share is."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from math import sqrt
from multiprocessing import get_context
from multiprocessing.pool import Pool
from typing import Final, Protocol, TypeVar, TypeVarTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Result(Protocol):
    """The result of one game."""

    @property
    def won(self) -> int: ...


Task = TypeVarTuple("Task")
R = TypeVar("R", bound=Result)

PARTS: Final = 10
"""Where no bar can be drawn, a line is written after each of so many parts."""

Step = Callable[[int, int], None]
"""Told how many are done, and how many of them were won."""


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
    """So many processes, which ignore Ctrl+C: this process hears it, and ends them."""
    # A new process inherits which signals are ignored.
    heeded = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        # Spawned, not forked: a progress bar runs in a thread, and threads do not survive a fork.
        made = get_context("spawn").Pool(hands)
    finally:
        signal.signal(signal.SIGINT, heeded)
    with made:
        yield made


def processes(asked: int | None, tasks: int) -> int:
    """How many to take: as many as asked for or as there are cores, and no more than tasks."""
    return max(1, min(asked or os.cpu_count() or 1, tasks))


def run(
    work: Callable[[*Task], R],
    rows: Sequence[Sequence[tuple[*Task]]],
    workers: int | None = None,
    steps: Sequence[Step] = (),
    batch: int = 1,
) -> list[list[R]]:
    """By row, the result of each task, in order; a row's step is told after each.

    On all cores unless told; `batch` tasks at a time go to a process.
    """
    found: dict[tuple[int, int], R] = {}
    done, won = [0] * len(rows), [0] * len(rows)
    tasks = [((row, at), task) for row, own in enumerate(rows) for at, task in enumerate(own)]
    with pool(processes(workers, len(tasks))) as hands:
        for key, result in hands.imap_unordered(partial(_work, work), tasks, batch):
            found[key] = result
            row = key[0]
            done[row] += 1
            won[row] += result.won
            if steps:
                steps[row](done[row], won[row])
    return [[found[row, at] for at in range(len(own))] for row, own in enumerate(rows)]


def _work(
    work: Callable[[*Task], R], task: tuple[tuple[int, int], tuple[*Task]]
) -> tuple[tuple[int, int], R]:
    return task[0], work(*task[1])


class Meter:
    """How far a measurement is: bars in a terminal, and lines on standard error elsewhere."""

    def __init__(self, console: Console, what: str) -> None:
        """`what` says what is measured. It is printed first, also into a pipe or a file."""
        self._errors = Console(stderr=True, highlight=False)
        console.print(what, highlight=False, markup=False, soft_wrap=True)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[won]} won"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Meter:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def row(self, name: str, total: int) -> Step:
        """One more thing that is measured; the step is told how far it is."""
        bar = self._bars.add_task(name, total=total, won=0)
        written = 0

        def step(done: int, won: int) -> None:
            nonlocal written
            self._bars.update(bar, completed=done, won=won)
            part = done * PARTS // total
            if self._bars.disable and part > written:
                written = part
                line = f"{name}: {done} of {total}, {won} won"
                self._errors.print(line, highlight=False, markup=False, soft_wrap=True)

        return step
