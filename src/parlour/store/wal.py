"""Checks SQLite's write-ahead log before SQLite opens it.

SQLite replays a write-ahead log over whatever database is beside it, deletes one without a
database, and stops at the first frame whose checksum is wrong, all silently. The format is
https://sqlite.org/walformat.html.
"""

from __future__ import annotations

import logging
import os
import struct
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from parlour.store import StoreTrouble

log = logging.getLogger("parlour.store")

UNFINISHED: Final = "unfinished-restore"
"""The folder that is there while `parlour data restore` moves files (see `backup.restore`)."""

_WRITE_VERSION, _ROLLBACK = 18, b"\x01"
"""The place in a database's header that says how it is written; the value without a write-ahead
log."""
_HEADER, _FRAME = struct.Struct(">8I"), struct.Struct(">6I")
_PAGES: Final = [2**bits for bits in range(9, 17)]
_MAGIC: Final = 0x377F0682
"""The last bit is the byte order of the checksums."""


class Break(msgspec.Struct, frozen=True):
    """Where a write-ahead log is damaged, if commits follow."""

    offset: int
    commits: int
    """How many. The last one may be incomplete because the machine lost power; all others were
    confirmed."""


def wal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def check_files(path: Path) -> None:
    """Raises `StoreTrouble` if SQLite would lose data by opening this database."""
    if path.with_name(UNFINISHED).exists():
        raise StoreTrouble(
            f"A restore into the data folder {path.parent} was broken off. Run `parlour data "
            "restore` again: with --set-aside it is done anew, without it the data is put back "
            "as it was before."
        )
    wal = wal_of(path)
    if not _size(path) and _size(wal):
        raise StoreTrouble(
            f"{wal} has lost its database {path.name}, and SQLite would delete it. Put the two "
            "together again, or restore a backup with `parlour data restore --set-aside`."
        )


def check_wal(path: Path) -> None:
    """Raises `StoreTrouble` if confirmed commits can't be read.

    Call it only with a `Claim`: a log in use changes while it is read.
    """
    _set_aside_if_stale(path)
    broken = find_break(path)
    if broken is None:
        return
    wal = wal_of(path)
    if broken.commits > 1:
        raise StoreTrouble(
            f"The write-ahead log {wal} is damaged at byte {broken.offset}: SQLite would drop "
            f"{broken.commits} commits there. `parlour data mend` goes on without them and keeps "
            "a copy; `parlour data restore --set-aside` goes back to a backup."
        )
    log.warning(
        "the last commit in %s is incomplete and dropped: nobody was told of it if the machine "
        "lost power, and the file is damaged if it did not",
        wal,
    )
    # If it stayed, it would count as confirmed when a later one is incomplete, too.
    os.truncate(wal, broken.offset)


def find_break(path: Path) -> Break | None:
    """Where the write-ahead log of this database is broken; None: all commits can be read."""
    wal = wal_of(path)
    if not (_size(path) and _size(wal)):
        return None
    with path.open("rb") as database, wal.open("rb") as file:
        database.seek(16)
        page = int.from_bytes(database.read(2), "big")
        page = 65_536 if page == 1 else page
        # SQLite itself refuses any other page size.
        return _find_break(file, page) if page in _PAGES else None


def _find_break(file: BinaryIO, page: int) -> Break | None:
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    magic, _, _, _, *salt, first, second = _HEADER.unpack(header)
    words = struct.Struct(f"{'>' if magic & 1 else '<'}{(8 + page) // 4}I")
    sums = first, second
    sound = magic | 1 == _MAGIC | 1 and sums == _summed(
        struct.unpack(f"{words.format[0]}6I", header[:24]), (0, 0)
    )
    offset = _HEADER.size if sound else 0
    commits = 0
    while len(frame := file.read(_FRAME.size + page)) == _FRAME.size + page:
        _, commit, *its_salt, first, second = _FRAME.unpack_from(frame)
        if offset == 0 and not commits:
            salt = its_salt
        if sound and its_salt == salt:
            sums = _summed(words.unpack(frame[:8] + frame[24:]), sums)
            sound = sums == (first, second)
        else:
            sound = False
        if sound:
            offset += len(frame)
        elif its_salt == salt and commit:
            # Frames of an earlier log have another salt; only a commit's last frame has a mark.
            commits += 1
    return Break(offset, commits) if commits else None


def _summed(words: tuple[int, ...], sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _set_aside_if_stale(path: Path) -> None:
    """Rename a write-ahead log that belongs to another database, before SQLite replays it.

    A backup is in SQLite's other journal mode, which has no write-ahead log. If there is one,
    somebody has copied the backup over the database that it belongs to.
    """
    wal = wal_of(path)
    if not wal.exists():
        return
    with path.open("rb") as file:
        file.seek(_WRITE_VERSION)
        if file.read(1) != _ROLLBACK:
            return
    stale = wal.with_name(f"{wal.name}.stale")
    wal.replace(stale)
    log.warning("%s is not the write-ahead log of %s: renamed to %s", wal, path.name, stale.name)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
