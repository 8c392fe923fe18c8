"""The operator's rights at any table: remove people, and lock it.

Tables that people open have a host who can do it; the server's own tables have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Game, Route, RouteSet, RunRequest
from parlour.protocol.operations import FIND, LIST_TABLES, RUN
from parlour.server.api import refusal
from parlour.server.config import Config
from parlour.server.keys import SigningKey
from parlour.server.orders import SignedOrder, send, verified
from parlour.server.shown import ShownTables, Tables
from parlour.table import Player, Roster
from parlour.table import inputs as do

PATH: Final = "/api/operator/tables"
_AUDIENCE: Final = "parlour-tables"

What: TypeAlias = Literal["list", "kick", "ban", "lock", "unlock"]


class TableOrder(msgspec.Struct, frozen=True):
    """An order of the operator for one table."""

    what: What
    table: str = ""
    """Its code; for `list`, "" is every public one."""
    who: str = ""
    """The person to remove: a name, or a place."""


def moderation_routes(games: tuple[Game, ...], key: SigningKey) -> RouteSet:
    """The operator's route."""
    shown = ShownTables(games)

    async def answer(desk: Desk, asked: Asked) -> Tables:
        """Put people out of a table, or lock it, by the server's key."""
        order = verified(key, _AUDIENCE, asked.body, TableOrder)
        return Tables([shown.table(each, None) for each in await _carry_out(desk, order)])

    route = Route("POST", PATH, answer, body=SignedOrder, gives=Tables, slow=True)
    return RouteSet(title="The operator's say", refusal=refusal, routes=(route,))


async def _carry_out(desk: Desk, order: TableOrder) -> Sequence[Roster]:
    """Returns the tables that were listed or changed."""
    if not order.table and order.what == "list":
        return (await desk.call(LIST_TABLES, None, None, 0)).tables
    roster = await desk.call(FIND, "".join(order.table.split()))
    if roster is None:
        raise Illegal("no-such-table", "There is no table with that code.")
    entry: do.Input
    match order.what:
        case "list":
            return [roster]
        case "kick" | "ban":
            entry = do.Kick(do.HOUSE, _named(roster, order.who).place, order.what == "ban")
        case "lock" | "unlock":
            entry = do.Lock(do.HOUSE, order.what == "lock")
    return [await desk.call(RUN, RunRequest(roster.id, None, entry))]


def _named(roster: Roster, who: str) -> Player:
    """The player with this name, or else at this place. Names are unique at a table."""
    for named in (lambda p: p.name.casefold() == who.casefold(), lambda p: str(p.place) == who):
        for player in roster.players:
            if named(player):
                return player
    raise Illegal("not-here", "Nobody of that name or place sits at this table.")


async def moderate(config: Config, url: str | None, order: TableOrder) -> Tables:
    """From the command line. Raises `Illegal`, or `StoreTrouble` if no server can be asked."""
    return await send(config, url, PATH, _AUDIENCE, order, Tables)
