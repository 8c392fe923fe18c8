"""The server under load, compared with a server that only echoes, in one run on one machine.

All figures of a run are measured within minutes on the same machine, so that their ratios are
reliable even where the figures are not. Each server is a process of its own, and so is the load.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

import msgspec
from rich.console import Console

from bench.bars import Bar, show_bars
from bench.load import SCRIPTS, Found, Order, handshake
from bench.report import RESULTS, Run, grid

SERVE = (sys.executable, "-c", "from parlour.cli import main; main()", "serve")
"""The command that starts a server."""
GAMES = ("rummy", "cambia", "quips")
ECHOES = {4: "echo", 10: "echo-ten"}
"""The echo with the same fan-out, by the number of players at a table."""
BARS = {"rummy": 0.6, "cambia": 0.6, "quips": 0.45}
"""The share of the echo's actions per CPU-second that a game must reach."""
EVERY_LOAD = ("rummy", "cambia")
"""Games that must reach it at each load; others, which start slowly, at the highest."""
LATEST_MS = 5.0
"""The highest p99 at a moderate load."""
IDLE_KIB = 24.0
"""The most memory for an idle connection."""
IDLE = {"rummy": "/rummy"}
"""Paths at which each connection gets a table of its own."""
IDLERS = 1_000

# Limits that a bench would run into are lifted; everything else is as in a usual server.
LIFTED = {
    "PARLOUR_HOST": "127.0.0.1",
    "PARLOUR_LOG_LEVEL": "warning",
    "PARLOUR_MESSAGE_RATE": "1e9",
    "PARLOUR_MESSAGE_BURST": "1000000",
    "PARLOUR_ADDRESS_RATE": "1e9",
    "PARLOUR_ADDRESS_BURST": "1000000",
    "PARLOUR_ADDRESS_CONNECTIONS": "100000",
    "PARLOUR_REQUEST_RATE": "1e9",
    "PARLOUR_REQUEST_BURST": "1000000",
    "PARLOUR_WCP_MESSAGE_RATE": "1e9",
    "PARLOUR_WCP_MESSAGE_BURST": "1000000",
    "PARLOUR_HEARTBEAT": "3600",
}


class Options(msgspec.Struct, kw_only=True):
    """How much to measure."""

    tables: tuple[int, ...] = (50, 100, 200)
    """The loads, in tables of four (for larger tables the number is reduced to about as many
    players). The lowest leaves the server waiting for its disk, the highest keeps it busy. A bar
    must be met at each."""
    games: tuple[str, ...] = GAMES
    seconds: float = 3.0
    rate: float = 500.0
    rounds: int = 3
    """How often echo and game take turns. The median of the results counts, and the median of the
    rounds' ratios: measurements that follow each other share the machine's other load."""

    def most(self, script: str) -> int:
        """Tables of this script at the highest load."""
        return max(1, 4 * max(self.tables) // SCRIPTS[script].seats)


class Throughput(msgspec.Struct):
    """Actions at full speed."""

    per_cpu_second: float
    per_second: float
    server_busy: float
    """Of one processor."""
    frames_per_action: float
    bytes_per_action: float = 0.0

    @classmethod
    def of(cls, found: Found) -> Throughput:
        return cls(
            per_cpu_second=found.actions / found.server_cpu,
            per_second=found.actions / found.seconds,
            server_busy=found.server_cpu / found.seconds,
            frames_per_action=found.frames / found.actions,
            bytes_per_action=found.bytes / found.actions,
        )


class Load(msgspec.Struct):
    """One game at one load, beside the echo."""

    script: str
    tables: int
    echo: Throughput
    game: Throughput
    ratios: list[float]
    """Of the rounds, lowest first."""

    @classmethod
    def of(cls, script: str, tables: int, rounds: list[tuple[Throughput, Throughput]]) -> Load:
        def middle(speeds: Iterable[Throughput]) -> Throughput:
            return sorted(speeds, key=lambda speed: speed.per_cpu_second)[len(rounds) // 2]

        return cls(
            script=script,
            tables=tables,
            echo=middle(echoed for echoed, _ in rounds),
            game=middle(played for _, played in rounds),
            ratios=sorted(mine.per_cpu_second / other.per_cpu_second for other, mine in rounds),
        )

    @property
    def ratio(self) -> float:
        return median(self.ratios)

    def compared(self, ratio: str) -> tuple[str, ...]:
        """The first cells of its row: both speeds, their `ratio` as it is shown, its spread."""
        return (
            self.script,
            f"{self.tables}",
            f"{self.echo.per_cpu_second:,.0f}",
            f"{self.game.per_cpu_second:,.0f}",
            ratio,
            f"{self.ratios[0]:.2f} to {self.ratios[-1]:.2f}",
        )


class Report(Run, kw_only=True):
    options: Options
    loads: list[Load]
    latency_ms: dict[str, dict[str, float]]
    idle_bytes: dict[str, float]

    def bars(self) -> list[Bar]:
        return [
            *(
                Bar(f"{load.script}, {load.tables} tables, of the echo", load.ratio, bar)
                for load in self.loads
                if (bar := BARS.get(load.script)) is not None
            ),
            *(
                Bar(f"{script}, p99 at a moderate load", late["p99"], LATEST_MS, "less", " ms")
                for script, late in self.latency_ms.items()
            ),
            *(
                Bar(f"{script}, an idle connection", size / 1024, IDLE_KIB, "less", " KiB")
                for script, size in self.idle_bytes.items()
            ),
        ]


@contextmanager
def running(
    command: Sequence[str], environ: Mapping[str, str], port: int, **pipes: Any
) -> Iterator[subprocess.Popen[Any]]:
    """A server process that listens; its output is shown only if something fails.

    `pipes` are options of `Popen`, for a server that one talks to.
    """
    with tempfile.TemporaryFile() as log:
        output: dict[str, Any] = {"stdout": log, "stderr": log, **pipes}
        process = subprocess.Popen(command, env={**os.environ, **environ}, **output)
        try:
            wait_for(port, process)
            yield process
        except Exception:
            log.seek(0)
            sys.stderr.write(log.read().decode()[-4000:])
            raise
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(port: int, process: subprocess.Popen[Any]) -> None:
    for _ in range(200):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")


@contextmanager
def echo() -> Iterator[tuple[int, int]]:
    """The echo server's port and process id."""
    port = free_port()
    with running([sys.executable, "-m", "bench.echo", str(port)], {}, port) as process:
        yield port, process.pid


@contextmanager
def house(environ: Mapping[str, str] = LIFTED) -> Iterator[tuple[int, int]]:
    """A server with its log in a real file: its port and process id."""
    port = free_port()
    # Not in /tmp, which may be in memory: a sync must reach a disk.
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=RESULTS, prefix="data-") as data:
        command = [*SERVE, "--port", str(port), "--data", data]
        with running(command, environ, port) as process:
            yield port, process.pid


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def load(order: Order, program: str = "bench.load") -> Found:
    done = subprocess.run(
        [sys.executable, "-m", program, msgspec.json.encode(order).decode()],
        stdout=subprocess.PIPE,
        check=True,
        timeout=order.seconds + 120,
    )
    return msgspec.json.decode(done.stdout, type=Found)


def measured(
    script: str,
    tables: int,
    seconds: float,
    rate: float | None = None,
    program: str = "bench.load",
) -> Found:
    """One load on a server of its own."""
    with echo() if script.startswith("echo") else house() as (port, pid):
        order = Order(port=port, pid=pid, script=script, tables=tables, seconds=seconds, rate=rate)
        return load(order, program)


def idle_bytes(path: str) -> float:
    """How much the server's memory grows per idle connection in its lobby."""
    request = handshake(path)
    with house() as (port, pid):
        opened: list[socket.socket] = []

        def connect(count: int) -> None:
            for _ in range(count):
                line = socket.create_connection(("127.0.0.1", port))
                opened.append(line)
                line.sendall(request)
                told = b""
                # Anything behind the headers is the first message.
                while not told.partition(b"\r\n\r\n")[2]:
                    told += line.recv(65536)

        try:
            connect(100)
            before = memory_of(pid)
            connect(IDLERS)
            return (memory_of(pid) - before) / IDLERS
        finally:
            for line in opened:
                line.close()


def memory_of(pid: int) -> int:
    """Resident bytes."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(options: Options, say: Console) -> Report:
    def speed(script: str, tables: int) -> Throughput:
        with say.status(f"{script}, {tables} tables, at full speed"):
            return Throughput.of(measured(script, tables, options.seconds))

    games = options.games
    wanted = [(script, t) for script in games if script in EVERY_LOAD for t in options.tables]
    wanted += [(script, options.most(script)) for script in games if script not in EVERY_LOAD]
    loads: list[Load] = []
    for script, tables in wanted:
        beside = ECHOES[SCRIPTS[script].seats]
        rounds = [(speed(beside, tables), speed(script, tables)) for _ in range(options.rounds)]
        loads.append(Load.of(script, tables, rounds))
    with say.status(f"{options.rate:.0f} actions a second"):
        late = {
            script: measured(script, options.most(script), options.seconds, options.rate).latency_ms
            for script in games
        }
    with say.status(f"{IDLERS} idle connections"):
        idle = {script: idle_bytes(IDLE[script]) for script in games if script in IDLE}
    return Report(options=options, loads=loads, latency_ms=late, idle_bytes=idle)


def show(report: Report, say: Console) -> None:
    options = report.options
    shown = grid(
        f"Actions per CPU-second of the server. {report.machine}",
        *("tables", "echo", "the game", "of the echo's", "lowest to highest", "server busy"),
        "messages sent per action",
    )
    for found in report.loads:
        shown.add_row(
            *found.compared(f"{found.ratio:.2f}"),
            f"{found.game.server_busy:.0%}",
            f"{found.game.frames_per_action:.1f}",
        )
    say.print(shown)
    for script, late in report.latency_ms.items():
        say.print(
            f"{script}, {options.most(script)} tables, {options.rate:.0f} actions a second: "
            f"p50 {late['p50']:.1f} ms, p99 {late['p99']:.1f} ms"
            + (f"; slowest while a table begins {late['begin']:.1f} ms" if "begin" in late else "")
        )
    for script, size in report.idle_bytes.items():
        say.print(f"{script}: {size / 1024:.0f} KiB per idle connection")
    show_bars(report.bars(), say)


def main(options: Options) -> int:
    """Measure, show and store; fails if a game is below its bar."""
    say = Console(highlight=False)
    report = measure(options, say)
    show(report, say)
    report.keep("server", say)
    return 0 if all(bar.met for bar in report.bars()) else 1
