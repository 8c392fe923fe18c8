"""A shorter log that folds to the same table, without moves that were taken back.

The player of a solitaire may undo and redo moves without end. The table then only depends on the
moves that are left, so the log needs no other inputs. The shorter log is folded, and used only if
it gives an equal table. What else a table remembers (talk, who came and went) is gone.

Random numbers that the omitted inputs have drawn must not be drawn again (`inputs.Spend`).
"""

from __future__ import annotations

from typing import TypeAlias

from parlour.kit import Illegal, Millis
from parlour.rng import ProvableRng
from parlour.table import inputs as do
from parlour.table.playing import Playing
from parlour.table.table import Table

Shorter: TypeAlias = tuple[list[tuple[Millis, do.Input]], Table]


def condensed(table: Table, now: Millis) -> Shorter | None:
    """The inputs of a shorter log, from the table's opening on, and the table to which they lead;
    None: there is none."""
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
        (now, do.Spend(phase.rng.spent, "" if table.chain is None else table.chain.head.hex())),
    ]
    held = {each.digest: each.data for each in table.roster.content.values()}
    try:
        twin = Table(
            table.game,
            table.opening,
            table.roster.opened,
            lambda digest: held[digest] if digest in held else table.library(digest),
        )
        for at, entry in entries[1:]:
            twin.receive(entry, at)
    except (Illegal, LookupError):  # refused, or the content is gone
        return None
    shorter = len(entries) - 1 < table.version
    same = shorter and _standing(twin) == _standing(table)
    return (entries, twin) if same else None


def _standing(table: Table) -> tuple[object, ...]:
    """Everything on which the rest of the match depends."""
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
