"""A log that lasts as long as the process: for tests, benches and `--data :memory:`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parlour.lifecycle import Lifecycle
from parlour.store import Amend, LogEntry, LogReader, Store, TableRow, Ticket, after_all


class MemoryStore(Store):
    """Keeps everything in dictionaries; a write is committed the moment it is made."""

    def __init__(self, lifecycle: Lifecycle | None = None) -> None:
        super().__init__(lifecycle)
        self._rows: dict[str, TableRow] = {}
        self._entries: dict[str, list[LogEntry]] = {}
        self._facts: dict[str, bytes] = {}

    def open_table(self, row: TableRow) -> Ticket:
        self._rows[row.id] = row
        self._entries[row.id] = []
        return self._written()

    def append(self, table: str, seq: int, at: int, data: bytes) -> Ticket:
        if self._rows[table].closed is not None:
            raise KeyError(table)
        entries = self._entries[table]
        if seq != len(entries):
            raise ValueError(f"entry {seq} of table {table} comes out of order")
        entries.append(LogEntry(seq, at, data))
        return self._written()

    def rewrite(self, table: str, entries: Sequence[tuple[int, bytes]]) -> Ticket:
        self._entries[table] = [LogEntry(seq, *entry) for seq, entry in enumerate(entries)]
        return self._written()

    def close_table(self, table: str, at: int) -> Ticket:
        row = self._rows[table]
        self._rows[table] = TableRow(row.id, row.code, row.game, row.opened, at)
        return self._written()

    def forget_table(self, table: str) -> Ticket:
        self._rows.pop(table, None)
        self._entries.pop(table, None)
        return self._written()

    def remember(self, key: str, value: bytes | None) -> Ticket:
        self._keep(key, value)
        return self._written()

    def _keep(self, key: str, value: bytes | None) -> None:
        if value is None:
            self._facts.pop(key, None)
        else:
            self._facts[key] = value

    def forget_unless(self, key: str, prefix: str) -> Ticket:
        if not any(other.startswith(prefix) for other in self._facts):
            self._facts.pop(key, None)
        return self._written()

    def amend(self, keys: Sequence[str], change: Amend) -> Ticket:
        changed = change({key: self._facts.get(key) for key in keys})
        for key, value in changed.items():
            self._keep(key, value)
        self._watchers.changed(changed)
        return self._written()

    async def recall(self, prefix: str) -> dict[str, bytes]:
        return {k: v for k, v in self._facts.items() if k.startswith(prefix)}

    async def recall_last(self, prefix: str, before: str, most: int) -> dict[str, bytes]:
        keys = sorted((k for k in self._facts if k.startswith(prefix)), reverse=True)
        below = [key for key in keys if key < (before or after_all(prefix))]
        return {key: self._facts[key] for key in below[:most]}

    async def look_up(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self._facts[key] for key in keys if key in self._facts}

    async def live_tables(self) -> list[TableRow]:
        return [row for row in self._rows.values() if row.closed is None]

    async def find_table(self, table: str) -> TableRow | None:
        return self._rows.get(table)

    def next_seq(self, table: str) -> int:
        return len(self._entries[table])

    async def entries(self, table: str, start: int = 0, stop: int | None = None) -> list[LogEntry]:
        return self._entries.get(table, [])[start:stop]

    def reader(self, table: str) -> LogReader:
        return _Copy(list(self._entries.get(table, ())), dict(self._facts))

    def _written(self) -> Ticket:
        self.last_ticket += 1
        self._kept(self.last_ticket)
        return self.last_ticket


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy for a worker process."""

    _entries: list[LogEntry]
    _facts: dict[str, bytes]

    def entries(self) -> Iterator[LogEntry]:
        return iter(self._entries)

    def unchecked(self) -> Iterator[bytes]:
        return (entry.data for entry in self._entries)

    def fact(self, key: str) -> bytes | None:
        return self._facts.get(key)
