"""MO's table options: which printing of the rules, and which deal."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from parlour.described import described

Profile = Literal["classic", "printed"]


@described
class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The first deal of a table; `new` may later ask for another."""

    profile: Profile = "classic"
    """The rules: the browser game's, or those of the printed game it digitises."""
    seed: Annotated[
        str, Meta(pattern=r"^[A-Za-z0-9-]{0,32}\Z", extra_json_schema={"chooses_deal": True})
    ] = ""
    """The deal to play; the same seed deals the same cards. Empty: a fresh one."""
