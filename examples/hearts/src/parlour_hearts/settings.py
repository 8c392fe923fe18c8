"""The settings of a table of Hearts. The page makes a form from them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this table plays."""

    points: Annotated[
        Literal[100, 50, 0],
        Meta(description="The game ends when somebody has so many; 0: after one deal."),
    ] = 100
    passing: Annotated[bool, Meta(description="Before most deals, pass three cards on.")] = True
