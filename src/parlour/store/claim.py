"""Whose a data file is: locks that keep a second house away from it.

Two locks, for each has a hole. The lock file beside the data is what every version and every
platform knows; deleted, it keeps nobody away. A lock on the data file itself can't be lost by
deleting anything but the data; not every platform has one. Who gets past both is found out by
the epoch (see `parlour.store.writer`): of two houses, only the later one can commit.
"""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

from parlour.store import InUse, StoreTrouble

try:
    import fcntl
except ImportError:  # a machine without it goes without the locks
    fcntl = None  # type: ignore[assignment]

OUR_BYTE = 1 << 62
"""Which byte of the data file is locked: far from its content and from the bytes that SQLite
locks, so that any other program can read and write the file as ever."""


class Claim:
    """A data file, made if there is none, that is ours until `close`."""

    def __init__(self, path: Path) -> None:
        self._held: list[int] = []
        try:
            self._take(path)
        except OSError as wrong:
            self.close()
            if wrong.errno in (errno.EAGAIN, errno.EACCES) and wrong.filename is None:
                why = "another Parlour is using it"
                raise InUse(f"The data file {path} can't be used: {why}.") from None
            raise StoreTrouble(f"The data file {path} can't be used: {wrong}.") from None

    def _take(self, path: Path) -> None:
        # Only for us: any process that can open these could hold the locks, and the log holds
        # secrets (seeds, who is who).
        self._held.append(os.open(f"{path}.lock", os.O_WRONLY | os.O_CREAT, 0o600))
        if fcntl is not None:
            fcntl.flock(self._held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._held.append(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        _lock_byte(self._held[-1])

    def close(self) -> None:
        """Only once SQLite has closed the file: closing it here ends SQLite's own locks, too."""
        while self._held:
            os.close(self._held.pop())


def _lock_byte(file: int) -> None:
    """Lock `OUR_BYTE`, where that can be done.

    A lock of the open file, not of the process: SQLite opens and closes the same file in this
    process, and each time a lock of the process would be gone.
    """
    if fcntl is None or not hasattr(fcntl, "F_OFD_SETLK"):
        return
    whole = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, OUR_BYTE, 1, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, whole)
    except OSError as wrong:
        if wrong.errno in (errno.EAGAIN, errno.EACCES):
            raise
        # A file system without such locks: the other one must do.
