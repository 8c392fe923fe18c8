"""The flat form: one socket for the lobby, one for each game (spec: "Two transports").

Frames are the protocol document's flat objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mypy_extensions import mypyc_attr

from parlour.games.cambia import events as ev
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire import incoming, lobby
from parlour.games.cambia.wire.codec import CambiaCodec
from parlour.games.cambia.wire.outgoing import GameMessage, Pong, encode
from parlour.games.cambia.wire.state import PrivateSyncState, state_of
from parlour.games.cambia.wire.telling import Teller
from parlour.protocol import ErrorEvent, Manner, Told, union_of
from parlour.table import Player, Roster
from parlour.table import events as tell


@mypyc_attr(allow_interpreted_subclasses=True)
class FlatLobby(CambiaCodec):
    """`/lobby/ws/{lobby_id}`: the lobby, and nothing of its games."""

    def __init__(self) -> None:
        self.incoming = union_of(incoming.LobbyMessage) | incoming.Ping
        self.outgoing = lobby.FlatLobbyMessage
        super().__init__()

    def greet(
        self, picture: CambiaPicture, roster: Roster, me: Player | None, now: int
    ) -> list[bytes]:
        left = lobby.seconds_left(roster, now)
        countdown = [] if left is None else [encode(lobby.LobbyCountdownStart(left))]
        return [encode(lobby.LobbyState(**lobby.facts(roster, me))), *countdown]

    def encode(self, event: Told[ev.Event], roster: Roster, me: Player | None) -> Sequence[bytes]:
        message = self._message(event, roster)
        return () if message is None else (encode(message),)

    def _message(self, event: Told[ev.Event], roster: Roster) -> lobby.FlatLobbyMessage | None:
        match event:
            case tell.Sat() | tell.Left() | tell.WentAway() | tell.CameBack() | tell.Renamed():
                return lobby.lobby_update(roster)
            case tell.Readied(place=place, ready=ready):
                player = roster.at(place)
                if player is None:
                    return None
                return lobby.ReadyUpdate(player.id, player.name, ready)
            case tell.CountdownSet(at=None):
                return lobby.LobbyCountdownCancel()
            case tell.CountdownSet(span=span):
                return lobby.LobbyCountdownStart(lobby.seconds(span))
            case tell.Configured():
                new: Settings = roster.settings
                rules = lobby.Rules(new.houseRules, new.houseRules, new.circuit, new.settings)
                return lobby.LobbyRulesUpdated(rules)
            case tell.Said(place=place, text=text, at=at):
                player = roster.at(place)
                if player is None:
                    return None
                return lobby.FlatChat(player.id, player.name, text, at // 1000)
            case tell.Dealt():
                return lobby.GameStart(roster.match_id)
            case tell.Finished():
                return lobby.results(event, roster)
            case _:
                return None


@mypyc_attr(allow_interpreted_subclasses=True)
class FlatGame(CambiaCodec):
    """`/game/ws/{game_id}`: one game, from its deal to its end."""

    manners: ClassVar = {
        ev.Dealt: Manner.SNAPSHOT,
        ev.PlayStarted: Manner.SNAPSHOT,
        # All are shown the same event, but its player is told more.
        ev.SnapPenalty: Manner.PERSONAL,
    }

    def __init__(self) -> None:
        self.incoming = union_of(incoming.GameMessage) | incoming.Ping
        self.outgoing = union_of(GameMessage) | PrivateSyncState | ErrorEvent | Pong
        super().__init__()

    def greet(
        self, picture: CambiaPicture, roster: Roster, me: Player | None, now: int
    ) -> list[bytes]:
        """Spec: `private_sync_state` before anything else; in the pre-game, the initial cards."""
        if not picture.players:
            return []
        state = self.snapshot(None, picture, roster, me, now)
        shown = picture.looked_at
        return [*state, *(self.encode(shown, roster, me) if shown is not None else ())]

    def snapshot(
        self,
        event: Told[ev.Event] | None,
        picture: CambiaPicture,
        roster: Roster,
        me: Player | None,
        now: int,
    ) -> Sequence[bytes]:
        return (encode(PrivateSyncState(state_of(picture, roster, now))),)

    def encode(self, event: Told[ev.Event], roster: Roster, me: Player | None) -> Sequence[bytes]:
        return [encode(message) for message in Teller(roster.seating, me).told(event)]
