"""A write-ahead log that lost a byte: found before SQLite drops what comes behind it."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import struct
from pathlib import Path

import pytest

from parlour.store import StoreTrouble
from parlour.store.backup import back_up, check, mend, restore
from parlour.store.sqlite import SqliteStore
from parlour.store.wal import find_break
from tests.store.test_backup import filled, parlour

PAGE = 4096
FRAME = 24 + PAGE
COMMITS = 6


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder of a server that was killed: six commits are in the write-ahead log."""
    data, running = tmp_path / "data", tmp_path / "running"
    asyncio.run(filled(running, b"x"))
    db = sqlite3.connect(running / "parlour.sqlite", isolation_level=None)
    db.execute("PRAGMA wal_autocheckpoint = 0")
    for number in range(COMMITS):
        db.execute("INSERT INTO facts VALUES (?, ?)", (f"fact {number}", b"kept"))
    shutil.copytree(running, data)
    db.close()
    return data


def facts(data: Path) -> int:
    db = sqlite3.connect(data / "parlour.sqlite")
    (count,) = db.execute("SELECT count(*) FROM facts").fetchone()
    db.close()
    return int(count)


def flip(data: Path, offset: int) -> None:
    with (data / "parlour.sqlite-wal").open("r+b") as file:
        file.seek(offset)
        (byte,) = file.read(1)
        file.seek(offset)
        file.write(bytes([byte ^ 1]))


def frames(data: Path) -> list[int]:
    """How large the database is behind each frame: 0 for all but those that commit."""
    wal = (data / "parlour.sqlite-wal").read_bytes()
    return [struct.unpack_from(">I", wal, at + 4)[0] for at in range(32, len(wal) - 24, FRAME)]


def opened(data: Path) -> None:
    SqliteStore(data / "parlour.sqlite")._files.close()


def test_a_log_that_is_whole_is_replayed(data: Path) -> None:
    assert sum(size > 0 for size in frames(data)) == COMMITS
    assert find_break(data / "parlour.sqlite") is None
    opened(data)
    assert facts(data) == COMMITS


@pytest.mark.parametrize("where", [0, 8, 20, 32, 32 + 9, 32 + 17, 32 + 500])
def test_commits_behind_a_flipped_byte_are_not_dropped_in_silence(data: Path, where: int) -> None:
    before = (data / "parlour.sqlite-wal").read_bytes()
    flip(data, where)
    for use in (opened, check, lambda data: back_up(data, data / "copy")):
        with pytest.raises(StoreTrouble, match=r"is damaged at byte \d+: SQLite would drop \d+"):
            use(data)
    flip(data, where)
    assert (data / "parlour.sqlite-wal").read_bytes() == before
    opened(data)
    assert facts(data) == COMMITS


def test_the_damage_is_mended_on_request_and_a_copy_kept(data: Path) -> None:
    flip(data, 32 + 3 * FRAME + 500)
    damaged = (data / "parlour.sqlite-wal").read_bytes()
    result = parlour("check", "--data", data)
    assert result.exit_code == 2
    assert f"is damaged at byte {32 + 3 * FRAME}" in result.stderr
    result = parlour("mend", "--data", data)
    assert result.exit_code == 0, result.output
    (aside,) = data.glob("set-aside-*")
    assert str(aside) in result.stdout
    assert (aside / "parlour.sqlite-wal").read_bytes() == damaged
    opened(data)
    assert facts(data) == sum(size > 0 for size in frames(aside)[:3])
    with pytest.raises(StoreTrouble, match="nothing to mend"):
        mend(data)


def test_where_nothing_is_left_after_mending_it_is_said_where_the_copy_is(tmp_path: Path) -> None:
    """The damage lies in the commit that made the file: all the rest depends on it."""
    running, data = tmp_path / "running", tmp_path / "data"
    running.mkdir()
    store = SqliteStore(running / "parlour.sqlite")
    store._db.execute("INSERT INTO facts VALUES ('one more', 'kept')")
    shutil.copytree(running, data)
    store._files.close()
    flip(data, 32 + 500)
    with pytest.raises(StoreTrouble, match=r"is empty\. Restore a backup; .* in .*set-aside-"):
        mend(data)


def test_a_restore_sets_a_damaged_log_aside_as_it_is(data: Path, tmp_path: Path) -> None:
    back_up(tmp_path / "running", tmp_path / "backup")
    flip(data, 32 + 500)
    damaged = (data / "parlour.sqlite-wal").read_bytes()
    _, aside = restore(tmp_path / "backup", data, aside=True)
    assert aside is not None
    assert (aside / "parlour.sqlite-wal").read_bytes() == damaged
    opened(data)
    assert facts(data) == COMMITS


def test_a_commit_that_was_cut_short_by_a_power_failure_is_dropped_with_a_warning(
    data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A single commit behind the damage was perhaps never confirmed to anybody."""
    flip(data, (data / "parlour.sqlite-wal").stat().st_size - 500)
    with caplog.at_level(logging.WARNING, "parlour.store"):
        opened(data)
    assert "the last commit" in caplog.text
    assert facts(data) == COMMITS - 1


def test_frames_of_an_older_log_behind_the_newest_are_no_damage(tmp_path: Path) -> None:
    """SQLite writes a log again from its start once all of it is in the database."""
    running, data = tmp_path / "running", tmp_path / "data"
    asyncio.run(filled(running, b"x"))
    db = sqlite3.connect(running / "parlour.sqlite", isolation_level=None)
    for number in range(20):
        db.execute("INSERT INTO facts VALUES (?, ?)", (f"fact {number}", b"kept"))
    db.execute("PRAGMA wal_checkpoint(RESTART)")
    db.execute("INSERT INTO facts VALUES ('one more', 'kept')")
    shutil.copytree(running, data)
    db.close()
    assert len(frames(data)) > 19
    assert find_break(data / "parlour.sqlite") is None
    opened(data)
    assert facts(data) == 21


async def test_a_running_house_is_backed_up_whatever_its_log_looks_like_in_between(
    data: Path, tmp_path: Path
) -> None:
    store = SqliteStore(data / "parlour.sqlite")
    await store.start()
    flip(data, 32 + 500)
    back_up(data, tmp_path / "copy")
    assert check(data).tables == 1
    await store.stop()
