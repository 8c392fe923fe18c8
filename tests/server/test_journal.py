"""The journal by itself: when what is said is told, and the content that logs name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from parlour.bus import Farewell, Letter, LocalBus
from parlour.bus.base import Done
from parlour.house import Journal
from parlour.house import journal as journals
from parlour.kit import Illegal
from parlour.store import MemoryStore, SqliteStore, StoreTrouble, TableRow
from parlour.table import inputs as do
from tests.support import HeldStore


class Heard(LocalBus):
    """A bus that writes down what is told, of which table and which of its entries."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[bytes, str, int]] = []
        self.letters: list[Letter] = []

    def tell(self, letters: Sequence[Letter], table: str = "", version: int = 0) -> None:
        self.told += [(data, table, version) for _, data in letters if isinstance(data, bytes)]
        self.letters += letters

    def heard(self, connection: int) -> list[bytes]:
        return [d for to, d in self.letters if connection in to and isinstance(d, bytes)]

    @property
    def closed(self) -> list[tuple[int, int]]:
        """Which connections, and with which code."""
        return [(to[0], d.code) for to, d in self.letters if isinstance(d, Farewell)]

    @property
    def others(self) -> list[object]:
        return [d for _, d in self.letters if not isinstance(d, bytes | Farewell)]


def letter(text: bytes) -> list[Letter]:
    return [([1], text)]


OPENING = do.Open("t", "123456", "high", "00" * 32, {})


class Desk:
    """A journal whose log is kept when it is told to, and all who hear from it."""

    def __init__(self, most_waiting: int = journals.MOST_WAITING) -> None:
        self.store = HeldStore()
        self.bus = Heard()
        self.counted: list[str] = []
        self.journal = Journal(self.store, self.bus, self.counted.append, most_waiting)

    def open(self) -> None:
        self.journal.open_table(TableRow("t", "123456", "high", 5), OPENING)

    def hold(self) -> None:
        self.store.held = True


@pytest.fixture
def desk() -> Desk:
    return Desk()


# What waits


def test_when_too_much_waits_the_connection_with_most_is_closed_and_others_hear_all() -> None:
    desk = Desk(most_waiting=1000)
    desk.open()
    desk.hold()
    desk.journal.append("t", 1, 10, do.Tick(), [([1, 2, 3], b"all")])
    for number in range(9):
        desk.journal.say([([2], b"%d" % number * 100), ([3], b"%d" % number)])
    assert desk.bus.closed == []
    desk.journal.say([([2], b"x" * 100), ([], Done(1, 2, 3))])
    assert desk.bus.closed == [(2, 1012)]
    desk.store.release()
    assert desk.bus.heard(1) == [b"all"]
    assert desk.bus.heard(2) == []
    assert desk.bus.heard(3) == [b"all", *(b"%d" % number for number in range(9))]
    assert desk.bus.others == [Done(1, 2, 3)]
    # All of that has gone: there is room again.
    desk.journal.say([([3], b"y" * 990)])
    desk.store.release()
    assert desk.bus.closed == [(2, 1012)]


def test_what_is_for_many_is_held_once_however_many_they_are() -> None:
    desk = Desk(most_waiting=1000)
    desk.open()
    desk.hold()
    desk.journal.append("t", 1, 10, do.Tick(), [(list(range(1, 51)), b"x" * 600)])
    assert desk.bus.closed == []
    desk.journal.say([([51], b"y" * 500)])
    assert desk.bus.closed == [(51, 1012)]


# Telling


def test_an_entry_is_told_and_counted_once_it_is_kept(desk: Desk) -> None:
    desk.open()
    desk.hold()
    desk.journal.append("t", 1, 10, do.Tick(), letter(b"one"))
    desk.journal.append("t", 2, 20, do.Tick(), counted="high")
    desk.journal.append("t", 3, 30, do.Tick())
    kept = desk.store.last_ticket
    desk.journal.append("t", 4, 40, do.Tick(), letter(b"two"), "low")
    assert (desk.bus.told, desk.counted) == ([], [])
    desk.store._kept(kept)
    assert (desk.bus.told, desk.counted) == ([(b"one", "t", 1)], ["high"])
    desk.store.release()
    assert desk.bus.told[1:] == [(b"two", "t", 4)]
    assert desk.counted == ["high", "low"]


def test_what_follows_from_nothing_new_is_told_at_once_and_of_no_table(desk: Desk) -> None:
    desk.journal.say(letter(b"first"))
    assert desk.bus.told == [(b"first", "", 0)]
    desk.hold()
    desk.journal.remember("name:ada", b"Ada")
    desk.journal.say(letter(b"second"))
    assert len(desk.bus.told) == 1
    desk.store.release()
    assert desk.bus.told[1:] == [(b"second", "", 0)]
    assert desk.counted == []


def test_nothing_is_told_while_somebody_else_may_have_taken_over(desk: Desk) -> None:
    desk.open()
    desk.store.ours = False
    desk.journal.say(letter(b"said"))
    assert desk.bus.told == []
    desk.store.ours = True
    desk.store.release()
    assert desk.bus.told == [(b"said", "", 0)]


def test_nothing_is_told_after_the_record_was_lost(desk: Desk) -> None:
    desk.open()
    desk.store.lifecycle.lose(OSError("No space left on device"))
    desk.journal.say(letter(b"said"))
    assert desk.bus.told == []


# Tables and facts


class Shared(MemoryStore):
    """Writes down what only a store that nodes share has a use for; fails when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, ...]] = []
        self.fails = False

    def _note(self, *words: str) -> None:
        if self.fails:
            raise StoreTrouble("away")
        self.asked.append(words)

    def free_code(self) -> str:
        self._note("free")
        return "123456"

    async def claim_name(self, name: str, code: str) -> bool:
        self._note("claim", name, code)
        return name != "taken"

    async def return_code(self, code: str) -> None:
        self._note("return", code)

    def sat_down(self, table: str, visitor: str, game: str) -> None:
        self._note("sat down", table, visitor, game)

    def seated(self, table: str, visitor: str, game: str) -> None:
        self._note("seated", table, visitor, game)


async def test_what_nodes_share_is_the_stores_to_say() -> None:
    store = Shared()
    journal = Journal(store, LocalBus())
    assert journal.free_code() == "123456"
    assert await journal.claim_name("lounge", "123456")
    assert not await journal.claim_name("taken", "123456")
    await journal.return_code("123456")
    journal.sat_down("t", "ann", "high")
    journal.seated("t", "ben", "low")
    assert store.asked == [
        ("free",),
        ("claim", "lounge", "123456"),
        ("claim", "taken", "123456"),
        ("return", "123456"),
        ("sat down", "t", "ann", "high"),
        ("seated", "t", "ben", "low"),
    ]
    store.fails = True
    with pytest.raises(Illegal, match="no free table"):
        journal.free_code()
    with pytest.raises(Illegal, match="closing"):
        await journal.claim_name("attic", "123456")
    # That is not worth a word: nobody can have it before the lease has ended, and then anybody.
    await journal.return_code("123456")
    for sit in (journal.sat_down, journal.seated):
        with pytest.raises(Illegal, match="closing"):
            sit("t", "ann", "high")


async def test_who_watches_facts_is_told_of_changes_and_reads_again_after_a_gap() -> None:
    store = MemoryStore()
    journal = Journal(store, LocalBus())
    learned: list[tuple[str, bytes | None]] = []

    async def reload() -> None:
        learned.append(("all", None))

    journal.watch("name:", lambda key, value: learned.append((key, value)), reload)
    store.amend(["name:a", "other"], lambda facts: {"name:a": b"Ada", "other": b""})
    ((_, _, after_a_gap),) = store._watchers
    await after_a_gap()
    assert learned == [("name:a", b"Ada"), ("all", None)]


async def test_of_a_table_that_closes_all_is_kept_or_nothing(desk: Desk) -> None:
    desk.open()
    assert await desk.journal.live_tables() == [TableRow("t", "123456", "high", 5)]
    desk.journal.close_table("t", 90, keep=True)
    assert await desk.journal.find_table("t") == TableRow("t", "123456", "high", 5, 90)
    assert [do.decode(entry.data) for entry in await desk.journal.entries("t")] == [OPENING]
    desk.journal.close_table("t", 95, keep=False)
    assert await desk.journal.find_table("t") is None
    assert await desk.journal.entries("t") == []


async def test_a_log_written_anew_takes_the_place_of_the_old_one(desk: Desk) -> None:
    desk.open()
    desk.journal.append("t", 1, 10, do.Tick())
    desk.journal.rewrite("t", [(5, OPENING), (7, do.Spend(3)), (8, do.Tick())])
    desk.journal.append("t", 3, 20, do.Close())
    log = [(entry.at, do.decode(entry.data)) for entry in await desk.journal.entries("t")]
    assert log == [(5, OPENING), (7, do.Spend(3)), (8, do.Tick()), (20, do.Close())]


async def test_facts_are_claimed_together_or_not_at_all(desk: Desk) -> None:
    journal = desk.journal
    assert await journal.claim({"a": b"1", "b": b"2"}) == {}
    assert await journal.claim({"b": b"3", "c": b"4"}) == {"b": b"2"}
    assert await journal.recall("") == {"a": b"1", "b": b"2"}
    assert await journal.remember_first("a", b"5") == b"1"
    assert await journal.remember_first("d", b"6") == b"6"


# Content that rules depend on


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def pinning(*pinned: bytes) -> do.Open:
    content = {str(number): digest(data) for number, data in enumerate(pinned)}
    return do.Open("t", "123456", "high", "00" * 32, {}, content=content)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    made = SqliteStore(tmp_path / "parlour.sqlite")
    await made.start()
    yield made
    await made.stop()


async def test_content_is_there_at_once_and_after_a_restart(store: SqliteStore) -> None:
    journal = Journal(store, LocalBus())
    data = b"a pack of cards"
    journal.keep_content(digest(data), data)
    assert journal.content(digest(data)) is data
    assert await journal.has_content(digest(data))
    # Whoever brings the same has what there is: it is neither held nor written twice.
    written = store.last_ticket
    journal.keep_content(digest(data), bytes(bytearray(data)))
    assert journal.content(digest(data)) is data
    assert store.last_ticket == written
    # Where another process might throw it away, it is written all the same.
    journal.keep_content_again(digest(data), bytes(bytearray(data)))
    assert journal.content(digest(data)) is data
    assert store.last_ticket == written + 1
    brought = b"another pack"
    journal.keep_content_again(digest(brought), brought)
    assert journal.content(digest(brought)) is brought
    assert await store.settled()

    again = Journal(store, LocalBus())
    assert await again.has_content(digest(data))
    assert not await again.has_content(digest(b"another"))
    await again.fetch_content(pinning(data, brought))
    assert again.content(digest(data)) == data
    assert again.content(digest(brought)) == brought
    assert await again.fetch(digest(data)) is again.content(digest(data))
    assert await again.fetch(digest(b"another")) is None
    with pytest.raises(LookupError, match=digest(b"another")):
        await again.fetch_content(pinning(data, b"another"))


class FarStore(MemoryStore):
    """A log that is read over a network: answers take a while, and each is a new one."""

    reads = 0

    async def recall(self, prefix: str) -> dict[str, bytes]:
        self.reads += 1
        await asyncio.sleep(0)
        return {key: bytes(bytearray(fact)) for key, fact in (await super().recall(prefix)).items()}


async def test_two_who_fetch_the_same_at_once_have_the_same() -> None:
    store = FarStore()
    data = b"a pack of cards"
    Journal(store, LocalBus()).keep_content(digest(data), data)
    again = Journal(store, LocalBus())
    one, other = await asyncio.gather(*(again.fetch(digest(data)) for _ in range(2)))
    assert one == data
    assert one is other is again.content(digest(data))
    # From now on it is known.
    reads = store.reads
    assert await again.fetch(digest(data)) is one
    assert store.reads == reads


async def test_content_that_is_thrown_away_is_gone_at_once(store: SqliteStore) -> None:
    journal = Journal(store, LocalBus())
    for data in (b"gone", b"held", b"named"):
        journal.keep_content(digest(data), data)
    journal.remember("brought:named:t", b"")
    assert await store.settled()
    journal = Journal(store, LocalBus())
    for data in (b"held", b"named"):
        assert await journal.fetch(digest(data)) == data
    for data in (b"gone", b"held", b"named"):
        journal.drop_content(digest(data), unless=f"brought:{data.decode()}:")
    # It is there to be read still, till the commit.
    for data in (b"gone", b"held"):
        assert not await journal.has_content(digest(data))
    assert await store.settled()
    for data in (b"gone", b"held"):
        assert not await journal.has_content(digest(data))
        assert await journal.fetch(digest(data)) is None
    # What a log still names has stayed.
    assert await journal.has_content(digest(b"named"))
    assert await journal.fetch(digest(b"named")) == b"named"


async def test_what_was_used_last_is_held_in_memory(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "MOST_HELD", 2)
    journal = Journal(store, LocalBus())
    for data in (b"a", b"b"):
        journal.keep_content(digest(data), data)
    assert await journal.fetch(digest(b"a")) == b"a"
    journal.keep_content(digest(b"c"), b"c")
    assert (journal.content(digest(b"a")), journal.content(digest(b"c"))) == (b"a", b"c")
    with pytest.raises(KeyError):
        journal.content(digest(b"b"))
    assert await store.settled()
    assert await journal.fetch(digest(b"b")) == b"b"


async def test_a_fold_finds_all_it_pins_whatever_others_fetch_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journals, "MOST_HELD", 2)
    packs = [b"pack %d" % number for number in range(8)]
    store = FarStore()
    for data in packs:
        Journal(store, LocalBus()).keep_content(digest(data), data)
    journal = Journal(store, LocalBus())

    async def fold(*pinned: bytes) -> None:
        await journal.fetch_content(pinning(*pinned))
        assert tuple(journal.content(digest(data)) for data in pinned) == pinned

    await asyncio.gather(*(fold(*packs[at : at + 2]) for at in range(0, 8, 2)))
