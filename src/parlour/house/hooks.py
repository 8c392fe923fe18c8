"""What a house asks of, and reports to, the server around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass
from typing import Any

from parlour.kit import Outcome
from parlour.protocol import Game
from parlour.table import Roster


async def _nothing_to_claim(game: Game, settings: Any) -> str | None:
    return None


@dataclass(frozen=True)
class Hooks:
    """What the house reports to those who count."""

    finished: Callable[[Roster, Outcome], None] = lambda roster, outcome: None
    """A match is over. To be written down, not to be told: it is not committed yet."""
    may_open: Callable[[Game, Any], None] = lambda game, settings: None
    """Somebody wants a table with these settings; raises `Illegal` if they can't be had."""
    claim: Callable[[Game, Any], Awaitable[str | None]] = _nothing_to_claim
    """Somebody wants a table with these settings: if no other live table may have something of
    them, a code that has it for itself in the record; raises `Illegal` if it is taken."""
    opened: Callable[[Roster], None] = lambda roster: None
    """A table is open, or open again. Not committed yet: who attends it over the bus hears more."""
    released: Callable[[Roster], None] = lambda roster: None
    """Another node runs this table of ours from now on."""
    name_held: Callable[[str, Container[str]], bool] = lambda name, visitors: False
    """Whether a name belongs to somebody who is none of these visitors."""
    refused: Callable[[str, str], None] = lambda game, code: None
    may_look: Callable[[str], bool] = lambda address: True
    """Somebody at this address names a table by its code, or its password, over a socket."""
    charge_miss: Callable[[str], None] = lambda address: None
    """The table they named there is none, or the password not its own."""
    tables: Callable[[int], None] = lambda count: None
