"""A run's report: when and where it was measured, how it is shown, and where it is stored."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table as Grid

from parlour.house import live

RESULTS = Path(__file__).parent / "results"


def _moment() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _machine() -> str:
    model = ""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    build = "interpreted" if live.__file__.endswith(".py") else "compiled"
    return f"{os.cpu_count()} × {model}, Python {platform.python_version()}, {build}"


class Run(msgspec.Struct, kw_only=True):
    """One run of a bench; subclasses add what was measured."""

    at: str = msgspec.field(default_factory=_moment)
    machine: str = msgspec.field(default_factory=_machine)

    def keep(self, name: str, say: Console) -> None:
        """Store it as JSON in bench/results/."""
        RESULTS.mkdir(exist_ok=True)
        kept = RESULTS / f"{name}-{self.at.replace(':', '')}.json"
        kept.write_bytes(msgspec.json.format(msgspec.json.encode(self)))
        say.print(f"Stored in bench/results/{kept.name}")


def grid(title: str, *columns: str) -> Grid:
    """An empty table: a column of names, then columns of figures."""
    made = Grid(title=title, title_justify="left")
    made.add_column("")
    for name in columns:
        made.add_column(name, justify="right")
    return made
