"""Computes the machines that very many people need (`make bench ARGS=plan`).

It uses the measured cost of an action, a connection and a table. docs/scaling.md explains the terms
and the first bottleneck.
"""

from __future__ import annotations

from math import ceil
from typing import Final

from rich.console import Console
from rich.table import Table as Grid

from bench.capacity import Figures, measure
from bench.report import Run
from bench.run import Options

PEOPLE: Final = (100_000, 10_000_000)
"""At tables, at once."""
SEATS: Final = 4
BUSY: Final = 0.5
"""Highest use of a processor at peak load: the rest is a reserve for lost nodes."""
SOCKETS: Final = 20_000
"""Connections of one gateway: it has 65,536 file handles, and when it fails all its clients
reconnect at once."""
MEAN: Final = 1 / 3
"""Mean actions over a day, as a share of the peak."""
CELL: Final = 400_000
"""Most people of one server: a hundred thousand tables use a tenth of all six-digit codes."""


class Report(Run, kw_only=True):
    figures: Figures


def figures_grid(figures: Figures) -> Grid:
    grid = Grid(title="Measured", title_justify="left", show_header=False)
    grid.add_column("")
    grid.add_column("", justify="right")
    for game, pace in figures.pace.items():
        grid.add_row(f"actions a minute of one person, {game}", f"{pace:.1f}")
    for name, cpu in (
        ("a gateway", figures.gateway_cpu),
        ("an owner", figures.owner_cpu),
        ("PostgreSQL", figures.postgres_cpu),
        ("NATS", figures.nats_cpu),
    ):
        grid.add_row(f"CPU-seconds per 1000 actions, {name}", f"{cpu:.3f}")
    at = f"{figures.actions:,.0f} a second"
    grid.add_row(f"actions per commit, at {at}", f"{figures.batch:.0f}")
    grid.add_row("WAL per action", f"{figures.wal_bytes:.0f} bytes")
    grid.add_row("disk per action", f"{figures.disk_bytes:.0f} bytes")
    grid.add_row("through NATS per action", f"{figures.nats_bytes:.0f} bytes")
    grid.add_row("memory per connection, gateway", _size(figures.gateway_connection))
    grid.add_row("memory per connection, owner", _size(figures.owner_connection))
    grid.add_row("memory per table in its lobby", _size(figures.owner_table))
    grid.add_row("memory per table in play, at most", _size(figures.playing_table))
    grid.add_row("memory per known person, every node", _size(figures.person))
    return grid


def plan_grid(figures: Figures) -> Grid:
    grid = Grid(title=f"At {BUSY:.0%} of each processor", title_justify="left")
    grid.add_column("people at tables")
    for people in PEOPLE:
        grid.add_column(f"{people:,}", justify="right")
    columns = [_plan(figures, people) for people in PEOPLE]
    for name in columns[0]:
        grid.add_row(name, *(column[name] for column in columns))
    return grid


def _plan(figures: Figures, people: int) -> dict[str, str]:
    # Everybody in the busiest game.
    actions = people * max(figures.pace.values()) / 60
    tables = people / SEATS
    gateways = max(ceil(_cores(actions, figures.gateway_cpu)), ceil(people / SOCKETS))
    owners = ceil(_cores(actions, figures.owner_cpu))
    memory = (people * figures.owner_connection + tables * figures.playing_table) / owners
    return {
        "houses of at most 400,000": f"{ceil(people / CELL)}",
        "actions a second": f"{actions:,.0f}",
        "tables": f"{tables:,.0f}",
        "gateways, one processor each": f"{gateways:,}",
        "memory of each, for connections": _size(people / gateways * figures.gateway_connection),
        "owners, one processor each": f"{owners:,}",
        "memory of each, for tables": _size(memory),
        "PostgreSQL, processors": f"{ceil(_cores(actions, figures.postgres_cpu)):,}",
        "PostgreSQL, commits a second": f"{actions / figures.batch:,.0f}",
        "PostgreSQL, WAL a second": _size(actions * figures.wal_bytes),
        "PostgreSQL, disk a day": _size(86_400 * MEAN * actions * figures.disk_bytes),
        "NATS, processors": f"{ceil(_cores(actions, figures.nats_cpu)):,}",
        "NATS, in a second": _size(actions * figures.nats_bytes),
    }


def _cores(actions: float, per_thousand: float) -> float:
    return actions / 1000 * per_thousand / BUSY


def _size(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"


def main(options: Options) -> int:
    say = Console(highlight=False)
    with say.status("a gateway and an owner, full of people"):
        figures = measure(max(options.tables), options.seconds)
    report = Report(figures=figures)
    say.print(report.machine)
    say.print(figures_grid(figures))
    say.print(plan_grid(figures))
    report.keep("plan", say)
    return 0
