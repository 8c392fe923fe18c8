"""The settings of a table of Liar's Dice. The page makes a form from them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    dice: Annotated[Literal[5, 4, 3], Meta(description="Dice that each player begins with.")] = 5
    wild: Annotated[
        bool, Meta(description="Ones count as every other number, and nobody bids on them.")
    ] = True
