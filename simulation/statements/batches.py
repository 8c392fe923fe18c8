"""Commits of batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg

from parlour.store import postgres_writer
from parlour.store.postgres_schema import FACTS, SUPERSEDED
from simulation.statements.data import Data, TableOf
from simulation.statements.registry import Rows, sql


def _superseded(sentence: str) -> asyncpg.PostgresError:
    wrong = asyncpg.PostgresError(sentence)
    wrong.sqlstate = SUPERSEDED
    return wrong


@sql(postgres_writer._COMMIT)
def _commit(data: Data, me: int, number: int, *batch: Any) -> Rows:
    """The function `commit_batch`: everything is checked before anything changes."""
    (opened, rewritten, entries, closed, forgotten, facts) = (
        list(zip(*batch[:5], strict=True)),
        batch[5],
        list(zip(*batch[6:12], strict=True)),
        dict(zip(*batch[12:14], strict=True)),
        batch[14],
        dict(zip(*batch[15:17], strict=True)),
    )
    if me not in data.nodes:
        raise _superseded(f"node {me} has lost its lease")
    owners = {**data.owners, **{no: (me, 1) for no, *_ in opened}}
    lengths: dict[int, int] = {}
    for no, epoch, seq, *_ in entries:
        if owners.get(no) != (me, epoch):
            raise _superseded(f"node {me} writes to a table of another node")
        length = 0 if no in rewritten else len(data.entries.get(no, ()))
        if seq < lengths.setdefault(no, length):
            raise asyncpg.UniqueViolationError("entries_pkey")
        lengths[no] = seq + 1
    data.nodes[me].batch = number
    for row in opened:
        data.tables[row[0]] = TableOf(*row)
        data.owners[row[0]] = me, 1
    for no in rewritten:
        data.kept.append(("entries", data.replaced.pop((me, no), [])))
        data.entries[no] = []
    for no, _, seq, at, value, checksum in entries:
        data.entries.setdefault(no, []).append((seq, at, value, checksum))
    for no in rewritten:
        log = [(at, value) for _, at, value, _ in data.entries[no]]
        data.kept.append(("rewritten", (data.tables[no].id, log)))
    kept = [
        (data.tables[no].id, seq, at, value)
        for no, _, seq, at, value, _ in entries
        if no not in rewritten
    ]
    data.kept.append(("entries", kept))
    _end_tables(data, closed, forgotten)
    for key, value in facts.items():
        if value is None:
            data.facts.pop(key, None)
        else:
            data.facts[key] = value
        data.notified.append((FACTS, f"{me} {key}"))
    return [(None,)]


def _end_tables(data: Data, closed: dict[str, int], forgotten: Sequence[str]) -> None:
    for no, t in list(data.tables.items()):
        if t.id in closed:
            t.closed = closed[t.id]
        if t.id in closed or t.id in forgotten:
            data.owners.pop(no, None)
            data.drop_code(t.code)
        if t.id in forgotten:
            data.entries.pop(no, None)
            del data.tables[no]


@sql(postgres_writer._COMMIT_WITH_SEATS)
def _commit_with_seats(data: Data, *args: Any) -> Rows:
    rows = _commit(data, *args[:19])
    visitors, games, tables, done, seated_visitors, seated_games, seated_tables = args[19:]
    for visitor, game, table in zip(visitors, games, tables, strict=True):
        data.seats[visitor, game] = table
    for visitor, game, table in zip(seated_visitors, seated_games, seated_tables, strict=True):
        data.seats.setdefault((visitor, game), table)
    for key in [key for key, table in data.seats.items() if table in done]:
        del data.seats[key]
    return rows


@sql("SELECT batch FROM nodes WHERE no = $1")
def _batch(data: Data, no: int) -> Rows:
    return iter([(data.nodes[no].batch,)] if no in data.nodes else [])
