"""Locks on a data file that keep a second house away from it.

There are two locks, because each has a gap. The lock file beside the data works with every version
and on every platform, unless somebody deletes it. The lock on the data file itself can't be lost
that way, but not every platform has it. If a second house passes both, the epoch stops the first
(see `parlour.store.writer`): only the later one can commit.
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
"""The byte of the data file that is locked: far from its content and from the bytes that SQLite
locks, so that other programs can read and write the file."""


class Claim:
    """A data file, created if it is missing, that belongs to this process until `close`."""

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
        # Mode 600: any process that can open these could hold the locks, and the log has secrets.
        self._held.append(os.open(f"{path}.lock", os.O_WRONLY | os.O_CREAT, 0o600))
        if fcntl is not None:
            fcntl.flock(self._held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._held.append(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        _lock_byte(self._held[-1])

    def close(self) -> None:
        """Call it after SQLite has closed the file: this ends SQLite's own locks, too."""
        while self._held:
            os.close(self._held.pop())


def _lock_byte(file: int) -> None:
    """Lock `OUR_BYTE`, if the platform can.

    The lock belongs to the open file, not to the process: a lock of the process would be gone each
    time that SQLite closes the same file.
    """
    if fcntl is None or not hasattr(fcntl, "F_OFD_SETLK"):
        return
    whole = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, OUR_BYTE, 1, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, whole)
    except OSError as wrong:
        if wrong.errno in (errno.EAGAIN, errno.EACCES):
            raise
        # The file system has no such locks: the lock file must do.
