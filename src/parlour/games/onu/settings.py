"""ONU's table settings, named as on the wire."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from parlour.described import described
from parlour.kit import UNHURRIED


@described
class Settings(Struct, frozen=True, kw_only=True):
    """How this table plays, and how its players get to their seats."""

    deck: Literal["compact", "classic"] = "compact"
    """54 cards (numbers 0 to 8, each once) or 108 (numbers 0 to 9)."""
    maxDraws: Annotated[int, Meta(ge=0, le=50)] = 0
    """Cards drawn in a turn before it ends; 0 is no limit."""
    turnTimeout: Annotated[int, Meta(ge=1, le=3600)] = 60
    """Seconds to answer in; after that, a draw and a pass."""
    pace: Annotated[float, Meta(ge=0, le=5)] = 1.0
    """How long cards are shown: 1 as windows expect, 0 not at all."""
    autoStart: Literal[0, 2, 3, 4, 5, 6, 7] = 0
    """Start by itself with so many players; 0 waits for the opener."""
    autoSeat: bool = False
    """Everybody in the channel gets a seat."""
    takeOver: bool = False
    """Host in the channel even if somebody says that they do."""
    openState: bool = False
    """Show the hands of all who play over the relay to all, for old displays."""
    channel: Annotated[str, Meta(max_length=40, pattern=r"^[A-Za-z0-9._-]*\Z")] = ""
    """The channel to play in; left out, one of the table's own."""


def unhurried(settings: Settings) -> Settings:
    """With longer turns."""
    return replace(settings, turnTimeout=UNHURRIED * settings.turnTimeout)
