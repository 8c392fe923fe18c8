"""A restore that is killed at any step loses nothing, and no server starts on what it leaves."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.store import StoreTrouble
from parlour.store.backup import back_up, check, restore
from parlour.store.sqlite import SqliteStore
from parlour.store.wal import UNFINISHED
from tests.store.killed import KILLED
from tests.store.test_backup import contents, crashed, filled, names

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    asyncio.run(filled(folder / "new", b"new"))
    back_up(folder / "new", folder / "backup")
    return folder / "backup"


@pytest.fixture(scope="module")
def unclean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of a server that was killed."""
    data = tmp_path_factory.mktemp("unclean") / "data"
    crashed(data, b"old")
    return data


@pytest.fixture(scope="module")
def left(unclean: Path, backup: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What a restore leaves that was killed at its first step, its second and so on."""
    folders: list[Path] = []
    for step in range(100):
        data = tmp_path_factory.mktemp("left") / "data"
        shutil.copytree(unclean, data)
        if not killed(step, backup, data, "aside"):
            break
        folders.append(data)
    assert len(folders) > 15
    return folders


def killed(step: int, backup: Path, data: Path, *aside: str) -> bool:
    """Whether it was killed before it came to an end."""
    command = [sys.executable, "-m", "tests.store.killed", str(step), backup, data, *aside]
    return subprocess.run(command, check=False, capture_output=True).returncode == KILLED


def copies(folders: list[Path], data: Path) -> Iterator[Path]:
    """`data`, once as each of them is."""
    for folder in folders:
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(folder, data)
        yield data


def all_of_the_old(data: Path) -> bool:
    db = sqlite3.connect(data / "parlour.sqlite")
    (size,) = db.execute("SELECT length(x) FROM more").fetchone()
    db.close()
    assert (data / "session.key").read_bytes() == b"key of old"
    return size == 20_000 and asyncio.run(contents(data)) == {b"old"}


def all_of_the_new(data: Path) -> bool:
    assert (data / "session.key").read_bytes() == b"key of new"
    return asyncio.run(contents(data)) == {b"new"}


def test_whenever_it_is_killed_a_server_finds_all_of_one_house_or_refuses(
    left: list[Path], backup: Path, tmp_path: Path
) -> None:
    found: dict[str, int] = {"old": 0, "new": 0, "refused": 0}
    for data in copies(left, tmp_path / "data"):
        before = names(data)
        try:
            SqliteStore(data / "parlour.sqlite")._files.close()
        except StoreTrouble as refused:
            assert "was broken off. Run `parlour data restore` again" in str(refused)
            assert names(data) == before
            with pytest.raises(StoreTrouble, match="was broken off"):
                check(data)
            with pytest.raises(StoreTrouble, match="was broken off"):
                back_up(data, tmp_path / "copy")
            found["refused"] += 1
        else:
            is_new = (data / "session.key").read_bytes() == b"key of new"
            assert all_of_the_new(data) if is_new else all_of_the_old(data)
            found["new" if is_new else "old"] += 1
    assert min(found.values()) > 0, found


def test_run_again_it_is_done_and_what_was_there_is_kept(
    left: list[Path], backup: Path, tmp_path: Path
) -> None:
    for data in copies(left, tmp_path / "data"):
        done = bool(list(data.glob("set-aside-*"))) and not (data / UNFINISHED).exists()
        _, aside = restore(backup, data, aside=True)
        assert all_of_the_new(data)
        assert aside is not None
        kept = next(each for each in data.glob("set-aside-*") if each != aside) if done else aside
        assert all_of_the_old(kept)
        assert not (data / UNFINISHED).exists()


def test_run_again_without_set_aside_it_is_undone(
    left: list[Path], backup: Path, tmp_path: Path
) -> None:
    for data in copies(left, tmp_path / "data"):
        if (data / UNFINISHED).exists():
            with pytest.raises(StoreTrouble, match=r"holds parlour\.sqlite already"):
                restore(backup, data)
            assert all_of_the_old(data)
            assert not (data / UNFINISHED).exists()


def test_undoing_can_be_killed_too(left: list[Path], backup: Path, tmp_path: Path) -> None:
    latest = [folder for folder in left if (folder / UNFINISHED).exists()][-1]
    for step, data in enumerate(copies([latest] * 100, tmp_path / "data")):
        if not killed(step, backup, data):
            assert step > 10
            break
        with pytest.raises(StoreTrouble, match=r"holds parlour\.sqlite already"):
            restore(backup, data)
        assert all_of_the_old(data)


def test_into_an_empty_folder_it_is_simply_run_again(backup: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    step = 0
    while killed(step, backup, data):
        if (data / UNFINISHED).exists():
            with pytest.raises(StoreTrouble, match="was broken off"):
                SqliteStore(data / "parlour.sqlite")
            restore(backup, data)
            assert all_of_the_new(data)
        shutil.rmtree(data, ignore_errors=True)
        step += 1
    assert step > 10


def test_what_is_set_aside_has_its_whole_log_in_the_database(
    unclean: Path, backup: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(unclean, data)
    _, aside = restore(backup, data, aside=True)
    assert aside is not None
    assert names(aside) == ["parlour.sqlite", "session.key"]
    assert all_of_the_old(aside)


def test_a_log_without_its_database_is_left_alone(unclean: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    for empty in (False, True):
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(unclean, data)
        (data / "parlour.sqlite").rename(tmp_path / "elsewhere")
        if empty:
            (data / "parlour.sqlite").touch()
        with pytest.raises(StoreTrouble, match="has lost its database"):
            SqliteStore(data / "parlour.sqlite")
        (tmp_path / "elsewhere").replace(data / "parlour.sqlite")
        assert all_of_the_old(data)
