"""Measures what an action, a connection, a table and a known person cost a server of several nodes.

`bench.plan` computes with these figures. A gateway and an owner run as processes, with a real
PostgreSQL that syncs and a real NATS.
"""

from __future__ import annotations

import asyncio
import socket
import time
import uuid
from typing import Any, Final
from urllib.request import urlopen

import asyncpg
import msgspec

from bench.cluster import SCRIPT, Nodes, family, nodes
from bench.load import Order, cpu_of, handshake
from bench.pace import actions_per_minute
from bench.run import load, memory_of
from parlour.server.accounts import Account, claims

IDLERS: Final = 1_000
PEOPLE: Final = 20_000
"""Accounts, names and ratings that a node is started with."""


class Figures(msgspec.Struct, kw_only=True):
    """One measurement."""

    pace: dict[str, float]
    """By game, actions a minute of one person."""
    gateway_cpu: float
    owner_cpu: float
    postgres_cpu: float
    nats_cpu: float
    """CPU-seconds per thousand actions."""
    wal_bytes: float
    disk_bytes: float
    nats_bytes: float
    """Per action."""
    batch: float
    """Actions per commit, at the load of the measurement."""
    actions: float
    """A second, at that load."""
    gateway_connection: float
    owner_connection: float
    owner_table: float
    """Resident bytes, idle in a lobby."""
    playing_table: float
    """The same for a table where a round is played, with its four connections. An upper bound: all
    memory that the owner used for a moment is counted."""
    person: float
    """Resident bytes of a name, an account and a rating, on every node."""


class _Before(msgspec.Struct):
    wal: int
    disk: int
    entries: int
    batches: int
    nats: int
    cpu: list[float]


async def _look(database: str, query: str, *values: Any) -> Any:
    connection = await asyncpg.connect(database)
    try:
        return await connection.fetchrow(query, *values)
    finally:
        await connection.close()


def _counted(house: Nodes) -> _Before:
    row = asyncio.run(
        _look(
            house.store,
            "SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint, "
            "pg_database_size(current_database()), (SELECT count(*) FROM entries), "
            "(SELECT sum(batch)::bigint FROM nodes)",
        )
    )
    with urlopen(f"{house.nats.monitor}/varz") as told:
        sent = msgspec.json.decode(told.read())["in_bytes"]
    processes = [[pid] for pid in house.pids]
    processes += [family(house.postgres.process.pid), [house.nats.process.pid]]
    wal, disk, entries, batches = row
    cpu = [sum(map(cpu_of, pids)) for pids in processes]
    return _Before(wal, disk, entries, batches, sent, cpu)


def measure(tables: int, seconds: float) -> Figures:
    with nodes(("gateway", "owner")) as house:
        time.sleep(1.0)
        gateway, owner = house.pids
        order = Order(
            port=house.port,
            pid=gateway,
            beside=(owner,),
            script=SCRIPT,
            tables=tables,
            seconds=seconds,
        )
        before, memory = _counted(house), memory_of(owner)
        found = load(order)
        after, most = _counted(house), _most_memory_of(owner)
    count = after.entries - before.entries
    cpu = [1000 * (b - a) / count for a, b in zip(before.cpu, after.cpu, strict=True)]
    # Leaves out the CPU time that our processes spent on opening the connections.
    playing = found.server_cpu / found.actions * 1000 / (cpu[0] + cpu[1])
    connection, owner_connection, table = _memory()
    return Figures(
        pace=actions_per_minute(),
        gateway_cpu=cpu[0] * playing,
        owner_cpu=cpu[1] * playing,
        postgres_cpu=cpu[2],
        nats_cpu=cpu[3],
        wal_bytes=(after.wal - before.wal) / count,
        disk_bytes=(after.disk - before.disk) / count,
        nats_bytes=(after.nats - before.nats) / count,
        batch=count / (after.batches - before.batches),
        actions=found.actions / found.seconds,
        gateway_connection=connection,
        owner_connection=owner_connection,
        owner_table=table,
        playing_table=(most - memory) / tables,
        person=_person(),
    )


def _most_memory_of(pid: int) -> int:
    """Resident bytes, at their most so far."""
    with open(f"/proc/{pid}/status") as file:
        (line,) = [line for line in file if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def _memory() -> tuple[float, float, float]:
    """Of a connection at its gateway and at its owner, and of a table."""
    grown: list[list[float]] = []
    for seats in (1, 4):
        with nodes(("gateway", "owner")) as house:
            time.sleep(1.0)
            lines: list[socket.socket] = []
            try:
                _sit_down(house.port, 100, seats, lines)
                before = [memory_of(pid) for pid in house.pids]
                _sit_down(house.port, IDLERS, seats, lines)
                after = [memory_of(pid) for pid in house.pids]
            finally:
                for line in lines:
                    line.close()
        grown.append([(b - a) / IDLERS for a, b in zip(before, after, strict=True)])
    (gateway, alone), (_, four) = grown
    # A connection and a table of its own; a connection and a quarter of a table.
    table = (alone - four) / 0.75
    return gateway, alone - table, table


def _sit_down(port: int, count: int, seats: int, lines: list[socket.socket]) -> None:
    code = ""
    for number in range(count):
        line = socket.create_connection(("127.0.0.1", port))
        lines.append(line)
        query = f"?table={code}" if number % seats else ""
        line.sendall(handshake(f"/rummy{query}"))
        told = b""
        while b'"code":"' not in told:
            told += line.recv(65536)
        code = told.partition(b'"code":"')[2][:6].decode()


def _person() -> float:
    """A node's memory for somebody with an account and a rating."""
    sizes: list[int] = []
    with nodes(("gateway",)) as house:
        time.sleep(1.0)
        sizes.append(memory_of(house.pids[0]))
        asyncio.run(_fill(house.store))
        house.start("gateway")
        time.sleep(1.0)
        sizes.append(memory_of(house.pids[1]))
    return (sizes[1] - sizes[0]) / PEOPLE


async def _fill(database: str) -> None:
    connection = await asyncpg.connect(database)
    facts: list[tuple[str, bytes]] = []
    standing = b'{"rating":1512.3456789,"rd":123.456789,"games":12,"wins":5,"peak":1533.25}'
    for number in range(PEOPLE):
        visitor, name = str(uuid.uuid4()), f"somebody {number}"
        account = Account(visitor, name, "h" * 97)
        facts += [
            (f"name:{visitor}", name.encode()),
            (f"account:{name}", msgspec.json.encode(account)),
            (f"rating:pool:{visitor}", standing),
            *claims(account).items(),
        ]
    await connection.copy_records_to_table("facts", records=facts)
    await connection.close()
