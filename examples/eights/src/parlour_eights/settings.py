"""The settings of a table of Crazy Eights. The page makes a form from them."""

from __future__ import annotations

from typing import Literal

import msgspec

from parlour.described import described


@described
class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    hand_size: Literal[5, 7] = 5
    """Cards dealt to each."""
    draws: Literal["one", "three", "any"] = "one"
    """How many cards you may draw in one turn before you pass."""
    must_play: bool = False
    """Draw only if no card fits."""
