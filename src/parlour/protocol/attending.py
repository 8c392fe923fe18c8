"""For those who attend a table in the process that runs it: events as they are, not bytes.

A host of the relay is one. It is shown what its connection may see, like everybody else, and folds
it into the game's own picture; encoding and decoding in between would be wasted.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

from parlour.kit import Millis, Picture
from parlour.protocol.codec import Codec
from parlour.protocol.wire import Wire
from parlour.table.events import LOBBY_EVENTS

if TYPE_CHECKING:
    from parlour.table.roster import Player, Roster


class Shown(bytes):
    """A message without bytes, which never leaves its process."""

    what: object
    """An event as the connection was shown it; a copy of the roster, after a change of the lobby;
    in a greeting also the picture of the match so far."""


class AttendingCodec(Codec):
    """Nothing comes in over it: attendants submit requests."""

    incoming = None
    outgoing = None

    def encode(self, event: object, roster: Roster, me: Player | None) -> Sequence[bytes]:
        shown = Shown()
        shown.what = roster.copy() if type(event) in LOBBY_EVENTS else event
        return (shown,)

    def greet(
        self, picture: Picture, roster: Roster, me: Player | None, now: Millis
    ) -> list[bytes]:
        lobby, match = Shown(), Shown()
        lobby.what, match.what = roster.copy(), deepcopy(picture)
        return [lobby, match]

    def refuse(self, code: str, sentence: str) -> bytes | None:
        """Attendants are told nothing of what was refused."""
        return None


ATTENDING = Wire("attending", (), AttendingCodec())
