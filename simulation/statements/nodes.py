"""The format of the database, nodes and their leases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg

from parlour.store.postgres_schema import MIGRATIONS
from simulation.statements.data import Data, NodeRow
from simulation.statements.registry import Rows, sql


@sql(
    "SELECT pg_advisory_xact_lock($1)",
    "CREATE TABLE IF NOT EXISTS format (version int NOT NULL)",
    *MIGRATIONS,
)
def _nothing(data: Data, *args: Any) -> Rows:
    # Transactions come one after the other, and the tables are there.
    return ()


@sql("SELECT max(version) FROM format")
def _version(data: Data) -> Rows:
    return [(data.version or None,)]


@sql("INSERT INTO format VALUES ($1)")
def _set_version(data: Data, version: int) -> Rows:
    data.version = version
    return ()


@sql("SELECT name FROM nodes WHERE role <> 'alone' AND expires > clock_timestamp() LIMIT 1")
def _running(data: Data) -> Rows:
    return [(n.name,) for n in data.nodes.values() if n.expires > data.now()][:1]


# -- nodes ----------------------------------------------------------------------------


@sql(
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
) -> Rows:
    if any(row.address == address for row in data.nodes.values()):
        raise asyncpg.UniqueViolationError("nodes_address_key")
    data.last_node += 1
    expires = data.now() + seconds
    data.nodes[data.last_node] = NodeRow(
        data.last_node, address, runs_tables, name, role, key, list(speaks), expires
    )
    return [(data.last_node,)]


@sql(
    "SELECT name, speaks FROM nodes WHERE role <> $1 AND expires > clock_timestamp() "
    "AND NOT speaks && $2 LIMIT 1",
    names="name speaks",
)
def _speaks_otherwise(data: Data, role: str, speaks: Sequence[int]) -> Rows:
    return [
        (n.name, n.speaks)
        for n in data.nodes.values()
        if n.role != role and n.expires > data.now() and not set(n.speaks) & set(speaks)
    ][:1]


@sql("DELETE FROM nodes WHERE no = $1")
def _end_node(data: Data, no: int) -> Rows:
    data.nodes.pop(no, None)
    return ()


@sql(
    "UPDATE nodes SET expires = clock_timestamp() + make_interval(secs => $2), "
    "connections = $3 WHERE no = $1 RETURNING ordered"
)
def _renew(data: Data, no: int, seconds: float, connections: int) -> Rows:
    row = data.nodes.get(no)
    if row is None:
        return []
    row.expires, row.connections = data.now() + seconds, connections
    return [(row.ordered,)]


@sql("SELECT no FROM nodes WHERE runs_tables")
def _may_run(data: Data) -> Rows:
    return [(n.no,) for n in data.nodes.values() if n.runs_tables]


@sql("SELECT extract(epoch FROM max(expires) - clock_timestamp()) FROM nodes WHERE no < $1")
def _left(data: Data, me: int) -> Rows:
    return [
        (max((n.expires - data.now() for n in data.nodes.values() if n.no < me), default=None),)
    ]


@sql(
    "SELECT count(*), count(*) FILTER (WHERE expires > clock_timestamp()) FROM nodes WHERE no < $1"
)
def _earlier(data: Data, me: int) -> Rows:
    earlier = [n for n in data.nodes.values() if n.no < me]
    return [(len(earlier), sum(n.expires > data.now() for n in earlier))]


@sql(
    "DELETE FROM nodes WHERE expires < clock_timestamp() AND EXISTS (SELECT FROM nodes AS me "
    "WHERE me.no = $1 AND me.expires > clock_timestamp()) RETURNING no"
)
def _delete_expired(data: Data, me: int) -> Rows:
    mine, now = data.nodes.get(me), data.now()
    if mine is None or mine.expires <= now:
        return []
    gone = [no for no, row in data.nodes.items() if row.expires < now]
    for no in gone:
        del data.nodes[no]
    return [(no,) for no in gone]


@sql("UPDATE nodes SET runs_tables = $2 WHERE no = $1")
def _take_tables(data: Data, no: int, willing: bool) -> Rows:
    if no in data.nodes:
        data.nodes[no].runs_tables = willing
    return ()


@sql("SELECT FROM nodes WHERE runs_tables AND expires > clock_timestamp() AND no <> $1 LIMIT 1")
def _others_take(data: Data, me: int) -> Rows:
    alive = [n for n in data.nodes.values() if n.runs_tables and n.expires > data.now()]
    return [() for n in alive if n.no != me][:1]


@sql(
    "SELECT address FROM nodes WHERE expires > clock_timestamp() AND (runs_tables "
    "OR EXISTS (SELECT FROM owners WHERE owners.node = nodes.no))"
)
def _run_some(data: Data) -> Rows:
    owners = {node for node, _ in data.owners.values()}
    alive = [n for n in data.nodes.values() if n.expires > data.now()]
    return [(n.address,) for n in alive if n.runs_tables or n.no in owners]


@sql("SELECT address FROM nodes WHERE runs_tables AND expires > clock_timestamp()")
def _place(data: Data) -> Rows:
    alive = [n for n in data.nodes.values() if n.expires > data.now()]
    return [(n.address,) for n in alive if n.runs_tables]


@sql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
def _now(data: Data) -> Rows:
    return [(int(data.now() * 1000),)]
