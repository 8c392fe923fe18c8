"""The doors (spec: "Flat", "Enveloped"): which clients may connect, and the close codes."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar
from uuid import UUID

from parlour.games.cambia.wire.enveloped import error
from parlour.protocol import At, CloseWith, Door, Hello, Seek, TurnAway
from parlour.table import Roster

BAD_SUBPROTOCOL = 3000
BAD_TOKEN = 3001
BAD_USER = 3002
NO_SUCH_LOBBY = 3003


class _CambiaDoor(Door):
    cookie: ClassVar[str] = "auth_token"

    def check_caller(self, hello: Hello) -> CloseWith | None:
        """Check the subprotocol, then the token. Without a token the caller becomes a guest."""
        if not any(name in self.subprotocols for name in hello.offered):
            return CloseWith(
                BAD_SUBPROTOCOL, f"This socket speaks {' or '.join(self.subprotocols)}."
            )
        if hello.bad_user:
            return CloseWith(BAD_USER, "This token names no user.")
        if hello.bad_token:
            return CloseWith(BAD_TOKEN, "This token is not one of ours.")
        return None


class LobbyDoor(_CambiaDoor):
    """`/lobby/ws/{lobby_id}`, subprotocol `lobby`."""

    subprotocols: ClassVar[tuple[str, ...]] = ("lobby",)

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        """`?watch` is our extension: see everything that is public, touch nothing."""
        return self.check_caller(hello) or Seek(
            where=At(hello.params["lobby_id"]), watch="watch" in hello.query, resumable=True
        )

    def admit(self, hello: Hello, roster: Roster | None) -> TurnAway | CloseWith | None:
        """Anybody who knows the id or the code of a lobby may enter it."""
        wanted = hello.params["lobby_id"]
        if roster is None or roster.game != "cambia" or wanted not in (roster.id, roster.code):
            return CloseWith(NO_SUCH_LOBBY, "There is no such lobby.")
        return None


class EnvelopedDoor(LobbyDoor):
    """`/ws/{lobby_id}`, subprotocol `cambia` or none."""

    subprotocols: ClassVar[tuple[str, ...]] = ("cambia",)

    def check_caller(self, hello: Hello) -> CloseWith | None:
        return super().check_caller(hello if hello.offered else replace(hello, offered=("cambia",)))

    def turn_away(self, code: str, sentence: str) -> CloseWith:
        """Always with an `error`: `locked` is also the code of a refused snap, which gets none."""
        return replace(super().turn_away(code, sentence), first=error(code, sentence))


class GameDoor(_CambiaDoor):
    """`/game/ws/{game_id}`, subprotocol `game`: one game, from its deal to its end."""

    subprotocols: ClassVar[tuple[str, ...]] = ("game",)

    def seek(self, hello: Hello) -> Seek | TurnAway | CloseWith:
        try:
            game_id = str(UUID(hello.params["game_id"]))
        except ValueError:
            return TurnAway(400, "That is not the id of a game.")
        return Seek(where=At(game_id), resumable=True)

    def admit(self, hello: Hello, roster: Roster | None) -> TurnAway | CloseWith | None:
        """Spec, Flat: 404 no game, 410 ended; others who may not enter get a close code."""
        game_id = str(UUID(hello.params["game_id"]))
        if roster is None or game_id not in roster.match_ids:
            return TurnAway(404, "There is no such game.")
        if game_id != roster.match_id or not roster.running:
            return TurnAway(410, "This game has ended.")
        refused = self.check_caller(hello)
        if refused is not None:
            return refused
        if hello.visitor is None or roster.of_visitor(hello.visitor) not in roster.seating:
            return CloseWith(1008, "You do not play in this game.")
        return None
