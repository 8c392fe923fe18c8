"""How the cost of an action grows: with tables, with idle connections, with the log.

`make bench ARGS=curves` measures and draws a picture of each, docs/images/cost-over-*.png.
"""

from __future__ import annotations

import socket
import subprocess
from typing import Final

import msgspec
from rich.console import Console

from bench import peers
from bench.load import Found, Order, handshake
from bench.report import Run, grid
from bench.run import LIFTED, Options, house, load, measured

SCRIPT: Final = "rummy"
TABLES: Final = (10, 25, 50, 100, 200, 400)
CONNECTIONS: Final = (0, 1_000, 2_000, 4_000, 8_000)
LENGTHS: Final = 8
"""How often the log is measured, each time longer than before."""
BUSY: Final = 100
"""Tables, while something else grows."""
ROOMY: Final = {**LIFTED, "PARLOUR_TABLES": "100000"}


class Point(msgspec.Struct):
    at: float
    microseconds: float
    """CPU time of the server per action."""


class Curve(msgspec.Struct):
    over: str
    file: str
    points: list[Point]


class Report(Run, kw_only=True):
    curves: list[Curve]


def over_tables(seconds: float, say: Console) -> Curve:
    points = []
    for tables in TABLES:
        with say.status(f"{tables} tables"):
            points.append(Point(tables, _each(measured(SCRIPT, tables, seconds))))
    return Curve("tables of four", "tables", points)


def over_connections(seconds: float, say: Console) -> Curve:
    points = []
    opened: list[socket.socket] = []
    with house(ROOMY) as (port, pid):
        for count in CONNECTIONS:
            with say.status(f"{count} idle connections"):
                while len(opened) < count:
                    opened.append(_idle(port))
                order = Order(port=port, pid=pid, script=SCRIPT, tables=BUSY, seconds=seconds)
                points.append(Point(count, _each(load(order))))
    for line in opened:
        line.close()
    return Curve(f"idle connections beside {BUSY} tables", "connections", points)


def _idle(port: int) -> socket.socket:
    """A connection with a table of its own, which does nothing."""
    line = socket.create_connection(("127.0.0.1", port))
    line.sendall(handshake("/rummy"))
    told = b""
    while not told.partition(b"\r\n\r\n")[2]:
        told += line.recv(65536)
    return line


def over_log(seconds: float, say: Console) -> Curve:
    """Each measurement makes the log longer for the next one."""
    points = []
    length = 0.0
    with house(ROOMY) as (port, pid):
        for _ in range(LENGTHS):
            with say.status(f"a log of about {length:,.0f} entries"):
                order = Order(port=port, pid=pid, script=SCRIPT, tables=BUSY, seconds=3 * seconds)
                found = load(order)
                points.append(Point(length, _each(found)))
                # Actions before and after the measured time count, too.
                length += found.actions * (1 + 1.0 / found.seconds)
    return Curve("entries in the log, about", "log", points)


def _each(found: Found) -> float:
    return 1e6 * found.server_cpu / found.actions


def draw(report: Report) -> None:
    """The pictures, by a program in the environment that has matplotlib."""
    subprocess.run(
        [
            str(peers.VENV / "bin" / "python"),
            str(peers.HOME / "plot.py"),
            peers.ROOT / "docs/images",
        ],
        input=msgspec.json.encode(report),
        check=True,
    )


def show(report: Report, say: Console) -> None:
    for curve in report.curves:
        shown = grid(f"Super Rummy, CPU time of an action. {report.machine}", "µs")
        shown.columns[0].header = curve.over
        for point in curve.points:
            shown.add_row(f"{point.at:,.0f}", f"{point.microseconds:.0f}")
        say.print(shown)


def main(options: Options) -> int:
    """Measure, show, store and draw."""
    say = Console(highlight=False)
    peers.install_python(say)
    curves = [
        measure(options.seconds, say) for measure in (over_tables, over_connections, over_log)
    ]
    report = Report(curves=curves)
    show(report, say)
    report.keep("curves", say)
    draw(report)
    return 0
