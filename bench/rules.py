"""The rules alone, as they are and compiled with mypyc, side by side in one run.

Both copies are made in a temporary folder from the sources of the package; rounds take turns,
and the middle one counts, so the ratio holds where the machine's mood would spoil the numbers.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec
from rich.console import Console
from rich.table import Table as Grid

from bench.run import RESULTS, machine

PACKAGE = Path(__file__).parents[1] / "src" / "parlour"
PLAYS = Path(__file__).parent / "plays.py"
GAMES = ("rummy", "cambia", "mo")

Rates = dict[str, float]


class Report(msgspec.Struct, kw_only=True):
    """One run: by build, by row, how often per CPU-second."""

    at: str
    machine: str
    rates: dict[str, Rates]
    ratio: Rates


def pure() -> Iterator[Path]:
    """What compiles: kit, chance, cards, and each game without what reads types or does I/O."""
    yield from (Path("rng.py"), Path("cards.py"), Path("kit.py"))
    for game in GAMES:
        for file in sorted((PACKAGE / "games" / game).glob("*.py")):
            if file.stem not in ("__init__", "settings", "wire", "terminal"):
                yield file.relative_to(PACKAGE)


def lay_out(folder: Path) -> None:
    """The rules as a package of their own, without anything around them."""
    settings = (Path("games") / game / "settings.py" for game in GAMES)
    for module in (*pure(), *settings):
        target = folder / "parlour" / module
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PACKAGE / module, target)
    for package in ("", "games", *(f"games/{game}" for game in GAMES)):
        (folder / "parlour" / package / "__init__.py").touch()


def compile_in(folder: Path) -> None:
    """Run mypyc where the copy lies; the extension modules land beside their sources."""
    files = [str(Path("parlour") / module) for module in pure()]
    made = subprocess.run(
        [sys.executable, "-m", "mypyc", *files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise RuntimeError(f"mypyc could not compile the rules:\n{made.stdout}{made.stderr}")


def measure(folder: Path, seconds: float) -> Rates:
    found = subprocess.run(
        [sys.executable, str(PLAYS), str(seconds)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise RuntimeError(f"the {folder.name} rules could not be measured:\n{found.stderr}")
    rates: Rates = json.loads(found.stdout)
    return rates


def main(seconds: float, rounds: int) -> int:
    say = Console(highlight=False)
    found: dict[str, list[Rates]] = {"interpreted": [], "compiled": []}
    with tempfile.TemporaryDirectory(prefix="rules-") as made:
        folders = {build: Path(made) / build for build in found}
        for folder in folders.values():
            lay_out(folder)
        with say.status("compiling the rules with mypyc"):
            compile_in(folders["compiled"])
        with say.status("playing"):
            for _ in range(rounds):
                for build, folder in folders.items():
                    found[build].append(measure(folder, seconds))
    rates = {
        build: {row: median(each[row] for each in measured) for row in measured[0]}
        for build, measured in found.items()
    }
    slow, fast = rates["interpreted"], rates["compiled"]
    report = Report(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine(),
        rates=rates,
        ratio={row: fast[row] / slow[row] for row in slow},
    )
    show(report, say)
    RESULTS.mkdir(exist_ok=True)
    kept = RESULTS / f"rules-{report.at.replace(':', '')}.json"
    kept.write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    say.print(f"Kept in bench/results/{kept.name}")
    return 0


def show(report: Report, say: Console) -> None:
    grid = Grid(title=f"per CPU-second; {report.machine}", title_justify="left")
    grid.add_column("")
    for heading in ("interpreted", "compiled", "times"):
        grid.add_column(heading, justify="right")
    for row, ratio in report.ratio.items():
        cells = [f"{report.rates[build][row]:,.0f}" for build in ("interpreted", "compiled")]
        grid.add_row(row, *cells, f"{ratio:.1f}")
    say.print(grid)
