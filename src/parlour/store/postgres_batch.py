"""What one commit writes to PostgreSQL: gathered column by column, kept whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from parlour.store.checksum import checksum

_COMMIT: Final = f"SELECT commit_batch({', '.join(f'${n}' for n in range(1, 20))})"

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
        values = self.values()
        if not self.unless:
            await connection.execute(_COMMIT, node, batch, *values)
            return
        keys, starts = list(self.unless), list(self.unless.values())
        async with connection.transaction():
            await connection.execute(_COMMIT, node, batch, *values)
            await connection.execute(_HOLD, keys)
            await connection.execute(_DROP, keys, starts, [s + chr(0x10FFFF) for s in starts])

    def values(self) -> list[Any]:
        """As `commit_batch` takes them."""
        opened = [list(column) for column in zip(*self.opened, strict=True)] or [[]] * 5
        closed = [list(column) for column in zip(*self.closed, strict=True)] or [[]] * 2
        facts = [list(self.facts), list(self.facts.values())]
        return [*opened, self.rewritten, *self._entries(), *closed, self.forgotten, *facts]

    def _entries(self) -> list[list[Any]]:
        return [self.tables, self.epochs, self.seqs, self.ats, self.datas, self.sums]
