"""The state of a table as bytes, from which the same table goes on.

A pickle, because rules keep their state in classes of their own. Reading one can only call classes
and functions of the table and of the game, and a few plain types: these do no I/O, so a forged
state can be wrong but can run nothing else.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from parlour.fingerprint import fingerprint
from parlour.table.game import GameRules
from parlour.table.management import Management
from parlour.table.playing import Playing
from parlour.table.queue import Queue
from parlour.table.roster import Content
from parlour.table.table import Table
from parlour.table.waiting import Waiting

_NOT_OF_TABLE: Final = frozenset(
    {"game", "library", "queue", "management", "phase", "action_types"}
)
_NOT_OF_PHASE: Final = frozenset({"table", "roster", "lobby", "steps"})
_PLAIN: Final = {
    "builtins": frozenset({"set", "frozenset", "bytearray", "complex"}),
    "collections": frozenset({"Counter", "OrderedDict", "defaultdict", "deque"}),
    "msgspec._utils": frozenset({"rebuild"}),
    "copyreg": frozenset({"__newobj__", "_reconstructor"}),
}
_SHARED: Final = ("kit", "cards", "rng", "turns", "choices", "scenes")
"""Modules of `parlour` with which rules are written."""


def packages(game: GameRules) -> frozenset[str]:
    """The packages with the rules of a game."""
    made = (game.deal, game.view, game.picture, game.settings, type(game.lobby), *game.actions)
    modules = [sys.modules[each.__module__] for each in made if each.__module__ in sys.modules]
    found = {module.__package__ or module.__name__ for module in modules}
    return frozenset(found) - {"parlour", "parlour.table", "parlour.protocol"}


class _Reader(pickle.Unpickler):
    """Makes only objects of the table and the rules."""

    def __init__(self, data: bytes, game: GameRules) -> None:
        super().__init__(io.BytesIO(data))
        self._packages = packages(game) | {"parlour.table"}

    def find_class(self, module: str, name: str) -> Any:
        if name in _PLAIN.get(module, ()):
            return super().find_class(module, name)
        package, _, last = module.rpartition(".")
        ours = package in self._packages or module in self._packages
        if ours or (package == "parlour" and last in _SHARED):
            found = super().find_class(module, name)
            # Not what those modules have imported from elsewhere.
            if getattr(found, "__module__", None) == module:
                return found
        raise pickle.UnpicklingError(f"a table's state does not hold {module}.{name}")


class _Writer(pickle.Pickler):
    """Leaves out the bytes of content."""

    def reducer_override(self, thing: object) -> Any:
        if isinstance(thing, Content):
            return Content, (thing.digest,)
        if isinstance(thing, Enum):
            # Before Python 3.11.4 this would be a call of `getattr`, which is not read.
            return type(thing), (thing.value,)
        return NotImplemented


def state_of(table: Table) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """Everything on which the rest of a table depends, besides its game and its content."""
    phase = table.phase
    if table.chain is not None:
        table.chain.catch_up()
    return (
        {name: value for name, value in vars(table).items() if name not in _NOT_OF_TABLE},
        type(phase).__name__,
        {name: value for name, value in phase.__getstate__().items() if name not in _NOT_OF_PHASE},
    )


def freeze(table: Table) -> bytes:
    """The state of a table. Content is left out: it is named by its hash."""
    out = io.BytesIO()
    _Writer(out, protocol=5).dump(state_of(table))
    return out.getvalue()


def thaw(game: GameRules, library: Callable[[str], bytes], data: bytes) -> Table:
    """The table of this state. Raises whatever is wrong with the bytes."""
    state, phase_name, of_phase = _Reader(data, game).load()
    table = Table.__new__(Table)
    vars(table).update(game=game, library=library, action_types=game.action_types())
    _take_over(table, state, phase_name, of_phase)
    roster = table.roster
    roster.content = {
        name: Content(each.digest, library(each.digest)) for name, each in roster.content.items()
    }
    return table


def become(table: Table, other: Table) -> None:
    """Give a table the state of another one of the same game, which is not used any more."""
    _take_over(table, *state_of(other))


def _take_over(
    table: Table, state: dict[str, Any], phase_name: str, of_phase: dict[str, Any]
) -> None:
    vars(table).update(state)
    table.queue = Queue(table)
    table.management = Management(table)
    if phase_name == Playing.__name__:
        table.phase = Playing(table, of_phase["match"], of_phase["rng"])
    else:
        table.phase = Waiting(table)
    table.phase.__setstate__(of_phase)


def same_state(one: Table, other: Table) -> bool:
    """Whether two tables will go on in the same way."""
    return fingerprint(state_of(one)) == fingerprint(state_of(other))
