"""Who runs which table: one node at a time, whatever happens to the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, NoReturn

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.store import StoreTrouble, TableRow, ownership, postgres
from parlour.store.lease import DRAIN, LEASE, RUN
from parlour.store.ownership import placed
from parlour.store.postgres import PostgresStore
from tests.store.conftest import Join, Start, one_of_many, opened, stand_still, takes
from tests.support import soon

NEVER = 3600.0
"""Seconds of a lease that does not end within a test."""

nodes = st.sets(st.integers(1, 10**6), min_size=2, max_size=8).map(sorted)


@settings(max_examples=50)
@given(nodes, st.data())
def test_only_a_lost_nodes_tables_move(nodes: list[int], data: st.DataObject) -> None:
    tables = [f"table {n}" for n in range(60)]
    before = {table: placed(table, nodes) for table in tables}
    gone = data.draw(st.sampled_from(nodes))
    left = [node for node in nodes if node != gone]
    for table in tables:
        if before[table] != gone:
            assert placed(table, left) == before[table]
    assert placed(tables[0], nodes[::-1]) == before[tables[0]]


def test_tables_are_spread_evenly() -> None:
    counts = Counter(placed(f"table {n}", (1, 2, 3)) for n in range(3000))
    assert min(counts.values()) > 900


async def test_the_tables_of_a_node_that_stands_still_go_to_all_others_once(join: Join) -> None:
    first, second, third = await join(lease=LEASE), await join(), await join()
    names = [f"table {n}" for n in range(40)]
    opened(first, *names)
    assert await first.settled()
    assert await second.take_over() == []
    stand_still(first)
    shares = {
        store: [name for name in names if placed(name, (second.node, third.node)) == store.node]
        for store in (second, third)
    }
    taken = await asyncio.gather(*(takes(s, len(share)) for s, share in shares.items()))
    assert [sorted(each) for each in taken] == [sorted(share) for share in shares.values()]
    assert not first.current(), "others may only start when the first has stopped"
    for store, share in shares.items():
        for name in share:
            store.append(name, 1, 2, b"on")
        assert await store.settled()
        assert sorted(row.id for row in await store.live_tables()) == sorted(share)
    owners = await second.directory.owners([*names, "code-table 1", "nobody"])
    assert set(owners) == {*names, "code-table 1"}
    assert set(owners.values()) == {second._lease.info.address, third._lease.info.address}
    # The first one wakes up: nothing of it is kept, and it knows.
    first.append(names[0], 1, 2, b"late")
    assert not await first.settled()
    assert first.lifecycle.lost
    for name in names:
        assert [entry.data for entry in await second.entries(name)] == [b"opened", b"on"]


async def test_two_that_claim_at_once_never_both_have_a_table(
    join: Join, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await join(), await join()
    opened(first, *(f"table {n}" for n in range(30)))
    assert await first.settled()
    await first.stop()
    # As where two nodes do not agree about who is alive, each thinks that all tables are its own.
    monkeypatch.setattr(ownership, "placed", lambda table, nodes: second._lease.node)
    other = await asyncpg.connect(database)
    watching = await asyncpg.connect(database)
    orphans = await other.fetch(ownership._ORPHANS)
    async with other.transaction():
        taken = await ownership.claim_tables(other, 0, orphans[:10])
        claiming = asyncio.create_task(second.take_over())
        # It has found the same tables, and waits for who was first with them.
        waits = (
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        await soon(lambda: watching.fetchval(waits))
    ids = [row.id for row in await claiming] + [each.row.id for each in taken]
    assert sorted(ids) == sorted(f"table {n}" for n in range(30))
    for connection in (other, watching):
        await connection.close()


async def test_a_claim_whose_answer_is_lost_is_made_again(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a table would belong to a node that knows nothing of it."""
    first, second = await join(), await join()
    opened(first, "a", "b")
    assert await first.settled()
    await first.stop()
    claim = postgres.claim_tables

    async def unheard(*words: Any) -> NoReturn:
        await claim(*words)
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(postgres, "claim_tables", unheard)
        with pytest.raises(StoreTrouble, match="is away"):
            await second.take_over()
    assert sorted(row.id for row in await second.take_over()) == ["a", "b"]
    for name in "ab":
        second.append(name, 1, 2, b"on")
    assert await second.settled()
    assert await second.take_over() == []


async def test_one_question_says_whether_a_table_may_have_lost_its_node(
    start: Start, database: str
) -> None:
    first, second = [await start(database, info=one_of_many(), lease=NEVER) for _ in range(2)]

    async def quiet() -> float:
        assert await second.directory.nodes()
        return second.directory.quiet

    async def taken(*stores: PostgresStore) -> list[str]:
        return [row.id for store in stores for row in await store.take_over()]

    opened(first, "a", "b")
    assert await first.settled()
    assert 0 < await quiet() <= NEVER
    await first.give_up("a")
    assert await quiet() == 0
    assert await taken(first, second) == ["a"]
    assert await quiet() > 0
    # A node ends, and with it its row.
    await first.stop()
    assert await quiet() == 0
    assert "b" in await taken(second)
    assert 1 < await quiet() <= NEVER
    # A lease ends.
    third = await start(database, info=one_of_many(), lease=0.5)
    assert await quiet() <= 0.5
    stand_still(third)

    async def ended() -> bool:
        return await quiet() == 0

    await soon(ended)
    assert await taken(second) == []
    assert await quiet() > 1


async def test_a_node_without_tables_gets_none(join: Join) -> None:
    first, gateway = await join(), await join(role="gateway")
    opened(first, "a", "b")
    assert await first.settled()
    await first.stop()
    assert await gateway.take_over() == []
    assert set(await gateway.directory.nodes()) == {gateway._lease.info.address}
    assert await gateway.directory.running() == []
    assert await gateway.directory.place("anything") is None


async def test_a_table_that_is_given_up_goes_on_elsewhere(join: Join) -> None:
    first, second = await join(), await join()
    opened(first, "a")
    first.append("a", 1, 1, b"last")
    await first.give_up("a")
    with pytest.raises(KeyError):
        first.append("a", 2, 1, b"too late")
    for store in (first, second):
        if placed("a", (first.node, second.node)) == store.node:
            assert await takes(store, 1) == ["a"]
            store.append("a", 2, 1, b"on")
            assert await store.settled()
    assert [entry.data for entry in await first.entries("a")] == [b"opened", b"last", b"on"]


async def test_a_node_that_takes_no_tables_is_given_none(join: Join) -> None:
    first, second = await join(), await join()
    assert await first.others_take_tables()
    opened(first, *(f"table {n}" for n in range(10)))
    await first.take_tables(willing=False)
    assert not await second.others_take_tables()
    assert await first.others_take_tables()
    for name in list(first.owned):
        await first.give_up(name)
    assert first.owned == []
    assert await first.take_over() == []
    assert len(await takes(second, 10)) == len(second.owned) == 10
    await first.take_tables(willing=True)
    assert await second.others_take_tables()
    # One whose lease has ended can have nobody's.
    stand_still(first)
    await second._read("UPDATE nodes SET expires = clock_timestamp() WHERE no = $1", first.node)
    assert not await second.others_take_tables()


async def test_a_node_hears_what_an_operator_wants_and_tells_how_many_it_holds(
    join: Join,
) -> None:
    node = await join(lease=LEASE)
    heard: list[str] = []
    node.on_order(heard.append, lambda: 7)
    await soon(lambda: heard[-1:] == [RUN])
    await node._read("UPDATE nodes SET ordered = $1", DRAIN)
    await soon(lambda: heard[-1] == DRAIN)
    assert await node._read("SELECT FROM nodes WHERE connections = 7")


async def test_facts_that_one_node_changes_the_others_learn(join: Join) -> None:
    stores = first, second = await join(), await join()
    learned: list[list[tuple[str, bytes | None]]] = [[], []]
    reloaded: list[int] = []

    async def reload() -> None:
        reloaded.append(1)

    def watch(store: PostgresStore, news: list[tuple[str, bytes | None]]) -> None:
        store.watch("name:", lambda key, value: news.append((key, value)), reload)

    for store, news in zip(stores, learned, strict=True):
        watch(store, news)
    first.remember("name:a", b"Ada")
    first.remember("other:a", b"x")
    assert await first.settled()
    await soon(lambda: learned == [[], [("name:a", b"Ada")]])
    second.remember("name:a", None)
    assert await second.settled()
    await soon(lambda: learned == [[("name:a", None)], [("name:a", b"Ada")]])
    # Who amends hears of it, too: another may have done so since.
    first.amend(["name:b"], lambda facts: {"name:b": b"Bo"})
    assert await first.settled()
    await soon(lambda: learned[1][1:] == [("name:b", b"Bo")])
    assert set(learned[0][1:]) == {("name:b", b"Bo")}
    second.amend(["name:b"], lambda facts: {"name:b": None})
    assert await second.settled()
    await soon(lambda: learned[0][-1] == ("name:b", None))
    assert await first.recall("name:") == {}
    first.remember("name:b c", b"Bo and Cy")
    assert await first.settled()
    await soon(lambda: learned[1][-1] == ("name:b c", b"Bo and Cy"))
    assert not reloaded


async def test_what_was_read_before_an_amendment_of_ones_own_is_not_learned_after_it(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await join(), await join()
    learned: list[bytes | None] = []

    async def reload() -> None: ...

    first.watch("name:", lambda key, value: learned.append(value), reload)
    read, reached, go_on = first._read, asyncio.Event(), asyncio.Event()

    async def slowly(query: str, *values: Any) -> list[Any]:
        rows = await read(query, *values)
        reached.set()
        await go_on.wait()
        return rows

    monkeypatch.setattr(first._readers, "read", slowly)
    second.remember("name:a", b"old")
    assert await second.settled()
    await reached.wait()
    first.amend(["name:a"], lambda facts: {"name:a": b"new"})
    assert await first.settled()
    assert learned == [b"new"]
    go_on.set()
    # It is read again, for another may have changed it since.
    await soon(lambda: len(learned) == 2)
    assert learned == [b"new", b"new"]


async def test_a_listener_that_was_cut_off_reads_everything_again(join: Join) -> None:
    # It finds out at the next renewal of its lease.
    first, second = await join(), await join(lease=LEASE)
    reloaded: list[int] = []

    async def reload() -> None:
        reloaded.append(1)

    second.watch("name:", lambda key, value: None, reload)
    listener = second._lease._connection
    assert listener is not None
    await first._read("SELECT pg_terminate_backend($1)", listener.get_server_pid())
    await soon(lambda: reloaded)


async def test_no_two_nodes_give_out_the_same_code(join: Join) -> None:
    first, second = await join(), await join()
    codes = [store.codes.free() for store in (first, second) for _ in range(300)]
    assert len(set(codes)) == 600
    assert all(code is not None and len(code) == 6 and code.isdigit() for code in codes)
    # More are fetched before these are used up.
    await soon(lambda: len(first.codes._free) > 200)
    await first.stop()
    assert await second.take_over() == []


async def test_a_code_is_taken_until_its_table_closes(join: Join) -> None:
    store = await join()

    async def taken(code: str) -> bool:
        return bool(await store._read("SELECT FROM codes WHERE code = $1", code))

    for end in (lambda: store.close_table("a", 5), lambda: store.forget_table("a")):
        code = store.codes.free()
        assert code is not None
        store.open_table(TableRow("a", code, "rummy", 1))
        assert await store.settled()
        assert await taken(code)
        end()
        assert await store.settled()
        assert not await taken(code)
        await store._read("DELETE FROM tables")


async def named(store: PostgresStore, name: str, table: str = "") -> str | None:
    """The code of a table that has a name; None: it can't have it."""
    code = store.codes.free()
    assert code is not None
    if not await store.codes.claim_name(name, code):
        await store.codes.give_back(code)
        return None
    if table:
        store.open_table(TableRow(table, code, "rummy", 1))
        store.append(table, 0, 1, b"opened")
        assert await store.settled()
    return code


async def test_of_two_tables_that_want_a_name_at_once_one_has_it(join: Join) -> None:
    first, second = await join(), await join()
    for number in range(10):
        both = await asyncio.gather(*(named(s, f"lounge {number}") for s in (first, second)))
        assert both.count(None) == 1
    # Codes are names, too; and one's own name can be claimed again.
    code = await named(first, "attic")
    assert code is not None
    assert await named(second, code) is None
    assert await first.codes.claim_name("attic", code)
    assert not await first.codes.claim_name("cellar", "no such code")


async def test_a_table_has_its_name_until_it_closes_at_whatever_node(join: Join) -> None:
    first, second = await join(lease=LEASE), await join()
    await named(first, "lounge", "a")
    given_up = await named(first, "attic")
    assert given_up is not None
    await first.codes.give_back(given_up)
    assert given_up in first.codes._free
    assert await named(second, "attic") is not None
    # Claimed for a table that was never opened: it is free when the node is gone.
    await named(first, "cellar")
    stand_still(first)
    assert await takes(second, 1) == ["a"]
    assert await named(second, "lounge") is None
    assert await named(second, "cellar") is not None
    second.close_table("a", 5)
    assert await second.settled()
    assert await named(second, "lounge") is not None


async def test_a_deposed_node_writes_no_log_anew(join: Join) -> None:
    first, second = await join(lease=LEASE), await join()
    opened(first, "a")
    first.append("a", 1, 1, b"last")
    assert await first.settled()
    stand_still(first)
    assert await takes(second, 1) == ["a"]
    first.rewrite("a", [(1, b"shorter")])
    assert not await first.settled()
    assert [entry.data for entry in await second.entries("a")] == [b"opened", b"last"]
    second.rewrite("a", [(1, b"all")])
    second.append("a", 1, 2, b"on")
    assert await second.settled()
    assert [entry.data for entry in await second.entries("a")] == [b"all", b"on"]


async def test_what_one_node_forgets_while_another_begins_to_need_it_stays(join: Join) -> None:
    """Whichever of the two comes first."""
    first, second = await join(), await join()
    for number in range(20):
        first.remember("content:a", b"x")
        first.remember("needs:a:1", b"")
        assert await first.settled()
        first.remember("needs:a:1", None)
        first.forget_unless("content:a", "needs:a:")
        second.remember("needs:a:2", b"")
        second.remember("content:a", b"x")
        if number % 2:
            await asyncio.sleep(0)
        assert all(await asyncio.gather(first.settled(), second.settled()))
        assert await first.recall("content:") == {"content:a": b"x"}
        second.remember("needs:a:2", None)
        second.forget_unless("content:a", "needs:a:")
        assert await second.settled()
        assert await first.recall("content:") == {}


async def test_a_forgetting_waits_for_who_needs_it_in_a_commit_under_way(
    join: Join, database: str
) -> None:
    first = await join()
    first.remember("content:a", b"x")
    assert await first.settled()
    other = await asyncpg.connect(database)
    try:
        needing = other.transaction()
        await needing.start()
        await other.execute("INSERT INTO facts VALUES ('needs:a:2', '')")
        await other.execute("UPDATE facts SET value = 'y' WHERE key = 'content:a'")
        first.forget_unless("content:a", "needs:a:")
        settled = asyncio.create_task(first.settled())
        done, _ = await asyncio.wait({settled}, timeout=0.3)
        assert not done
        await needing.commit()
        assert await settled
    finally:
        await other.close()
    assert await first.recall("content:") == {"content:a": b"y"}


@pytest.mark.parametrize("there", [b"", b"4"], ids=["new", "known"])
async def test_an_amendment_waits_for_one_of_another_node_under_way(
    join: Join, database: str, there: bytes
) -> None:
    store = await join()
    if there:
        store.remember("count", there)
        assert await store.settled()
    other = await asyncpg.connect(database)
    try:
        writing = other.transaction()
        await writing.start()
        await other.execute(
            "INSERT INTO facts VALUES ('count', '5') ON CONFLICT (key) DO UPDATE SET value = '5'"
        )
        store.amend(["count"], lambda facts: {"count": (facts["count"] or b"") + b" and 1"})
        settled = asyncio.create_task(store.settled())
        done, _ = await asyncio.wait({settled}, timeout=0.3)
        assert not done
        await writing.commit()
        assert await settled
    finally:
        await other.close()
    assert await store.recall("count") == {"count": b"5 and 1"}


async def test_where_somebody_sat_down_last_is_known_until_that_table_closes(join: Join) -> None:
    first, second = await join(), await join()
    opened(first, "a", "b")
    opened(second, "c")
    first.sat_down("a", "ann", "rummy")
    first.sat_down("b", "ann", "rummy")
    first.sat_down("a", "ben", "rummy")
    first.sat_down("a", "ben", "mo")
    assert await first.settled()
    last = second.directory.last_table
    assert [await last(who, "rummy") for who in ("ann", "ben", "eve")] == ["b", "a", None]
    second.sat_down("c", "ben", "rummy")
    # Of somebody who sits there already it says nothing, if more is known.
    for who in ("ann", "eve"):
        second.seated("c", who, "rummy")
    assert await second.settled()
    assert [await last(who, "rummy") for who in ("ann", "ben", "eve")] == ["b", "c", "c"]
    first.close_table("a", 5)
    first.forget_table("b")
    assert await first.settled()
    assert [await last(who, "rummy") for who in ("ann", "ben")] == [None, "c"]
    assert await last("ben", "mo") is None
    left = await first._read("SELECT visitor, game FROM seats ORDER BY visitor")
    assert [tuple(row) for row in left] == [("ben", "rummy"), ("eve", "rummy")]


async def test_amendments_of_two_nodes_at_once_are_all_made(join: Join) -> None:
    both = await join(), await join()

    async def count(store: PostgresStore) -> None:
        for _ in range(50):
            store.amend(["count"], lambda facts: {"count": b"%d" % (int(facts["count"] or 0) + 1)})
            assert await store.settled()

    await asyncio.gather(*(count(store) for store in both))
    assert await both[0].recall("count") == {"count": b"100"}
