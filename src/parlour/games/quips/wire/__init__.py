"""Quips' protocol for two generations of existing clients, and with our extensions.

"Spec" in the comments is the project's page on Quips.
"""

from typing import Final

from parlour.games.quips.lobby import EXTENDED, OLDER
from parlour.games.quips.wire.codec import ExtendedQuips, NewerQuips, OlderQuips
from parlour.games.quips.wire.door import SPECTATE, ExtendedDoor, NewerDoor, OlderDoor
from parlour.protocol import Wire

_PATHS: Final = ("/game", "/play", SPECTATE)

WIRES: Final = (
    Wire(OLDER, ("/game",), OlderQuips(), OlderDoor()),
    Wire(EXTENDED, _PATHS, ExtendedQuips(), ExtendedDoor()),
    Wire("quips-newer", _PATHS, NewerQuips(), NewerDoor()),
)

__all__ = ["WIRES"]
