"""The writer thread's work by itself: what a commit keeps, when staged entries are moved, and how
long it waits for another program."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlour.lifecycle import Lifecycle
from parlour.store import StoreTrouble, schema, writer
from parlour.store.writer import Batch, Writer, begin_epoch, move_staged

Rows = list[tuple[object, ...]]

FACT = "INSERT INTO facts VALUES (?, ?)"


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """A log of the newest format, in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection, 0)
    yield connection
    connection.close()


def entry(table: int, seq: int) -> list[object]:
    return [table, seq, 1000 + seq, b"%d" % seq, 7]


def rows(db: sqlite3.Connection, which: str) -> Rows:
    return db.execute(f'SELECT "table", seq, at, data, sum FROM {which}').fetchall()


def facts(db: sqlite3.Connection) -> dict[str, bytes]:
    return dict(db.execute("SELECT key, value FROM facts").fetchall())


def writing(db: sqlite3.Connection, lifecycle: Lifecycle | None = None) -> Writer:
    return Writer(db, begin_epoch(db), lifecycle or Lifecycle())


# Commits


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 7, 10])
@pytest.mark.parametrize("others", [0, 2])
def test_a_commit_keeps_every_entry_whatever_fits_into_one_statement(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, count: int, others: int
) -> None:
    monkeypatch.setattr(writer, "MOST_AT_ONCE", 3)
    written = [entry(1, seq) for seq in range(count)]
    batch = Batch([value for one in written for value in one])
    batch.others = [(FACT, (f"key{number}", b"value")) for number in range(others)]
    statements: list[str] = []
    db.set_trace_callback(statements.append)
    writing(db).commit(batch)
    db.set_trace_callback(None)
    assert rows(db, "staging") == [tuple(one) for one in written]
    assert rows(db, "entries") == []
    assert facts(db) == {f"key{number}": b"value" for number in range(others)}
    assert not db.in_transaction
    # Alone and few, they need no transaction around them.
    inserts = [one for one in statements if one.startswith("INSERT INTO staging")]
    assert len(inserts) == -(-count // 3)
    assert ("BEGIN IMMEDIATE" in statements) == (count > 3 or others > 0)


def test_a_commit_writes_logs_anew_then_entries_then_the_rest(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO entries VALUES (1, 0, 1, 'old', NULL)")
    batch = Batch(entry(1, 1))
    batch.first = [
        ('DELETE FROM entries WHERE "table" = ?', (1,)),
        ("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", tuple(entry(1, 0))),
    ]
    # Sees what was inserted before it, and what came after is behind it.
    batch.others = [
        ("INSERT INTO facts SELECT ?, count(*) FROM staging", ("staged",)),
        ("UPDATE facts SET value = value + ?", (10,)),
    ]
    writing(db).commit(batch)
    assert rows(db, "log") == [tuple(entry(1, 0)), tuple(entry(1, 1))]
    assert facts(db) == {"staged": 11}


def test_a_commit_that_fails_keeps_nothing_of_it(db: sqlite3.Connection) -> None:
    batch = Batch(entry(1, 0), [(FACT, ("good", b"x")), (FACT, ("bad", None))])
    with pytest.raises(sqlite3.IntegrityError):
        writing(db).commit(batch)
    assert (rows(db, "log"), facts(db), db.in_transaction) == ([], {}, False)


@pytest.mark.parametrize(
    "late",
    [
        Batch(entry(1, 0)),
        Batch(entry(1, 0) + entry(1, 1)),
        Batch(entry(1, 0), [(FACT, ("too", b"late"))]),
        Batch([], [(FACT, ("too", b"late"))]),
        Batch([], [], [(FACT, ("too", b"late"))]),
    ],
)
def test_of_two_epochs_only_the_later_one_commits(db: sqlite3.Connection, late: Batch) -> None:
    first, second = writing(db), writing(db)
    with pytest.raises(StoreTrouble, match="Another Parlour has taken over"):
        first.commit(late)
    assert (rows(db, "log"), facts(db), db.in_transaction) == ([], {}, False)
    second.commit(late)
    assert rows(db, "log") or facts(db)


def test_every_start_begins_an_epoch_of_its_own(db: sqlite3.Connection) -> None:
    assert [begin_epoch(db) for _ in range(3)] == [1, 2, 3]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9)), max_size=12), st.integers(1, 3))
def test_a_table_written_anew_drops_what_was_gathered_of_it_and_no_other(
    gathered: list[tuple[int, int]], table: int
) -> None:
    batch = Batch()
    for number, seq in gathered:
        batch.entries += entry(number, seq)
        batch.first.append((FACT, (number, seq)))
    batch.drop_entries(table)
    kept = [one for one in gathered if one[0] != table]
    assert batch.entries == [value for one in kept for value in entry(*one)]
    assert batch.first == [(FACT, one) for one in kept]


# What is staged


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commits=st.lists(st.integers(1, 4), max_size=8))
def test_entries_are_moved_as_soon_as_so_many_were_written(
    monkeypatch: pytest.MonkeyPatch, commits: list[int]
) -> None:
    monkeypatch.setattr(writer, "STAGED", 4)
    db = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(db, 0)
    writes = writing(db)
    staged, written = 0, 0
    for count in commits:
        batch = [value for seq in range(written, written + count) for value in entry(1, seq)]
        writes.commit(Batch(batch))
        writes.tidy(count)
        written += count
        staged = 0 if staged + count >= 4 else staged + count
        assert len(rows(db, "staging")) == staged
        assert [row[1] for row in rows(db, "log")] == list(range(written))
    db.close()


def test_who_was_superseded_moves_nothing(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "STAGED", 1)
    first = writing(db)
    first.commit(Batch(entry(1, 0)))
    begin_epoch(db)
    with pytest.raises(StoreTrouble):
        first.tidy(1)
    assert len(rows(db, "staging")) == 1


def test_entries_are_moved_in_order_and_tables_with_doubles_are_left(
    db: sqlite3.Connection,
) -> None:
    staged = [(2, 1), (1, 1), (3, 0), (1, 0), (2, 0), (3, 0), (4, 1)]
    for table, seq in staged:
        db.execute("INSERT INTO staging VALUES (?, ?, ?, ?, ?)", entry(table, seq))
    db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", entry(4, 1))
    move_staged(db)
    moved = db.execute('SELECT "table", seq FROM entries ORDER BY rowid').fetchall()
    assert moved == [(4, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert [row[:2] for row in rows(db, "staging")] == [(3, 0), (3, 0), (4, 1)]
    assert db.execute('SELECT "table" FROM doubled ORDER BY 1').fetchall() == [(3,), (4,)]


# Patience


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 50.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += 0.5


def trouble(code: int) -> sqlite3.OperationalError:
    wrong = sqlite3.OperationalError("in the way")
    wrong.sqlite_errorcode = code
    return wrong


def failing(times: int, code: int) -> Callable[[], None]:
    """Work that fails so often before it succeeds."""
    left = [times]

    def work() -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise trouble(code)

    return work


BUSY_SNAPSHOT = sqlite3.SQLITE_BUSY | 2 << 8
"""With the particulars that SQLite puts into the higher bits."""


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, BUSY_SNAPSHOT])
@pytest.mark.parametrize(("closing", "most"), [(False, 30.0), (True, 5.0)])
def test_a_commit_waits_for_another_program_so_long_and_no_longer(
    db: sqlite3.Connection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    code: int,
    closing: bool,
    most: float,
) -> None:
    clock = Clock()
    monkeypatch.setattr(writer, "time", clock)
    lifecycle = Lifecycle()
    writes = writing(db, lifecycle)
    if closing:
        lifecycle.close()
    writes._patiently(failing(1, code))
    assert len(caplog.records) == 1, "said at once"
    caplog.clear()
    clock.now, clock.slept = 50.0, []
    # Half a second each: this many tries fit in, the last at the very end.
    tries = int(most / 0.5) + 1
    writes._patiently(failing(tries, code))
    assert (clock.now, clock.slept) == (50.0 + most + 0.5, [0.005] * tries)
    assert [record.levelname for record in caplog.records] == ["WARNING"], "said once"
    clock.now = 50.0
    with pytest.raises(sqlite3.OperationalError, match="in the way"):
        writes._patiently(failing(tries + 1, code))


def test_other_troubles_are_not_waited_for(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(writer, "time", clock)
    with pytest.raises(sqlite3.OperationalError):
        writing(db)._patiently(failing(1, sqlite3.SQLITE_FULL))
    assert clock.slept == []


def test_sqlite_itself_waits_a_tenth_of_a_second(db: sqlite3.Connection) -> None:
    writing(db)
    assert db.execute("PRAGMA busy_timeout").fetchone() == (100,)
