"""One connection to PostgreSQL, and how a database is named to people."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from parlour.store import postgres_link
from parlour.store.postgres_link import Link, reason, shown


async def test_a_link_is_one_connection_until_it_is_dropped(database: str) -> None:
    link = Link(database)
    link.drop()
    await link.close()
    connection = await link.get()
    assert await link.get() is connection
    assert await connection.fetchval("SHOW application_name") == "parlour"
    link.drop()
    assert connection.is_closed()
    another = await link.get()
    assert another is not connection
    await link.close()
    assert another.is_closed()
    again = await link.get()
    assert not again.is_closed()
    await again.close()
    # Somebody else has closed it.
    assert await link.get() is not again
    await link.close()


async def test_a_link_that_nobody_has_used_for_long_is_not_trusted(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(postgres_link, "time", SimpleNamespace(monotonic=lambda: now))
    link = Link(database)
    connection = await link.get()
    # Every use counts.
    for _ in range(2):
        now += postgres_link.IDLE
        assert await link.get() is connection
    now += postgres_link.IDLE + 1
    another = await link.get()
    assert another is not connection
    assert connection.is_closed()
    await link.close()


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://me:s3cret@db.example:5433/cards?sslmode=require", "cards on db.example"),
        ("postgresql:///cards?host=/run", "cards on this machine"),
        ("postgresql://me:s3cret@db.example", "postgres on db.example"),
        ("postgresql://me:s3cret@[", ""),
    ],
)
def test_a_database_is_named_by_its_name_and_its_machine(url: str, name: str) -> None:
    assert shown(url) == f"The database {name}".strip()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (TimeoutError("long"), "it does not answer"),
        (OSError("no  such\nhost"), "no such host"),
        (OSError(), "OSError"),
    ],
)
def test_a_reason_is_one_line(wrong: BaseException, words: str) -> None:
    assert reason(wrong) == words
