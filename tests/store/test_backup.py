"""Backups: made while the house plays, put back where nothing can get mixed up with them."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from parlour.cli import app
from parlour.store import StoreTrouble, TableRow, schema
from parlour.store.backup import Contents, back_up, check, restore
from parlour.store.sqlite import SqliteStore
from tests.support import Process, Visitor

Serve = Callable[..., Awaitable[Process]]
Guests = Callable[[Process], Awaitable[Visitor]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def keyed(data: Path, key: bytes) -> None:
    data.mkdir()
    (data / "session.key").write_bytes(key)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


async def filled(data: Path, content: bytes, tables: int = 1) -> None:
    """A data folder whose only entries are these."""
    keyed(data, b"key of " + content)
    store = SqliteStore(data / "parlour.sqlite")
    await store.start()
    for number in range(tables):
        store.open_table(TableRow(f"{content!r} {number}", "123456", "rummy", 1))
        store.append(f"{content!r} {number}", 0, 1, content)
    await store.stop()


async def contents(data: Path) -> set[bytes]:
    """What all tables' entries say, as the house reads them."""
    store = SqliteStore(data / "parlour.sqlite")
    found = {e.data for row in await store.live_tables() for e in await store.entries(row.id)}
    await store.stop()
    return found


def crashed(data: Path, content: bytes) -> None:
    """A data folder whose server was killed: most of it is in the write-ahead log."""
    asyncio.run(filled(data, content))
    shutil.copytree(data, data.with_name("running"))
    running = sqlite3.connect(data.with_name("running") / "parlour.sqlite", isolation_level=None)
    running.execute("PRAGMA wal_autocheckpoint = 0")
    running.execute("UPDATE tables SET code = '654321'")
    running.execute("CREATE TABLE more AS SELECT randomblob(20000) AS x")
    for file in data.with_name("running").iterdir():
        shutil.copy(file, data)
    running.close()
    assert (data / "parlour.sqlite-wal").stat().st_size > 20_000


def parlour(*args: str | Path) -> Result:
    return CliRunner().invoke(app, ["data", *map(str, args)], env={"COLUMNS": "200"})


async def run(*args: str | Path) -> Result:
    return await asyncio.to_thread(parlour, *args)


async def test_a_house_is_backed_up_while_it_plays_and_goes_on_elsewhere(
    serve: Serve, guests: Guests, tmp_path: Path, data: Path
) -> None:
    process = await serve()
    visitor = await guests(process)
    token = await visitor.token()
    guest = await visitor.rummy(f"?token={token}")
    await guest.expect("lobby")
    told = before = 0

    async def play() -> None:
        nonlocal told
        while True:
            await guest.send("name", name=f"Ada {told + 1}")
            await guest.until("lobby")
            told += 1

    playing = asyncio.create_task(play())
    for copy in ("one", "two"):
        before = told
        result = await run("backup", tmp_path / copy, "--data", data)
        assert result.exit_code == 0, result.output
        assert names(tmp_path / copy) == [
            "parlour.sqlite",
            "session.key",
        ]
    playing.cancel()
    assert told > before > 0
    await process.kill()
    result = await run("restore", tmp_path / "two", "--data", data)
    assert result.exit_code == 2
    assert "holds parlour.sqlite already" in result.stderr
    result = await run("restore", tmp_path / "two", "--data", data, "--set-aside")
    assert result.exit_code == 0, result.output
    process = await serve()
    again = await (await guests(process)).rummy(f"?token={token}")
    await again.expect("lobby")
    assert again.me == guest.me
    assert before <= int(again.names[0].removeprefix("Ada ")) <= told + 1


async def test_a_backup_is_for_its_owner_alone(tmp_path: Path, data: Path) -> None:
    await filled(data, b"x")
    back_up(data, tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "elsewhere")
    for folder in (tmp_path / "copy", tmp_path / "elsewhere"):
        for file in folder.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


async def test_a_running_house_is_not_restored_over(tmp_path: Path, data: Path) -> None:
    await filled(data, b"old")
    back_up(data, tmp_path / "copy")
    store = SqliteStore(data / "parlour.sqlite")
    before = names(data)
    result = await run("restore", tmp_path / "copy", "--data", data, "--set-aside")
    assert result.exit_code == 2
    assert "another Parlour is using it" in result.stderr
    assert names(data) == before
    await store.stop()


def test_a_stale_write_ahead_log_is_set_aside_with_its_data(tmp_path: Path, data: Path) -> None:
    asyncio.run(filled(tmp_path / "other", b"backed up"))
    back_up(tmp_path / "other", tmp_path / "copy")
    crashed(data, b"stale")
    result = parlour("restore", tmp_path / "copy", "--data", data, "--set-aside")
    assert result.exit_code == 0, result.output
    assert asyncio.run(contents(data)) == {b"backed up"}
    assert (data / "session.key").read_bytes() == b"key of backed up"
    (aside,) = data.glob("set-aside-*")
    assert str(aside) in result.stdout
    # The data that was there is whole, with what only its write-ahead log knows.
    assert asyncio.run(contents(aside)) == {b"stale"}
    db = sqlite3.connect(aside / "parlour.sqlite")
    assert db.execute("SELECT length(x) FROM more").fetchall() == [(20_000,)]
    db.close()
    assert (aside / "session.key").read_bytes() == b"key of stale"


def test_not_even_a_write_ahead_log_alone_is_in_the_way(tmp_path: Path, data: Path) -> None:
    asyncio.run(filled(tmp_path / "other", b"backed up"))
    back_up(tmp_path / "other", tmp_path / "copy")
    crashed(data, b"stale")
    (data / "parlour.sqlite").unlink()
    with pytest.raises(StoreTrouble, match=r"holds parlour\.sqlite-wal already"):
        restore(tmp_path / "copy", data)
    restore(tmp_path / "copy", data, aside=True)
    assert asyncio.run(contents(data)) == {b"backed up"}


def test_a_backup_copied_by_hand_survives_the_stale_log_beside_it(
    tmp_path: Path, data: Path
) -> None:
    asyncio.run(filled(tmp_path / "other", b"backed up", tables=100))
    back_up(tmp_path / "other", tmp_path / "copy")
    crashed(data, b"stale")
    shutil.copy(tmp_path / "copy" / "parlour.sqlite", data)
    assert asyncio.run(contents(data)) == {b"backed up"}
    assert check(data).tables == 100


def test_a_killed_servers_write_ahead_log_is_backed_up_and_stays_where_it_is_needed(
    tmp_path: Path, data: Path
) -> None:
    crashed(data, b"only in the log")
    back_up(data, tmp_path / "copy")
    db = sqlite3.connect(tmp_path / "copy" / "parlour.sqlite")
    assert db.execute("SELECT length(x) FROM more").fetchall() == [(20_000,)]
    db.close()


@pytest.mark.parametrize("gone", ["parlour.sqlite", "session.key"])
def test_half_a_backup_is_refused_and_touches_nothing(
    tmp_path: Path, data: Path, gone: str
) -> None:
    asyncio.run(filled(data, b"old"))
    back_up(data, tmp_path / "copy")
    (tmp_path / "copy" / gone).unlink()
    before = {file.name: file.read_bytes() for file in data.iterdir()}
    with pytest.raises(StoreTrouble, match=f"There is no .*{gone}"):
        restore(tmp_path / "copy", data, aside=True)
    assert {file.name: file.read_bytes() for file in data.iterdir()} == before
    (data / gone).unlink()
    with pytest.raises(StoreTrouble, match=f"There is no .*{gone}"):
        back_up(data, tmp_path / "another")
    assert not (tmp_path / "another").exists()


def test_a_copy_of_a_folder_in_use_is_no_backup(tmp_path: Path, data: Path) -> None:
    crashed(data, b"x")
    with pytest.raises(StoreTrouble, match="is no backup but a copy of a data folder in use"):
        restore(data, tmp_path / "elsewhere")


def broken(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:6000])


def newer(file: Path) -> None:
    db = sqlite3.connect(file)
    db.execute("PRAGMA user_version = 99")
    db.close()


def empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [(broken, "malformed|damaged"), (newer, "newer Parlour"), (empty, "is empty")],
)
def test_a_backup_that_is_no_good_is_refused_before_anything_is_moved(
    tmp_path: Path, data: Path, harm: Callable[[Path], None], sentence: str
) -> None:
    asyncio.run(filled(data, b"old"))
    back_up(data, tmp_path / "copy")
    harm(tmp_path / "copy" / "parlour.sqlite")
    before = names(data)
    with pytest.raises(StoreTrouble, match=sentence):
        restore(tmp_path / "copy", data, aside=True)
    assert names(data) == before
    with pytest.raises(StoreTrouble, match=sentence):
        restore(tmp_path / "copy", tmp_path / "elsewhere")
    assert names(tmp_path / "elsewhere") == []


def test_a_backup_needs_a_folder_of_its_own(tmp_path: Path, data: Path) -> None:
    asyncio.run(filled(data, b"old"))
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "mine").touch()
    with pytest.raises(StoreTrouble, match="is there already"):
        back_up(data, tmp_path / "copy")
    assert names(tmp_path / "copy") == ["mine"]
    (tmp_path / "copy" / "mine").unlink()
    back_up(data, tmp_path / "copy")
    assert names(tmp_path) == ["copy", "data"]


def test_nothing_lies_about_beside_a_backup_or_where_it_was_put_back(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made in its own folder, which may be far from the one for passing things."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))
    asyncio.run(filled(data, b"x", tables=2))
    copy, elsewhere = tmp_path / "far" / "away" / "copy", tmp_path / "new" / "house" / "data"
    assert back_up(data, copy) == Contents(2, 2, 2, ())
    assert names(copy.parent) == ["copy"]
    assert restore(copy, elsewhere) == (Contents(2, 2, 2, ()), None)
    assert asyncio.run(contents(elsewhere)) == {b"x"}
    assert names(elsewhere) == ["parlour.sqlite", "parlour.sqlite.lock", "session.key"]
    assert names(tmp_path) == ["data", "far", "new"]


def test_a_backup_that_was_broken_off_is_not_there(tmp_path: Path, data: Path) -> None:
    asyncio.run(filled(data, b"old"))
    newer(data / "parlour.sqlite")
    before = names(tmp_path)
    with pytest.raises(StoreTrouble, match="newer Parlour"):
        back_up(data, tmp_path / "copy")
    assert names(tmp_path) == before


def test_what_the_system_has_against_it_is_said_with_the_folder(tmp_path: Path, data: Path) -> None:
    asyncio.run(filled(data, b"x"))
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StoreTrouble, match=f"^The backup {file / 'copy'} can't be made: .*exists"):
        back_up(data, file / "copy")
    back_up(data, tmp_path / "copy")
    there = file / "data"
    with pytest.raises(
        StoreTrouble, match=f"^The data folder {there} can't be written: .*irectory"
    ):
        restore(tmp_path / "copy", there)


def test_a_data_file_that_is_no_good_is_named(tmp_path: Path, data: Path) -> None:
    asyncio.run(filled(data, b"x"))
    back_up(data, tmp_path / "copy")
    for folder in (data, tmp_path / "copy"):
        newer(folder / "parlour.sqlite")
    with pytest.raises(StoreTrouble, match=f"^The data file {data / 'parlour.sqlite'} was written"):
        check(data)
    with pytest.raises(StoreTrouble, match=f"^The data file {data / 'parlour.sqlite'} was written"):
        SqliteStore(data / "parlour.sqlite")
    with pytest.raises(StoreTrouble, match=f"{tmp_path / 'copy' / 'parlour.sqlite'} was written"):
        restore(tmp_path / "copy", tmp_path / "elsewhere")


def test_a_key_alone_is_set_aside_too(tmp_path: Path, data: Path) -> None:
    asyncio.run(filled(tmp_path / "other", b"backed up"))
    back_up(tmp_path / "other", tmp_path / "copy")
    keyed(data, b"left over")
    _, aside = restore(tmp_path / "copy", data, aside=True)
    assert aside is not None
    assert aside.parent == data
    assert (aside / "session.key").read_bytes() == b"left over"


@pytest.mark.parametrize("version", range(1, len(schema.MIGRATIONS)))
def test_a_backup_of_an_older_format_is_brought_up_to_date(
    tmp_path: Path, data: Path, version: int
) -> None:
    keyed(data, b"key")
    db = sqlite3.connect(data / "parlour.sqlite")
    for script in schema.MIGRATIONS[:version]:
        db.executescript(script)
    db.execute(f"PRAGMA user_version = {version}")
    db.execute("INSERT INTO tables (no, id, code, game, opened) VALUES (7, 'a', '123456', 'mo', 1)")
    db.execute('INSERT INTO entries ("table", seq, at, data) VALUES (7, 0, 1, ?)', (b"old",))
    db.commit()
    db.close()
    # In the first format there is no view of all entries yet, and they are not counted.
    assert back_up(data, tmp_path / "copy") == Contents(1, 1, 0 if version == 1 else 1, ())
    restore(tmp_path / "copy", tmp_path / "elsewhere")
    assert asyncio.run(contents(tmp_path / "elsewhere")) == {b"old"}


async def test_damage_is_named_by_check_and_by_backup(tmp_path: Path, data: Path) -> None:
    await filled(data, b"x", tables=3)
    assert (await run("check", "--data", data)).exit_code == 0
    db = sqlite3.connect(data / "parlour.sqlite")
    db.execute('UPDATE staging SET at = 5 WHERE "table" = 2')
    db.commit()
    db.close()
    for command, code in (("check",), 1), (("backup", tmp_path / "copy"), 0):
        result = await run(*command, "--data", data)
        assert result.exit_code == code, result.output
        assert "3 tables (3 open), 3 entries" in result.stdout
        assert "damaged: Entry 0 of table b'x' 1 is not what was written" in result.stderr


def test_there_is_nothing_to_back_up_of_a_house_in_memory(tmp_path: Path) -> None:
    result = parlour("backup", tmp_path / "copy", "--data", ":memory:")
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr
    result = parlour("check", "--data", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert not (tmp_path / "nowhere").exists()
