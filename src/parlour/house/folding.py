"""Tables as their logs say they were left."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from parlour.house.library import Library
from parlour.protocol import Game
from parlour.store import Damaged, LogEntry, LogReader
from parlour.table import Table
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")


async def fold(game: Game, library: Library, table: str, entries: Sequence[LogEntry]) -> Table:
    """A table as these entries of its log say; raises `Damaged` where they make no sense."""
    folded: Table | None = None
    for entry in entries:
        try:
            put = do.decode(entry.data)
            await library.fetch_pinned(put)
            if folded is not None:
                folded.receive(put, entry.at)
            elif isinstance(put, do.Open):
                folded = Table(game, put, entry.at, library.held)
            else:
                raise ValueError("a log begins with the table's opening")
        except Exception as wrong:
            raise Damaged(table, entry.seq, "makes no sense to the rules") from wrong
    if folded is None:
        raise Damaged(table, 0, "is missing")
    return folded


def joined(reader: LogReader) -> set[str]:
    """The visitors who ever sat down at a table, as far as its log can be read."""
    visitors: set[str] = set()
    try:
        for data in reader.unchecked():
            with suppress(msgspec.MsgspecError, TypeError, ValueError):
                put = do.decode(data)
                if isinstance(put, do.Join):
                    visitors.add(put.visitor)
    except Exception as wrong:
        log.error("cannot read who sat at a table that stays shut: %s", wrong)
    return visitors
