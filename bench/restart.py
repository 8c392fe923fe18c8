"""Starting a server again: over the length of a table's log, and with many live tables.

`make bench ARGS=restart` makes data folders, and measures each start after the first: the CPU time
until the server listens, the time until a visitor of a table is greeted, and the memory.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from rich.console import Console
from websockets.sync.client import connect

from bench.load import cpu_of
from bench.report import RESULTS, Run, grid
from bench.run import free_port, running
from parlour.games.rummy import GAME
from parlour.rng import FastRng
from parlour.store import TableRow
from parlour.store.sqlite import SqliteStore
from parlour.table import Table
from parlour.table import inputs as do

LENGTHS: Final = (1_000, 10_000, 100_000, 1_000_000)
TABLES: Final = (1_000, 8_000)
EACH: Final = 60
"""Entries of one of many tables."""
LISTEN_BAR: Final = 1.0
"""CPU-seconds."""
VISIT_BAR: Final = 50.0
"""Milliseconds."""
_SEED: Final = "5e" * 32

Entry = tuple[int, bytes]


class Start(msgspec.Struct):
    """One start."""

    listen_cpu: float
    """CPU-seconds until a client can connect."""
    visit_ms: float
    """From a visitor's handshake at a table that is not in memory until the greeting."""
    visit_cpu_ms: float
    """CPU time of the server meanwhile: the same without other work of the machine."""
    rest_cpu: float
    """CPU-seconds from then on, until every table is found."""
    megabytes: float
    """Memory in use then."""


class Point(msgspec.Struct):
    tables: int
    entries: int
    """Of all tables."""
    first: Start
    """Without notes and checkpoints: as after an update from an earlier version."""
    again: list[Start]


class Report(Run, kw_only=True):
    points: list[Point]


def played(length: int) -> list[Entry]:
    """The log of a table at which two people play rounds of Super Rummy without end."""
    now = int(time.time() * 1000) - 10 * length
    opening = do.Open("", "", GAME.id, _SEED, {}, edition=GAME.lobby.edition, keep_seats=600_000)
    table = Table(GAME, opening, now)
    entries: list[Entry] = [(now, do.encode(opening))]
    chance = FastRng(1)

    def receive(entry: do.Input) -> None:
        nonlocal now
        now += 10
        table.receive(entry, now)
        entries.append((now, do.encode(entry)))

    for number in range(2):
        receive(do.Join(f"visitor {number}", f"Guest {number}", resumable=True))
    while len(entries) < length:
        match = table.match
        if match is None or not table.roster.running:
            receive(do.Start(do.HOUSE))
            continue
        seat = match.turn
        legal = match.legal(seat)
        receive(do.Act(table.roster.seating[seat].place, legal[chance.below(len(legal))]))
    return entries[:length]


async def fill(folder: Path, logs: Iterator[tuple[str, list[Entry]]]) -> None:
    """A data folder with a live table for each code and log."""
    store = SqliteStore(folder / "parlour.sqlite")
    await store.start()
    for code, entries in logs:
        opening = do.decode(entries[0][1])
        assert isinstance(opening, do.Open)
        opening.id, opening.code, opening.public = f"table-{code}", code, True
        opening.opener = f"opener of {code}"
        store.open_table(TableRow(opening.id, code, GAME.id, entries[0][0]))
        for seq, (at, data) in enumerate(entries):
            store.append(opening.id, seq, at, do.encode(opening) if seq == 0 else data)
        await store.settled()
    await store.stop()


def many(tables: int) -> Iterator[tuple[str, list[Entry]]]:
    """The logs of tables with other people at each."""
    entries = played(EACH)
    for number in range(tables):
        mine = list(entries)
        for seq in (1, 2):
            put = do.decode(mine[seq][1])
            assert isinstance(put, do.Join)
            put.visitor += f" of {number}"
            mine[seq] = mine[seq][0], do.encode(put)
        yield f"{number:06d}", mine


def start(folder: Path, code: str) -> Start:
    port = free_port()
    command = [str(Path(sys.executable).with_name("parlour")), "serve"]
    command += ["--port", str(port), "--data", str(folder)]
    environ = {"PYTHONDONTWRITEBYTECODE": "", "PARLOUR_HOST": "127.0.0.1"}
    with running(command, environ, port) as process:
        listened = cpu_of(process.pid)
        # The loop runs and listens.
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=600).close()
        before, began = cpu_of(process.pid), time.perf_counter()
        with connect(f"ws://127.0.0.1:{port}/rummy?watch={code}", open_timeout=600) as visitor:
            told = visitor.recv(timeout=600)
            greeted, cost = time.perf_counter() - began, cpu_of(process.pid) - before
            assert msgspec.json.decode(told)["type"] == "start", told
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/tables", timeout=600) as answer:
            answer.read()
        rest = cpu_of(process.pid) - listened
        pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return Start(listened, 1000 * greeted, 1000 * cost, rest, pages * 4096 / 1e6)


def measured(logs: Iterator[tuple[str, list[Entry]]], rounds: int) -> tuple[Start, list[Start]]:
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=RESULTS, prefix="data-") as data:
        asyncio.run(fill(Path(data), logs))
        return start(Path(data), "000000"), [start(Path(data), "000000") for _ in range(rounds)]


def main(rounds: int) -> int:
    say = Console(highlight=False)
    points: list[Point] = []
    with say.status(f"playing {LENGTHS[-1]:,} entries"):
        longest = played(LENGTHS[-1])
    for length in LENGTHS:
        with say.status(f"a table of {length:,} entries"):
            one = iter([("000000", longest[:length])])
            points.append(Point(1, length, *measured(one, rounds)))
    del longest
    for tables in TABLES:
        with say.status(f"{tables:,} tables"):
            points.append(Point(tables, EACH * tables, *measured(many(tables), rounds)))
    report = Report(points=points)
    show(report, say)
    report.keep("restart", say)
    again = [each for point in points for each in point.again]
    listens = max(each.listen_cpu for each in again) <= LISTEN_BAR
    return 0 if listens and max(each.visit_ms for each in again) <= VISIT_BAR else 1


def show(report: Report, say: Console) -> None:
    columns = ("listens, CPU-s", "visit, ms", "visit, CPU-ms", "the rest, CPU-s", "MB")
    shown = grid(f"Starting again (first start in brackets). {report.machine}", *columns)
    for point in report.points:
        row = []
        for name in Start.__struct_fields__:
            first = getattr(point.first, name)
            row.append(f"{median(getattr(s, name) for s in point.again):.3g} ({first:.3g})")
        shown.add_row(f"{point.tables:,} tables, {point.entries:,} entries", *row)
    say.print(shown)
