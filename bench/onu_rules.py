"""ONU's core of integers, interpreted and compiled, compared with RLCard's UNO in one run.

RLCard is installed into an environment of its own under `bench/results/`, the first time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from functools import partial
from pathlib import Path

from rich.console import Console

from bench.builds import PACKAGE, Rates, builds, measure, take_turns
from bench.report import RESULTS, Run, grid

PLAYS = Path(__file__).parent / "onu_plays.py"
CORE = (
    PACKAGE / "games" / "onu" / "cards.py",
    PACKAGE / "games" / "onu" / "core.py",
    PLAYS.with_name("onu_playout.py"),
)
RLCARD = "rlcard==1.2.0"

ALIKE = "random games as RLCard plays them"
ACTIONS = "their actions"
USUAL = "random games by the usual rules"
STEPPED = "actions stepped from Python"
COMPILED_BAR, INTERPRETED_BAR, STEPPED_BAR = 20, 1, 1_000_000


class Report(Run, kw_only=True):
    """By side and row, how often per CPU-second; and which bars were met."""

    rates: dict[str, Rates]
    bars: dict[str, bool]


def rlcard_python() -> Path:
    """The interpreter of an environment that has RLCard."""
    folder = RESULTS / "rlcard-env"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", RLCARD], check=True)
        (folder / "ready").touch()
    return python


def main(seconds: float, rounds: int) -> int:
    say = Console(highlight=False)
    RESULTS.mkdir(exist_ok=True)
    with say.status("getting RLCard"):
        theirs = rlcard_python()
    with tempfile.TemporaryDirectory(prefix="onu-") as made:
        with say.status("compiling ONU's core with mypyc"):
            folders = builds(Path(made), CORE, CORE)
        ours: list[str | Path] = [sys.executable, PLAYS, "ours", str(seconds)]
        with say.status("playing"):
            rates = take_turns(
                {
                    "RLCard": partial(measure, [theirs, PLAYS, "rlcard", str(seconds)]),
                    **{build: partial(measure, ours, folder) for build, folder in folders.items()},
                },
                rounds,
            )
    report = Report(rates=rates, bars=bars(rates))
    show(report, say)
    report.keep("onu-rules", say)
    return 0 if all(report.bars.values()) else 1


def bars(rates: dict[str, Rates]) -> dict[str, bool]:
    theirs = rates["RLCard"][ALIKE]
    compiled = rates["compiled"][ALIKE] / theirs
    interpreted = rates["interpreted"][ALIKE] / theirs
    stepped = rates["compiled"][STEPPED]
    return {
        f"compiled {compiled:.1f} x RLCard, at least {COMPILED_BAR}": compiled >= COMPILED_BAR,
        f"interpreted {interpreted:.1f} x RLCard, at least {INTERPRETED_BAR}": (
            interpreted >= INTERPRETED_BAR
        ),
        f"{stepped:,.0f} actions a second from Python, at least {STEPPED_BAR:,}": (
            stepped >= STEPPED_BAR
        ),
    }


def show(report: Report, say: Console) -> None:
    shown = grid(f"ONU, two players, per CPU-second; {report.machine}", *report.rates)
    for row in report.rates["compiled"]:
        cells = [f"{rates[row]:,.0f}" if row in rates else "" for rates in report.rates.values()]
        shown.add_row(row, *cells)
    say.print(shown)
    theirs, ours = report.rates["RLCard"], report.rates["interpreted"]
    say.print(
        f"interpreted: {ours[ACTIONS] / theirs[ACTIONS]:.1f} x RLCard's actions; games by the "
        f"usual rules, which are longer, {ours[USUAL] / theirs[ALIKE]:.1f} x RLCard's games"
    )
    for sentence, met in report.bars.items():
        say.print(f"{'[green]met[/]   ' if met else '[red]missed[/]'} {sentence}")
