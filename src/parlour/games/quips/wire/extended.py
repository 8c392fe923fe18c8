"""Quips' protocol with what we added to it, for clients that ask for it (`?extended=1`).

Existing clients know nothing of it and are sent nothing of it: who the host is, which plays the
judge has turned over, that somebody was put out and may come back; and who watches may applaud.
"""

from __future__ import annotations

import msgspec

from parlour.games.quips import events
from parlour.games.quips.wire import messages, telling
from parlour.games.quips.wire.newer import NewerQuips
from parlour.table import Roster
from parlour.table import events as tell

_encode = msgspec.json.Encoder().encode


class ExtendedQuips(NewerQuips):
    """The protocol as our own page speaks it."""

    incoming = messages.FromExtended
    outgoing = messages.ToExtended
    # After the last two, somebody else may be the host.
    snapshot_on = frozenset({tell.Renamed, tell.DroppedOut, tell.CameBack})
    not_told = frozenset()

    def _players(self, roster: Roster, entries: list[events.Entry] | None) -> bytes:
        return _encode(messages.SendPlayersExtended(telling.extended_players(roster, entries)))
