"""Messages that a connection missed while it was away, exactly as it would have been told them.

They are not kept in memory: the table's log is folded a second time up to the connection's version,
and told from there on, with the same views and the same wires. Inputs that the live table takes
meanwhile are added at the end, so that nothing is missing and nothing comes twice.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from parlour.house.audience import LONGEST_STORY, Attachment, Audience
from parlour.house.folding import YIELD_AFTER, fold
from parlour.house.journal import Letter
from parlour.house.services import Services
from parlour.kit import Millis
from parlour.protocol import extras
from parlour.store import Damaged, LogEntry
from parlour.table import Table
from parlour.table import inputs as do

if TYPE_CHECKING:
    from parlour.house.live import LiveTable

log = logging.getLogger("parlour.house")

MOST_MISSED: Final = 500
"""Inputs after which somebody who comes back is greeted anew."""
LONGEST_LOG: Final = 50_000
"""Entries of the longest log that is folded for somebody who comes back."""
_POSITION: Final = re.compile(r"(\d{1,12})-(\d{1,16})-(w|\d{1,10})(?:\.(\d{1,6}))?", re.ASCII)


class Position(NamedTuple):
    """How far a client got, as it says itself: nothing here is trusted."""

    version: int
    at: int
    """The moment of that version's entry. A log that was condensed has other numbers, and another
    table with the same code has other moments."""
    place: int | None
    further: int
    """How many messages it got of those that came after that version."""


def position(since: str) -> Position | None:
    """The position in an `extras_at`, with the number of further messages after a dot."""
    found = _POSITION.fullmatch(since)
    if found is None:
        return None
    version, at, place, further = found.groups()
    return Position(int(version), int(at), None if place == "w" else int(place), int(further or 0))


class Missed(NamedTuple):
    """The messages, and the inputs that they are about."""

    letters: list[Letter]
    inputs: list[do.Input]


async def missed(
    live: LiveTable, services: Services, attachment: Attachment, since: Position
) -> list[Letter] | None:
    """All that a connection missed; None: it has to be greeted anew."""
    version = live.table.version
    if not version - MOST_MISSED <= since.version <= version or version > LONGEST_LOG:
        return None
    async with services.catching_up:
        found = await told_since(live, services, since.version, [attachment], since.at)
    letters = None if found is None else _without(found.letters, since.further)
    if letters is None or _size(letters) > LONGEST_STORY:
        return None
    if not letters:
        table = live.table
        here = extras.at(table.version, table.last_at, attachment.place, 0)
        return [([attachment.connection], here)]
    return letters


async def told_since(
    live: LiveTable,
    services: Services,
    version: int,
    attachments: Sequence[Attachment],
    at: Millis | None = None,
) -> Missed | None:
    """All that these connections would have been told after a version, up to this moment: nothing
    happens between the last of it and the return. None: the log can't say.

    `at` is the moment of that version, if it is known; else a log can't say it of versions before
    it was condensed. A later number cannot be one from before: nobody is so far behind.
    """
    table, journal = live.table, services.journal
    with live.followed() as tail:
        await journal.kept(None)
        entries = await journal.store.entries(table.roster.id)
        last = entries[-1].seq
        if version > last:
            return None
        if entries[version].at != at if at is not None else version < _condensed(entries):
            return None
        try:
            behind = await _Behind.at(live, services, entries[: version + 1], attachments)
            for entry in entries[version + 1 :]:
                await behind.take(entry)
            # The list may grow while an entry is taken; not after the last one.
            for entry in tail:
                if entry.seq > last:
                    await behind.take(entry)
        except Damaged as wrong:
            log.exception("cannot tell what was missed: %s", wrong)
            return None
        if live.table is not table or table.version != behind.table.version:
            # It was set up again, or its log was condensed.
            return None
        return Missed(behind.letters, behind.inputs)


class _Behind:
    """A table as it was, which follows the live one."""

    def __init__(self, table: Table, services: Services, attachments: Iterable[Attachment]) -> None:
        self.table = table
        self.letters: list[Letter] = []
        self.inputs: list[do.Input] = []
        self._library = services.library
        self._audience = Audience(table, services.journal.clock)
        for attachment in attachments:
            self._audience.follow(attachment)

    @classmethod
    async def at(
        cls,
        live: LiveTable,
        services: Services,
        entries: Sequence[LogEntry],
        attachments: Iterable[Attachment],
    ) -> _Behind:
        """After the last of these entries."""
        table = await fold(live.game, services.library, live.roster.id, entries)
        return cls(table, services, attachments)

    async def take(self, entry: LogEntry) -> None:
        """One more entry, and what is told of it."""
        if entry.seq % YIELD_AFTER == 0:
            await asyncio.sleep(0)
        try:
            put = do.decode(entry.data)
            await self._library.fetch_pinned(put)
            self.letters += self._audience.tell(self.table.receive(put, entry.at))
            self.table.logged(entry.at, put, entry.data)
        except Exception as wrong:
            raise Damaged(self.table.roster.id, entry.seq, "makes no sense to the rules") from wrong
        self.inputs.append(put)


def _condensed(entries: Sequence[LogEntry]) -> int:
    """The last version that follows from condensing a log: before it, versions had other numbers
    once. 0: it was never condensed."""
    for entry in reversed(entries):
        if b"Spend" in entry.data and isinstance(do.decode(entry.data), do.Spend):
            return entry.seq
    return 0


def _without(letters: list[Letter], further: int) -> list[Letter] | None:
    """Letters for one connection, without the first messages of their first group; None: it has
    not so many."""
    if not further:
        return letters
    first = letters[0][1] if letters else b""
    assert isinstance(first, bytes)
    group = extras.fewer(first, further)
    if group is None:
        return None
    return [(letters[0][0], group), *letters[1 + further :]]


def _size(letters: Iterable[Letter]) -> int:
    return sum(len(data) for _, data in letters if isinstance(data, bytes))
