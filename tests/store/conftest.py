"""Stores that are stopped with their test, and nodes that share a database."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest

from parlour.store import StoreTrouble, TableRow
from parlour.store.lease import NodeInfo
from parlour.store.postgres import PostgresStore
from tests.support import soon

LONG = 60.0
"""Seconds of a lease that does not end during a test, however long its process has to wait."""

Start = Callable[..., Awaitable[PostgresStore]]
Join = Callable[..., Awaitable[PostgresStore]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """`await start(url)`: a store that is stopped with its test."""
    async with AsyncExitStack() as until_end:

        async def started(url: str, **how: Any) -> PostgresStore:
            store = PostgresStore(url, **how)
            await store.start()
            until_end.push_async_callback(_stop, store)
            return store

        yield started


async def _stop(store: PostgresStore) -> None:
    with suppress(StoreTrouble):  # one that a test has made fail
        await store.stop()


def one_of_many(role: str = "both") -> NodeInfo:
    """A node that shares its database with others."""
    return NodeInfo(secrets.randbits(40), role=role, speaks=(1,))


@pytest.fixture
def join(start: Start, database: str) -> Join:
    """`await join()`: one more node in the test's database."""

    def joined(role: str = "both", lease: float = LONG) -> Awaitable[PostgresStore]:
        return start(database, info=one_of_many(role), lease=lease)

    return joined


def stand_still(store: PostgresStore) -> None:
    """As if its process had been stopped: it does not renew any more."""
    assert store._lease._task is not None
    store._lease._task.cancel()


def wake(store: PostgresStore, lease: float | None = None) -> None:
    """It renews its lease again, as after the database was away for it."""
    store._lease._seconds = lease or store._lease._seconds
    store._lease._task = asyncio.get_running_loop().create_task(store._lease._keep())


def opened(store: PostgresStore, *names: str) -> None:
    for name in names:
        store.open_table(TableRow(name, f"code-{name}", "rummy", 1))
        store.append(name, 0, 1, b"opened")


async def takes(store: PostgresStore, count: int) -> list[str]:
    """The tables it takes over, once it has so many."""
    taken: list[str] = []

    async def has_them() -> bool:
        taken.extend([row.id for row in await store.take_over()])
        return len(taken) >= count

    await soon(has_them)
    return taken
