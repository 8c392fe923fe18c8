"""The log in PostgreSQL: what happens when it goes away, and when somebody else comes."""

from __future__ import annotations

import asyncio
from itertools import count
from types import SimpleNamespace

import asyncpg
import pytest

from parlour.house import Journal
from parlour.house.journal import Letter
from parlour.kit import Illegal
from parlour.store import (
    Damaged,
    StoreTrouble,
    TableRow,
    ownership,
    postgres_schema,
    postgres_writer,
)
from parlour.store import lease as lease_
from parlour.store.lease import Lease, NodeInfo
from parlour.store.postgres import PostgresStore
from tests.network import Proxy, through
from tests.store.conftest import LONG, Start, stand_still
from tests.support import PATIENCE, Opener, soon, turns_of_the_loop


def row(name: str) -> TableRow:
    return TableRow(name, f"code-{name}", "rummy", 1000)


async def ask(database: str, query: str, *values: object) -> object:
    connection = await asyncpg.connect(database)
    try:
        return await connection.fetchval(query, *values)
    finally:
        await connection.close()


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ("UPDATE entries SET data = 'y' WHERE seq = 1", "is not what was written"),
        ("UPDATE entries SET at = 2 WHERE seq = 1", "is not what was written"),
        ("UPDATE entries SET sum = NULL WHERE seq = 1", "has lost its checksum"),
        ("DELETE FROM entries WHERE seq = 1", "is missing"),
    ],
)
async def test_what_somebody_has_changed_is_found_and_named(
    start: Start, database: str, change: str, wrong: str
) -> None:
    store = await start(database)
    store.open_table(row("a"))
    for seq in range(3):
        store.append("a", seq, 1, b"x")
    assert await store.settled()
    await ask(database, change)
    with pytest.raises(Damaged, match=f"Entry 1 of table a {wrong}"):
        await store.entries("a")


async def test_what_was_kept_is_there_after_a_restart(start: Start, database: str) -> None:
    store = await start(database)
    store.open_table(row("a"))
    for seq in range(100):
        store.append("a", seq, 1, b"%d" % seq)
    await store.stop()
    again = await start(database)
    assert await again.live_tables() == [row("a")]
    assert [entry.data for entry in await again.entries("a")] == [b"%d" % n for n in range(100)]
    with pytest.raises(ValueError, match="out of order"):
        again.append("a", 99, 1, b"x")
    again.append("a", 100, 1, b"x")
    again.open_table(row("b"))
    again.append("b", 0, 1, b"y")
    assert await again.settled()
    assert len(await again.entries("a")) == 101
    assert [entry.data for entry in await again.entries("b")] == [b"y"]


async def test_a_log_written_anew_in_the_same_commit_leaves_others_alone(
    start: Start, database: str
) -> None:
    store = await start(database)
    for name in "ab":
        store.open_table(row(name))
        for seq in range(3):
            store.append(name, seq, 1, b"%d" % seq)
    store.rewrite("a", [(2, b"all")])
    store.append("a", 1, 3, b"on")
    assert await store.settled()
    assert [entry.data for entry in await store.entries("a")] == [b"all", b"on"]
    assert [entry.data for entry in await store.entries("b")] == [b"0", b"1", b"2"]


async def test_what_one_turn_of_the_loop_brings_is_kept_in_one_commit(database: str) -> None:
    commits: list[int] = []

    def synced(seconds: float, writes: int) -> None:
        assert 0 < seconds < PATIENCE
        commits.append(writes)

    store = PostgresStore(database, synced)
    await store.start()
    store.open_table(row("a"))
    for seq in range(50):
        store.append("a", seq, 1, b"x")
    await store.settled()
    assert commits == [51]
    await store.stop()


@pytest.mark.parametrize(
    "deposed",
    [
        "DELETE FROM nodes",
        'UPDATE owners SET epoch = epoch + 1 WHERE "table" = (SELECT max(no) FROM tables)',
        'UPDATE owners SET node = node + 1 WHERE "table" = (SELECT max(no) FROM tables)',
    ],
)
async def test_nothing_of_a_deposed_owners_batch_is_kept_or_told(
    start: Start, database: str, deposed: str
) -> None:
    store = await start(database)
    for name in "ab":
        store.open_table(row(name))
        store.append(name, 0, 1, b"in time")
    assert await store.settled()
    heard: list[int] = []
    await ask(database, deposed)
    store.on_commit(heard.append)
    kept = store.last_ticket
    store.append("a", 1, 2, b"too late")
    store.append("b", 1, 2, b"too late")
    store.remember("too", b"late")
    assert not await store.settled()
    assert store.lifecycle.lost
    # It may be heard again that the old ones are kept.
    assert set(heard) <= {kept}
    assert await ask(database, "SELECT count(*) FROM entries") == 2
    assert await ask(database, "SELECT count(*) FROM facts") == 0
    with pytest.raises(Illegal, match="closing"):
        store.append("a", 2, 3, b"later still")
    with pytest.raises(StoreTrouble, match="taken over"):
        await store.stop()


async def test_connections_that_break_lose_and_double_nothing(start: Start, database: str) -> None:
    store = await start(database)
    store.open_table(row("a"))
    other = await asyncpg.connect(database)
    for seq in range(300):
        store.append("a", seq, 1, b"%d" % seq)
        if seq % 30 == 0:
            await other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        await asyncio.sleep(0)
    assert await store.settled()
    assert [entry.data for entry in await store.entries("a")] == [b"%d" % n for n in range(300)]
    await other.close()


async def test_a_commit_whose_answer_is_lost_is_not_made_twice(
    start: Start, database: str, before_postgres: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_writer, "ONE_TRY", 0.5)
    store = await start(through(before_postgres, database))
    store.open_table(row("a"))
    assert await store.settled()
    before_postgres.hold_answers()
    store.append("a", 0, 1, b"once")

    async def kept() -> bool:
        return await ask(database, "SELECT count(*) FROM entries") == 1

    await soon(kept)
    before_postgres.cut()
    before_postgres.let_go()
    store.append("a", 1, 1, b"then")
    assert await store.settled()
    assert [entry.data for entry in await store.entries("a")] == [b"once", b"then"]


class Told:
    """Takes the place of the bus: what was told, when it was."""

    def __init__(self) -> None:
        self.letters: list[bytes] = []

    def tell(self, letters: list[Letter], table: str = "", version: int = 0) -> None:
        self.letters += [data for _, data in letters if isinstance(data, bytes)]


def letter(text: bytes) -> Letter:
    return ([1], text)


async def test_without_a_current_lease_nothing_is_told_and_with_it_again_everything(
    start: Start, database: str, before_postgres: Proxy
) -> None:
    store = await start(through(before_postgres, database))
    told = Told()
    journal = Journal(store, told)  # type: ignore[arg-type]
    store.open_table(row("a"))
    assert await store.settled()
    before_postgres.hold()
    await soon(lambda: not store.current())
    # An answer that follows from nothing new is held back, too: somebody else may know better.
    journal.say([letter(b"said")])
    asking = asyncio.create_task(journal.kept("asked"))
    await turns_of_the_loop()
    assert told.letters == []
    assert not asking.done()
    assert not store.lifecycle.lost
    before_postgres.cut()
    before_postgres.let_go()
    await soon(store.current)
    await soon(lambda: told.letters == [b"said"])
    assert await asking == "asked"


async def test_a_node_that_was_away_longer_than_its_lease_finds_another_in_its_place(
    start: Start, database: str, before_postgres: Proxy
) -> None:
    first = await start(through(before_postgres, database))
    told = Told()
    journal = Journal(first, told)  # type: ignore[arg-type]
    first.open_table(row("a"))
    first.append("a", 0, 1, b"in time")
    assert await first.settled()
    before_postgres.hold()
    first.append("a", 1, 2, b"too late")
    journal.say([letter(b"too late")])
    second = await start(database)
    assert not first.current(), "the second may only start when the first has stopped"
    second.append("a", 1, 3, b"instead")
    assert await second.settled()
    before_postgres.cut()
    before_postgres.let_go()
    await soon(lambda: first.lifecycle.lost)
    assert not await first.settled()
    assert told.letters == []
    assert [entry.data for entry in await second.entries("a")] == [b"in time", b"instead"]


async def test_a_database_in_use_is_left_alone(
    start: Start, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await start(database, lease=LONG)
    # Until that lease could have ended.
    monkeypatch.setattr(ownership, "time", SimpleNamespace(monotonic=count(step=LONG).__next__))
    with pytest.raises(StoreTrouble, match="another Parlour is using it"):
        await PostgresStore(database).start()
    assert first.current()
    assert await ask(database, "SELECT count(*) FROM nodes") == 1


async def test_who_comes_after_a_killed_one_is_not_kept_out_by_a_pause(
    start: Start, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own lease may end, too, while it waits for that of the other one."""
    first = await start(database)
    first.open_table(row("a"))
    assert await first.settled()
    stand_still(first)
    delete, paused = ownership.delete_expired, False

    async def pauses(connection: asyncpg.Connection, me: int) -> None:
        nonlocal paused
        if not paused:
            paused = True
            monkeypatch.setattr(ownership.time, "monotonic", lambda: 1e9)
            await connection.execute("UPDATE nodes SET expires = clock_timestamp()")
        await delete(connection, me)

    monkeypatch.setattr(ownership, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(ownership, "delete_expired", pauses)
    second = await start(database)
    assert await second.live_tables() == [row("a")]


async def test_of_two_that_start_at_once_one_has_the_database(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "time", SimpleNamespace(monotonic=count(step=LONG).__next__))
    stores = [PostgresStore(database, lease=LONG) for _ in range(2)]
    done = await asyncio.gather(*(store.start() for store in stores), return_exceptions=True)
    failed = [wrong for wrong in done if wrong is not None]
    assert [type(wrong) for wrong in failed] == [StoreTrouble]
    for store, wrong in zip(stores, done, strict=True):
        if wrong is None:
            await store.stop()


async def test_a_database_of_a_newer_version_is_refused(start: Start, database: str) -> None:
    await (await start(database)).stop()
    newer = len(postgres_schema.MIGRATIONS) + 1
    await ask(database, "INSERT INTO format VALUES ($1)", newer)
    with pytest.raises(StoreTrouble, match="newer Parlour"):
        await PostgresStore(database).start()


async def test_a_database_that_can_not_be_reached_is_named_without_its_password() -> None:
    with pytest.raises(StoreTrouble, match=r"The database cards on 127\.0\.0\.1 can't") as wrong:
        await PostgresStore("postgresql://me:s3cret@127.0.0.1:9/cards").start()
    assert "s3cret" not in str(wrong.value)


async def test_the_lease_counts_from_before_it_was_asked_for(
    start: Start, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the database takes, this process stops before the database lets others in."""
    store = await start(database)
    now, taken = 1000.0, 0

    async def slowly(lease: Lease) -> bool:
        nonlocal now, taken
        now += lease_.LEASE - 0.5
        taken += 1
        return True

    monkeypatch.setattr(lease_, "steady", lambda: now)
    monkeypatch.setattr(Lease, "_renew", slowly)
    await soon(lambda: taken > 0)
    await asyncio.sleep(0)
    assert store.current()
    now += 0.5 - lease_.MARGIN + 0.001
    assert not store.current()


async def test_a_house_on_postgres_goes_on_where_it_was(open_house: Opener, database: str) -> None:
    house = await open_house(store=database)
    visitor = await house.visitor()
    host = await visitor.rummy(f"?token={await visitor.token()}")
    await host.expect("lobby")
    await host.send("name", name="Ada")
    await host.expect("lobby")
    token = await visitor.token()
    await house.shut(host)
    again = await open_house(store=database)
    assert len(again.tables) == 1
    # The key is in the record, so that the token still is somebody's.
    back = await (await again.visitor()).rummy(f"?token={token}&table={host.code}")
    assert (await back.expect("lobby"))["lobby"]["code"] == host.code


async def test_health_says_that_the_database_is_away(
    open_house: Opener, database: str, before_postgres: Proxy
) -> None:
    house = await open_house(store=through(before_postgres, database))
    visitor = await house.visitor()

    async def ready() -> bool:
        return (await visitor.call("GET", "/readyz"))[0] == 200

    await soon(ready)
    before_postgres.hold()
    await soon(lambda: not house.server.store.current())
    assert (await visitor.call("GET", "/readyz"))[0] == 503
    before_postgres.cut()
    before_postgres.let_go()
    await soon(ready)


async def test_nodes_that_do_not_authenticate_each_other_must_stop_first(database: str) -> None:
    """Format 3 had no keys: such a node would hear nothing of the others."""
    connection = await asyncpg.connect(database)
    await connection.execute("CREATE TABLE format (version int NOT NULL)")
    for number, script in enumerate(postgres_schema.MIGRATIONS[:3], 1):
        await connection.execute(script)
        await connection.execute("INSERT INTO format VALUES ($1)", number)
    await connection.execute(
        "INSERT INTO nodes (address, runs_tables, name, expires) "
        "VALUES (1, true, 'old', clock_timestamp() + interval '1 hour')"
    )
    store = PostgresStore(database, info=NodeInfo(2, "new", "both", bytes(32), (2,)))
    with pytest.raises(StoreTrouble, match=r"^Node old is of an earlier version.*stop all nodes"):
        await store.start()
    # It can still be started again.
    assert await connection.fetchval("SELECT max(version) FROM format") == 3
    await connection.execute("UPDATE nodes SET expires = clock_timestamp()")
    await connection.close()
    store = PostgresStore(database, info=NodeInfo(2, "new", "both", bytes(32), (2,)))
    await store.start()
    assert (await store.directory.nodes())[2] == (bytes(32), [2])
    await store.stop()


async def test_a_node_that_others_can_not_understand_does_not_start(
    start: Start, database: str
) -> None:
    def info(address: int, role: str, *speaks: int) -> NodeInfo:
        return NodeInfo(address, f"node {address}", role, bytes(32), speaks)

    first = await start(database, info=info(1, "gateway", 2, 3))
    await start(database, info=info(2, "owner", 3, 4))
    with pytest.raises(
        StoreTrouble, match=r"^Node node 1 speaks version 2, 3 of the bus and this one 4, 5: stop"
    ):
        await start(database, info=info(3, "both", 4, 5))
    assert set(await first.directory.nodes()) == {1, 2}
    assert "key" not in repr(info(1, "both", 2))
