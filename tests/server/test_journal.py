"""The journal by itself: nothing is told before it is committed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from parlour.bus import Bus, Farewell, Letter, Moved
from parlour.house import Journal
from parlour.house import journal as journals
from parlour.store import TableRow
from parlour.table import inputs as do
from tests.support import HeldStore

MOVED = Moved(2, "t", "123456", 0, 3)


class Heard(Bus):
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
        self.counted: Counter[str] = Counter()
        self.journal = Journal(self.store, self.bus, self.counted, most_waiting)

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
    desk.journal.say([([2], b"x" * 100), ([2], MOVED)])
    assert desk.bus.closed == [(2, 1012)]
    desk.store.release()
    assert desk.bus.heard(1) == [b"all"]
    assert desk.bus.heard(2) == []
    assert desk.bus.heard(3) == [b"all", *(b"%d" % number for number in range(9))]
    assert desk.bus.others == [MOVED]
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
    assert (desk.bus.told, desk.counted) == ([], {})
    desk.store._kept(kept)
    assert (desk.bus.told, desk.counted) == ([(b"one", "t", 1)], {"high": 1})
    desk.store.release()
    assert desk.bus.told[1:] == [(b"two", "t", 4)]
    assert desk.counted == {"high": 1, "low": 1}


def test_what_follows_from_nothing_new_is_told_at_once_and_of_no_table(desk: Desk) -> None:
    desk.journal.say(letter(b"first"))
    assert desk.bus.told == [(b"first", "", 0)]
    desk.hold()
    desk.store.remember("name:ada", b"Ada")
    desk.journal.say(letter(b"second"))
    assert len(desk.bus.told) == 1
    desk.store.release()
    assert desk.bus.told[1:] == [(b"second", "", 0)]
    assert desk.counted == {}


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


async def test_a_log_written_anew_takes_the_place_of_the_old_one(desk: Desk) -> None:
    desk.open()
    desk.journal.append("t", 1, 10, do.Tick())
    desk.journal.rewrite("t", [(5, OPENING), (7, do.Spend(3)), (8, do.Tick())])
    desk.journal.append("t", 3, 20, do.Close())
    log = [(entry.at, do.decode(entry.data)) for entry in await desk.store.entries("t")]
    assert log == [(5, OPENING), (7, do.Spend(3)), (8, do.Tick()), (20, do.Close())]
