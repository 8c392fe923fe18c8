"""The relay under load, rooms of three sizes and tables of ONU, each beside the same fan-out.

As `bench.run` has it: servers and load are processes of their own, echo and relay take turns, and
the middle of the rounds counts.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from rich.console import Console
from rich.table import Table as Grid

from bench.builds import keep
from bench.load import Found, Order
from bench.relay_load import PLAYERS, ROOMS
from bench.run import Load, Options, Throughput, echo, house, load, machine

SESSIONS = 200
"""In all rooms together."""
LATE = "room-8"
"""The rooms whose latency is looked at, beside that of tables."""


class Report(msgspec.Struct, kw_only=True):
    """One run."""

    at: str
    machine: str
    options: Options
    loads: list[Load]
    latency_ms: dict[str, dict[str, float]]


def measured(script: str, rooms: int, seconds: float, rate: float | None = None) -> Found:
    """One load on a server of its own."""
    with echo() if script.startswith("echo") else house() as (port, pid):
        order = Order(port=port, pid=pid, script=script, tables=rooms, seconds=seconds, rate=rate)
        return load(order, "bench.relay_load")


def measure(options: Options, say: Console) -> Report:
    def speed(script: str, rooms: int) -> Throughput:
        with say.status(f"{script}, {rooms} rooms, at full speed"):
            return Throughput.of(measured(script, rooms, options.seconds))

    wanted = [(f"room-{size}", f"echo-{size}", SESSIONS // size) for size in ROOMS]
    wanted.append(("onu", f"echo-{PLAYERS}", SESSIONS // PLAYERS))
    loads: list[Load] = []
    for script, yardstick, rooms in wanted:
        rounds = [(speed(yardstick, rooms), speed(script, rooms)) for _ in range(options.rounds)]
        loads.append(Load.of(script, rooms, rounds))
    late: dict[str, dict[str, float]] = {}
    for script, _, rooms in wanted:
        if script in (LATE, "onu"):
            with say.status(f"{script}, {options.rate:.0f} actions a second"):
                late[script] = measured(script, rooms, options.seconds, options.rate).latency_ms
    return Report(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine(),
        options=options,
        loads=loads,
        latency_ms=late,
    )


def show(report: Report, say: Console) -> None:
    grid = Grid(title=f"Actions per server-CPU-second. {report.machine}", title_justify="left")
    for name in ("", "rooms", "echo", "the relay", "of the echo's", "lowest to highest"):
        grid.add_column(name, justify="right" if name else "left")
    grid.add_column("messages sent per action", justify="right")
    grid.add_column("told per CPU-second", justify="right")
    for found in report.loads:
        ours = found.game
        grid.add_row(
            found.script,
            f"{found.tables}",
            f"{found.echo.per_cpu_second:,.0f}",
            f"{ours.per_cpu_second:,.0f}",
            f"{found.ratio:.2f}",
            f"{found.ratios[0]:.2f} to {found.ratios[-1]:.2f}",
            f"{ours.frames_per_action:.1f}",
            f"{ours.per_cpu_second * ours.frames_per_action:,.0f}",
        )
    say.print(grid)
    for script, late in report.latency_ms.items():
        say.print(
            f"{script}, {report.options.rate:.0f} actions a second: "
            f"p50 {late['p50']:.1f} ms, p99 {late['p99']:.1f} ms"
        )


def main(options: Options) -> int:
    """Measure, show, keep."""
    say = Console(highlight=False)
    report = measure(options, say)
    show(report, say)
    keep("relay", report.at, report, say)
    return 0
