"""What one commit writes to PostgreSQL: gathered column by column, kept whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from parlour.store.base import Amend, checksum
from parlour.store.postgres_schema import FACTS

_COMMIT: Final = f"SELECT commit_batch({', '.join(f'${n}' for n in range(1, 20))})"
_COMMIT_WITH_SEATS: Final = f"{_COMMIT}, keep_seats($20, $21, $22, $23, $24, $25, $26)"

_HOLD: Final = "SELECT FROM facts WHERE key = ANY ($1) ORDER BY key FOR UPDATE"
_DROP: Final = (
    "DELETE FROM facts USING unnest($1::text[], $2::text[], $3::text[]) AS f (key, start, stop) "
    "WHERE facts.key = f.key "
    "AND NOT EXISTS (SELECT FROM facts AS other WHERE other.key BETWEEN start AND stop)"
)
"""After `_HOLD`, as a statement of its own: it sees what was written while that had to wait."""

# Rows are needed to hold on to. Who inserts one that another is inserting waits for the other's
# end; everywhere in one order, so that no two nodes wait for each other.
_BE_THERE: Final = (
    "INSERT INTO facts SELECT key, '' FROM unnest($1::text[]) AS key "
    'ORDER BY key COLLATE "C" ON CONFLICT DO NOTHING RETURNING key'
)
_READ: Final = "SELECT key, value FROM facts WHERE key = ANY ($1) ORDER BY key FOR UPDATE"
_CHANGE: Final = (
    "UPDATE facts SET value = f.value FROM unnest($1::text[], $2::bytea[]) AS f (key, value) "
    "WHERE facts.key = f.key"
)
_TAKE_AWAY: Final = "DELETE FROM facts WHERE key = ANY ($1)"
_NOTIFY: Final = "SELECT pg_notify($1, $2 || ' ' || key) FROM unnest($3::text[]) AS key"


@dataclass(slots=True)
class Batch:
    """What one commit keeps, column by column: openings, entries, ends, facts, in this order."""

    opened: list[tuple[int, str, str, str, int]] = field(default_factory=list)
    rewritten: list[int] = field(default_factory=list)
    """The numbers of tables whose logs are written anew: nothing else is left of them."""
    tables: list[int] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    ats: list[int] = field(default_factory=list)
    datas: list[bytes] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    closed: list[tuple[str, int]] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    facts: dict[str, bytes | None] = field(default_factory=dict)
    unless: dict[str, str] = field(default_factory=dict)
    """Facts to forget, each with how the keys start that keep it."""
    amendments: list[tuple[Sequence[str], Amend]] = field(default_factory=list)
    amended: dict[str, bytes | None] = field(default_factory=dict)
    """What came of the amendments, once it is kept."""
    seats: dict[tuple[str, str], int] = field(default_factory=dict)
    """By visitor and game: the number of the table they sat down at."""
    seated: dict[tuple[str, str], int] = field(default_factory=dict)
    """The same, unless it is known where they sat down last."""
    done: list[int] = field(default_factory=list)
    """The numbers of tables that are closed or forgotten."""
    writes: int = 0

    def add(self, number: int, epoch: int, seq: int, at: int, data: bytes) -> None:
        """One entry."""
        self.tables.append(number)
        self.epochs.append(epoch)
        self.seqs.append(seq)
        self.ats.append(at)
        self.datas.append(data)
        self.sums.append(checksum(number, seq, at, data))

    def drop_entries(self, number: int) -> None:
        """Without the entries of one table: its log is written anew."""
        kept = [at for at, table in enumerate(self.tables) if table != number]
        for column in self._entries():
            column[:] = [column[at] for at in kept]

    async def commit(self, connection: Any, node: int, batch: int) -> None:
        """Keep all of it or, where it is not this node's to write, nothing."""
        if not (self.unless or self.amendments):
            await self._commit(connection, node, batch)
            return
        async with connection.transaction():
            await self._commit(connection, node, batch)
            if self.unless:
                keys, starts = list(self.unless), list(self.unless.values())
                await connection.execute(_HOLD, keys)
                await connection.execute(_DROP, keys, starts, [s + chr(0x10FFFF) for s in starts])
            if self.amendments:
                await self._amend(connection, node)

    async def _commit(self, connection: Any, node: int, batch: int) -> None:
        values = self.values()
        if self.seats or self.seated or self.done:
            seats = [*_columns(self.seats), self.done, *_columns(self.seated)]
            await connection.execute(_COMMIT_WITH_SEATS, node, batch, *values, *seats)
        else:
            await connection.execute(_COMMIT, node, batch, *values)

    async def _amend(self, connection: Any, node: int) -> None:
        keys = sorted({key for keys, _ in self.amendments for key in keys})
        new = {row[0] for row in await connection.fetch(_BE_THERE, keys)}
        facts: dict[str, bytes | None] = {
            key: None if key in new else bytes(value)
            for key, value in await connection.fetch(_READ, keys)
        }
        self.amended = {}
        for some, change in self.amendments:
            changed = change({key: facts[key] for key in some})
            facts |= changed
            self.amended |= changed
        values = {key: value for key, value in self.amended.items() if value is not None}
        if values:
            await connection.execute(_CHANGE, list(values), list(values.values()))
        nothing = [key for key, value in facts.items() if value is None]
        if nothing:
            await connection.execute(_TAKE_AWAY, nothing)
        if self.amended:
            await connection.execute(_NOTIFY, FACTS, str(node), list(self.amended))

    def values(self) -> list[Any]:
        """As `commit_batch` takes them."""
        opened = [list(column) for column in zip(*self.opened, strict=True)] or [[]] * 5
        closed = [list(column) for column in zip(*self.closed, strict=True)] or [[]] * 2
        facts = [list(self.facts), list(self.facts.values())]
        return [*opened, self.rewritten, *self._entries(), *closed, self.forgotten, *facts]

    def _entries(self) -> list[list[Any]]:
        return [self.tables, self.epochs, self.seqs, self.ats, self.datas, self.sums]


def _columns(seats: dict[tuple[str, str], int]) -> list[list[Any]]:
    rows = [(visitor, game, table) for (visitor, game), table in seats.items()]
    return [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
