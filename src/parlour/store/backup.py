"""A data folder copied while it is in use, put back where nothing is in its way, and checked.

A backup is a folder with the same two files: the log, whole and in one piece without a
write-ahead log beside it, and the key that signs sessions. Without the key nobody would be who
they were.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from parlour.store.base import Damaged, StoreTrouble
from parlour.store.checksum import checked
from parlour.store.claim import Claim
from parlour.store.schema import check_format, set_aside_stale_wal

DATABASE = "parlour.sqlite"
KEY = "session.key"
_OURS = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", KEY)
"""What may not lie about where a backup is put back: SQLite would replay a write-ahead log over
whatever database it finds beside it."""
_FIRST_WITH_CHECKSUMS = 5
"""The first format whose entries have one."""


class Contents(msgspec.Struct, frozen=True):
    """What a log holds."""

    tables: int
    live: int
    entries: int
    damages: tuple[Damaged, ...]
    """The first damaged entry of every table that has one."""


def back_up(data: Path, into: Path) -> Contents:
    """Copy a data folder, in use or not; `into` must not exist yet, or be empty."""
    source, into = data / DATABASE, into.absolute()
    _must_be_there(source)
    _must_be_there(data / KEY)
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise StoreTrouble(f"{into} is there already: a backup needs a folder of its own.")
    with _troubles(f"The backup {into} can't be made"):
        into.parent.mkdir(parents=True, exist_ok=True)
        # Whole, or not there at all: a backup that was broken off must not look like one.
        unfinished = Path(tempfile.mkdtemp(prefix=f"{into.name}.", dir=into.parent))
        try:
            copy = _new_file(unfinished / DATABASE)
            with closing(_connect(source)) as here, closing(_connect(copy)) as there:
                here.backup(there)
                there.execute("PRAGMA journal_mode = DELETE")
                contents = _contents(there, copy)
            _copy(data / KEY, _new_file(unfinished / KEY))
            for file in unfinished.iterdir():
                _sync(file)
            unfinished.rename(into)
            _sync(into.parent)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return contents


def restore(backup: Path, data: Path, *, aside: bool = False) -> tuple[Contents, Path | None]:
    """Put a backup back into a folder that holds no data, or whose data is moved `aside`.

    Gives what is in it, and where the data that was there has gone.
    """
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
        there = [data / name for name in _OURS if (data / name).exists()]
        if there and not aside:
            raise StoreTrouble(
                f"The data folder {data} holds {there[0].name} already. Choose an empty one with "
                "--data, or move what is there aside with --set-aside."
            )
        with tempfile.TemporaryDirectory(prefix="restoring-", dir=data) as working:
            copies = {name: _new_file(Path(working, name)) for name in (KEY, DATABASE)}
            for name, copy in copies.items():
                _copy(backup / name, copy)
            with closing(_connect(copies[DATABASE])) as db:
                contents = _contents(db, backup / DATABASE)
                db.execute("PRAGMA journal_mode = DELETE")
            # Only now, and only if no server is running here, is anything touched.
            with closing(Claim(data / DATABASE)):
                moved = _set_aside(there) if there else None
                for name, copy in copies.items():
                    _sync(copy)
                    copy.replace(data / name)
                _sync(data)
    return contents, moved


def check(data: Path) -> Contents:
    """What a data folder holds, in use or not, and what of it is damaged."""
    _must_be_there(data / DATABASE)
    with closing(_connect(data / DATABASE)) as db:
        return _contents(db, data / DATABASE)


def _set_aside(files: list[Path]) -> Path:
    """Into a folder beside them: the data folder itself may be a mount that can't be renamed."""
    data = files[0].parent
    name = f"set-aside-{datetime.now():%Y%m%d-%H%M%S}-"
    folder = Path(tempfile.mkdtemp(prefix=name, dir=data))
    for file in files:
        file.rename(folder / file.name)
    return folder


def _contents(db: sqlite3.Connection, path: Path) -> Contents:
    """Read all of it; raises `StoreTrouble` if SQLite finds the file itself unsound."""
    try:
        version = check_format(db, path)
        ((sound,), *_) = db.execute("PRAGMA integrity_check(1)").fetchall()
        if sound != "ok":
            raise StoreTrouble(f"The data file {path} is damaged: {sound}.")
        if not version:
            raise StoreTrouble(f"The data file {path} is empty.")
        tables = db.execute("SELECT no, id, closed IS NULL FROM tables").fetchall()
        count = db.execute("SELECT count(*) FROM log").fetchone()[0] if version > 1 else 0
        damages = [] if version < _FIRST_WITH_CHECKSUMS else list(_damages(db, tables))
        return Contents(len(tables), sum(live for *_, live in tables), count, tuple(damages))
    except sqlite3.Error as wrong:
        raise StoreTrouble(f"The data file {path} can't be used: {wrong}.") from None


def _damages(db: sqlite3.Connection, tables: list[tuple[int, str, int]]) -> Iterator[Damaged]:
    for number, table, _ in tables:
        rows = db.execute(
            'SELECT "table", seq, at, data, sum FROM log WHERE "table" = ? ORDER BY seq', (number,)
        )
        try:
            for _ in checked(table, rows):
                pass
        except Damaged as damage:
            yield damage


def _connect(path: Path) -> sqlite3.Connection:
    """An existing file; never a new one."""
    try:
        set_aside_stale_wal(path)
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", 10.0, uri=True)
    except (sqlite3.Error, OSError) as wrong:
        raise StoreTrouble(f"The data file {path} can't be used: {wrong}.") from None


@contextmanager
def _troubles(what: str) -> Generator[None]:
    """What the system or SQLite has against it, as one sentence."""
    try:
        yield
    except (OSError, sqlite3.Error) as wrong:
        raise StoreTrouble(f"{what}: {wrong}.") from None


def _must_be_there(path: Path) -> None:
    if not path.is_file():
        raise StoreTrouble(f"There is no {path}.")


def _new_file(path: Path) -> Path:
    """Secrets are in all of them: nobody but their owner reads them."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def _copy(source: Path, to: Path) -> None:
    with source.open("rb") as read, to.open("wb") as write:
        shutil.copyfileobj(read, write)


def _sync(path: Path) -> None:
    """A file's bytes, or a folder's names, onto the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
