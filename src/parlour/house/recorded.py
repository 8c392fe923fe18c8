"""One match of a table, folded from the log step by step.

A match depends on what came before it at its table (seating, settings, the match before), so the
log is folded from its beginning to the end of the match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import msgspec

from parlour.house.library import content_of
from parlour.kit import Match, Millis, Outcome
from parlour.protocol import Game
from parlour.store import LogReader
from parlour.table import Table
from parlour.table import events as tell
from parlour.table import inputs as do

_ARRIVALS = (tell.Sat, tell.CameBack)
"""Somebody from the queue sits down only by coming back (`CameBack`)."""


class Step(NamedTuple):
    """An input of the match, and what followed from it."""

    at: Millis
    input: do.Input
    happened: tell.Happened
    data: bytes
    """Of the input, as it is in the log."""


def folded(
    game: Game, reader: LogReader, table_type: Callable[..., Table] = Table
) -> Iterator[tuple[Table, Step]]:
    """A table as its log goes on, with each input after its opening."""
    entries = reader.entries()
    first = next(entries, None)
    opening = None if first is None else do.decode(first.data)
    if first is None or not isinstance(opening, do.Open):
        return
    library: Callable[[str], bytes] = partial(content_of, reader)
    table = table_type(game, opening, first.at, library)
    table.logged(first.at, opening, first.data)
    for entry in entries:
        input_ = do.decode(entry.data)
        happened = table.receive(input_, entry.at)
        table.logged(entry.at, input_, entry.data)
        yield table, Step(entry.at, input_, happened, entry.data)


class Recorded:
    """Match `number` of a table. Complete once all its steps were taken."""

    def __init__(
        self,
        game: Game,
        reader: LogReader,
        number: int,
        table_type: Callable[..., Table] = Table,
    ) -> None:
        self.game = game
        self.number = number
        self.table: Table
        """As it is after the last step that was taken."""
        self.settings: msgspec.Struct | None = None
        """As they were when the match was dealt; None: it was not."""
        self.players: list[dict[str, object]] = []
        """The people at the table then."""
        self.members: set[str] = set()
        """The visitors who sat at the table before the match was over."""
        self.ids: dict[bytes, bytes] = {}
        """JSON of players' ids, and what replaces it: an id may be the visitor's, or what a relay
        knows them by."""
        self.ended = 0
        """How many matches have ended up to now."""
        self.outcome: Outcome | None = None
        """None: the match is not over."""
        self._reader = reader
        self._table_type = table_type

    @property
    def match(self) -> Match | None:
        """The match, as long as it is under way."""
        return self.table.match if self.table.roster.running else None

    def steps(self) -> Iterator[Step]:
        """The steps of the match, from its deal to its end."""
        for table, step in folded(self.game, self._reader, self._table_type):
            self.table, roster = table, table.roster
            if any(type(event) in _ARRIVALS for event in step.happened):
                self._note_people()
            if roster.round == self.number:
                if self.settings is None:
                    self.settings = roster.settings
                    self.players = [{"name": p.name, "human": p.human} for p in roster.players]
                yield step
            for event in step.happened:
                if type(event) is tell.Finished:
                    self.ended = roster.round
                    if self.ended == self.number:
                        self.outcome = event.outcome
                        return

    def _note_people(self) -> None:
        for player in self.table.roster.people:
            if player.visitor and player.present:
                self.members.add(player.visitor)
            self.ids[msgspec.json.encode(player.id)] = b'"place %d"' % player.place

    def anonymous(self, data: bytes) -> bytes:
        """JSON without the ids of players."""
        for known, here in self.ids.items():
            data = data.replace(known, here)
        return data
