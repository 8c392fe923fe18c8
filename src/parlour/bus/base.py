"""Between sockets and tables: the only words they have for each other.

A gateway holds connections (`Line`s) and speaks wires; an owner runs tables. On one machine
both are this process and the bus is a few function calls; on many it is a network. Nobody on
either side may know which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

from parlour.table import Roster, Wish
from parlour.table.inputs import Input

Line: TypeAlias = int
"""One connection's number, unique among all gateways."""


class Knock(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody has connected and wants to sit, watch, or open a table of their own."""

    line: Line
    game: str
    wire: str
    visitor: str
    name: str
    table: str | None = None
    watch: bool = False
    resume_last: bool = False
    resumable: bool = False
    make: dict[str, Any] | None = None
    for_match: bool = False


class Welcome(msgspec.Struct, frozen=True):
    """They sit (or, without a place, watch). Their greeting is on its way."""

    table: str
    code: str
    place: int | None


class Refusal(msgspec.Struct, frozen=True):
    """They do not, or may not: a code for programs, a sentence for people."""

    code: str
    sentence: str


class OpenTable(msgspec.Struct, frozen=True, kw_only=True):
    game: str
    visitor: str
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    public: bool = False
    bots: int = 0


class RunTable(msgspec.Struct, frozen=True):
    """Something a member or the opener does to a table from outside its protocol."""

    table: str
    visitor: str
    input: Input


class Owner(Protocol):
    """The tables' side."""

    async def knock(self, knock: Knock) -> Welcome | Refusal: ...

    def post(self, line: Line, wish: Wish) -> None:
        """What a connection asks for. Answers, if any, come out through the gateway."""
        ...

    def hang(self, line: Line) -> None:
        """A connection is gone."""
        ...

    async def open(self, request: OpenTable) -> Roster | Refusal: ...

    async def run(self, request: RunTable) -> Roster | Refusal: ...

    async def find(self, table: str) -> Roster | None:
        """By id or code, or by the id of a match played there: then even if it has closed."""
        ...

    async def list_tables(self, game: str | None, visitor: str | None) -> Sequence[Roster]:
        """The public tables, and those this visitor sits at or is invited to."""
        ...

    async def replay(self, replay: str) -> dict[str, Any] | Refusal: ...


class Gateway(Protocol):
    """The sockets' side."""

    def deliver(self, lines: Sequence[Line], data: bytes) -> None:
        """One message for these connections, in the order delivered."""
        ...

    def cut(self, line: Line, code: int, reason: str) -> None: ...


class Bus(Owner, Gateway, Protocol):
    """Both directions. `attach_*` is called once by each side."""

    def attach_owner(self, owner: Owner) -> None: ...

    def attach_gateway(self, gateway: Gateway) -> None: ...
