"""What one commit writes to PostgreSQL: gathered column by column, kept whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

_COMMIT: Final = f"SELECT commit_batch({', '.join(f'${n}' for n in range(1, 19))})"

_CLEAR: Final = (
    "DELETE FROM entries USING unnest($2::bigint[], $3::bigint[]) AS anew (no, epoch) "
    'JOIN owners ON owners."table" = no AND owners.epoch = anew.epoch AND node = $1 '
    'WHERE entries."table" = no'
)
"""Before logs are written anew. Of a table that is not ours any more nothing goes, and the batch
that follows fails whole."""

_HOLD: Final = "SELECT FROM facts WHERE key = ANY ($1) ORDER BY key FOR UPDATE"
_DROP: Final = (
    "DELETE FROM facts USING unnest($1::text[], $2::text[], $3::text[]) AS f (key, start, stop) "
    "WHERE facts.key = f.key "
    "AND NOT EXISTS (SELECT FROM facts AS other WHERE other.key BETWEEN start AND stop)"
)
"""After `_HOLD`, as a statement of its own: it sees what was written while that had to wait."""


@dataclass(slots=True)
class Batch:
    """What one commit keeps, column by column: openings, entries, ends, facts, in this order."""

    opened: list[tuple[int, str, str, str, int]] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    ats: list[int] = field(default_factory=list)
    datas: list[bytes] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    closed: list[tuple[str, int]] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    facts: dict[str, bytes | None] = field(default_factory=dict)
    anew: dict[int, int] = field(default_factory=dict)
    """Tables whose logs are written anew, by number, with their epochs."""
    unless: dict[str, str] = field(default_factory=dict)
    """Facts to forget, each with how the keys start that keep it."""
    writes: int = 0

    def clear(self, number: int, epoch: int) -> None:
        """Without the entries of one table, here and in the database: its log is written anew."""
        kept = [n for n, table in enumerate(self.tables) if table != number]
        for column in self._entries():
            column[:] = [column[n] for n in kept]
        self.anew[number] = epoch

    async def commit(self, connection: Any, node: int, batch: int) -> None:
        """Keep all of it or, where it is not this node's to write, nothing."""
        values = self.values()
        if not self.anew and not self.unless:
            await connection.execute(_COMMIT, node, batch, *values)
            return
        async with connection.transaction():
            if self.anew:
                await connection.execute(_CLEAR, node, list(self.anew), list(self.anew.values()))
            await connection.execute(_COMMIT, node, batch, *values)
            if self.unless:
                keys, starts = list(self.unless), list(self.unless.values())
                await connection.execute(_HOLD, keys)
                await connection.execute(_DROP, keys, starts, [s + chr(0x10FFFF) for s in starts])

    def values(self) -> list[Any]:
        """As `commit_batch` takes them."""
        opened = [list(column) for column in zip(*self.opened, strict=True)] or [[]] * 5
        closed = [list(column) for column in zip(*self.closed, strict=True)] or [[]] * 2
        facts = [list(self.facts), list(self.facts.values())]
        return [*opened, *self._entries(), *closed, self.forgotten, *facts]

    def _entries(self) -> list[list[Any]]:
        return [self.tables, self.epochs, self.seqs, self.ats, self.datas, self.sums]
