"""Tables as their logs say they were left."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec

from parlour.house.library import Library
from parlour.protocol import Game
from parlour.store import Damaged, LogEntry, LogReader, Store
from parlour.table import Table
from parlour.table import inputs as do

log = logging.getLogger("parlour.house")

YIELD_AFTER: Final = 100
"""Entries of a fold after which other tables have their turn: some milliseconds."""


PAGE: Final = 500
"""Entries that are read at once."""


async def fold(
    game: Game,
    library: Library,
    table: str,
    entries: Sequence[LogEntry],
    before: Table | None = None,
) -> Table:
    """A table as these entries of its log say; raises `Damaged` where they make no sense.

    `before` is the table after the entries before these, and is changed."""
    folded = before
    for entry in entries:
        if entry.seq % YIELD_AFTER == YIELD_AFTER - 1:
            await asyncio.sleep(0)
        try:
            put = do.decode(entry.data)
            await library.fetch_pinned(put)
            if folded is not None:
                folded.receive(put, entry.at)
            elif isinstance(put, do.Open):
                folded = Table(game, put, entry.at, library.held)
            else:
                raise ValueError("a log begins with the table's opening")
            folded.logged(entry.at, put, entry.data)
        except Exception as wrong:
            raise Damaged(table, entry.seq, "makes no sense to the rules") from wrong
    if folded is None:
        raise Damaged(table, 0, "is missing")
    return folded


async def fold_log(
    game: Game, library: Library, store: Store, table: str, before: Table | None = None
) -> Table:
    """A table of this process as its whole log says, read page by page; `before`: from there on."""
    folded = before
    start, end = 0 if before is None else before.version + 1, store.next_seq(table)
    while folded is None or start < end:
        entries = await store.entries(table, start, start + PAGE)
        if not entries:
            raise Damaged(table, start, "is missing")
        folded = await fold(game, library, table, entries, folded)
        start += len(entries)
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
