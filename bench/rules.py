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

PLAYS = Path(__file__).parent / "plays.py"
GAMES = ("rummy", "cambia", "mo")
INTERPRETED = ("settings", "choices", "lane")
"""The modules of a game that its rules need and that msgspec reads at run time."""
NOT_RULES = ("__init__", "lobby", "routes", "scene", "solution", "wire")


class Report(Run, kw_only=True):
    """By build and row, how often per CPU-second."""

    rates: dict[str, Rates]
    ratio: Rates


def pure() -> Iterator[Path]:
    """The modules that can be compiled: no annotations read at run time, no I/O."""
    yield from (PACKAGE / "rng.py", PACKAGE / "cards.py", PACKAGE / "kit.py")
    for game in GAMES:
        for file in sorted((PACKAGE / "games" / game).glob("*.py")):
            if file.stem not in (*INTERPRETED, *NOT_RULES):
                yield file


def interpreted() -> Iterator[Path]:
    """The modules that the rules import and that stay as they are."""
    yield PACKAGE / "choices.py"
    for game in GAMES:
        for file in sorted((PACKAGE / "games" / game).glob("*.py")):
            if file.stem in INTERPRETED:
                yield file


def main(seconds: float, rounds: int) -> int:
    say = Console(highlight=False)
    with tempfile.TemporaryDirectory(prefix="rules-") as made:
        with say.status("compiling the rules with mypyc"):
            folders = builds(Path(made), (*pure(), *interpreted()), pure())
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
