"""Which function does a statement, and the rows that statements return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from simulation.statements.data import Data


class Row(tuple[Any, ...]):
    """A row whose columns have names, too."""

    names: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.names.index(key) if isinstance(key, str) else key)


class NotSimulated(Exception):
    """A statement that is not known here: add it to this package."""


Rows: TypeAlias = Iterable[Sequence[Any]]
Handler: TypeAlias = Callable[..., Rows]
STATEMENTS: Final[dict[str, tuple[Handler, tuple[str, ...]]]] = {}


@cache
def _plain(statement: str) -> str:
    return " ".join(statement.split())


def sql(*statements: str, names: str = "") -> Callable[[Handler], Handler]:
    def known(handler: Handler) -> Handler:
        for statement in statements:
            STATEMENTS[_plain(statement)] = handler, tuple(names.split())
        return handler

    return known


def execute(data: Data, statement: str, args: Sequence[Any]) -> list[Row]:
    """The rows that this statement returns. It changes everything or nothing."""
    found = STATEMENTS.get(_plain(statement))
    if found is None:
        raise NotSimulated(_plain(statement))
    handler, names = found
    rows: list[Row] = []
    for values in handler(data, *args):
        row = Row(values)
        row.names = names
        rows.append(row)
    return rows
