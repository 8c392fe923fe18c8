"""Tables, their owners and their logs, and codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import asyncpg

from parlour.store import ownership, postgres_reading
from simulation.statements.data import Data
from simulation.statements.registry import Rows, sql


@sql(ownership._ORPHANS, names="table id node")
def _orphans(data: Data) -> Rows:
    return [
        (no, data.tables[no].id, node)
        for no, (node, _) in data.owners.items()
        if node not in data.nodes
    ]


@sql(ownership.NODES, names="address key speaks quiet")
def _nodes(data: Data) -> Rows:
    nodes = data.nodes.values()
    quiet = 0.0
    if nodes and not any(node not in data.nodes for node, _ in data.owners.values()):
        quiet = min(n.expires for n in nodes) - data.now()
    return [(n.address, n.key, n.speaks, quiet) for n in nodes]


@sql(
    "WITH ours AS (UPDATE owners SET node = $1, epoch = epoch + 1 "
    'FROM unnest($2::bigint[], $3::bigint[]) AS found ("table", node) '
    'WHERE owners."table" = found."table" AND owners.node IN (found.node, $1) '
    'RETURNING owners."table", epoch) '
    "SELECT id, code, game, opened, closed, no, epoch, "
    '(SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE entries."table" = no) '
    'FROM ours JOIN tables ON no = ours."table" ORDER BY no'
)
def _claim(data: Data, me: int, tables: Sequence[int], nodes: Sequence[int]) -> Rows:
    claimed = []
    for no, node in sorted(zip(tables, nodes, strict=True)):
        held, epoch = data.owners.get(no, (None, 0))
        if held in (node, me):
            data.owners[no] = me, epoch + 1
            t = data.tables[no]
            following = max((seq for seq, *_ in data.entries.get(no, ())), default=-1) + 1
            claimed.append((t.id, t.code, t.game, t.opened, t.closed, no, epoch + 1, following))
    return claimed


@sql('UPDATE owners SET node = 0 WHERE "table" = $1 AND epoch = $2')
def _give_up(data: Data, no: int, epoch: int) -> Rows:
    if data.owners.get(no, (0, None))[1] == epoch:
        data.owners[no] = 0, epoch
    return ()


@sql(
    "SELECT id, code, game, opened, closed FROM tables "
    'JOIN owners ON owners."table" = no WHERE node = $1 ORDER BY no'
)
def _live(data: Data, node: int) -> Rows:
    return [
        (t.id, t.code, t.game, t.opened, t.closed)
        for no, t in sorted(data.tables.items())
        if data.owners.get(no, (None, 0))[0] == node
    ]


@sql("SELECT id, code, game, opened, closed FROM tables WHERE id = $1")
def _find(data: Data, table: str) -> Rows:
    t = data.by_id(table)
    return [] if t is None else [(t.id, t.code, t.game, t.opened, t.closed)]


@sql(postgres_reading.PACKED)
def _no_packed(data: Data, table: str) -> Rows:
    return []  # nothing packs logs here


@sql(postgres_reading.ENTRIES)
def _entries(data: Data, table: str) -> Rows:
    t = data.by_id(table)
    return [] if t is None else [(t.no, *entry) for entry in data.entries.get(t.no, ())]


@sql(postgres_reading.SOME)
def _some_entries(data: Data, table: str, start: int, stop: int) -> Rows:
    return [row for row in _entries(data, table) if start <= row[1] < stop]


@sql(
    "SELECT asked, nodes.address FROM unnest($1::text[]) AS asked "
    "JOIN tables ON id = asked OR (code = asked AND closed IS NULL) "
    'JOIN owners ON owners."table" = tables.no '
    "LEFT JOIN nodes ON nodes.no = owners.node",
    names="asked address",
)
def _owners(data: Data, asked: Sequence[str]) -> Rows:
    found = []
    for name in asked:
        for no, t in data.tables.items():
            if (t.id == name or (t.code == name and t.closed is None)) and no in data.owners:
                node = data.nodes.get(data.owners[no][0])
                found.append((name, None if node is None else node.address))
    return found


@sql(
    "SELECT id FROM facts JOIN tables ON id = convert_from(value, 'UTF8') "
    "WHERE key = $1 AND closed IS NULL"
)
def _common(data: Data, key: str) -> Rows:
    t = data.by_id(data.facts.get(key, b"").decode())
    return [(t.id,)] if t is not None and t.closed is None else []


@sql(
    'SELECT id FROM seats JOIN tables ON no = "table" '
    "WHERE visitor = $1 AND seats.game = $2 AND closed IS NULL"
)
def _last_table(data: Data, visitor: str, game: str) -> Rows:
    t = data.tables.get(data.seats.get((visitor, game), -1))
    return [(t.id,)] if t is not None and t.closed is None else []


@sql("SELECT pg_database_size(current_database())")
def _size(data: Data) -> Rows:
    return [(sum(len(entries) for entries in data.entries.values()),)]


# -- codes ----------------------------------------------------------------------------


@sql(
    "INSERT INTO codes SELECT code, $1 FROM unnest($2::text[]) AS code "
    "ON CONFLICT DO NOTHING RETURNING code"
)
def _reserve(data: Data, node: int, wanted: Sequence[str]) -> Rows:
    new = [code for code in wanted if code not in data.codes]
    data.codes.update(dict.fromkeys(new, (node, None)))
    return [(code,) for code in new]


@sql(
    "INSERT INTO codes (code, node, holder) VALUES ($1, $2, $3) "
    "ON CONFLICT (code) DO UPDATE SET node = $2 WHERE codes.holder = $3 RETURNING true"
)
def _claim_name(data: Data, name: str, node: int, holder: str) -> Rows:
    if name in data.codes and data.codes[name][1] != holder:
        return []
    if holder not in data.codes:
        raise asyncpg.ForeignKeyViolationError("codes_holder_fkey")
    data.codes[name] = node, holder
    return [(True,)]


@sql("DELETE FROM codes WHERE holder = $1")
def _give_back(data: Data, holder: str) -> Rows:
    for name in [name for name, (_, held) in data.codes.items() if held == holder]:
        data.drop_code(name)
    return ()


def _drop_unused(data: Data, whose: Callable[[int], bool]) -> None:
    used = {t.code for t in data.tables.values() if t.closed is None}
    for code, (node, holder) in list(data.codes.items()):
        if holder is None and code not in used and whose(node):
            data.drop_code(code)


@sql(f"{ownership.UNUSED_CODES} AND node NOT IN (SELECT no FROM nodes)")
def _unused_of_gone(data: Data) -> Rows:
    _drop_unused(data, lambda node: node not in data.nodes)
    return ()


@sql(f"{ownership.UNUSED_CODES} AND node = $1")
def _unused_of(data: Data, me: int) -> Rows:
    _drop_unused(data, lambda node: node == me)
    return ()
