"""A live table's note and checkpoint in the store: when they are written, checked and deleted."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from parlour.house.asleep import ASLEEP, write_note
from parlour.house.checkpoints import AFTER, CHECKPOINT, Checkpoint, is_right, write
from parlour.house.services import Services

if TYPE_CHECKING:
    from parlour.house.live import LiveTable

log = logging.getLogger("parlour.house")

CHECK_AGAIN: Final = 1.25
"""A checkpoint is compared with the fold when the log is so many times as long as it was when that
was last done. So all comparisons of a table together cost a few folds of its log."""


class Saved:
    """The note and the checkpoint of one table."""

    def __init__(self, live: LiveTable, services: Services, found: Checkpoint | None) -> None:
        """`found`: the checkpoint from which the table was loaded."""
        self._live = live
        self._services = services
        self._store = services.journal.store
        self.last = b""
        """The bytes of the last entry, if this process wrote it."""
        self._seen = self._noted = -1
        """The version when it was last asked whether it is `settled`, and that of its note."""
        self._there = found is not None
        """Whether there is a checkpoint."""
        self._at = 0 if found is None else found.seq
        """The version of the checkpoint, or of the last that could not be written."""
        self._checked = 0 if found is None else found.checked
        self._checking = False

    def settled(self) -> bool:
        """Whether nothing has happened since this was last asked, and its note is old."""
        version = self._live.table.version
        seen, self._seen = self._seen, version
        return seen == version != self._noted

    @property
    def outgrown(self) -> bool:
        """Whether there are many entries after the checkpoint."""
        return self._live.table.version >= self._at + AFTER

    def write(self) -> None:
        """Write its note and, after many entries, its checkpoint."""
        live = self._live
        if live.shut or live.table.closed:
            return
        if self._noted != live.table.version:
            note = write_note(live.table, live.taken_by)
            if note is not None or self._noted >= 0:
                self._store.remember(ASLEEP + live.roster.id, note)
            self._noted = -1 if note is None else live.table.version
        if self.outgrown and self.last:
            self._write_checkpoint(self.last)

    def _write_checkpoint(self, last: bytes) -> None:
        table = self._live.table
        try:
            data = write(table, last, self._checked)
        except Exception:
            log.exception("table %s has no checkpoint", table.roster.id)
            data = None
        if data is None:
            # The next try is when the log is twice as long.
            self._at = 2 * table.version
        else:
            self._at, self._there = table.version, True
            self._store.remember(CHECKPOINT + table.roster.id, data)

    @property
    def unchecked(self) -> bool:
        """Whether the checkpoint is to be compared with the fold."""
        return self._there and self._at > self._checked * CHECK_AGAIN

    @property
    def up_to_date(self) -> bool:
        """Whether there is nothing left to write or to compare."""
        noted = self._noted == self._live.table.version
        return noted and not (self.unchecked or self._checking)

    async def check(self) -> None:
        """Compare the checkpoint with the fold; if it is wrong, set up the table again."""
        self._checking = True
        try:
            await self._check()
        finally:
            self._checking = False

    async def _check(self) -> None:
        await self._services.journal.kept(None)
        live = self._live
        data = await self._store.fact(CHECKPOINT + live.roster.id)
        at = self._checked = self._at
        if data is None or live.table.closed:
            return
        right = await is_right(live.game, self._store.reader(live.roster.id), data)
        if right is not False or at != self._at:
            return
        log.error("a checkpoint of table %s differs from its log, and is deleted", live.roster.id)
        self._services.hooks.checkpoint_wrong()
        self.forget()
        live.mend("its checkpoint differs from its log")

    def forget(self) -> None:
        """The table is closed, or has another log."""
        if self._noted >= 0:
            self._store.remember(ASLEEP + self._live.roster.id, None)
        if self._there:
            self._store.remember(CHECKPOINT + self._live.roster.id, None)
        self._noted = -1
        self._there = False
        self._at = self._checked = 0
