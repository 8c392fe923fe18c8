"""The flat form: one socket for the lobby, one for each game (spec: "Two transports").

Frames are the protocol document's flat objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias
from uuid import UUID

from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire import incoming, lobby
from parlour.games.cambia.wire.door import check_caller, check_lobby
from parlour.games.cambia.wire.outgoing import Error, GameMessage, Pong, encode
from parlour.games.cambia.wire.state import PrivateSyncState, state_of
from parlour.games.cambia.wire.telling import SNAPSHOT_ON, Teller, depends_on_reader
from parlour.protocol import At, CloseWith, Hello, Seek, TurnAway, Wire, Wish
from parlour.table import Player, Roster
from parlour.table import events as tell

COUNTDOWN = 10_000
"""Spec, Lobby messages: ten seconds in the flat form, unless the lobby says otherwise."""

FlatGameMessage: TypeAlias = GameMessage | PrivateSyncState | Error | Pong


class _Flat(Wire):
    """What both sockets have in common."""

    upgrade_cookie: ClassVar[str] = "auth_token"

    def refuse(self, code: str, sentence: str) -> bytes:
        return encode(Error(code, sentence))

    def wish(self, message: incoming.AnyMessage) -> Wish:
        return incoming.wish(message, COUNTDOWN)


class FlatLobby(_Flat):
    """`/lobby/ws/{lobby_id}`, subprotocol `lobby`."""

    name: ClassVar[str] = "cambia-lobby"
    paths: ClassVar[tuple[str, ...]] = ("/lobby/ws/{lobby_id}",)
    subprotocols: ClassVar[tuple[str, ...]] = ("lobby",)
    lobby_only: ClassVar[bool] = True
    incoming: ClassVar[Any] = incoming.LobbyMessage
    outgoing: ClassVar[Any] = lobby.FlatLobbyMessage

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        return check_caller(hello, self.subprotocols) or Seek(
            where=At(hello.params["lobby_id"]), watch="watch" in hello.query, resumable=True
        )

    def admit(self, hello: Hello, roster: Roster | None) -> TurnAway | CloseWith | None:
        return check_lobby(hello, roster)

    def greet(
        self, picture: CambiaPicture, roster: Roster, me: Player | None, now: int
    ) -> list[bytes]:
        left = lobby.seconds_left(roster, now)
        countdown = [] if left is None else [encode(lobby.LobbyCountdownStart(left))]
        return [encode(lobby.lobby_state(roster, me)), *countdown]

    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        message = self._message(event, roster)
        return () if message is None else (encode(message),)

    def _message(self, event: Any, roster: Roster) -> lobby.FlatLobbyMessage | None:
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
            case tell.Configured(settings=settings):
                return _rules(settings)
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


class FlatGame(_Flat):
    """`/game/ws/{game_id}`, subprotocol `game`: one game, from its deal to its end."""

    name: ClassVar[str] = "cambia-game"
    paths: ClassVar[tuple[str, ...]] = ("/game/ws/{game_id}",)
    subprotocols: ClassVar[tuple[str, ...]] = ("game",)
    snapshot_on: ClassVar[frozenset[type[Any]]] = SNAPSHOT_ON
    incoming: ClassVar[Any] = incoming.GameMessage
    outgoing: ClassVar[Any] = FlatGameMessage

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        try:
            game_id = str(UUID(hello.params["game_id"]))
        except ValueError:
            return TurnAway(400, "That is not the id of a game.")
        return Seek(where=At(game_id), resumable=True, for_match=True)

    def admit(self, hello: Hello, roster: Roster | None) -> TurnAway | CloseWith | None:
        """Spec, Flat: 404 no game, 410 ended; then who may not, by a close code."""
        game_id = str(UUID(hello.params["game_id"]))
        if roster is None or game_id not in roster.match_ids:
            return TurnAway(404, "There is no such game.")
        if game_id != roster.match_id or not roster.running:
            return TurnAway(410, "This game has ended.")
        refused = check_caller(hello, self.subprotocols)
        if refused is not None:
            return refused
        if hello.visitor is None or roster.of_visitor(hello.visitor) not in roster.seating:
            return CloseWith(1008, "You do not play in this game.")
        return None

    def personal(self, event: Any) -> bool:
        return depends_on_reader(event)

    def greet(
        self, picture: CambiaPicture, roster: Roster, me: Player | None, now: int
    ) -> list[bytes]:
        """Spec: `private_sync_state` before anything else; in the pre-game, the initial cards."""
        if not picture.players:
            return []
        state = self.snapshot(None, picture, roster, me, now)
        return [*state, *self.encode(picture.looked_at, roster, me)]

    def snapshot(
        self, event: Any, picture: CambiaPicture, roster: Roster, me: Player | None, now: int
    ) -> Sequence[bytes]:
        return (encode(PrivateSyncState(state_of(picture, roster, now))),)

    def encode(self, event: Any, roster: Roster, me: Player | None) -> Sequence[bytes]:
        teller = Teller(roster.seating, None if me is None else me.seat)
        return [encode(message) for message in teller.told(event)]


def _rules(settings: Settings) -> lobby.LobbyRulesUpdated:
    return lobby.LobbyRulesUpdated(
        lobby.Rules(settings.houseRules, settings.houseRules, settings.circuit, settings.settings)
    )
