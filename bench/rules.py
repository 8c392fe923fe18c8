"""The rules alone, interpreted and compiled with mypyc, in one run."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rich.console import Console

from bench.builds import PACKAGE, Rates, builds, measure, take_turns
from bench.report import Run, grid
from scripts import compiled

PLAYS = Path(__file__).parent / "plays.py"
COMPILED = [PACKAGE.parent / file for file in compiled.RULES]
INTERPRETED = "choices described events lane marks moves settings tableau turns".split()
"""Modules that the rules need and that can't be compiled in every game."""


class Report(Run, kw_only=True):
    """By build and row, how often per CPU-second."""

    rates: dict[str, Rates]
    ratio: Rates


def interpreted() -> Iterator[Path]:
    """The modules that the rules import and that stay as they are."""
    for folder in {module.parent for module in COMPILED}:
        for file in sorted(folder.glob("*.py")):
            if file.stem in INTERPRETED:
                yield file


def main(seconds: float, rounds: int) -> int:
    say = Console(highlight=False)
    with tempfile.TemporaryDirectory(prefix="rules-") as made:
        with say.status("compiling the rules with mypyc"):
            folders = builds(Path(made), (*COMPILED, *interpreted()), COMPILED)
        command: list[str | Path] = [sys.executable, PLAYS, str(seconds)]
        with say.status("playing"):
            rates = take_turns(
                {build: partial(measure, command, folder) for build, folder in folders.items()},
                rounds,
            )
    slow, fast = rates["interpreted"], rates["compiled"]
    report = Report(rates=rates, ratio={row: fast[row] / slow[row] for row in slow})
    show(report, say)
    report.keep("rules", say)
    return 0


def show(report: Report, say: Console) -> None:
    shown = grid(f"per CPU-second; {report.machine}", "interpreted", "compiled", "times")
    for row, ratio in report.ratio.items():
        cells = [f"{report.rates[build][row]:,.0f}" for build in ("interpreted", "compiled")]
        shown.add_row(row, *cells, f"{ratio:.1f}")
    say.print(shown)
