"""Leases that end: whose node is gone then, and whose is not."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import asyncpg
import pytest

from parlour.lifecycle import Lifecycle
from parlour.store.lease import ALONE, LEASE, MARGIN, Lease, NodeInfo
from parlour.store.ownership import delete_expired
from parlour.store.postgres import PostgresStore
from tests.store.conftest import LONG, Join, opened, stand_still, takes, wake
from tests.support import soon


async def ended(database: str, *stores: PostgresStore) -> None:
    """Return once the leases of these have ended, by the clock that counts."""
    connection = await asyncpg.connect(database)
    await connection.execute(
        "SELECT pg_sleep_until(max(expires)) FROM nodes WHERE no = ANY($1)",
        [store.node for store in stores],
    )
    await connection.close()


async def two_without_leases(join: Join, database: str) -> tuple[PostgresStore, PostgresStore]:
    """Two nodes whose leases have ended; the first has a table."""
    first, second = await join(lease=LEASE), await join(lease=LEASE)
    opened(first, "a")
    assert await first.settled()
    for store in (first, second):
        stand_still(store)
    await ended(database, first, second)
    return first, second


async def there(database: str) -> set[int]:
    connection = await asyncpg.connect(database)
    rows = await connection.fetch("SELECT no FROM nodes")
    await connection.close()
    return {row[0] for row in rows}


async def test_nobody_takes_another_for_gone_whose_own_lease_has_ended(
    join: Join, database: str
) -> None:
    """As when a database is back that was away for all: one of them is always the first."""
    first, second = await two_without_leases(join, database)
    assert await second.take_over() == []
    assert await there(database) == {first.node, second.node}
    # Nor once it has renewed its own: the others may need a moment longer.
    wake(second)
    await soon(second.current)
    assert await second.take_over() == []
    wake(first, LONG)
    await soon(first.current)
    for store in (first, second):
        assert await store.take_over() == []
    first.append("a", 1, 2, b"on")
    assert await first.settled()
    assert not first.lifecycle.lost


async def test_who_does_not_come_back_then_is_gone_all_the_same(join: Join, database: str) -> None:
    _, second = await two_without_leases(join, database)
    wake(second)
    assert await takes(second, 1) == ["a"]
    assert await there(database) == {second.node}


async def test_who_does_not_know_yet_that_it_is_back_takes_nobody_for_gone(
    join: Join, database: str
) -> None:
    """The lease is renewed on one connection while we look for lost tables on another."""
    first, second = await two_without_leases(join, database)
    connection = await asyncpg.connect(database)
    await connection.execute(
        "UPDATE nodes SET expires = clock_timestamp() + interval '1 hour' WHERE no = $1",
        second.node,
    )
    await connection.close()
    assert await second.take_over() == []
    assert await there(database) == {first.node, second.node}


class SlowDatabase:
    """Answers every statement that sets or renews a lease so many seconds after it was sent."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 100.0
        self.asked: list[float] = []

    async def get(self) -> SlowDatabase:
        return self

    def transaction(self) -> nullcontext[None]:
        return nullcontext()

    async def execute(self, statement: str, *values: Any) -> None: ...

    async def fetchval(self, statement: str, *values: Any) -> Any:
        self.asked.append(self.now)
        self.now += self.seconds
        return 7 if statement.startswith("INSERT") else "run"

    async def close(self) -> None: ...


async def test_a_lease_counts_from_before_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database may have set its end long before the answer came."""
    database = SlowDatabase(1.5)
    monkeypatch.setattr("parlour.store.lease.steady", lambda: database.now)

    async def connected(connection: Any) -> None: ...

    lease = Lease("", NodeInfo(1, role=ALONE), 2.0, Lifecycle())
    lease.connected = connected
    monkeypatch.setattr(lease, "_link", database)

    def ends_after(sent: float) -> bool:
        """Whether it is current up to the end that the database may have set, and no longer."""
        answered = database.now
        current = []
        for database.now in (sent + 2.0 - MARGIN - 0.01, sent + 2.0 - MARGIN):
            current.append(lease.current())
        database.now = answered
        return current == [True, False]

    await lease.begin()
    assert ends_after(database.asked[0])
    await soon(lambda: len(database.asked) > 1)
    assert ends_after(database.asked[1])
    await lease.end()


async def test_what_arrives_late_deletes_nobody(join: Join, database: str) -> None:
    """A lease may end while the order to delete others is on its way."""
    first, second = await two_without_leases(join, database)
    connection = await asyncpg.connect(database)
    await delete_expired(connection, second.node)
    await connection.close()
    assert await there(database) == {first.node, second.node}
