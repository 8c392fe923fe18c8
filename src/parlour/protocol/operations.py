"""Everything that can be asked of a house besides playing: each operation is defined here, once.

An entry says what is asked with, what is answered, who may ask and which node runs it. From that
follow the local call and the call over the bus (`Bus.call`), what HTTP may ask (`Desk.call`,
`Route.who`) and docs/operations.md. The function that does it is in `house/operations.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from types import GenericAlias
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    TypeVarTuple,
    get_args,
)

import msgspec

from parlour.table.inputs import Input
from parlour.table.roster import Roster

A_co = TypeVar("A_co", covariant=True)
Args = TypeVarTuple("Args")

Identity: TypeAlias = Literal["nobody", "anybody", "known", "newcomer"]
"""Whose request is answered: "nobody" (no session is looked at), "anybody" (with or without a
session), "known" (401 without a session, 403 with a bad one) or "newcomer" (whoever has no session
gets one)."""


class Node(Enum):
    """Which node of a house runs an operation. On one machine it is always the same."""

    ASKED = "the node that is asked"
    NEW_TABLE = "the node that is to run a new table"
    TABLE = "the node that runs the table"
    TABLE_OR_ASKED = "the node that runs the table; if none does, the node that is asked"
    TABLE_OR_ANY = "the node that runs the table; if none does, any node that knows it"
    COMMON_TABLE = "the node that runs the house's own table, or is to open it"
    EACH = "each node that runs tables, one after the other"
    NAMED = "the node that the asking node names"


@dataclass(eq=False, kw_only=True)
class Operation(Generic[A_co, *Args]):
    """One operation: `await bus.call(FIND, "123456")`. Refused, it raises `Illegal`.

    Written with its types: `Operation[answer, *arguments](name=...)`.
    """

    __orig_class__: ClassVar[Any]
    """`Operation` with its types; set by Python."""
    name: str
    """On the bus, too: a new name needs a new bus version (`bus/items.py`)."""
    summary: str
    node: Node
    who: Identity = "nobody"
    """The visitors who may ask over HTTP; "nobody": only nodes ask each other."""
    table: Callable[[*Args], str] = lambda *arguments: str(arguments[0])
    """The id or code of the table that the arguments name, where `node` depends on one."""
    patience: float = 5.0
    """Seconds after which another node's answer is no longer waited for."""
    repeatable: bool = False
    """Whether it is asked again while the node that should run it is being replaced."""

    @property
    def arguments(self) -> Any:
        """The tuple type of the arguments."""
        return GenericAlias(tuple, get_args(self.__orig_class__)[1:])

    @property
    def answer(self) -> Any:
        """The type of the answer as nodes send it: JSON is not read on the way."""
        answer = get_args(self.__orig_class__)[0]
        return bytes if answer is msgspec.Raw else answer


class OpenRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Open a table."""

    game: str
    visitor: str
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    public: bool = False
    bots: int = 0
    strength: str = ""
    """Of those bots; "": as strong as they can be."""
    address: str = ""
    """Where the request came from (`Arrival.address`)."""


class PinRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Bring content (a card pack) to a table."""

    table: str
    visitor: str
    name: str
    data: bytes
    address: str = ""
    """Where the request came from (`Arrival.address`)."""


class RunRequest(msgspec.Struct, frozen=True):
    """Hand an input to a table from outside its protocol."""

    table: str
    visitor: str | None
    """None: the operator of the house."""
    input: Input


@dataclass(frozen=True, slots=True)
class TablePage:
    """One page of a list of tables."""

    tables: Sequence[Roster]
    next: int = 0
    """The value of `after` for the next page; 0: this is the last."""


OPEN: Final = Operation[Roster, OpenRequest](
    name="open",
    summary="Open a table.",
    node=Node.NEW_TABLE,
    who="newcomer",
)
RUN: Final = Operation[Roster, RunRequest](
    name="run",
    summary="Hand an input to a table, as its opener, a member or the operator.",
    node=Node.TABLE,
    who="newcomer",
    table=lambda request: request.table,
)
PIN: Final = Operation[Roster, PinRequest](
    name="pin",
    summary="Let the rules read more content at a table, from its next match on.",
    node=Node.TABLE,
    who="newcomer",
    table=lambda request: request.table,
)
COMMON: Final = Operation[Roster, str](
    name="common",
    summary="The house's own table of a game, opened if there is none.",
    node=Node.COMMON_TABLE,
    who="anybody",
    repeatable=True,
)
FIND: Final = Operation[Roster | None, str](
    name="find",
    summary="A table by its id or code, or by the id of a match played there, even a closed one.",
    node=Node.TABLE_OR_ANY,
    who="anybody",
    repeatable=True,
)
LIST_TABLES: Final = Operation[TablePage, str | None, str | None, int](
    name="list_tables",
    summary="Of a game (or all), the tables that concern a visitor, then the public ones; a page "
    "at a time.",
    node=Node.EACH,
    who="anybody",
)
LIST_ALL: Final = Operation[TablePage, int](
    name="list_all",
    summary="All open tables, for the operator; a page at a time.",
    node=Node.EACH,
)
REPLAY: Final = Operation[msgspec.Raw, str, str | None](
    name="replay",
    summary="A finished match as JSON, as far as this visitor may know it.",
    node=Node.TABLE_OR_ASKED,
    who="anybody",
    table=lambda replay, visitor: replay.rpartition("-")[0],
    patience=70.0,
)
LOG: Final = "log"
"""In place of a viewer: the log, with a verdict whether the match was dealt as it says."""
REPLAY_FRAMES: Final = Operation[msgspec.Raw, str, str, str | None](
    name="replay_frames",
    summary="A finished match as JSON, as frames for one viewer or as its log; asked by this "
    "visitor.",
    node=Node.TABLE_OR_ASKED,
    who="anybody",
    table=lambda replay, view, visitor: replay.rpartition("-")[0],
    patience=70.0,
)
CONTENT: Final = Operation[bytes, str](
    name="content",
    summary="The content with this SHA-256, which every node reads from the record.",
    node=Node.ASKED,
    who="anybody",
)

OPERATIONS: Final[tuple[Operation[Any, *tuple[Any, ...]], ...]] = tuple(
    each for each in list(globals().values()) if isinstance(each, Operation)
)
"""All of the above."""
