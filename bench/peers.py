"""Parlour beside other people's servers, in one run (`make bench ARGS=peers`).

Installs Node's `ws`, Colyseus, boardgame.io (npm) and FastAPI (PyPI) into bench/peer_servers/,
which no other command reads. The load is the same program for all: tables of four on raw sockets.
The servers take turns, and the median of the rounds counts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from rich.console import Console

from bench.bars import Bar, show_bars
from bench.load import Found, Order
from bench.report import Run, grid
from bench.run import LIFTED, Options, free_port, house, load, measured, running

ROOT: Final = Path(__file__).resolve().parent.parent
HOME: Final = ROOT / "bench" / "peer_servers"
VENV: Final = HOME / ".venv"
GAMES: Final = HOME / "games"
"""Crazy Eights, installed as somebody else's package."""


class Peer(msgspec.Struct, frozen=True):
    """A server to compare with."""

    name: str
    script: str
    command: tuple[str, ...]
    does: str
    """Its handling of a message."""


ECHO: Final = "aiohttp"
RUMMY: Final = "Parlour, Super Rummy"
EIGHTS: Final = "Parlour, Crazy Eights"
WS: Final = "Node ws"
COLYSEUS: Final = "Colyseus"
EQUAL: Final = "Colyseus, as many messages"

FAN_OUT: Final = "fan-out; no rules, no log"
PARLOUR: Final = "rules, views, limits, log synced to disk before anything is sent"
PEERS: Final = (
    Peer(WS, "fan-out", ("node", "ws.cjs"), FAN_OUT),
    Peer(COLYSEUS, "colyseus", ("node", "colyseus.cjs"), "rooms, fan-out; no rules, no log"),
    Peer("boardgame.io", "boardgame", ("node", "boardgame.cjs"), "rules and views, log in memory"),
    Peer("FastAPI", "fan-out", (str(VENV / "bin" / "python"), "fastapi_app.py"), FAN_OUT),
)


class Row(msgspec.Struct):
    """One server."""

    name: str
    does: str
    actions: float
    frames: float
    """Per CPU-second of the server."""
    frames_per_action: float

    @classmethod
    def of(cls, name: str, does: str, rounds: Sequence[Found]) -> Row:
        return cls(
            name=name,
            does=does,
            actions=median(found.actions / found.server_cpu for found in rounds),
            frames=median(found.frames / found.server_cpu for found in rounds),
            frames_per_action=median(found.frames / found.actions for found in rounds),
        )


class Report(Run, kw_only=True):
    tables: int
    versions: dict[str, str]
    rows: list[Row]

    def bars(self) -> list[Bar]:
        row = {row.name: row for row in self.rows}
        return [
            Bar("frames told, of Node ws", row[RUMMY].frames / row[WS].frames, 1.0),
            Bar("frames told, of Colyseus", row[RUMMY].frames / row[COLYSEUS].frames, 1.0),
            Bar(
                "Crazy Eights by action, of Colyseus with as many messages",
                row[EIGHTS].actions / row[EQUAL].actions,
                0.7,
            ),
        ]


def install(say: Console) -> None:
    """Everything into bench/peer_servers/, in the locked versions."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise SystemExit("The other servers need Node and npm. Install Node 20 or later.")
    with say.status("installing Node's ws, Colyseus and boardgame.io"):
        quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional")
        _run("npm", "install", *quiet, cwd=HOME)
    install_python(say)
    with say.status("installing Crazy Eights"):
        pip = (sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation")
        _run(*pip, "--upgrade", "--target", str(GAMES), str(ROOT / "examples" / "eights"))


def install_python(say: Console) -> None:
    """FastAPI, and matplotlib for plots."""
    with say.status("installing FastAPI and matplotlib"):
        if not VENV.exists():
            _run(sys.executable, "-m", "venv", str(VENV))
        pip = (str(VENV / "bin" / "python"), "-m", "pip", "install", "-qq")
        _run(*pip, "--no-deps", "--require-hashes", "-r", str(ROOT / "requirements" / "peers.txt"))


def _run(*command: str, cwd: Path | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")


@contextmanager
def served(command: Sequence[str], environ: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """Somebody else's server: its port and process id."""
    port = free_port()
    with running([*command, str(port)], environ, port, cwd=HOME) as process:
        yield port, process.pid


def versions() -> dict[str, str]:
    """Of the servers that were measured."""
    lock = msgspec.json.decode((HOME / "package-lock.json").read_bytes())
    packages = ("ws", "@colyseus/core", "boardgame.io")
    found = {name: lock["packages"][f"node_modules/{name}"]["version"] for name in packages}
    asked = [str(VENV / "bin" / "python"), "-c", "import fastapi; print(fastapi.__version__)"]
    found["fastapi"] = subprocess.check_output(asked, text=True).strip()
    found["node"] = subprocess.check_output(["node", "--version"], text=True).strip()
    return found


def measure(options: Options, say: Console) -> Report:
    tables = options.tables[len(options.tables) // 2]
    found: dict[str, list[Found]] = {}
    does = {ECHO: FAN_OUT, RUMMY: PARLOUR, EIGHTS: PARLOUR}
    does |= {peer.name: peer.does for peer in PEERS}
    does[EQUAL] = "the same, sending as many messages per action as Crazy Eights does"
    production = {"NODE_ENV": "production"}
    outside = {**LIFTED, "PYTHONPATH": os.pathsep.join(map(str, (GAMES, ROOT)))}

    def note(name: str, one: Found) -> Found:
        found.setdefault(name, []).append(one)
        return one

    def at(port: int, pid: int, script: str) -> Found:
        order = Order(port=port, pid=pid, script=script, tables=tables, seconds=options.seconds)
        return load(order, "bench.peer_load")

    for number in range(options.rounds):
        with say.status(f"round {number + 1} of {options.rounds}") as status:
            for name, script in ((ECHO, "echo"), (RUMMY, "rummy")):
                status.update(f"round {number + 1} of {options.rounds}: {name}")
                note(name, measured(script, tables, options.seconds))
            with house(outside) as where:
                status.update(f"round {number + 1} of {options.rounds}: {EIGHTS}")
                eights = note(EIGHTS, at(*where, "eights"))
            for peer in PEERS:
                status.update(f"round {number + 1} of {options.rounds}: {peer.name}")
                with served(peer.command, production) as where:
                    note(peer.name, at(*where, peer.script))
            with served(("node", "colyseus.cjs"), production) as where:
                status.update(f"round {number + 1} of {options.rounds}: {EQUAL}")
                # A message to each of four counts as one.
                as_many = eights.frames / eights.actions / 4
                note(EQUAL, at(*where, f"colyseus/{as_many:.3f}"))
    rows = [Row.of(name, does[name], rounds) for name, rounds in found.items()]
    return Report(tables=tables, versions=versions(), rows=rows)


def show(report: Report, say: Console) -> None:
    shown = grid(
        f"{report.tables} tables of four, per CPU-second of the server. {report.machine}",
        *("actions", "messages sent", "messages per action"),
    )
    for row in report.rows:
        cells = (f"{row.actions:,.0f}", f"{row.frames:,.0f}", f"{row.frames_per_action:.1f}")
        shown.add_row(row.name, *cells)
    say.print(shown)
    for row in report.rows:
        say.print(f"{row.name}: {row.does}")
    show_bars(report.bars(), say)
    say.print(", ".join(f"{name} {version}" for name, version in report.versions.items()))


def main(options: Options) -> int:
    """Install, measure, show and store."""
    say = Console(highlight=False)
    install(say)
    report = measure(options, say)
    show(report, say)
    report.keep("peers", say)
    return 0 if all(bar.met for bar in report.bars()) else 1
