"""Whether somebody was shown a card that they may not know, by the battery's own account of it."""

from __future__ import annotations

from itertools import takewhile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from parlour.battery.knowledge import knowledge_of
from simulation.checker import Violation
from simulation.watch import TRIALS

if TYPE_CHECKING:
    from simulation.checker import Checks

MOST: Final = 1_000
"""Entries of a log that are looked at. A twentieth of an evening's time goes into this."""


def check_knowledge(checks: Checks) -> None:
    """Fold the log of every table again, with its cards marked."""
    for followed in checks.tables.values():
        # With marked cards, other random numbers are drawn than those that a condensed log skips.
        whole = takewhile(lambda entry: b'"do":"Spend"' not in entry[1], followed.entries[:MOST])
        night: Any = SimpleNamespace(
            trial=TRIALS[followed.game.id],
            log=list(whole),
            table=SimpleNamespace(library=checks.content),
        )
        excess = knowledge_of(night).excess
        if excess:
            raise Violation(f"{excess[0]}, at a table of {followed.game.id}")
