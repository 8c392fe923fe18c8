"""Cambia's protocol in its two forms, over one set of messages.

The flat form has a socket for the lobby and one for each game; the enveloped form has one for
everything. "Spec" is the project's page on Cambia, "protocol" the document it decides about.
"""

from parlour.games.cambia.wire.enveloped import Enveloped
from parlour.games.cambia.wire.flat import FlatGame, FlatLobby

__all__ = ["Enveloped", "FlatGame", "FlatLobby"]
