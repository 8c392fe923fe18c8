"""The settings of a table of Hearts. The page makes a form from them."""

from __future__ import annotations

from typing import Literal

import msgspec

from parlour.described import described


@described
class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    points: Literal[100, 50, 0] = 100
    """The game ends when somebody has so many; 0: after one deal."""
    passing: bool = True
    """Before most deals, pass three cards on."""
