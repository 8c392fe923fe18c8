"""For those who attend a table in the process that runs it: events as they are, not bytes.

A host of the relay is one. It attends over several connections, one for each seat it speaks for and
one that watches. All that an input brings is shown to it at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, TypeAlias

from parlour.kit import Millis, Picture
from parlour.protocol.codec import Codec
from parlour.protocol.wire import Wire

if TYPE_CHECKING:
    from parlour.table.roster import Player, Roster

Views: TypeAlias = tuple[object, Mapping[int, object]]
"""An event as a spectator may see it (None: not at all); and, by connection, as its player may see
it, for players who may see more."""


class Shown(bytes):
    """The events of one input, for all connections of an attendant in this process."""

    roster: Roster | None
    """A copy, if something about the lobby has changed."""
    events: list[Views]


class Greeting(bytes):
    """The table as it is, for one new connection. It has no bytes and stays here."""

    roster: Roster
    """A copy."""
    picture: Picture
    """A copy of the match so far, as the connection may see it."""


class AttendingCodec(Codec):
    """Nothing comes in over it: attendants submit requests. Events are shown, not encoded."""

    incoming = None
    outgoing = None

    def greet(
        self, picture: Picture, roster: Roster, me: Player | None, now: Millis
    ) -> list[bytes]:
        greeting = Greeting()
        greeting.roster, greeting.picture = roster.copy(), deepcopy(picture)
        return [greeting]

    def refuse(self, code: str, sentence: str) -> bytes | None:
        """Attendants are told nothing of what was refused."""
        return None


ATTENDING = Wire("attending", (), AttendingCodec())
