"""The command line of the simulation."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Sequence

from simulation.breaks import BREAKS
from simulation.evening import EVENING, Plan, Result, played
from simulation.running import run_all, shrunk, story


def main() -> None:
    given = _parser().parse_args()
    if given.log:
        logging.basicConfig(level=logging.INFO)
    else:
        # Nothing is printed, but an evening hears what servers report as errors.
        logging.basicConfig(level=logging.ERROR, handlers=[logging.NullHandler()])
    first, _, last = given.seeds.partition("-") if given.seeds else (given.seed, "", given.seed)
    faults = None
    if given.faults is not None:
        faults = frozenset(int(number) for number in given.faults.split(",") if number)
    plans = [
        Plan(seed, given.hours, tuple(given.games.split(",")), nodes, faults)
        for seed in range(int(first), int(last or first) + 1)
        for nodes in map(int, given.nodes.split(","))
    ]
    if given.broken:
        BREAKS[given.broken]()
    if given.digest or (len(plans) == 1 and not given.shrink):
        sys.exit(_play(plans, digest=given.digest))
    failed = []
    for result in run_all(plans, given.jobs):
        if result.violation is None:
            continue
        failed.append(result)
        print(
            f"seed {result.plan.seed} with {result.plan.nodes} nodes: {result.violation}",
            flush=True,
        )
        if given.shrink and len(failed) == 1:
            print(story(shrunk(result, given.jobs)), flush=True)
    print(f"{len(failed)} of {len(plans)} evenings broke a promise")
    sys.exit(bool(failed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m simulation")
    parser.add_argument("--seed", type=int, default=1, help="which evening")
    parser.add_argument("--seeds", help="several evenings: 1-20")
    parser.add_argument("--jobs", type=int, default=1, help="how many of them at a time")
    parser.add_argument("--hours", type=float, default=1.0, help="how long it is")
    parser.add_argument("--nodes", default="1", help="how many nodes the house has: 1, 3 or 1,3")
    parser.add_argument("--games", default=",".join(EVENING), help="a table for each of these")
    parser.add_argument("--faults", help="the numbers of the faults that happen, instead of all")
    parser.add_argument("--digest", action="store_true", help="print a digest of all messages")
    parser.add_argument("--shrink", action="store_true", help="leave out faults that do not matter")
    parser.add_argument("--broken", choices=BREAKS, help="break the server first, in this way")
    parser.add_argument("--log", action="store_true", help="print the server's log")
    return parser


def _play(plans: Sequence[Plan], *, digest: bool) -> int:
    """One evening in this process."""
    (plan,) = plans
    result = played(plan)
    if digest and not result.violation:
        print(result.digest)
    else:
        print(_told(result))
    return int(result.violation is not None)


def _told(result: Result) -> str:
    if result.violation is not None:
        return story(result)
    rate = 60 * result.table_hours / result.cpu
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(result.faults.values()).items())
    return (
        f"seed {result.plan.seed}: no promise was broken. {result.table_hours:.1f} table-hours, "
        f"{result.entries} entries, {result.frames} messages at {result.connections} connections; "
        f"{rate:.0f} table-hours per minute of processor time. Faults: {kinds or 'none'}."
    )
