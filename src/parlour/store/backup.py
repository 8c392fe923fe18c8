"""Backs up a data folder while it is in use, restores a backup, and checks either.

A backup is a folder with two files: the log in one file, without a write-ahead log beside it, and
the key that signs sessions. Without the key everybody would be signed out.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from parlour.store import Damaged, InUse, StoreTrouble
from parlour.store.checksum import checked
from parlour.store.claim import Claim
from parlour.store.packed import FIRST_FORMAT, plain_rows, rows_of
from parlour.store.schema import check_format
from parlour.store.wal import UNFINISHED, check_files, check_wal, find_break, wal_of

log = logging.getLogger("parlour.store")

DATABASE = "parlour.sqlite"
KEY = "session.key"
_OURS = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", KEY)
"""The files that a restore moves away: SQLite would replay an old write-ahead log over the restored
database."""
_NEW = "new"
"""In the folder `UNFINISHED`: the files of the backup that are not yet in their place."""
_FIRST_WITH_CHECKSUMS = 5
"""The first format whose entries have one."""


class Contents(msgspec.Struct, frozen=True):
    """The content of a log, counted."""

    tables: int
    live: int
    entries: int
    damages: tuple[Damaged, ...]
    """The first damaged entry of every table that has one."""


def back_up(data: Path, into: Path) -> Contents:
    """Copy a data folder, in use or not; `into` must not exist yet, or be empty."""
    source, into = data / DATABASE, into.absolute()
    check_files(source)
    _must_be_there(source)
    _must_be_there(data / KEY)
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise StoreTrouble(f"{into} is there already: a backup needs a folder of its own.")
    with _troubles(f"The backup {into} can't be made"):
        into.parent.mkdir(parents=True, exist_ok=True)
        # Renamed at the end: a backup that was interrupted must not look complete.
        unfinished = Path(tempfile.mkdtemp(prefix=f"{into.name}.", dir=into.parent))
        try:
            copy = _new_file(unfinished / DATABASE)
            with closing(_connect(source)) as here, closing(_connect(copy)) as there:
                here.backup(there)
                there.execute("PRAGMA journal_mode = DELETE")
                contents = _contents(there, copy)
            _copy(data / KEY, unfinished / KEY)
            for file in unfinished.iterdir():
                sync(file)
            unfinished.rename(into)
            sync(into.parent)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return contents


def restore(backup: Path, data: Path, *, aside: bool = False) -> tuple[Contents, Path | None]:
    """Put a backup into a folder that holds no data, or whose data is moved `aside`.

    Returns what is in it, and the folder with the data that was moved. A restore that was killed is
    undone first.
    """
    _undo(data)
    for name in (DATABASE, KEY):
        _must_be_there(backup / name)
    for name in (f"{DATABASE}-wal", f"{DATABASE}-journal"):
        if (backup / name).exists():
            raise StoreTrouble(
                f"{backup} is no backup but a copy of a data folder in use: it holds {name}. "
                "Start a server on that copy with --data, or make a backup of it."
            )
    with _troubles(f"The data folder {data} can't be written"):
        data.mkdir(parents=True, exist_ok=True)
        there = _held(data)
        if there and not aside:
            raise StoreTrouble(
                f"The data folder {data} holds {there[0].name} already. Choose an empty one with "
                "--data, or move what is there aside with --set-aside."
            )
        with tempfile.TemporaryDirectory(prefix="restoring-", dir=data) as prepared:
            new = Path(prepared, _NEW)
            new.mkdir()
            for name in (KEY, DATABASE):
                _copy(backup / name, new / name)
            with closing(_connect(new / DATABASE)) as db:
                contents = _contents(db, backup / DATABASE)
                db.execute("PRAGMA journal_mode = DELETE")
            for name in (KEY, DATABASE):
                sync(new / name)
            # Only now, and only if no server is running here, is anything touched.
            with closing(Claim(data / DATABASE)):
                _checkpoint(data / DATABASE)
                moved = _exchange(Path(prepared), data)
    return contents, moved


def _held(data: Path) -> list[Path]:
    """Its files that are not empty: `Claim` makes an empty one."""
    files = [data / name for name in _OURS]
    return [file for file in files if file.exists() and file.stat().st_size]


def _checkpoint(path: Path) -> None:
    """Move the write-ahead log into its database, unless commits would be lost."""
    if path.stat().st_size and find_break(path) is None:
        with suppress(sqlite3.Error, StoreTrouble), closing(_connect(path)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _exchange(prepared: Path, data: Path) -> Path | None:
    """Move the old data out and the prepared data in; returns the folder with the old data.

    From the first rename to the last there is a folder `UNFINISHED`, which keeps servers away and
    tells `_undo` where everything belongs.
    """
    unfinished, before = data / UNFINISHED, _held(data)
    prepared.rename(unfinished)
    sync(data)
    for file in before:
        file.rename(unfinished / file.name)
    sync(unfinished)
    for name in (KEY, DATABASE):
        (unfinished / _NEW / name).replace(data / name)
    sync(data)
    if not before:
        unfinished.rename(prepared)
        return None
    # Within the data folder: if that is a mount, its parent is another disk.
    word = prepared.name.removeprefix("restoring-")
    aside = data / f"set-aside-{datetime.now():%Y%m%d-%H%M%S}-{word}"
    unfinished.rename(aside)
    sync(data)
    (aside / _NEW).rmdir()
    return aside


def _undo(data: Path) -> None:
    """Put everything back as it was before a restore that was killed. This may be killed, too."""
    unfinished = data / UNFINISHED
    if not unfinished.exists():
        return
    with (
        _troubles(f"The data folder {data} can't be written"),
        closing(Claim(data / DATABASE)),
        tempfile.TemporaryDirectory(prefix="restoring-", dir=data) as dropped,
    ):
        for name in (KEY, DATABASE):
            if not (unfinished / _NEW / name).exists():
                (data / name).rename(unfinished / _NEW / name)
        sync(data)
        for name in _OURS:
            if (unfinished / name).exists():
                (unfinished / name).replace(data / name)
        if data / DATABASE not in _held(data):
            (data / DATABASE).unlink(missing_ok=True)
        sync(data)
        unfinished.rename(Path(dropped, UNFINISHED))
    log.warning("A restore was broken off here and is undone: %s is as it was before.", data)


def check(data: Path) -> Contents:
    """Count the content of a data folder, in use or not, and find damaged entries."""
    check_files(data / DATABASE)
    _must_be_there(data / DATABASE)
    with closing(_connect(data / DATABASE)) as db:
        return _contents(db, data / DATABASE)


def mend(data: Path) -> tuple[Contents, Path]:
    """Drop the commits after the damage in a write-ahead log; returns the folder with a copy."""
    path = data / DATABASE
    check_files(path)
    _must_be_there(path)
    with _troubles(f"The data folder {data} can't be written"):
        with closing(Claim(path)):
            broken = find_break(path)
            if broken is None:
                raise StoreTrouble(f"{data} has nothing to mend: its write-ahead log is sound.")
            name = f"set-aside-{datetime.now():%Y%m%d-%H%M%S}-"
            aside = Path(tempfile.mkdtemp(prefix=name, dir=data))
            for file in _held(data):
                _copy(file, aside / file.name)
                sync(aside / file.name)
            sync(aside)
            os.truncate(wal_of(path), broken.offset)
            sync(wal_of(path))
        try:
            return check(data), aside
        except StoreTrouble as wrong:
            raise StoreTrouble(
                f"{wrong} Restore a backup; all that was there is in {aside}."
            ) from None


def _contents(db: sqlite3.Connection, path: Path) -> Contents:
    """Read all of it; raises `StoreTrouble` if SQLite finds the file itself damaged."""
    try:
        version = check_format(db, path)
        ((sound,), *_) = db.execute("PRAGMA integrity_check(1)").fetchall()
        if sound != "ok":
            raise StoreTrouble(f"The data file {path} is damaged: {sound}.")
        if not version:
            raise StoreTrouble(f"The data file {path} is empty.")
        tables = db.execute("SELECT no, id, closed IS NULL FROM tables").fetchall()
        count = db.execute("SELECT count(*) FROM log").fetchone()[0] if version > 1 else 0
        if version >= FIRST_FORMAT:
            count += db.execute("SELECT coalesce(sum(count), 0) FROM packed").fetchone()[0]
        damages = [] if version < _FIRST_WITH_CHECKSUMS else list(_damages(db, tables, version))
        return Contents(len(tables), sum(live for *_, live in tables), count, tuple(damages))
    except sqlite3.Error as wrong:
        raise StoreTrouble(f"The data file {path} can't be used: {wrong}.") from None


def _damages(
    db: sqlite3.Connection, tables: list[tuple[int, str, int]], version: int
) -> Iterator[Damaged]:
    read = rows_of if version >= FIRST_FORMAT else plain_rows
    for number, table, _ in tables:
        try:
            for _ in checked(table, read(db, number, table)):
                pass
        except Damaged as damage:
            yield damage


def _connect(path: Path) -> sqlite3.Connection:
    """An existing file; never a new one."""
    try:
        if wal_of(path).exists():
            _check_wal(path)
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", timeout=10.0, uri=True)
    except (sqlite3.Error, OSError) as wrong:
        raise StoreTrouble(f"The data file {path} can't be used: {wrong}.") from None


def _check_wal(path: Path) -> None:
    try:
        claim = Claim(path)
    except InUse:
        return  # a server uses it, and has checked it
    with closing(claim):
        check_wal(path)


@contextmanager
def _troubles(what: str) -> Generator[None]:
    """Errors of the system or of SQLite, as one sentence."""
    try:
        yield
    except (OSError, sqlite3.Error) as wrong:
        raise StoreTrouble(f"{what}: {wrong}.") from None


def _must_be_there(path: Path) -> None:
    if not path.is_file():
        raise StoreTrouble(f"There is no {path}.")


def _new_file(path: Path) -> Path:
    """Readable by the owner alone: all these files hold secrets."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def _copy(source: Path, to: Path) -> None:
    shutil.copyfile(source, _new_file(to))


def sync(path: Path) -> None:
    """Write a file's bytes, or a folder's names, to the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
