"""Logs of closed tables are packed whole, or not at all, and read as before."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from zlib import compressobj

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.lifecycle import Lifecycle
from parlour.store import Damaged, LogEntry, StoreTrouble, TableRow
from parlour.store.archive import SqliteArchive
from parlour.store.backup import DATABASE, KEY, Contents, back_up, check
from parlour.store.compact import DAY, Compacted, compact
from parlour.store.packed import Row, checked_record, pack, record_sum, replace_entries, unpack
from parlour.store.sqlite import SqliteStore
from tests.store.killed import KILLED

ENTRIES = 40


async def fill(folder: Path, tables: int = 3) -> None:
    """Closed tables, and a live one."""
    make(folder)
    store = SqliteStore(folder / DATABASE, lifecycle=Lifecycle())
    await store.start()
    for number in range(tables + 1):
        name = f"table {number}"
        store.open_table(TableRow(name, f"{number:06d}", "rummy", number))
        for seq in range(ENTRIES):
            store.append(name, seq, 1_000 + seq, b'["Act",{"place":%d}]' % (seq % 4) * (number + 1))
        if number < tables:
            store.close_table(name, number * DAY)
            store.remember(f"matches:{name}", b"1")
    await store.stop()


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    await fill(folder)
    return folder


def make(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / KEY).write_bytes(b"key")


def logs(folder: Path) -> dict[str, list[object]]:
    archive = SqliteArchive(folder)
    return {row.id: list(archive.reader(row.id).entries()) for row in archive.tables()}


def packed(folder: Path) -> int:
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        count: int = db.execute("SELECT count(*) FROM packed").fetchone()[0]
        return count


entries = st.lists(
    st.tuples(st.integers(0, 2**62), st.binary(max_size=300), st.none() | st.integers(0, 2**32 - 1))
)


@given(entries, st.integers(0, 2**40))
def test_entries_come_out_as_they_went_in(
    given: list[tuple[int, bytes, int | None]], n: int
) -> None:
    rows = [(n, seq, at, data, kept) for seq, (at, data, kept) in enumerate(given)]
    record, count, size = pack(rows)
    assert list(unpack(n, record)) == rows
    assert (count, size) == (len(rows), sum(len(data) for _, data, _ in given))


@given(entries.filter(bool), st.data())
def test_a_record_that_was_cut_is_refused(
    given: list[tuple[int, bytes, int | None]], draw: st.DataObject
) -> None:
    record, _, _ = pack((1, seq, *entry) for seq, entry in enumerate(given))
    cut = draw.draw(st.integers(0, len(record) - 1))
    with pytest.raises(ValueError, match="ends too early"):
        list(unpack(1, record[:cut]))


def test_a_forged_record_fills_no_memory() -> None:
    zeros = compressobj()
    head = struct.pack("<qqi", 1, -1, 2**31 - 1)
    record = zeros.compress(head + bytes(50_000_000)) + zeros.flush()
    assert len(record) < 100_000
    with pytest.raises(Damaged, match="too large"):
        list(checked_record("t", 1, 1, record, record_sum(1, 1, record)))
    record, count, _ = pack([(1, 0, 1, b"entry", None)])
    with pytest.raises(Damaged, match="too few"):
        list(checked_record("t", 1, count + 1, record, record_sum(1, count + 1, record)))


async def test_a_log_that_is_changed_while_it_is_packed_stays_as_it_is(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by `parlour data erase`, whose work must not be undone."""

    def meanwhile(rows: list[Row]) -> tuple[bytes, int, int]:
        with closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as other:
            new = [LogEntry(3, 1_003, b"nobody")]
            replace_entries(other, rows[0][0], "table 0", new)
        return pack(rows)

    monkeypatch.setattr("parlour.store.packed.pack", meanwhile)
    with pytest.raises(StoreTrouble, match="changed meanwhile"):
        compact(data)
    assert packed(data) == 0
    assert logs(data)["table 0"][3] == LogEntry(3, 1_003, b"nobody")


async def test_packed_logs_are_read_as_before(data: Path) -> None:
    before, counted = logs(data), check(data)
    made = compact(data)
    assert (made.packed, made.deleted, made.damages) == (3, 0, [])
    assert made.after < made.before
    assert made.shrunk
    assert packed(data) == 3
    assert logs(data) == before
    assert check(data) == counted
    store = SqliteStore(data / DATABASE)
    assert await store.entries("table 0") == before["table 0"]
    assert await store.entries("table 1", 5, 8) == before["table 1"][5:8]
    assert [row.id for row in await store.live_tables()] == ["table 3"]
    await store.stop()
    # There is nothing left to pack.
    assert compact(data).packed == 0


async def test_a_backup_holds_packed_logs(data: Path, tmp_path: Path) -> None:
    before = logs(data)
    compact(data)
    back_up(data, tmp_path / "backup")
    assert logs(tmp_path / "backup") == before


async def test_beside_a_server_tables_are_packed_and_the_file_keeps_its_size(data: Path) -> None:
    before = logs(data)
    store = SqliteStore(data / DATABASE, lifecycle=Lifecycle())
    await store.start()
    made = compact(data)
    assert (made.packed, made.shrunk) == (3, False)
    store.append("table 3", ENTRIES, 5_000, b"one more")
    await store.stop()
    assert len(logs(data)["table 3"]) == len(before["table 3"]) + 1


async def test_a_damaged_log_is_not_packed(data: Path) -> None:
    with closing(sqlite3.connect(data / DATABASE)) as db:
        db.execute('UPDATE staging SET at = at + 1 WHERE "table" = 2 AND seq = 3')
        db.execute('UPDATE entries SET at = at + 1 WHERE "table" = 2 AND seq = 3')
        db.commit()
    before = check(data)
    made = compact(data)
    assert (made.packed, len(made.damages)) == (2, 1)
    after = check(data)
    assert (after.entries, len(after.damages)) == (before.entries, 1)


@pytest.mark.parametrize(
    "harm", ["data = zeroblob(length(data))", "count = count + 1", "data = substr(data, 1, 20)"]
)
async def test_a_damaged_record_is_found(data: Path, harm: str) -> None:
    compact(data)
    with closing(sqlite3.connect(data / DATABASE)) as db:
        db.execute(f'UPDATE packed SET {harm} WHERE "table" = 2')
        db.commit()
    (damage,) = check(data).damages
    assert damage.table == "table 1"
    with pytest.raises(Damaged):
        list(SqliteArchive(data).reader("table 1").entries())


async def test_nothing_is_deleted_unless_a_limit_says_so(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # They closed on days 0, 1 and 2.
    monkeypatch.setattr("parlour.store.compact.time.time_ns", lambda: 3 * DAY * 1_000_000)
    made = compact(data, keep_days=2)
    assert (made.deleted, made.packed) == (1, 2)
    assert set(logs(data)) == {"table 1", "table 2", "table 3"}
    with closing(sqlite3.connect(data / DATABASE)) as db:
        (facts,) = db.execute("SELECT count(*) FROM facts WHERE key LIKE 'matches:%'").fetchone()
    assert facts == 2


def _size(folder: Path, table: int) -> int:
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        query = 'SELECT length(data) FROM packed WHERE "table" = ?'
        size: int = db.execute(query, (table,)).fetchone()[0]
        return size


async def test_the_oldest_tables_above_a_size_are_deleted(data: Path) -> None:
    compact(data)
    sizes = [_size(data, number) for number in (3, 2)]
    made: Compacted = compact(data, keep_bytes=sum(sizes))
    assert made.deleted == 1
    assert set(logs(data)) == {"table 1", "table 2", "table 3"}
    # A live table is never deleted.
    assert compact(data, keep_bytes=1).deleted == 2
    assert set(logs(data)) == {"table 3"}


async def test_content_that_a_deleted_table_alone_needs_is_deleted_with_it(data: Path) -> None:
    with closing(sqlite3.connect(data / DATABASE)) as db:
        facts = ["content:aa", "brought:aa:table 0", "content:bb"]
        facts += ["brought:bb:table 0", "brought:bb:table 3"]
        db.executemany("INSERT INTO facts VALUES (?, 'x')", [(fact,) for fact in facts])
        db.commit()
    compact(data, keep_bytes=1)
    with closing(sqlite3.connect(data / DATABASE)) as db:
        kept = {
            key for (key,) in db.execute("SELECT key FROM facts WHERE key NOT LIKE 'matches:%'")
        }
    assert kept == {"content:bb", "brought:bb:table 3"}


def _steps(data: Path, tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """Copies of a folder in which packing was killed, each one statement later."""
    for step in range(100):
        copy = Path(shutil.copytree(data, tmp_path / f"copy {step}"))
        command = [sys.executable, "-m", "tests.store.killed_packing", str(step), str(copy)]
        ended = subprocess.run(command, check=False, capture_output=True)
        assert ended.returncode in (0, KILLED), ended.stderr
        yield copy, ended.returncode
        if ended.returncode == 0:
            return
    raise AssertionError("packing never came to its end")


async def test_packing_survives_a_kill_at_any_statement(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await fill(data, 1)
    before: dict[str, list[object]] = logs(data)
    counted: Contents = check(data)
    seen = set()
    for copy, _ in _steps(data, tmp_path):
        assert logs(copy) == before
        assert check(copy) == counted
        seen.add(packed(copy))
        compact(copy)
        assert (logs(copy), packed(copy)) == (before, 1)
    assert seen == {0, 1}


async def test_packing_survives_a_loss_of_power_at_any_byte(data: Path, tmp_path: Path) -> None:
    before = logs(data)
    # While a server runs, the write-ahead log keeps every commit of the packing.
    server = SqliteStore(data / DATABASE, lifecycle=Lifecycle())
    await server.start()
    compact(data)
    file, wal = ((data / f"{DATABASE}{end}").read_bytes() for end in ("", "-wal"))
    await server.stop()
    torn = tmp_path / "torn"
    rng = Random(1)
    cuts = sorted(rng.sample(range(len(wal)), 150))
    seen = set()
    for cut in (0, *cuts, len(wal)):
        shutil.rmtree(torn, ignore_errors=True)
        make(torn)
        (torn / DATABASE).write_bytes(file)
        # After a loss of power, bytes that were not synced may be missing or wrong.
        noise = rng.randbytes(len(wal) - cut) if rng.random() < 0.3 else b""
        (torn / f"{DATABASE}-wal").write_bytes(wal[:cut] + noise)
        store = SqliteStore(torn / DATABASE, lifecycle=Lifecycle())
        await store.start()
        await store.stop()
        assert logs(torn) == before, cut
        seen.add(packed(torn))
    assert seen == {0, 1, 2, 3}
