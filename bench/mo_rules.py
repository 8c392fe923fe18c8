"""MO's rules and search, as they are and compiled with mypyc, side by side in one run.

`python -m bench.mo_rules`. Both copies are made in a temporary folder from the sources of the
package; rounds take turns, and the middle one counts, so the ratio holds where the machine's
mood would spoil the numbers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

PACKAGE = Path(__file__).parents[1] / "src" / "parlour"
RESULTS = Path(__file__).parent / "results"

# In the order they are imported. The settings stay as they are: msgspec reads their types.
COMPILED = (
    "rng.py",
    "cards.py",
    "kit.py",
    "games/mo/board.py",
    "games/mo/picture.py",
    "games/mo/rules.py",
    "games/mo/analysis.py",
    "games/mo/worth.py",
    "games/mo/solver.py",
    "games/mo/why.py",
    "games/mo/search.py",
)

MEASURE = '''
import json, sys
from time import process_time
from parlour.games.mo.board import PILES
from parlour.games.mo.rules import Game, Play, opening
from parlour.games.mo.search import hint
from parlour.games.mo.solver import solve
from parlour.rng import FastRng

seconds = float(sys.argv[1])

def plies():
    """Random games through the match: every move checked, told and kept for undo."""
    rng = FastRng(1)
    deal = done = 0
    began = process_time()
    while process_time() - began < seconds:
        deal += 1
        game = Game("bench", "classic", opening(f"bench-{deal}", "classic"))
        while not game.history.now.reason:
            valid = game.board.valid()
            game.apply(0, Play(PILES[valid[rng.below(len(valid))]]), rng, 0)
            done += 1
    return done / (process_time() - began)

def nodes():
    """Beams of 64 over one deal after the other."""
    deal = looked = 0
    began = process_time()
    while process_time() - began < seconds:
        deal += 1
        looked += solve(opening(f"bench-{deal}", "classic"), (64,)).positions
    return looked / (process_time() - began)

def hints():
    """Hints at the opening, where most is unknown; the first one makes the tables."""
    deal = 0
    hint(Game("bench", "classic", opening("bench-0", "classic")).picture().veiled())
    began = process_time()
    while process_time() - began < seconds:
        deal += 1
        picture = Game("bench", "classic", opening(f"bench-{deal}", "classic")).picture()
        hint(picture.veiled())
    return deal / (process_time() - began)

print(json.dumps({"plies": plies(), "nodes": nodes(), "hints": hints()}))
'''

ROWS = (
    ("plies", "random plies per CPU-second"),
    ("nodes", "solver positions per CPU-second"),
    ("hints", "opening hints per CPU-second"),
)


def lay_out(folder: Path) -> None:
    """The few modules MO's rules and search need, as a package of their own."""
    for module in (*COMPILED, "games/mo/settings.py"):
        target = folder / "parlour" / module
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PACKAGE / module, target)
    for package in ("parlour", "parlour/games", "parlour/games/mo"):
        (folder / package / "__init__.py").touch()


def compile_in(folder: Path) -> None:
    """Run mypyc where the copy lies; the extension modules land beside their sources."""
    command = [sys.executable, "-m", "mypyc", *[f"parlour/{module}" for module in COMPILED]]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit(f"mypyc could not compile the rules:\n{made.stdout}{made.stderr}")


def measure(folder: Path, seconds: float) -> dict[str, float]:
    found = subprocess.run(
        [sys.executable, "-c", MEASURE, str(seconds)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        sys.exit(f"The rules in {folder.name} form could not be measured:\n{found.stderr}")
    rates: dict[str, float] = json.loads(found.stdout)
    return rates


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mo_rules", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each measurement is")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured")
    told = parser.parse_args()
    console = Console()
    rounds: dict[str, list[dict[str, float]]] = {"interpreted": [], "compiled": []}
    with tempfile.TemporaryDirectory(prefix="mo-rules-") as made:
        folders = {build: Path(made) / build for build in rounds}
        for folder in folders.values():
            lay_out(folder)
        with console.status("Compiling the rules with mypyc"):
            compile_in(folders["compiled"])
        with console.status("Measuring"):
            for _ in range(told.rounds):
                for build, folder in folders.items():
                    rounds[build].append(measure(folder, told.seconds))
    rates = {
        build: {row: median(one[row] for one in measured) for row, _ in ROWS}
        for build, measured in rounds.items()
    }
    table = Table(title="MO's rules and search")
    for name in ("what", "interpreted", "compiled", "ratio"):
        table.add_column(name, justify="left" if name == "what" else "right")
    for row, what in ROWS:
        slow, fast = rates["interpreted"][row], rates["compiled"][row]
        table.add_row(what, f"{slow:,.0f}", f"{fast:,.0f}", f"{fast / slow:.1f}")
    console.print(table)
    RESULTS.mkdir(exist_ok=True)
    at = datetime.now(UTC)
    file = RESULTS / f"mo-rules-{at:%Y-%m-%dT%H%M%S%z}.json"
    result = {
        "at": at.isoformat(timespec="seconds"),
        "machine": f"{os.cpu_count()} × {platform.machine()}, Python {platform.python_version()}",
        "seconds": told.seconds,
        "rounds": rounds,
        "rates": rates,
    }
    file.write_text(json.dumps(result, indent=2) + "\n")
    console.print(f"Written to bench/results/{file.name}.", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
