"""A long run: one server under a mixed load, and whether anything grows.

`make bench ARGS="hour --seconds 3600"`. In rounds, tables of all games and rooms of the relay are
played at one server at the same time, at a moderate rate. After each round all connections are
closed, and the server's memory, descriptors, threads and tasks are looked at.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Final
from urllib.request import urlopen

import msgspec
from rich.console import Console

from bench.load import Order
from bench.report import RESULTS, Run, grid
from bench.run import LIFTED, house, load, memory_of
from parlour.server.config import load as config_of
from parlour.server.moderation import TableOrder, moderate
from parlour.store.backup import DATABASE

LOADS: Final = {
    "rummy": ("bench.load", 10),
    "cambia": ("bench.load", 10),
    "quips": ("bench.load", 4),
    "mo": ("bench.load", 10),
    "onu": ("bench.relay_load", 10),
    "room-8": ("bench.relay_load", 5),
}
"""By script: the program that plays it, and how many tables or rooms."""
RATE: Final = 50.0
"""Actions a second of each."""
ROUND: Final = 15.0
"""Seconds of one round."""
SETTLED: Final = 3.0
"""Seconds after a round in which the server clears away what its players have left."""
MOST_GROWTH: Final = 1.1
"""The last quarter's median over the second quarter's: above this, something grows."""
WIDTH, HEIGHT, MARGIN = 720, 160, 40


class Sample(msgspec.Struct):
    """The server after a round."""

    minute: float
    mebibytes: float
    descriptors: int
    threads: int
    tasks: int
    """Of asyncio."""
    workers_mebibytes: float
    """Of the processes that look for hints."""
    tables: int
    """That are still live: some games keep tables for a while for people who come back."""
    p99_ms: float
    """The median of the loads' 99th percentiles in this round."""


class Report(Run, kw_only=True):
    seconds: float
    actions: int
    samples: list[Sample]

    def growth(self, field: str) -> float | None:
        """How much larger it is in the last quarter than in the second; None: too few rounds."""
        values = [getattr(sample, field) for sample in self.samples]
        quarter = len(values) // 4
        if not quarter:
            return None
        early = median(values[quarter : 2 * quarter])
        return float(median(values[-quarter:]) / early)


def played(port: int, pid: int) -> tuple[int, float]:
    """One round of all loads at once: its actions, and its latency."""

    def one(script: str) -> tuple[int, float]:
        program, tables = LOADS[script]
        order = Order(port=port, pid=pid, script=script, tables=tables, seconds=ROUND, rate=RATE)
        found = load(order, program)
        return found.actions, found.latency_ms["p99"]

    with ThreadPoolExecutor(len(LOADS)) as at_once:
        results = list(at_once.map(one, LOADS))
    return sum(actions for actions, _ in results), median(late for _, late in results)


def metric(text: str, name: str) -> int:
    return int(float(text.partition(f"\n{name} ")[2].partition("\n")[0]))


def workers_of(pid: int) -> list[int]:
    """The processes that this one has started."""
    return [
        int(child)
        for thread in os.listdir(f"/proc/{pid}/task")
        for child in Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
    ]


def close_relayed(port: int, pid: int) -> None:
    """Close the tables of ONU, as an operator: by themselves they wait a day for their players."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    data = words[words.index("--data") + 1]
    with closing(sqlite3.connect(f"file:{data}/{DATABASE}?mode=ro", uri=True)) as db:
        codes = db.execute("SELECT code FROM tables WHERE game = 'onu' AND closed IS NULL")
        orders = [TableOrder("close", code) for (code,) in codes.fetchall()]
    config, _ = config_of({"data": data, "port": port})

    async def send() -> None:
        for order in orders:
            await moderate(config, None, order)

    asyncio.run(send())


def sampled(port: int, pid: int, minute: float, late: float) -> Sample:
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        metrics: str = answer.read().decode()
    return Sample(
        minute=minute,
        mebibytes=memory_of(pid) / 2**20,
        descriptors=len(os.listdir(f"/proc/{pid}/fd")),
        threads=len(os.listdir(f"/proc/{pid}/task")),
        tasks=metric(metrics, "parlour_tasks"),
        workers_mebibytes=sum(map(memory_of, workers_of(pid))) / 2**20,
        tables=metric(metrics, "parlour_tables"),
        p99_ms=late,
    )


def measure(seconds: float, say: Console) -> Report:
    samples: list[Sample] = []
    actions = 0
    # A few rounds, so that tables of earlier rounds are closed.
    with house({**LIFTED, "PARLOUR_KEEP_SEATS": "30"}) as (port, pid):
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            more, late = played(port, pid)
            actions += more
            close_relayed(port, pid)
            time.sleep(SETTLED)
            sample = sampled(port, pid, (time.monotonic() - began) / 60, late)
            samples.append(sample)
            say.print(
                f"{sample.minute:5.1f} min  {sample.mebibytes:6.1f} MiB  "
                f"{sample.descriptors:3} descriptors  {sample.threads:2} threads  "
                f"{sample.tasks:3} tasks  {sample.workers_mebibytes:5.1f} MiB in workers  "
                f"{sample.tables:4} tables  "
                f"p99 {sample.p99_ms:.1f} ms"
            )
    return Report(seconds=time.monotonic() - began, actions=actions, samples=samples)


def plot(report: Report) -> str:
    """All series over time, as SVG."""
    fields = {
        "mebibytes": "MiB",
        "descriptors": "descriptors",
        "tasks": "tasks",
        "p99_ms": "99th percentile of the latency, ms",
    }
    parts = [
        _curve([getattr(s, field) for s in report.samples], label, number)
        for number, (field, label) in enumerate(fields.items())
    ]
    size = f'width="{WIDTH}" height="{HEIGHT * len(fields)}"'
    style = 'font-family="sans-serif" font-size="12" fill="#444"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(parts)}</svg>\n'


def _curve(values: list[float], label: str, number: int) -> str:
    most, top = max(*values, 1e-9), number * HEIGHT + 20
    tall, wide = HEIGHT - 40, WIDTH - 2 * MARGIN
    step = wide / max(1, len(values) - 1)
    points = " ".join(
        f"{MARGIN + at * step:.1f},{top + tall * (1 - value / most):.1f}"
        for at, value in enumerate(values)
    )
    return (
        f'<text x="{MARGIN}" y="{top - 6}">{label}, from 0 to {most:.1f}</text>'
        f'<polyline fill="none" stroke="#27c" stroke-width="2" points="{points}"/>'
    )


def main(seconds: float) -> int:
    """Measure, show, store and draw; 1 if something grows."""
    say = Console(highlight=False)
    report = measure(seconds, say)
    shown = grid(f"{report.seconds / 60:.0f} minutes, {report.actions:,} actions", "grew to")
    grows = False
    for field in ("mebibytes", "workers_mebibytes", "descriptors", "threads", "tasks", "p99_ms"):
        growth = report.growth(field)
        shown.add_row(field, "too short to say" if growth is None else f"{growth:.0%}")
        # Latency depends on what else the machine does.
        grows |= growth is not None and growth > MOST_GROWTH and field != "p99_ms"
    say.print(shown)
    report.keep("hour", say)
    (RESULTS / "hour.svg").write_text(plot(report))
    return int(grows)
