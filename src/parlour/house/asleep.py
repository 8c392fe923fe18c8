"""Tables that are not in memory: what the index knows of each, and until when it may sleep.

A table's *note* is a fact in the store, written when nothing has happened at the table for some
seconds, and at the end of the process. It counts only if the log has no later entry. So a message
costs nothing here, and a restart folds only tables that were played at in the last seconds.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from parlour.kit import Millis
from parlour.protocol import Game
from parlour.store import TableRow
from parlour.table import Content, Roster, Table
from parlour.table.phase import NEW_TABLE_GRACE, sooner
from parlour.table.queue import QUEUE_GRACE

ASLEEP: Final = "asleep:"
"""Before a table's id: the fact with its note."""
FORMAT: Final = 1
"""Raised whenever notes change; a note of another format is not read."""
LARGEST: Final = 16_384
"""Bytes of a note. A table with a larger one is folded at every start."""
MOST_MATCHES: Final = 50
"""How many matches of a sleeping table are found by their ids: the last ones."""


class Note(msgspec.Struct, array_like=True):
    """A table as the index shows it."""

    format: int
    seq: int
    """The last entry it follows from."""
    taken_by: str
    """See `LiveTable.taken_by`."""
    due: Millis | None
    """See `Table.due`."""
    acts: bool
    """Whether it is the turn of a computer player."""
    roster: Roster[Any]


def write_note(table: Table, taken_by: str) -> bytes | None:
    """The note of a table; None: it would be too large."""
    roster = table.roster.copy()
    del roster.match_ids[:-MOST_MATCHES]
    acts = _computer_acts(table)
    note = Note(FORMAT, table.version, taken_by, table.due(), acts, roster)
    data = msgspec.msgpack.encode(note, enc_hook=_written)
    return data if len(data) <= LARGEST else None


def _computer_acts(table: Table) -> bool:
    match, roster = table.match, table.roster
    if match is None or not roster.running or match.outcome() is not None:
        return False
    seats = [p.seat for p in roster.players if p.played_by_bot and p.seat is not None]
    return any(match.legal(seat) for seat in seats)


def read_note(data: bytes, game: Game) -> Note | None:
    """A note; None: it is of another version of the server."""
    try:
        note: Note = msgspec.msgpack.decode(data, type=Note, dec_hook=_read)
        if note.format != FORMAT:
            return None
        note.roster.settings = msgspec.convert(note.roster.settings, game.settings)
    except (msgspec.MsgspecError, ValueError, TypeError):
        return None
    return note


def _written(content: object) -> str:
    if not isinstance(content, Content):
        raise NotImplementedError(type(content))
    return content.digest


def _read(kind: type[object], digest: object) -> Content:
    if kind is not Content or not isinstance(digest, str):
        raise NotImplementedError(kind)
    return Content(digest)


class Asleep:
    """An entry of the index for a table that is in memory only as its note."""

    __slots__ = ("_data", "game", "id", "in_use", "row", "taken_by")
    shut = False
    left_at: Millis = 0

    def __init__(self, game: Game, row: TableRow, data: bytes, note: Note) -> None:
        self.game = game
        self.row = row
        self.id = row.id
        self.taken_by = note.taken_by
        self.in_use = note.roster.round > 0
        self._data = data

    @property
    def roster(self) -> Roster[Any]:
        """Read anew each time, because most tables are never asked for."""
        note = read_note(self._data, self.game)
        assert note is not None, "it was read before"
        for player in note.roster.people:
            # They were connected to a process that has ended, or to another one.
            player.present = False
        return note.roster

    face = roster


def sleeps_until(note: Note, game: Game, now: Millis, *, moved: bool) -> Millis | None:
    """When a table must be loaded; None: when somebody comes.

    Loading it marks those as away who were there (`Wake`), which may end the wait for their seats.
    `moved`: it comes from another node, so their connections may follow.
    """
    roster, lobby = note.roster, game.lobby
    here = [player for player in roster.people if player.present]
    queued = [waiter for waiter in roster.queue if waiter.until is None]
    if note.acts or (moved and (here or queued)):
        return now
    if here and roster.running and lobby.seating.patience is None:
        # The rules are told at once, and may go on without them.
        return now
    due = note.due
    for player in here:
        kept = lobby.seating.kept(roster, player)
        keep = kept.playing if roster.running else kept.waiting
        keep = keep if roster.round else min(keep, NEW_TABLE_GRACE)
        due = sooner(due, now + keep if player.resumable else now)
    return sooner(due, now + QUEUE_GRACE) if queued else due


def fallen_asleep(
    game: Game, table: Table, taken_by: str, now: Millis
) -> tuple[Asleep, Millis | None] | None:
    """A table of this process in place of which its note is kept, and when it must be loaded
    again; None: the note would be too large."""
    data = write_note(table, taken_by)
    note = None if data is None else read_note(data, game)
    if data is None or note is None:
        return None
    roster = table.roster
    row = TableRow(roster.id, roster.code, roster.game, roster.opened)
    return Asleep(game, row, data, note), sleeps_until(note, game, now, moved=True)
