"""The SQL that the server sends to PostgreSQL, statement by statement, on dictionaries.

Only the statements that nodes send are known; any other one is an error. `tests/simulation` holds
them against a real PostgreSQL by running the tests of `tests/store` on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import asyncpg

from parlour.store import ownership, postgres_facts, postgres_reading, postgres_writer
from parlour.store.postgres_schema import FACTS, MIGRATIONS, SUPERSEDED


class Row(tuple[Any, ...]):
    """A row whose columns have names, too."""

    names: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.names.index(key) if isinstance(key, str) else key)


class NotSimulated(Exception):
    """A statement that is not known here: add it to this file."""


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


Handler = Callable[..., Iterable[Sequence[Any]]]
STATEMENTS: Final[dict[str, tuple[Handler, tuple[str, ...]]]] = {}


@cache
def _plain(sql: str) -> str:
    return " ".join(sql.split())


def _sql(*statements: str, names: str = "") -> Callable[[Handler], Handler]:
    def known(handler: Handler) -> Handler:
        for statement in statements:
            STATEMENTS[_plain(statement)] = handler, tuple(names.split())
        return handler

    return known


def execute(data: Data, sql: str, args: Sequence[Any]) -> list[Row]:
    """The rows that this statement returns. It changes everything or nothing."""
    found = STATEMENTS.get(_plain(sql))
    if found is None:
        raise NotSimulated(_plain(sql))
    handler, names = found
    rows: list[Row] = []
    for values in handler(data, *args):
        row = Row(values)
        row.names = names
        rows.append(row)
    return rows


# -- format ---------------------------------------------------------------------------


@_sql(
    "SELECT pg_advisory_xact_lock($1)",
    "CREATE TABLE IF NOT EXISTS format (version int NOT NULL)",
    *MIGRATIONS,
)
def _nothing(data: Data, *args: Any) -> Iterable[Sequence[Any]]:
    # Transactions come one after the other, and the tables are there.
    return ()


@_sql("SELECT max(version) FROM format")
def _version(data: Data) -> Iterable[Sequence[Any]]:
    return [(data.version or None,)]


@_sql("INSERT INTO format VALUES ($1)")
def _set_version(data: Data, version: int) -> Iterable[Sequence[Any]]:
    data.version = version
    return ()


@_sql("SELECT name FROM nodes WHERE role <> 'alone' AND expires > clock_timestamp() LIMIT 1")
def _running(data: Data) -> Iterable[Sequence[Any]]:
    return [(n.name,) for n in data.nodes.values() if n.expires > data.now()][:1]


# -- nodes ----------------------------------------------------------------------------


@_sql(
    "INSERT INTO nodes (address, runs_tables, name, role, key, speaks, expires) VALUES "
    "($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7)) RETURNING no"
)
def _new_node(
    data: Data,
    address: int,
    runs_tables: bool,
    name: str,
    role: str,
    key: bytes,
    speaks: Sequence[int],
    seconds: float,
) -> Iterable[Sequence[Any]]:
    if any(row.address == address for row in data.nodes.values()):
        raise asyncpg.UniqueViolationError("nodes_address_key")
    data.last_node += 1
    expires = data.now() + seconds
    data.nodes[data.last_node] = NodeRow(
        data.last_node, address, runs_tables, name, role, key, list(speaks), expires
    )
    return [(data.last_node,)]


@_sql(
    "SELECT name, speaks FROM nodes WHERE role <> $1 AND expires > clock_timestamp() "
    "AND NOT speaks && $2 LIMIT 1",
    names="name speaks",
)
def _speaks_otherwise(data: Data, role: str, speaks: Sequence[int]) -> Iterable[Sequence[Any]]:
    return [
        (n.name, n.speaks)
        for n in data.nodes.values()
        if n.role != role and n.expires > data.now() and not set(n.speaks) & set(speaks)
    ][:1]


@_sql("DELETE FROM nodes WHERE no = $1")
def _end_node(data: Data, no: int) -> Iterable[Sequence[Any]]:
    data.nodes.pop(no, None)
    return ()


@_sql(
    "UPDATE nodes SET expires = clock_timestamp() + make_interval(secs => $2), "
    "connections = $3 WHERE no = $1 RETURNING ordered"
)
def _renew(data: Data, no: int, seconds: float, connections: int) -> Iterable[Sequence[Any]]:
    row = data.nodes.get(no)
    if row is None:
        return []
    row.expires, row.connections = data.now() + seconds, connections
    return [(row.ordered,)]


@_sql("SELECT no FROM nodes WHERE runs_tables")
def _may_run(data: Data) -> Iterable[Sequence[Any]]:
    return [(n.no,) for n in data.nodes.values() if n.runs_tables]


@_sql("SELECT extract(epoch FROM max(expires) - clock_timestamp()) FROM nodes WHERE no < $1")
def _left(data: Data, me: int) -> Iterable[Sequence[Any]]:
    return [
        (max((n.expires - data.now() for n in data.nodes.values() if n.no < me), default=None),)
    ]


@_sql("SELECT count(*) FROM nodes WHERE no < $1")
def _earlier(data: Data, me: int) -> Iterable[Sequence[Any]]:
    return [(sum(no < me for no in data.nodes),)]


@_sql(
    "DELETE FROM nodes WHERE expires < clock_timestamp() AND EXISTS (SELECT FROM nodes AS me "
    "WHERE me.no = $1 AND me.expires > clock_timestamp()) RETURNING no"
)
def _delete_expired(data: Data, me: int) -> Iterable[Sequence[Any]]:
    mine, now = data.nodes.get(me), data.now()
    if mine is None or mine.expires <= now:
        return []
    gone = [no for no, row in data.nodes.items() if row.expires < now]
    for no in gone:
        del data.nodes[no]
    return [(no,) for no in gone]


@_sql("UPDATE nodes SET runs_tables = $2 WHERE no = $1")
def _take_tables(data: Data, no: int, willing: bool) -> Iterable[Sequence[Any]]:
    if no in data.nodes:
        data.nodes[no].runs_tables = willing
    return ()


@_sql("SELECT FROM nodes WHERE runs_tables AND expires > clock_timestamp() AND no <> $1 LIMIT 1")
def _others_take(data: Data, me: int) -> Iterable[Sequence[Any]]:
    alive = [n for n in data.nodes.values() if n.runs_tables and n.expires > data.now()]
    return [() for n in alive if n.no != me][:1]


@_sql("SELECT address, key, speaks FROM nodes", names="address key speaks")
def _all_nodes(data: Data) -> Iterable[Sequence[Any]]:
    return [(n.address, n.key, n.speaks) for n in data.nodes.values()]


@_sql(
    "SELECT address FROM nodes WHERE expires > clock_timestamp() AND (runs_tables "
    "OR EXISTS (SELECT FROM owners WHERE owners.node = nodes.no))"
)
def _run_some(data: Data) -> Iterable[Sequence[Any]]:
    owners = {node for node, _ in data.owners.values()}
    alive = [n for n in data.nodes.values() if n.expires > data.now()]
    return [(n.address,) for n in alive if n.runs_tables or n.no in owners]


@_sql("SELECT address FROM nodes WHERE runs_tables AND expires > clock_timestamp()")
def _place(data: Data) -> Iterable[Sequence[Any]]:
    alive = [n for n in data.nodes.values() if n.expires > data.now()]
    return [(n.address,) for n in alive if n.runs_tables]


@_sql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
def _now(data: Data) -> Iterable[Sequence[Any]]:
    return [(int(data.now() * 1000),)]


# -- tables and owners ----------------------------------------------------------------


@_sql(ownership._ORPHANS, names="table id node")
def _orphans(data: Data) -> Iterable[Sequence[Any]]:
    return [
        (no, data.tables[no].id, node)
        for no, (node, _) in data.owners.items()
        if node not in data.nodes
    ]


@_sql(ownership.ANY_GONE)
def _any_gone(data: Data) -> Iterable[Sequence[Any]]:
    late = any(row.expires < data.now() for row in data.nodes.values())
    return [(late or bool(_orphans(data)),)]


@_sql(
    "WITH ours AS (UPDATE owners SET node = $1, epoch = epoch + 1 "
    'FROM unnest($2::bigint[], $3::bigint[]) AS found ("table", node) '
    'WHERE owners."table" = found."table" AND owners.node IN (found.node, $1) '
    'RETURNING owners."table", epoch) '
    "SELECT id, code, game, opened, closed, no, epoch, "
    '(SELECT coalesce(max(seq) + 1, 0) FROM entries WHERE entries."table" = no) '
    'FROM ours JOIN tables ON no = ours."table" ORDER BY no'
)
def _claim(
    data: Data, me: int, tables: Sequence[int], nodes: Sequence[int]
) -> Iterable[Sequence[Any]]:
    claimed = []
    for no, node in sorted(zip(tables, nodes, strict=True)):
        held, epoch = data.owners.get(no, (None, 0))
        if held in (node, me):
            data.owners[no] = me, epoch + 1
            t = data.tables[no]
            following = max((seq for seq, *_ in data.entries.get(no, ())), default=-1) + 1
            claimed.append((t.id, t.code, t.game, t.opened, t.closed, no, epoch + 1, following))
    return claimed


@_sql('UPDATE owners SET node = 0 WHERE "table" = $1 AND epoch = $2')
def _give_up(data: Data, no: int, epoch: int) -> Iterable[Sequence[Any]]:
    if data.owners.get(no, (0, None))[1] == epoch:
        data.owners[no] = 0, epoch
    return ()


@_sql(
    "SELECT id, code, game, opened, closed FROM tables "
    'JOIN owners ON owners."table" = no WHERE node = $1 ORDER BY no'
)
def _live(data: Data, node: int) -> Iterable[Sequence[Any]]:
    return [
        (t.id, t.code, t.game, t.opened, t.closed)
        for no, t in sorted(data.tables.items())
        if data.owners.get(no, (None, 0))[0] == node
    ]


@_sql("SELECT id, code, game, opened, closed FROM tables WHERE id = $1")
def _find(data: Data, table: str) -> Iterable[Sequence[Any]]:
    t = data.by_id(table)
    return [] if t is None else [(t.id, t.code, t.game, t.opened, t.closed)]


@_sql(postgres_reading.PACKED)
def _no_packed(data: Data, table: str) -> list[tuple[Any, ...]]:
    return []  # nothing packs logs here


@_sql(postgres_reading.ENTRIES)
def _entries(data: Data, table: str) -> Iterable[Sequence[Any]]:
    t = data.by_id(table)
    return [] if t is None else [(t.no, *entry) for entry in data.entries.get(t.no, ())]


@_sql(postgres_reading.SOME)
def _some_entries(data: Data, table: str, start: int, stop: int) -> Iterable[Sequence[Any]]:
    return [row for row in _entries(data, table) if start <= row[1] < stop]


@_sql(
    "SELECT asked, nodes.address FROM unnest($1::text[]) AS asked "
    "JOIN tables ON id = asked OR (code = asked AND closed IS NULL) "
    'JOIN owners ON owners."table" = tables.no '
    "LEFT JOIN nodes ON nodes.no = owners.node",
    names="asked address",
)
def _owners(data: Data, asked: Sequence[str]) -> Iterable[Sequence[Any]]:
    found = []
    for name in asked:
        for no, t in data.tables.items():
            if (t.id == name or (t.code == name and t.closed is None)) and no in data.owners:
                node = data.nodes.get(data.owners[no][0])
                found.append((name, None if node is None else node.address))
    return found


@_sql(
    "SELECT id FROM facts JOIN tables ON id = convert_from(value, 'UTF8') "
    "WHERE key = $1 AND closed IS NULL"
)
def _common(data: Data, key: str) -> Iterable[Sequence[Any]]:
    t = data.by_id(data.facts.get(key, b"").decode())
    return [(t.id,)] if t is not None and t.closed is None else []


@_sql(
    'SELECT id FROM seats JOIN tables ON no = "table" '
    "WHERE visitor = $1 AND seats.game = $2 AND closed IS NULL"
)
def _last_table(data: Data, visitor: str, game: str) -> Iterable[Sequence[Any]]:
    t = data.tables.get(data.seats.get((visitor, game), -1))
    return [(t.id,)] if t is not None and t.closed is None else []


@_sql("SELECT pg_database_size(current_database())")
def _size(data: Data) -> Iterable[Sequence[Any]]:
    return [(sum(len(entries) for entries in data.entries.values()),)]


# -- codes ----------------------------------------------------------------------------


@_sql(
    "INSERT INTO codes SELECT code, $1 FROM unnest($2::text[]) AS code "
    "ON CONFLICT DO NOTHING RETURNING code"
)
def _reserve(data: Data, node: int, wanted: Sequence[str]) -> Iterable[Sequence[Any]]:
    new = [code for code in wanted if code not in data.codes]
    data.codes.update(dict.fromkeys(new, (node, None)))
    return [(code,) for code in new]


@_sql(
    "INSERT INTO codes (code, node, holder) VALUES ($1, $2, $3) "
    "ON CONFLICT (code) DO UPDATE SET node = $2 WHERE codes.holder = $3 RETURNING true"
)
def _claim_name(data: Data, name: str, node: int, holder: str) -> Iterable[Sequence[Any]]:
    if name in data.codes and data.codes[name][1] != holder:
        return []
    if holder not in data.codes:
        raise asyncpg.ForeignKeyViolationError("codes_holder_fkey")
    data.codes[name] = node, holder
    return [(True,)]


@_sql("DELETE FROM codes WHERE holder = $1")
def _give_back(data: Data, holder: str) -> Iterable[Sequence[Any]]:
    for name in [name for name, (_, held) in data.codes.items() if held == holder]:
        data.drop_code(name)
    return ()


def _drop_unused(data: Data, whose: Callable[[int], bool]) -> None:
    used = {t.code for t in data.tables.values() if t.closed is None}
    for code, (node, holder) in list(data.codes.items()):
        if holder is None and code not in used and whose(node):
            data.drop_code(code)


@_sql(f"{ownership.UNUSED_CODES} AND node NOT IN (SELECT no FROM nodes)")
def _unused_of_gone(data: Data) -> Iterable[Sequence[Any]]:
    _drop_unused(data, lambda node: node not in data.nodes)
    return ()


@_sql(f"{ownership.UNUSED_CODES} AND node = $1")
def _unused_of(data: Data, me: int) -> Iterable[Sequence[Any]]:
    _drop_unused(data, lambda node: node == me)
    return ()


# -- facts ----------------------------------------------------------------------------


@_sql(postgres_facts.RECALL)
def _recall(data: Data, first: str, last: str) -> Iterable[Sequence[Any]]:
    return [(key, value) for key, value in data.facts.items() if first <= key <= last]


@_sql(postgres_facts.RECALL_LAST)
def _recall_last(data: Data, first: str, before: str, most: int) -> Iterable[Sequence[Any]]:
    found = sorted((k for k in data.facts if first <= k < before), reverse=True)[:most]
    return [(key, data.facts[key]) for key in found]


@_sql(postgres_facts.LOOK_UP, postgres_writer._READ)
def _look_up(data: Data, keys: Sequence[str]) -> Iterable[Sequence[Any]]:
    return [(key, data.facts[key]) for key in sorted(set(keys)) if key in data.facts]


@_sql("SELECT value FROM facts WHERE key = $1")
def _fact(data: Data, key: str) -> Iterable[Sequence[Any]]:
    return [(data.facts[key],)] if key in data.facts else []


@_sql(postgres_writer._HOLD)
def _hold(data: Data, keys: Sequence[str]) -> Iterable[Sequence[Any]]:
    return [() for key in keys if key in data.facts]


@_sql(postgres_writer._DROP)
def _drop_facts(
    data: Data, keys: Sequence[str], starts: Sequence[str], stops: Sequence[str]
) -> Iterable[Sequence[Any]]:
    there = list(data.facts)
    for key, start, stop in zip(keys, starts, stops, strict=True):
        if not any(start <= other <= stop for other in there):
            data.facts.pop(key, None)
    return ()


@_sql(postgres_writer._BE_THERE)
def _be_there(data: Data, keys: Sequence[str]) -> Iterable[Sequence[Any]]:
    new = [key for key in sorted(set(keys)) if key not in data.facts]
    data.facts.update(dict.fromkeys(new, b""))
    return [(key,) for key in new]


@_sql(postgres_writer._CHANGE)
def _change(data: Data, keys: Sequence[str], values: Sequence[bytes]) -> Iterable[Sequence[Any]]:
    for key, value in zip(keys, values, strict=True):
        if key in data.facts:
            data.facts[key] = value
    return ()


@_sql(postgres_writer._TAKE_AWAY)
def _take_away(data: Data, keys: Sequence[str]) -> Iterable[Sequence[Any]]:
    for key in keys:
        data.facts.pop(key, None)
    return ()


@_sql(postgres_writer._NOTIFY)
def _notify(data: Data, channel: str, node: str, keys: Sequence[str]) -> Iterable[Sequence[Any]]:
    data.notified += [(channel, f"{node} {key}") for key in keys]
    return ()


# -- batches --------------------------------------------------------------------------


def _superseded(sentence: str) -> asyncpg.PostgresError:
    wrong = asyncpg.PostgresError(sentence)
    wrong.sqlstate = SUPERSEDED
    return wrong


@_sql(postgres_writer._COMMIT)
def _commit(data: Data, me: int, number: int, *batch: Any) -> Iterable[Sequence[Any]]:
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


@_sql(postgres_writer._COMMIT_WITH_SEATS)
def _commit_with_seats(data: Data, *args: Any) -> Iterable[Sequence[Any]]:
    rows = _commit(data, *args[:19])
    visitors, games, tables, done, seated_visitors, seated_games, seated_tables = args[19:]
    for visitor, game, table in zip(visitors, games, tables, strict=True):
        data.seats[visitor, game] = table
    for visitor, game, table in zip(seated_visitors, seated_games, seated_tables, strict=True):
        data.seats.setdefault((visitor, game), table)
    for key in [key for key, table in data.seats.items() if table in done]:
        del data.seats[key]
    return rows


@_sql("SELECT batch FROM nodes WHERE no = $1")
def _batch(data: Data, no: int) -> Iterator[Sequence[Any]]:
    return iter([(data.nodes[no].batch,)] if no in data.nodes else [])
