"""Very many connections: a full server, a watched table, players who all come back at once.

Each server is a process of its own that measures how long its loop is blocked (`bench.probe`).
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import msgspec
from rich.console import Console

from bench import probe
from bench.crowd_load import Crowd, Found
from bench.load import cpu_of
from bench.report import RESULTS, Run
from bench.run import LIFTED, free_port, running

FULL: Final = 18_000
RATE: Final = 2_000.0
SPECTATORS: Final = 2_000
MOVES: Final = 10.0
"""Actions a second at the watched table."""
RETURNING: Final = 10_000
WITHIN: Final = 10.0
"""Seconds in which they come back."""

BARS: Final = {"full": 15.0, "watched": 5.0, "return": 1000.0}
"""Milliseconds: p99 of actions, longest block of the loop, longest wait."""

_USUAL: Final = {
    # Everybody comes from one address. Pings are sent as usual.
    **{name: value for name, value in LIFTED.items() if name != "PARLOUR_HEARTBEAT"},
    "PARLOUR_SPECTATORS": "100000",
}


class Scene(msgspec.Struct, kw_only=True):
    """One measurement."""

    found: Found
    blocks: probe.Blocks
    connections: int
    """At the end, as the server counts them."""
    cut: int
    """Connections that the server has ended."""
    restart: float = 0.0
    """Seconds until a server that was killed listened again."""
    restart_cpu: float = 0.0
    figure: float = 0.0
    """The figure that the bar is about, in milliseconds."""
    met: bool = False


class Report(Run, kw_only=True):
    scenes: dict[str, Scene]


@contextmanager
def _server(port: int, data: Path) -> Generator[tuple[subprocess.Popen[Any], Path]]:
    file = data.with_suffix(".json")
    command = [sys.executable, "-m", "bench.probe", str(file), "serve", "--port", str(port)]
    with running([*command, "--data", str(data)], _USUAL, port) as process:
        yield process, file


@contextmanager
def _load(crowd: Crowd) -> Generator[subprocess.Popen[str]]:
    order = msgspec.json.encode(crowd).decode()
    with subprocess.Popen(
        [sys.executable, "-m", "bench.crowd_load", order],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("the load has failed")
    return line


def _say(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()


def _counted(port: int) -> tuple[int, int]:
    """Connections, and those that the server has cut."""
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
    connections = [line for line in lines if line.startswith("parlour_connections")]
    cut = [line for line in lines if line.startswith("parlour_cut_connections_total")]
    return tuple(
        sum(int(float(each.rsplit(" ", 1)[1])) for each in some) for some in (connections, cut)
    )  # type: ignore[return-value]


def at_once(crowd: Crowd, data: Path) -> Scene:
    """A load on a server: everybody sits down, then it is measured."""
    with _server(crowd.port, data) as (server, file):
        crowd.pid = server.pid
        with _load(crowd) as load:
            _line(load)
            probe.found(server.pid, file)
            _say(load, "go")
            found = msgspec.json.decode(_line(load), type=Found)
            blocks = probe.found(server.pid, file)
            connections, cut = _counted(crowd.port)
    return Scene(found=found, blocks=blocks, connections=connections, cut=cut)


def after_kill(crowd: Crowd, data: Path) -> Scene:
    """The same after the server was killed and started again."""
    with _server(crowd.port, data) as (server, _):
        crowd.pid = server.pid
        with _load(crowd) as load:
            _line(load)
            server.send_signal(signal.SIGKILL)
            server.wait()
            _say(load, "go")
            began = time.monotonic()
            with _server(crowd.port, data) as (server, file):
                took = time.monotonic() - began
                cpu = cpu_of(server.pid)
                probe.found(server.pid, file)
                _say(load, str(server.pid))
                found = msgspec.json.decode(_line(load), type=Found)
                blocks = probe.found(server.pid, file)
                connections, cut = _counted(crowd.port)
    return Scene(
        found=found,
        blocks=blocks,
        connections=connections,
        cut=cut,
        restart=took,
        restart_cpu=cpu,
    )


def measured(what: str, seconds: float) -> Scene:
    count = {"full": FULL, "watched": SPECTATORS, "return": RETURNING}[what]
    rate = {"full": RATE, "watched": MOVES}.get(what, 0.0)
    run: Callable[[Crowd, Path], Scene] = after_kill if what == "return" else at_once
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=RESULTS, prefix="data-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        crowd = Crowd(
            what=what,  # type: ignore[arg-type]
            port=free_port(),
            pid=0,
            count=count,
            seconds=WITHIN if what == "return" else seconds,
            rate=rate,
            data=str(data),
        )
        scene = run(crowd, data)
    late = scene.found.late_ms
    figures = {"full": late["p99"], "watched": scene.blocks.cpu[0], "return": late["most"]}
    scene.figure = figures[what]
    there = {"full": FULL, "watched": SPECTATORS + 4, "return": RETURNING}[what]
    scene.met = scene.figure <= BARS[what] and scene.connections == there and not scene.cut
    return scene


_ABOUT: Final = {
    "full": f"{FULL:,} connections, {RATE:,.0f} actions a second: p99",
    "watched": f"one table with {SPECTATORS:,} spectators: longest block of the loop",
    "return": f"{RETURNING:,} players return within {WITHIN:.0f} s: longest wait",
}


def show(what: str, scene: Scene, say: Console) -> None:
    found, blocks = scene.found, scene.blocks
    colour = "green" if scene.met else "red"
    say.print(
        f"{_ABOUT[what]} [{colour}]{scene.figure:.1f} ms[/] (bar {BARS[what]:.0f} ms; "
        f"{'met' if scene.met else 'not met'})"
    )
    late = ", ".join(f"{name} {ms:.1f}" for name, ms in found.late_ms.items())
    say.print(
        f"  waits in ms: {late}. Connections {scene.connections:,}, cut {scene.cut}. "
        f"Server busy {found.cpu / found.seconds:.0%}, "
        f"{1e6 * found.cpu / max(1, found.actions):.0f} µs each; "
        f"load busy {found.load_cpu / found.seconds:.0%}."
    )
    say.print(
        f"  Blocks of the loop in ms: processor {blocks.cpu[:5]}, wall {blocks.wall[:5]}. "
        f"Collections: { ({g: (len(t), t[0]) for g, t in blocks.collections.items()}) }, "
        f"{blocks.tracked:,} objects."
    )
    if scene.restart:
        say.print(
            f"  Listened {scene.restart:.1f} s ({scene.restart_cpu:.1f} s CPU) after SIGKILL."
        )


def main(seconds: float, wanted: list[str]) -> int:
    say = Console(highlight=False)
    scenes: dict[str, Scene] = {}
    for what in wanted or list(BARS):
        with say.status(_ABOUT[what]):
            scenes[what] = measured(what, seconds)
        show(what, scenes[what], say)
    Report(scenes=scenes).keep("crowd", say)
    return 0 if all(scene.met for scene in scenes.values()) else 1
