"""ONU's core of integers beside RLCard's UNO: as it is, compiled, and theirs, in one run.

RLCard gets an environment of its own under `bench/results/`, made the first time. Rounds take
turns and the middle one counts, so that the ratios hold whatever else the machine does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec
from rich.console import Console
from rich.table import Table as Grid

from bench.run import RESULTS, machine

SOURCES = Path(__file__).parents[1] / "src" / "parlour" / "games" / "onu"
PLAYS = Path(__file__).parent / "onu_plays.py"
MODULES = ("cards.py", "core.py", "playout.py")
RLCARD = "rlcard==1.2.0"

ALIKE = "random games as RLCard plays them"
STEPPED = "actions stepped from Python"
COMPILED_BAR, INTERPRETED_BAR, STEPPED_BAR = 20, 1, 1_000_000

Rates = dict[str, float]


class Report(msgspec.Struct, kw_only=True):
    """One run: by side, by row, how often per CPU-second; and which bars were met."""

    at: str
    machine: str
    rates: dict[str, Rates]
    bars: dict[str, bool]


def lay_out(folder: Path) -> None:
    """The bare core as a package of its own, without anything around it."""
    package = folder / "parlour" / "games" / "onu"
    package.mkdir(parents=True)
    for module in MODULES:
        shutil.copyfile(SOURCES / module, package / module)
    for above in (package, package.parent, package.parent.parent):
        (above / "__init__.py").touch()


def compile_in(folder: Path) -> None:
    """Run mypyc where the copy lies; the extension modules land beside their sources."""
    files = [str(Path("parlour") / "games" / "onu" / module) for module in MODULES]
    made = subprocess.run(
        [sys.executable, "-m", "mypyc", *files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise RuntimeError(f"mypyc could not compile the core:\n{made.stdout}{made.stderr}")


def rlcard_python() -> Path:
    """The interpreter of an environment that has RLCard."""
    folder = RESULTS / "rlcard-env"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", RLCARD], check=True)
        (folder / "ready").touch()
    return python


def measure(python: str | Path, side: str, seconds: float, folder: Path | None = None) -> Rates:
    extra = {} if folder is None else {"PYTHONPATH": str(folder)}
    found = subprocess.run(
        [python, str(PLAYS), side, str(seconds)],
        cwd=folder,
        env={**os.environ, **extra},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise RuntimeError(f"{side} could not be measured:\n{found.stderr}")
    rates: Rates = json.loads(found.stdout)
    return rates


def main(seconds: float, rounds: int) -> int:
    say = Console(highlight=False)
    RESULTS.mkdir(exist_ok=True)
    with say.status("getting RLCard"):
        theirs = rlcard_python()
    found: dict[str, list[Rates]] = {"RLCard": [], "interpreted": [], "compiled": []}
    with tempfile.TemporaryDirectory(prefix="onu-") as made:
        folders = {build: Path(made) / build for build in ("interpreted", "compiled")}
        for folder in folders.values():
            lay_out(folder)
        with say.status("compiling ONU's core with mypyc"):
            compile_in(folders["compiled"])
        with say.status("playing"):
            for _ in range(rounds):
                found["RLCard"].append(measure(theirs, "rlcard", seconds))
                for build, folder in folders.items():
                    found[build].append(measure(sys.executable, "ours", seconds, folder))
    rates = {
        side: {row: median(each[row] for each in measured) for row in measured[0]}
        for side, measured in found.items()
    }
    report = Report(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine(),
        rates=rates,
        bars=bars(rates),
    )
    show(report, say)
    kept = RESULTS / f"onu-rules-{report.at.replace(':', '')}.json"
    kept.write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    say.print(f"Kept in bench/results/{kept.name}")
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
    grid = Grid(title=f"ONU, two players, per CPU-second; {report.machine}", title_justify="left")
    grid.add_column("")
    for side in report.rates:
        grid.add_column(side, justify="right")
    for row in report.rates["compiled"]:
        cells = [f"{rates[row]:,.0f}" if row in rates else "" for rates in report.rates.values()]
        grid.add_row(row, *cells)
    say.print(grid)
    for sentence, met in report.bars.items():
        say.print(f"{'[green]met[/]   ' if met else '[red]missed[/]'} {sentence}")
