"""A quiet server: what an action costs at a low rate, beside the echo, and what starting costs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from rich.console import Console

from bench.load import Found, cpu_of
from bench.report import RESULTS, Run
from bench.run import free_port, measured, running

TABLES: Final = 100
RATE: Final = 300.0
BAR: Final = 2.4
"""How many times the echo's processor time an action may take."""
HELP_BAR: Final = 0.12
LISTEN_BAR: Final = 0.4
"""CPU-seconds."""

_PARLOUR: Final = str(Path(sys.executable).with_name("parlour"))


class Quiet(msgspec.Struct):
    """One round."""

    echo: float
    game: float
    """CPU-microseconds of the server per action."""
    latency_ms: dict[str, float]

    @property
    def times(self) -> float:
        return self.game / self.echo


class Report(Run, kw_only=True):
    quiet: list[Quiet]
    help_seconds: list[float]
    """CPU time of `parlour --help`."""
    listen_cpu: list[float]
    """CPU time of `parlour serve` until it listens, with an empty data folder."""


def _each(found: Found) -> float:
    return 1e6 * found.server_cpu / found.actions


def quiet(seconds: float) -> Quiet:
    echo = measured("echo", TABLES, seconds, RATE)
    game = measured("rummy", TABLES, seconds, RATE)
    return Quiet(_each(echo), _each(game), game.latency_ms)


def _environ() -> dict[str, str]:
    # As on other machines: compiled modules are stored.
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def help_seconds() -> float:
    before = os.times()
    subprocess.run([_PARLOUR, "--help"], env=_environ(), stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return (
        after.children_user
        + after.children_system
        - (before.children_user + before.children_system)
    )


def listen_cpu() -> float:
    """Until a client can connect."""
    port = free_port()
    RESULTS.mkdir(exist_ok=True)
    environ = {"PYTHONDONTWRITEBYTECODE": "", "PARLOUR_HOST": "127.0.0.1"}
    with tempfile.TemporaryDirectory(dir=RESULTS, prefix="data-") as data:
        command = [_PARLOUR, "serve", "--port", str(port), "--data", data]
        with running(command, environ, port) as process:
            return cpu_of(process.pid)


def main(seconds: float, rounds: int) -> int:
    say = Console(highlight=False)
    found: list[Quiet] = []
    for number in range(rounds):
        with say.status(f"{RATE:.0f} actions a second, round {number + 1} of {rounds}"):
            found.append(quiet(seconds))
    with say.status("starting"):
        help_seconds()  # stores compiled modules
        helped = [help_seconds() for _ in range(5)]
        listened = [listen_cpu() for _ in range(5)]
    report = Report(quiet=found, help_seconds=helped, listen_cpu=listened)
    times = sorted(each.times for each in found)
    figures = (
        (f"{RATE:.0f} actions a second, {TABLES} tables, of the echo's CPU", median(times), BAR),
        ("parlour --help, CPU-seconds", median(helped), HELP_BAR),
        ("serve until it listens, CPU-seconds", median(listened), LISTEN_BAR),
    )
    say.print(report.machine)
    for name, figure, bar in figures:
        colour = "green" if figure <= bar else "red"
        say.print(f"{name}: [{colour}]{figure:.3g}[/] (bar {bar})")
    for each in found:
        say.print(
            f"  echo {each.echo:.0f} µs, rummy {each.game:.0f} µs, {each.times:.2f} times; "
            f"p50 {each.latency_ms['p50']:.1f} ms, p99 {each.latency_ms['p99']:.1f} ms"
        )
    report.keep("rest", say)
    return 0 if all(figure <= bar for _, figure, bar in figures) else 1
