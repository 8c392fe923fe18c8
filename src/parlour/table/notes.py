"""Notes: the comings and goings at a table that belong between the moves of a match.

No game's protocol has them all, so the extras tell them (`extras.py`).
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from parlour.table import events as tell
from parlour.table.roster import Roster

NoteKind: TypeAlias = Literal["away", "back", "skipped", tell.Departure, "put-out", "ended"]


class Note(NamedTuple):
    """A note about a player.

    `away` and `back`; `skipped`: their turn was passed on; `left`, `expired`, `voted` (see
    `events.Departure`) and `put-out`: they are not coming back; `ended`: that ended the match.
    """

    kind: NoteKind
    id: str
    name: str


_KINDS: Final[dict[type[object], NoteKind]] = {
    tell.WentAway: "away",
    tell.CameBack: "back",
    tell.Skipped: "skipped",
}


def notes_of(happened: tell.Happened, roster: Roster) -> list[Note]:
    """The notes on what has just happened."""
    notes: list[Note] = []
    for event in happened:
        match event:
            case tell.WentAway(place) | tell.CameBack(place) | tell.Skipped(place):
                player = roster.at(place)
                if player is not None:
                    notes.append(Note(_KINDS[type(event)], player.id, player.name))
            case tell.Departed(_, id_, name, why):
                notes.append(Note(why, id_, name))
            case tell.Kicked(_, id_, name):
                notes.append(Note("put-out", id_, name))
            case tell.Finished() if roster.ended_by:
                notes.append(Note("ended", "", roster.ended_by))
            case _:
                pass
    return notes
