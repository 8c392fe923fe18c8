"""Which method takes which input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, get_args

from mypy_extensions import mypyc_attr

from parlour.choices import name_of
from parlour.kit import Copyable, Millis
from parlour.table import inputs as do
from parlour.table.events import Happened

if TYPE_CHECKING:
    from parlour.table.table import Table


NAMES: Final = {kind: name_of(kind) for kind in get_args(do.Input)}
"""By kind of input, the name of the method that takes it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Steps(Copyable):
    """Takes those inputs of a table for which it has a method."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.roster = table.roster
        self.lobby = table.game.lobby
        self.steps: dict[type[do.Input], Callable[[Any, Millis], Happened]] = {
            kind: getattr(self, name) for kind, name in NAMES.items() if hasattr(self, name)
        }
