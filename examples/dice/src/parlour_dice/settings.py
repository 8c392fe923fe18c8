"""The settings of a table of Liar's Dice. The page makes a form from them."""

from __future__ import annotations

from typing import Literal

import msgspec

from parlour.described import described


@described
class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    dice: Literal[5, 4, 3] = 5
    """Dice that each player begins with."""
    wild: bool = True
    """Ones count as every other number, and nobody bids on them."""
