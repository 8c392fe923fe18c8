"""Stores that are stopped with their test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest

from parlour.store import StoreTrouble
from parlour.store.postgres import PostgresStore

Start = Callable[..., Awaitable[PostgresStore]]


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
