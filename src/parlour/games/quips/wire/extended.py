"""Quips' protocol with what we added to it, for clients that ask for it (`?extended=1`).

Existing clients know nothing of it and are sent nothing of it: who the host is, which plays the
judge has turned over, that somebody was put out and may come back; and who watches may applaud.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import msgspec

from parlour.games.quips import actions as act
from parlour.games.quips import events
from parlour.games.quips.lobby import LOBBY
from parlour.games.quips.picture import Picture
from parlour.games.quips.wire import messages, telling
from parlour.games.quips.wire.newer import NewerQuips
from parlour.protocol import Applaud, InContext, Request, Told
from parlour.table import Player, Roster
from parlour.table import events as tell
from parlour.table import inputs as do

_encode = msgspec.json.Encoder().encode

_HOST_CHANGED: Final = (tell.DroppedOut, tell.CameBack)
"""After these somebody else may be the host; nothing else in `s_players` changes."""


class ExtendedQuips(NewerQuips):
    """The protocol as our own page speaks it."""

    incoming = messages.FromExtended
    outgoing = messages.ToExtended
    snapshot_on: ClassVar[frozenset[type[Any]]] = frozenset({tell.Renamed, *_HOST_CHANGED})

    # -- in ---------------------------------------------------------------------------

    def request(self, message: messages.FromExtended) -> Request:
        match message:
            case messages.Turn(play_index=index):
                return do.Act(do.ME, act.Turn(index))
            case messages.Applaud():
                return InContext(message)
            case _:
                return super().request(message)

    def understand(
        self, message: messages.FromExtended, picture: Picture, roster: Roster, me: Player | None
    ) -> Request:
        """A player's applause is chat, which is logged; a spectator's is not."""
        if not isinstance(message, messages.Applaud):
            return super().understand(message, picture, roster, me)
        return Applaud(message.cheer) if me is None else do.Say(do.ME, message.cheer)

    # -- out --------------------------------------------------------------------------

    def encode(
        self, event: Told[events.Event], roster: Roster, me: Player | None
    ) -> Sequence[bytes]:
        if isinstance(event, events.Turned):
            return (self._turned(event.plays),)
        return super().encode(event, roster, me)

    def snapshot(
        self,
        event: Told[events.Event] | None,
        picture: Picture,
        roster: Roster,
        me: Player | None,
        now: int,
    ) -> Sequence[bytes]:
        if event is None or type(event) not in _HOST_CHANGED:
            return super().snapshot(event, picture, roster, me, now)
        if not roster.running:
            return super().encode(event, roster, me)
        return (self.players(telling.match_players(picture.players, roster), roster),)

    def greet(self, picture: Picture, roster: Roster, me: Player | None, now: int) -> list[bytes]:
        """What was turned over comes before the state, as it does when a round begins."""
        told = super().greet(picture, roster, me, now)
        if picture.turned:
            told.insert(2 if me is None else 4, self._turned(picture.turned))
        return told

    def players(self, told: messages.SendPlayers, roster: Roster) -> bytes:
        return _encode(telling.extended_players(told, roster, LOBBY.entry.host(roster)))

    def _turned(self, plays: list[int]) -> bytes:
        return _encode(messages.SendTurned(plays))
