"""The rules alone, as they are and compiled with mypyc, side by side in one run."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table as Grid

from bench.builds import PACKAGE, Rates, compile_in, keep, lay_out, measure, moment, take_turns
from bench.run import machine

PLAYS = Path(__file__).parent / "plays.py"
GAMES = ("rummy", "cambia", "mo")


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
            if file.stem not in ("__init__", "settings", "lobby", "routes", "wire", "terminal"):
                yield file.relative_to(PACKAGE)


def main(seconds: float, rounds: int) -> int:
    say = Console(highlight=False)
    settings = [Path("games") / game / "settings.py" for game in GAMES]
    with tempfile.TemporaryDirectory(prefix="rules-") as made:
        folders = {build: Path(made) / build for build in ("interpreted", "compiled")}
        for folder in folders.values():
            lay_out(folder, (*pure(), *settings))
        with say.status("compiling the rules with mypyc"):
            compile_in(folders["compiled"], pure())
        command: list[str | Path] = [sys.executable, PLAYS, str(seconds)]
        with say.status("playing"):
            rates = take_turns(
                {build: partial(measure, command, folder) for build, folder in folders.items()},
                rounds,
            )
    slow, fast = rates["interpreted"], rates["compiled"]
    report = Report(
        at=moment(),
        machine=machine(),
        rates=rates,
        ratio={row: fast[row] / slow[row] for row in slow},
    )
    show(report, say)
    keep("rules", report.at, report, say)
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
