"""The relay under load: rooms of three sizes and tables of ONU, compared with the same fan-out.

As in `bench.run`, servers and load are processes of their own, echo and relay take turns, and the
median of the rounds counts.
"""

from __future__ import annotations

from functools import partial

from rich.console import Console

from bench import run
from bench.relay_load import PLAYERS, ROOMS
from bench.report import Run, grid
from bench.run import Load, Options, Throughput

SESSIONS = 200
"""In all rooms together."""
LATE_SIZE = 8
LATE = f"room-{LATE_SIZE}"
"""The rooms whose latency is measured, besides that of tables."""
EQUAL = "onu, equal frames"
"""Tables of ONU beside an echo that sends as many frames and bytes for an action as they do."""


class Report(Run, kw_only=True):
    options: Options
    loads: list[Load]
    latency_ms: dict[str, dict[str, float]]


measured = partial(run.measured, program="bench.relay_load")
"""One load of `bench.relay_load` on a server of its own."""


def measure(options: Options, say: Console) -> Report:
    def speed(script: str, rooms: int) -> Throughput:
        with say.status(f"{script}, {rooms} rooms, at full speed"):
            return Throughput.of(measured(script, rooms, options.seconds))

    loads: list[Load] = []
    for size in ROOMS:
        script, yardstick, rooms = f"room-{size}", f"echo-{size}", SESSIONS // size
        rounds = [(speed(yardstick, rooms), speed(script, rooms)) for _ in range(options.rounds)]
        loads.append(Load.of(script, rooms, rounds))
    tables = SESSIONS // PLAYERS
    few: list[tuple[Throughput, Throughput]] = []
    equal: list[tuple[Throughput, Throughput]] = []
    for _ in range(options.rounds):
        played = speed("onu", tables)
        few.append((speed(f"echo-{PLAYERS}", tables), played))
        equal.append((speed(_equal(played), tables), played))
    loads += [Load.of("onu", tables, few), Load.of(EQUAL, tables, equal)]
    late: dict[str, dict[str, float]] = {}
    for script, size in ((LATE, LATE_SIZE), ("onu", PLAYERS)):
        with say.status(f"{script}, {options.rate:.0f} actions a second"):
            found = measured(script, SESSIONS // size, options.seconds, options.rate)
            late[script] = found.latency_ms
    return Report(options=options, loads=loads, latency_ms=late)


def _equal(played: Throughput) -> str:
    """The echo that sends as much for an action."""
    length = round(played.bytes_per_action / played.frames_per_action)
    return f"echo-{PLAYERS}-{played.frames_per_action / PLAYERS:.3f}-{length}"


def show(report: Report, say: Console) -> None:
    shown = grid(
        f"Actions per CPU-second of the server. {report.machine}",
        *("rooms", "echo", "the relay", "of the echo's", "lowest to highest"),
        *("µs per action", "messages sent per action", "KiB", "messages per CPU-second"),
    )
    for found in report.loads:
        ours = found.game
        shown.add_row(
            *found.compared(f"{found.ratio:.2f}"),
            f"{1e6 / ours.per_cpu_second:.0f}",
            f"{ours.frames_per_action:.1f}",
            f"{ours.bytes_per_action / 1024:.1f}",
            f"{ours.per_cpu_second * ours.frames_per_action:,.0f}",
        )
    say.print(shown)
    for script, late in report.latency_ms.items():
        say.print(
            f"{script}, {report.options.rate:.0f} actions a second: "
            f"p50 {late['p50']:.1f} ms, p99 {late['p99']:.1f} ms"
        )


def main(options: Options) -> int:
    """Measure, show and store."""
    say = Console(highlight=False)
    report = measure(options, say)
    show(report, say)
    report.keep("relay", say)
    return 0
