"""Many evenings, each in a process of its own; and the few faults that are enough to fail one."""

from __future__ import annotations

import os
import pickle
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from simulation.evening import Plan, Result, played


def run_all(plans: Iterable[Plan], jobs: int = 1) -> Iterator[Result]:
    """Play these evenings, so many at a time."""
    with tempfile.TemporaryDirectory(prefix="parlour-sim-results-") as folder:
        running: dict[int, Plan] = {}
        for plan in plans:
            if len(running) >= jobs:
                yield _next(running, Path(folder))
            running[_begin(plan, Path(folder))] = plan
        while running:
            yield _next(running, Path(folder))


def _begin(plan: Plan, folder: Path) -> int:
    child = os.fork()
    if child:
        return child
    try:
        result = played(plan)
    except BaseException:
        result = Result(plan, violation=traceback.format_exc())
    (folder / str(os.getpid())).write_bytes(pickle.dumps(result))
    os._exit(0)


def _next(running: dict[int, Plan], folder: Path) -> Result:
    ended, _ = os.wait()
    plan, file = running.pop(ended), folder / str(ended)
    if not file.exists():
        return Result(plan, violation="its process was killed")
    result: Result = pickle.loads(file.read_bytes())
    return result


def shrunk(failed: Result, jobs: int) -> Result:
    """The same evening with as few faults as still break a promise.

    First every half of the faults is left out, then every quarter, and so on, as long as the
    evening still fails.
    """
    best = failed
    plan = replace(failed.plan, faults=frozenset(failed.faults))
    size = max(1, len(failed.faults) // 2)
    while True:
        faults = sorted(plan.faults or ())
        tries = [
            replace(plan, faults=frozenset(faults[:at] + faults[at + size :]))
            for at in range(0, len(faults), size)
        ]
        smaller = next((r for r in run_all(tries, jobs) if r.violation), None)
        if smaller is not None:
            best = smaller
            plan = replace(plan, faults=frozenset(smaller.faults))
            size = max(1, min(size, len(smaller.faults) // 2))
        elif size > 1:
            size //= 2
        else:
            return best


def story(result: Result, last: int = 30) -> str:
    """The story of a run, for a person to read."""
    lines = [f"{at:10.2f} s  {what}" for at, what in result.story[-last:]]
    plan = result.plan
    faults = ",".join(map(str, sorted(result.faults)))
    again = f"--seed {plan.seed} --nodes {plan.nodes} --hours {plan.hours:g} --faults {faults}"
    games = f" --games {','.join(plan.games)}" if plan.games != Plan(0).games else ""
    return "\n".join(
        [
            *lines,
            f"{result.seconds:10.2f} s  {result.violation}",
            f'Again: make simulate ARGS="{again}{games}"',
        ]
    )
