"""The settings of a table of Crazy Eights. The page makes a form from them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    hand_size: Annotated[Literal[5, 7], Meta(description="Cards dealt to each.")] = 5
    draws: Annotated[
        Literal["one", "three", "any"],
        Meta(description="How many cards you may draw in one turn before you pass."),
    ] = "one"
    must_play: Annotated[bool, Meta(description="Draw only if no card fits.")] = False
