"""The tables of the simulated database, as dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class NodeRow:
    no: int
    address: int
    runs_tables: bool
    name: str
    role: str
    key: bytes
    speaks: list[int]
    expires: float
    batch: int = 0
    ordered: str = "run"
    connections: int = 0


@dataclass
class TableOf:
    no: int
    id: str
    code: str
    game: str
    opened: int
    closed: int | None = None


Committed = tuple[str, int, int, bytes]


@dataclass
class Data:
    """The tables of the database, and what a transaction has done to them."""

    version: int = 0
    last_node: int = 0
    nodes: dict[int, NodeRow] = field(default_factory=dict)
    tables: dict[int, TableOf] = field(default_factory=dict)
    owners: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By table: its node and epoch."""
    entries: dict[int, list[tuple[int, int, bytes, int]]] = field(default_factory=dict)
    codes: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    facts: dict[str, bytes] = field(default_factory=dict)
    seats: dict[tuple[str, str], int] = field(default_factory=dict)
    now: Callable[[], float] = lambda: 0.0
    notified: list[tuple[str, str]] = field(default_factory=list)
    kept: list[tuple[str, Any]] = field(default_factory=list)
    """The entries committed ("entries") and logs rewritten ("rewritten"), for the simulation."""
    replaced: dict[tuple[int, int], list[Committed]] = field(default_factory=dict)
    """By node and table: entries that the next batch has only as part of a rewritten log."""

    def copy(self) -> Data:
        """For a transaction that may be rolled back."""
        return Data(
            self.version,
            self.last_node,
            {no: NodeRow(**vars(row)) for no, row in self.nodes.items()},
            {no: TableOf(**vars(row)) for no, row in self.tables.items()},
            dict(self.owners),
            {no: list(entries) for no, entries in self.entries.items()},
            dict(self.codes),
            dict(self.facts),
            dict(self.seats),
            self.now,
            replaced=self.replaced,
        )

    def drop_code(self, code: str) -> None:
        self.codes.pop(code, None)
        for name in [name for name, (_, holder) in self.codes.items() if holder == code]:
            self.drop_code(name)

    def by_id(self, table: str) -> TableOf | None:
        return next((row for row in self.tables.values() if row.id == table), None)
