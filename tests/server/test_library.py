"""What was brought to tables: who needs it, how much of it there may be, and when it goes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parlour.house import library as libraries
from parlour.house.library import Library
from parlour.kit import Illegal
from parlour.store import Store, Ticket
from parlour.store.memory import MemoryStore
from parlour.store.sqlite import SqliteStore
from parlour.table import inputs as do

NOBODY = ("", "")
"""Who is not known is not held to a share."""
PACKS = [b"red", b"green"]
OWN = PACKS[1]
"""What the house has itself, from some time on."""


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


class SharedStore(MemoryStore):
    """One node's view of facts that another node writes, too. It hears of those when it asks."""

    def __init__(self, facts: dict[str, bytes], changes: list[str]) -> None:
        super().__init__()
        self._facts = facts
        self._changes = changes
        self._heard = 0

    def remember(self, key: str, value: bytes | None) -> Ticket:
        self._changes.append(key)
        return super().remember(key, value)

    def hear(self) -> None:
        news, self._heard = self._changes[self._heard :], len(self._changes)
        for key in news:
            self._watchers.changed({key: self._facts.get(key)})


class Node:
    """A library, over a record that it may share, and the tables that are run there."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.now = 0
        self.library = Library(store, lambda: self.now)

    async def kept(self) -> tuple[dict[str, set[str]], set[str]]:
        """What the record has: by what was brought, who needs it; and the content there is."""
        needed: dict[str, set[str]] = {}
        for key in await self.store.recall("brought:"):
            _, what, table = key.split(":")
            needed.setdefault(what, set()).add(table)
        content = {key.removeprefix("content:") for key in await self.store.recall("content:")}
        return needed, content


steps = st.lists(
    st.tuples(
        st.sampled_from(["bring", "forget", "hear", "bring", "forget", "hear", "own"]),
        st.sampled_from([0, 1]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(PACKS),
    ),
    min_size=20,
    max_size=40,
)


@given(steps)
@example(
    [
        ("bring", 0, "a", b"red"),
        ("bring", 1, "a", b"red"),
        # The last two go at once: neither node knows that it is the last one's.
        ("forget", 0, "a", b"red"),
        ("forget", 1, "a", b"red"),
        ("bring", 0, "a", b"green"),
        ("bring", 0, "b", b"red"),
        ("hear", 1, "a", b"red"),
    ]
)
def test_content_is_there_as_long_as_a_table_of_any_node_or_the_house_needs_it(
    steps: list[tuple[str, int, str, bytes]],
) -> None:
    async def play() -> None:
        facts: dict[str, bytes] = {}
        changes: list[str] = []
        stores = [SharedStore(facts, changes) for _ in range(2)]
        nodes = [Node(store) for store in stores]
        users: dict[str, set[str]] = {digest(data): set() for data in PACKS}
        owned: set[str] = set()
        for what, which, name, data in steps:
            data = OWN if what == "own" else data
            table, key = f"{name}{which}", digest(data)
            match what:
                case "bring":
                    assert await nodes[which].library.bring(table, data, NOBODY) == key
                    users[key].add(table)
                case "forget":
                    nodes[which].library.forget(table)
                    for tables in users.values():
                        tables.discard(table)
                case "hear":
                    stores[which].hear()
                case _:
                    # A node knows what was brought before it opens tables with defaults.
                    stores[which].hear()
                    assert nodes[which].library.keep_own(data) == key
                    owned.add(key)
            _, content = await nodes[0].kept()
            assert content >= owned | {key for key, tables in users.items() if tables}
        for store in stores:
            store.hear()
        needed, content = await nodes[0].kept()
        assert content == owned | needed.keys()
        for key, tables in users.items():
            # What is thought to be the house's own stays, whoever else needs it.
            there = needed.get(key, set())
            assert there == tables or "" in there or key in owned

    asyncio.run(play())


async def test_so_much_may_be_brought_and_more_when_something_has_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(libraries, "MOST_BROUGHT", 3)
    store = MemoryStore()
    before = Node(store).library
    for number in range(2):
        await before.bring("old", b"old %d" % number, NOBODY)
    # What was brought before this start does not count, neither when it is there nor when it goes.
    node = Node(store)
    library = node.library
    await library.load()
    library.forget("old")
    assert await node.kept() == ({}, set())

    async def full() -> bool:
        with pytest.raises(Illegal) as no:
            await library.bring("t", b"one too many", NOBODY)
        return no.value.code == "house-full"

    for number in range(3):
        await library.bring(f"t{number}", b"%d" % number, NOBODY)
    assert await full()
    # The same once more is nothing more, and where it is known to be needed nothing is written.
    await library.bring("other", b"0", NOBODY)
    written = store.last_ticket
    await library.bring("other", b"0", NOBODY)
    assert store.last_ticket == written
    library.forget("t0")
    assert await full()
    library.forget("other")
    await library.bring("t0", b"another", NOBODY)
    assert await full()
    for number in range(3):
        library.forget(f"t{number}")
    assert await node.kept() == ({}, set())
    for number in range(3):
        await library.bring("t", b"%d" % number, NOBODY)
    assert await full()


async def _bring(node: Node, by: tuple[str, str], most: int, size: int = 10) -> str:
    """Bring new things until one is refused, or so many; gives why."""
    for number in range(most):
        try:
            await node.library.bring("t", f"{by} {number} ".encode().ljust(size, b"."), by)
        except Illegal as no:
            return no.code
    return ""


async def test_nobody_takes_all_the_room_from_ten_addresses() -> None:
    """Ten addresses, a visitor for every pack: visitors cost nothing to make."""
    node = Node(MemoryStore())
    for address in range(10):
        codes = [await _bring(node, (f"{address} {n}", f"192.0.2.{address}"), 1) for n in range(99)]
        assert codes[-1] == "too-much-content"
    for address in range(10, 40):
        assert await _bring(node, (f"{address}", f"192.0.2.{address}"), 10) == ""


async def test_nobody_takes_all_the_room_from_many_addresses() -> None:
    node = Node(MemoryStore())
    codes = [await _bring(node, ("somebody", f"192.0.2.{n}"), 1) for n in range(200)]
    assert codes[50] == ""
    assert codes[-1] == "too-much-content"
    assert await _bring(node, ("somebody else", "192.0.2.1"), 10) == ""


async def test_large_ones_count_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "MOST_BYTES", 100_000)
    monkeypatch.setattr(libraries, "LEAST_BYTES", 2_000)
    node = Node(MemoryStore())
    assert await _bring(node, ("a", "192.0.2.1"), 9, 1_000) == ""
    assert await _bring(node, ("a", "192.0.2.1"), 20, 1_000) == "too-much-content"
    assert await _bring(node, ("b", "192.0.2.2"), 1, 100_000) == "house-full"


async def test_what_was_brought_a_day_ago_is_held_against_nobody() -> None:
    node = Node(MemoryStore())
    by = ("somebody", "192.0.2.1")
    assert await _bring(node, by, 200) == "too-much-content"
    node.now += libraries.PER
    assert await _bring(node, ("somebody", "again"), 20) == ""


# The bytes


def pinning(*pinned: bytes) -> do.Open:
    content = {str(number): digest(data) for number, data in enumerate(pinned)}
    return do.Open("t", "123456", "high", "00" * 32, {}, content=content)


def library(store: Store) -> Library:
    return Library(store, lambda: 0)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    made = SqliteStore(tmp_path / "parlour.sqlite")
    await made.start()
    yield made
    await made.stop()


async def test_content_is_there_at_once_and_after_a_restart(store: SqliteStore) -> None:
    here = library(store)
    data = b"a pack of cards"
    here.keep_own(data)
    assert here.held(digest(data)) is data
    # The same once more is neither held nor written twice.
    written = store.last_ticket
    here.keep_own(bytes(bytearray(data)))
    assert here.held(digest(data)) is data
    assert store.last_ticket == written
    brought = b"another pack"
    await here.bring("t", brought, NOBODY)
    assert here.held(digest(brought)) is brought
    # Where another node might delete it, it is written all the same.
    written = store.last_ticket
    await here.bring("other", bytes(bytearray(brought)), NOBODY)
    assert here.held(digest(brought)) is brought
    assert store.last_ticket == written + 2
    assert await store.settled()

    again = library(store)
    await again.fetch_pinned(pinning(data, brought))
    assert again.held(digest(data)) == data
    assert again.held(digest(brought)) == brought
    assert await again.fetch(digest(data)) is again.held(digest(data))
    assert await again.fetch(digest(b"another")) is None
    with pytest.raises(LookupError, match=digest(b"another")):
        await again.fetch_pinned(pinning(data, b"another"))


class FarStore(MemoryStore):
    """A log that is read over a network: answers take a while, and each is a new one."""

    reads = 0

    async def look_up(self, keys: Sequence[str]) -> dict[str, bytes]:
        self.reads += 1
        await asyncio.sleep(0)
        return {key: bytes(bytearray(fact)) for key, fact in (await super().look_up(keys)).items()}


async def test_two_who_fetch_the_same_at_once_have_the_same() -> None:
    store = FarStore()
    data = b"a pack of cards"
    library(store).keep_own(data)
    again = library(store)
    one, other = await asyncio.gather(*(again.fetch(digest(data)) for _ in range(2)))
    assert one == data
    assert one is other is again.held(digest(data))
    # From now on it is known.
    reads = store.reads
    assert await again.fetch(digest(data)) is one
    assert store.reads == reads


async def test_content_that_is_deleted_is_gone_before_the_commit(store: SqliteStore) -> None:
    here = library(store)
    for data in (b"gone", b"named"):
        await here.bring("t", data, NOBODY)
    # Another node's table needs it, of which this one has not heard.
    store.remember(f"brought:{digest(b'named')}:elsewhere", b"")
    assert await store.settled()
    here.forget("t")
    # Brought again at once, it is kept for its table, and not taken for the house's own.
    await here.bring("again", b"gone", NOBODY)
    assert await store.settled()
    assert await library(store).fetch(digest(b"gone")) == b"gone"
    here.forget("again")
    assert await store.settled()
    assert await here.fetch(digest(b"gone")) is None
    assert await here.fetch(digest(b"named")) == b"named"


async def test_what_was_used_last_is_held_in_memory(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "MOST_HELD", 2)
    here = library(store)
    for data in (b"a", b"b"):
        here.keep_own(data)
    assert await here.fetch(digest(b"a")) == b"a"
    here.keep_own(b"c")
    assert (here.held(digest(b"a")), here.held(digest(b"c"))) == (b"a", b"c")
    with pytest.raises(KeyError):
        here.held(digest(b"b"))
    assert await store.settled()
    assert await here.fetch(digest(b"b")) == b"b"


async def test_a_fold_finds_all_it_pins_whatever_others_fetch_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(libraries, "MOST_HELD", 2)
    packs = [b"pack %d" % number for number in range(8)]
    store = FarStore()
    for data in packs:
        library(store).keep_own(data)
    here = library(store)

    async def fold(*pinned: bytes) -> None:
        await here.fetch_pinned(pinning(*pinned))
        assert tuple(here.held(digest(data)) for data in pinned) == pinned

    await asyncio.gather(*(fold(*packs[at : at + 2]) for at in range(0, 8, 2)))
