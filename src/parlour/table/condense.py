"""A log without what was taken back: fewer inputs that lead to the same table.

Who plays alone may take back moves and make them again for as long as they like. What is left of
that is a line of moves, and inputs for that line are all a log need hold. So the log still holds
inputs, of the same kinds as before, and a table is still what they fold to. That the two logs come
to the same is not believed but tried: the shorter one is folded, and is only taken if the table
it gives can't be told from the one there is.

Chance must not come twice: what inputs that are left out have drawn stays drawn (`inputs.Spend`).
"""

from __future__ import annotations

from typing import Any

from parlour.kit import Illegal, Millis
from parlour.rng import ProvableRng
from parlour.table import inputs as do
from parlour.table.playing import Playing
from parlour.table.table import Table


def condensed(table: Table, now: Millis) -> list[tuple[Millis, do.Input]] | None:
    """All inputs of a shorter log, from the table's opening on; None: there is none."""
    phase, people = table.phase, table.roster.people
    if table.lasting is None or not isinstance(phase, Playing) or len(people) != 1:
        return None
    told = phase.match.retold()
    if told is None or not isinstance(phase.rng, ProvableRng):
        return None
    entries: list[tuple[Millis, do.Input]] = [
        (table.roster.opened, table.opening),
        *table.lasting,
        *[(now, do.Act(people[0].place, action)) for action in told],
        (now, do.Spend(phase.rng.spent)),
    ]
    twin = Table(table.game, table.opening, table.roster.opened, table.library)
    try:
        for at, entry in entries[1:]:
            twin.receive(entry, at)
    except Illegal:
        return None
    shorter = len(entries) - 1 < table.version
    return entries if shorter and _standing(twin) == _standing(table) else None


def _standing(table: Table) -> Any:
    """Everything that what can still happen depends on."""
    phase = table.phase
    assert isinstance(phase, Playing)
    assert isinstance(phase.rng, ProvableRng)
    match = phase.match
    return (
        table.roster,
        match.retold(),
        match.outcome(),
        phase.rng.spent,
        table.chance_spent,
        table.played,
        table.due(),
    )
