"""What every log promises, whichever it is: kept in order, and said so only when it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlour.store import LogEntry, LogReader, Store, TableRow, writer
from parlour.store.memory import MemoryStore
from parlour.store.postgres import PostgresStore
from parlour.store.sqlite import SqliteStore
from tests.servers import PostgresServer
from tests.support import soon

Make = Callable[[], Store]


POSTGRES = pytest.param("postgres", marks=pytest.mark.slow)


@pytest.fixture(params=["memory", "sqlite", "sqlite that stages little", POSTGRES])
def make(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Make:
    """A way to make fresh stores of one kind."""
    if "little" in request.param:
        monkeypatch.setattr(writer, "STAGED", 3)

    def made() -> Store:
        if request.param == "memory":
            return MemoryStore()
        if request.param == "postgres":
            server: PostgresServer = request.getfixturevalue("postgres_server")
            return PostgresStore(server.new_database())
        return SqliteStore(tmp_path_factory.mktemp("log") / "parlour.sqlite")

    return made


async def read(reader: LogReader) -> list[LogEntry]:
    """As another process does it: a thread, which has no event loop either."""
    return await asyncio.to_thread(lambda: list(reader.entries()))


def row(name: str) -> TableRow:
    return TableRow(name, f"code-{name}", "rummy", 1000)


tables = st.sampled_from(["a", "b", "c"])
turns = st.lists(st.lists(tables, max_size=6), max_size=8)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(turns)
def test_entries_are_kept_in_order_and_told_of_in_order(make: Make, turns: list[list[str]]) -> None:
    asyncio.run(_kept_in_order(make(), turns))


async def _kept_in_order(store: Store, turns: list[list[str]]) -> None:
    heard: list[int] = []
    kept_when_heard: list[asyncio.Task[None]] = []

    def hear(ticket: int) -> None:
        heard.append(ticket)
        kept_when_heard.append(asyncio.create_task(look(ticket)))

    async def look(ticket: int) -> None:
        # Whatever is said to be kept can be read from that moment on.
        assert sum([len(await store.entries(t)) for t in "abc"]) >= ticket - 3

    store.on_commit(hear)
    await store.start()
    opened = [store.open_table(row(name)) for name in "abc"]
    assert opened == [1, 2, 3]
    written: dict[str, list[LogEntry]] = {"a": [], "b": [], "c": []}
    ticket = 3
    for turn in turns:
        for name in turn:
            entry = LogEntry(len(written[name]), 1000 + ticket, b"%d" % ticket)
            written[name].append(entry)
            ticket += 1
            assert store.append(name, entry.seq, entry.at, entry.data) == ticket
        await asyncio.sleep(0)
    await soon(lambda: heard != [] and heard[-1] == ticket)
    assert heard == sorted(set(heard))
    await asyncio.gather(*kept_when_heard)
    for name, entries in written.items():
        assert await store.entries(name) == entries
    await store.stop()


async def test_an_entry_out_of_order_is_not_taken(make: Make) -> None:
    store = make()
    await store.start()
    store.open_table(row("a"))
    store.append("a", 0, 1, b"{}")
    for seq in (0, 2, -1):
        with pytest.raises(ValueError, match="out of order"):
            store.append("a", seq, 1, b"{}")
    store.append("a", 1, 1, b"{}")
    assert await store.settled()
    assert [entry.seq for entry in await store.entries("a")] == [0, 1]
    await store.stop()


async def test_a_table_lives_until_it_is_closed_and_is_found_after(make: Make) -> None:
    store = make()
    await store.start()
    for name in ("a", "b", "c"):
        store.open_table(row(name))
        store.append(name, 0, 1, b"{}")
    store.close_table("a", 2000)
    store.forget_table("b")
    await store.settled()
    assert await store.live_tables() == [row("c")]
    assert await store.find_table("a") == TableRow("a", "code-a", "rummy", 1000, 2000)
    assert len(await store.entries("a")) == 1
    assert await store.find_table("b") is None
    assert await store.entries("b") == []
    assert await store.find_table("nobody") is None
    # A table of the same name begins anew: nothing of the forgotten one is left.
    store.open_table(row("b"))
    store.append("b", 0, 2, b"new")
    await store.settled()
    assert [entry.data for entry in await store.entries("b")] == [b"new"]
    await store.stop()


async def test_small_facts_are_remembered_by_their_key(make: Make) -> None:
    store = make()
    await store.start()
    for key, value in (("name:a", b"Ada"), ("name:b", b"Bo"), ("names", b"x"), ("name:a", b"Eva")):
        store.remember(key, value)
    store.remember("name:\U0010ffff", b"last")
    store.remember("name:b", None)
    await store.settled()
    assert await store.recall("name:") == {"name:a": b"Eva", "name:\U0010ffff": b"last"}
    assert await store.recall("nobody:") == {}
    await store.stop()


async def test_who_waits_is_told_once_all_handed_in_before_is_kept(make: Make) -> None:
    store = make()
    await store.start()
    assert await store.settled()
    store.remember("name:a", b"Ada")
    waiting = [asyncio.create_task(store.settled()) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    assert await waiting[1]
    assert await store.recall("name:") == {"name:a": b"Ada"}
    await store.stop()


async def test_stopping_keeps_everything_handed_in(tmp_path: Path) -> None:
    path = tmp_path / "parlour.sqlite"
    store = SqliteStore(path)
    await store.start()
    store.open_table(row("a"))
    for seq in range(100):
        store.append("a", seq, 1, b"x")
    await store.stop()
    again = SqliteStore(path)
    assert [e.seq for e in await again.entries("a")] == list(range(100))
    assert await again.live_tables() == [row("a")]
    await again.stop()


async def test_what_one_turn_of_the_loop_brings_is_kept_in_one_commit(tmp_path: Path) -> None:
    commits: list[int] = []
    store = SqliteStore(tmp_path / "log", lambda seconds, writes: commits.append(writes))
    await store.start()
    store.open_table(row("a"))
    for seq in range(50):
        store.append("a", seq, 1, b"x")
    await store.settled()
    assert sum(commits) == 51
    assert commits[0] >= 50
    await store.stop()


async def test_tickets_count_every_write_and_what_is_not_there_is_no_trouble(make: Make) -> None:
    store = make()
    await store.start()
    tickets = [
        store.open_table(row("a")),
        store.append("a", 0, 77, b"{}"),
        store.remember("nothing", None),
        store.close_table("a", 99),
    ]
    assert tickets == [1, 2, 3, 4]
    assert store.last_ticket == 4
    assert await store.settled()
    assert await store.entries("a") == [LogEntry(0, 77, b"{}")]
    assert await store.entries("nobody") == []
    store.forget_table("nobody")
    assert await store.settled()
    await store.stop()


async def test_a_reader_of_its_own_reads_what_is_kept(make: Make) -> None:
    store = make()
    await store.start()
    store.open_table(row("a"))
    store.append("a", 0, 7, b"first")
    store.append("a", 1, 8, b"second")
    store.remember("pack", b"cards")
    assert await store.settled()
    reader = store.reader("a")
    assert await read(reader) == [LogEntry(0, 7, b"first"), LogEntry(1, 8, b"second")]
    assert await asyncio.to_thread(reader.fact, "pack") == b"cards"
    assert await asyncio.to_thread(reader.fact, "nothing") is None
    assert await read(store.reader("nobody")) == []
    await store.stop()


async def test_nothing_is_written_to_a_table_that_is_done_with(make: Make) -> None:
    store = make()
    await store.start()
    for name, end in (("a", store.forget_table), ("b", lambda name: store.close_table(name, 2))):
        store.open_table(row(name))
        store.append(name, 0, 1, b"{}")
        end(name)
        with pytest.raises(KeyError):
            store.append(name, 1, 1, b"{}")
    assert await store.settled()
    await store.stop()


rewriting = st.lists(
    st.one_of(
        st.tuples(st.just("append"), tables, st.just(0)),
        st.tuples(st.just("rewrite"), tables, st.integers(1, 4)),
        st.tuples(st.just("wait"), st.just("a"), st.just(0)),
    ),
    max_size=30,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rewriting)
def test_a_log_written_anew_is_all_there_is_of_it(
    make: Make, steps: list[tuple[str, str, int]]
) -> None:
    asyncio.run(_written_anew(make(), steps))


async def _written_anew(store: Store, steps: list[tuple[str, str, int]]) -> None:
    await store.start()
    heard: list[int] = []
    store.on_commit(heard.append)
    written: dict[str, list[LogEntry]] = {"a": [], "b": [], "c": []}
    for name in written:
        store.open_table(row(name))
    for number, (what, name, count) in enumerate(steps):
        entries = written[name]
        if what == "append":
            entries.append(LogEntry(len(entries), number, b"%d" % number))
            store.append(name, entries[-1].seq, number, entries[-1].data)
        elif what == "rewrite":
            anew = [(number, b"%d again %d" % (seq, number)) for seq in range(count)]
            written[name] = [LogEntry(seq, *entry) for seq, entry in enumerate(anew)]
            store.rewrite(name, anew)
        else:
            await store.settled()
    assert await store.settled()
    assert heard[-1:] == [store.last_ticket]
    for name, entries in written.items():
        assert await store.entries(name) == entries
        assert await read(store.reader(name)) == entries
    await store.stop()


async def test_a_fact_is_forgotten_unless_another_one_keeps_it(make: Make) -> None:
    store = make()
    await store.start()
    for key in ("content:a", "content:b", "content:c", "needs:a:1", "needs:a:2", "needs:b:1"):
        store.remember(key, b"x")
    await store.settled()
    store.remember("needs:a:1", None)
    store.forget_unless("content:a", "needs:a:")
    store.remember("needs:b:1", None)
    store.forget_unless("content:b", "needs:b:")
    store.forget_unless("content:c", "needs:c:")
    store.remember("content:c", b"again")
    store.forget_unless("nothing", "needs:d:")
    await store.settled()
    assert await store.recall("content:") == {"content:a": b"x", "content:c": b"again"}
    await store.stop()


amending = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"), st.sets(st.sampled_from(["x", "y", "z"]), min_size=1).map(sorted)
        ),
        st.tuples(st.just("drop"), st.sampled_from(["x", "y", "z"]).map(lambda key: [key])),
        st.tuples(st.just("leave"), st.just(["x", "y", "z"])),
        st.tuples(st.just("wait"), st.just([""])),
    ),
    max_size=20,
)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(amending)
def test_facts_are_amended_by_what_they_are(make: Make, steps: list[tuple[str, list[str]]]) -> None:
    asyncio.run(_amended(make(), steps))


async def _amended(store: Store, steps: list[tuple[str, list[str]]]) -> None:
    learned: dict[str, bytes | None] = {}
    known_at_commit: list[dict[str, bytes | None]] = []

    async def reload() -> None:
        raise AssertionError("nothing can have been missed")

    def add(facts: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
        return {key: str(int(value or b"0") + 1).encode() for key, value in facts.items()}

    def drop(facts: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
        return dict.fromkeys(facts)

    store.watch("fact:", learned.__setitem__, reload)
    store.on_commit(lambda ticket: known_at_commit.append(dict(learned)))
    await store.start()
    expected: dict[str, bytes | None] = {}
    for what, names in steps:
        keys = [f"fact:{name}" for name in names]
        if what == "wait":
            await store.settled()
            continue
        change = {"add": add, "drop": drop}.get(what, lambda facts: {})
        store.amend(keys, change)
        expected |= change({key: expected.get(key) for key in keys})
    assert await store.settled()
    assert await store.recall("fact:") == {k: v for k, v in expected.items() if v is not None}
    if expected:
        assert learned == known_at_commit[-1] == expected
    await store.stop()


async def test_an_amendment_is_kept_with_what_was_handed_in_before_it(make: Make) -> None:
    store = make()
    await store.start()
    store.open_table(row("a"))
    store.append("a", 0, 1, b"{}")
    store.amend(["count"], lambda facts: {"count": b"1"})
    kept: list[tuple[int, int]] = []

    async def look() -> None:
        kept.append((len(await store.entries("a")), len(await store.recall("count"))))

    looks: list[asyncio.Task[None]] = []
    store.on_commit(lambda ticket: looks.append(asyncio.create_task(look())))
    assert await store.settled()
    await asyncio.gather(*looks)
    assert set(kept) <= {(1, 1)}
    await store.stop()


keys = st.text("ab:\u00e9\U0001f0a1", max_size=4)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.dictionaries(keys.filter(bool), st.binary(min_size=1, max_size=3)), keys, keys)
def test_facts_are_read_in_pages(make: Make, facts: dict[str, bytes], one: str, two: str) -> None:
    asyncio.run(_read_in_pages(make(), facts, one, two))


async def _read_in_pages(store: Store, facts: dict[str, bytes], prefix: str, end: str) -> None:
    await store.start()
    for key, value in facts.items():
        store.remember(key, value)
    assert await store.settled()
    # The order of keys is that of their UTF-8, which is also the order of their characters.
    there = sorted((key for key in facts if key.startswith(prefix)), reverse=True)
    found: list[str] = []
    before = ""
    while page := await store.recall_last(prefix, before, 2):
        assert len(page) <= 2
        assert {key: facts[key] for key in page} == page
        found += page
        before = list(page)[-1]
    assert found == there
    below = [key for key in there if key < prefix + end]
    if end:
        assert list(await store.recall_last(prefix, prefix + end, 9)) == below[:9]
    asked = [*there, prefix + end + "?"]
    assert await store.look_up(asked) == {key: facts[key] for key in there}
    assert await store.look_up([]) == {}
    await store.stop()


async def test_nothing_is_found_by_a_text_that_a_database_can_not_hold(make: Make) -> None:
    """PostgreSQL refuses this character; people may put it into an address."""
    store = make()
    await store.start()
    assert await store.find_table("\0") is None
    assert await store.fact("\0") is None
    assert await store.recall("\0") == {}
    assert await store.entries("\0") == []
    await store.stop()
    await store.stop()
