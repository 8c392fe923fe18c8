"""Finished matches of a log that no server need be running on."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from parlour.house.recorded import folded
from parlour.kit import Illegal, Millis
from parlour.protocol import Game
from parlour.store import LogReader
from parlour.store.archive import Archive
from parlour.table import events as tell

log = logging.getLogger("parlour.house")


class Finished(NamedTuple):
    """A match that is over."""

    id: str
    game: str
    ended: Millis
    players: list[str]
    """Their names, by seat."""
    winners: list[str]


class Matches:
    """The matches of an archive."""

    def __init__(self, archive: Archive, games: Sequence[Game]) -> None:
        self._archive = archive
        self._games = {game.id: game for game in games}

    def finished(self, game: str = "") -> Iterator[Finished]:
        """Those that are over, of one game or all, those of the newest tables first."""
        for row in self._archive.tables():
            if row.game not in self._games or game not in ("", row.game):
                continue
            try:
                reader = self._archive.reader(row.id)
                yield from reversed(list(_finished(self._games[row.game], reader)))
            except Exception as wrong:
                log.error("table %s can't be read back: %s", row.id, wrong)

    def find(self, match: str) -> tuple[Game, LogReader, int]:
        """The game, the log and the number of a match; raises `Illegal`."""
        table, _, number = match.rpartition("-")
        row = next((row for row in self._archive.tables() if row.id == table), None)
        # Bounded before `int` reads it.
        if row is None or not number.isdecimal() or len(number) > 9:
            raise Illegal("no-such-replay", f"There is no match {match}.")
        if row.game not in self._games:
            sentence = f"This is a match of {row.game}, which is not installed."
            raise Illegal("no-such-game", sentence)
        return self._games[row.game], self._archive.reader(row.id), int(number)


def _finished(game: Game, reader: LogReader) -> Iterator[Finished]:
    for table, step in folded(game, reader):
        for event in step.happened:
            if isinstance(event, tell.Finished):
                roster = table.roster
                names = [player.name for player in roster.seating]
                winners = [names[seat] for seat in event.outcome.winners]
                id_ = f"{roster.id}-{roster.round}"
                yield Finished(id_, game.id, step.at, names, winners)
