"""Cambia's protocol in its two forms, over one set of messages.

The flat form has a socket for the lobby and one for each game; the enveloped form has one for
everything. "Spec" is the project's page on Cambia, "protocol" the document it decides about.
"""

from typing import Final

from parlour.games.cambia.wire.door import EnvelopedDoor, GameDoor, LobbyDoor
from parlour.games.cambia.wire.enveloped import FRAMING, Enveloped
from parlour.games.cambia.wire.flat import FlatGame, FlatLobby
from parlour.protocol import Scope, Wire

WIRES: Final = (
    Wire("cambia", ("/ws/{lobby_id}",), Enveloped(), EnvelopedDoor(), framing=FRAMING),
    Wire("cambia-lobby", ("/lobby/ws/{lobby_id}",), FlatLobby(), LobbyDoor(), Scope.LOBBY),
    Wire("cambia-game", ("/game/ws/{game_id}",), FlatGame(), GameDoor(), Scope.MATCH),
)

__all__ = ["WIRES"]
