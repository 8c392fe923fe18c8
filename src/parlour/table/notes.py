"""Notes: the comings and goings at a table that belong between the moves of a match.

No game's protocol has them all, so the extras tell them (`extras.py`).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from parlour.table import events as tell
from parlour.table.roster import Roster

NoteKind: TypeAlias = Literal["away", "back", "skipped", tell.Departure, "put-out", "ended"]


class Note(NamedTuple):
    """What became of whom.

    `away` and `back`; `skipped`: a turn of theirs was passed on; `left`, `expired`, `voted` (see
    `events.Departure`) and `put-out`: they are not coming back; `ended`: that ended the match.
    """

    kind: NoteKind
    id: str
    name: str


_KINDS: dict[type[Any], NoteKind] = {
    tell.WentAway: "away",
    tell.CameBack: "back",
    tell.Skipped: "skipped",
}


def notes_of(happened: list[Any], roster: Roster) -> list[Note]:
    """What is worth a note of what has just happened."""
    notes: list[Note] = []
    for event in happened:
        kind = type(event)
        if kind in _KINDS:
            player = roster.at(event.place)
            if player is not None:
                notes.append(Note(_KINDS[kind], player.id, player.name))
        elif kind is tell.Departed:
            notes.append(Note(event.why, event.id, event.name))
        elif kind is tell.Kicked:
            notes.append(Note("put-out", event.id, event.name))
        elif kind is tell.Finished and roster.ended_by:
            notes.append(Note("ended", "", roster.ended_by))
    return notes
