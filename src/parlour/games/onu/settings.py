"""ONU's table settings, named as on the wire."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True):
    """How this table plays, and how its players get to their seats."""

    deck: Annotated[
        Literal["compact", "classic"],
        Meta(description="54 cards (numbers 0 to 8, each once) or 108 (numbers 0 to 9)."),
    ] = "compact"
    maxDraws: Annotated[
        int,
        Meta(ge=0, le=50, description="Cards drawn in a turn before it ends; 0 is no limit."),
    ] = 0
    turnTimeout: Annotated[
        int,
        Meta(ge=1, le=3600, description="Seconds to answer in; after that, a draw and a pass."),
    ] = 60
    pace: Annotated[
        float,
        Meta(
            ge=0, le=5, description="How long cards are shown: 1 as windows expect, 0 not at all."
        ),
    ] = 1.0
    autoStart: Annotated[
        Literal[0, 2, 3, 4, 5, 6, 7],
        Meta(description="Start by itself with so many players; 0 waits for the opener."),
    ] = 0
    autoSeat: Annotated[bool, Meta(description="Everybody in the channel gets a seat.")] = False
    takeOver: Annotated[
        bool, Meta(description="Host in the channel even if somebody says that they do.")
    ] = False
    openState: Annotated[
        bool,
        Meta(description="Show the hands of all who play over the relay to all, for old displays."),
    ] = False
    channel: Annotated[
        str,
        Meta(
            max_length=40,
            pattern=r"^[A-Za-z0-9._-]*\Z",
            description="The channel to play in; left out, one of the table's own.",
        ),
    ] = ""
