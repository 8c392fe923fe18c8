"""What all live tables of a house share, and how one is folded from its log."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import msgspec

from parlour.bus import ConnectionId
from parlour.house.audience import Attachment
from parlour.house.journal import Journal
from parlour.house.library import Library
from parlour.house.slow_answers import SlowAnswers
from parlour.house.words import WordList
from parlour.kit import Lessons, Millis, Outcome
from parlour.protocol import Game
from parlour.store import Damaged, LogEntry, LogReader, Store
from parlour.table import Roster, Table
from parlour.table import inputs as do

if TYPE_CHECKING:
    from parlour.house.live import LiveTable

log = logging.getLogger("parlour.house")


class Registry(Protocol):
    """What a live table tells the house."""

    def attached(self, live: LiveTable, attachment: Attachment) -> None: ...

    def detached(self, attachment: Attachment) -> None: ...

    def sat_down(self, live: LiveTable, visitor: str) -> None: ...

    def invited(self, live: LiveTable, visitor: str) -> None: ...

    def dealt(self, live: LiveTable) -> None: ...

    def finished(self, roster: Roster, outcome: Outcome) -> None:
        """A match is over. To be written down, not to be told: it is not committed yet."""
        ...

    def may_look(self, address: str) -> bool:
        """Whether somebody at this address may name a table, or a password, once more."""
        ...

    def refused(self, game: str, code: str, address: str) -> None: ...

    def closed(self, live: LiveTable) -> None: ...


@dataclass(frozen=True)
class Services:
    """What all live tables of a house share."""

    registry: Registry
    journal: Journal
    library: Library
    slow_answers: SlowAnswers
    clock: Callable[[], Millis]
    alive: Callable[[ConnectionId], Awaitable[bool]]
    lessons: Mapping[str, Lessons]
    """By game."""
    words: WordList
    name_held: Callable[[str, Container[str]], bool]
    """See `Hooks`."""
    bot_pace: float = 1.0
    spectators: int = 50


async def fold(game: Game, store: Store, library: Library, table: str) -> Table:
    """A table as its log says it was left; raises `Damaged` where that makes no sense."""
    return await fold_entries(game, library, table, await store.entries(table))


async def fold_entries(
    game: Game, library: Library, table: str, entries: Sequence[LogEntry]
) -> Table:
    """A table as these entries of its log say it was, once."""
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
        log.error("who sat at a shut table can't be read: %s", wrong)
    return visitors
