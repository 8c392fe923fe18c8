"""What the operator may do at any table: put people out, and lock it.

A table of somebody's own has a host; at the house's own there is nobody else to do it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Game, Route, RouteSet, RunRequest
from parlour.protocol.operations import FIND, LIST_TABLES, RUN
from parlour.server.api import refusal
from parlour.server.config import Config
from parlour.server.orders import SignedOrder, send, sign, signing_key, verified
from parlour.server.sessions import SigningKey
from parlour.server.shown import ShownTables, TableInfo, Tables
from parlour.table import Player, Roster
from parlour.table import inputs as do

PATH: Final = "/api/operator/tables"
_AUDIENCE: Final = "parlour-tables"

What: TypeAlias = Literal["list", "kick", "ban", "lock", "unlock"]


class TableOrder(msgspec.Struct, frozen=True):
    """What is to be done at which table."""

    what: What
    table: str = ""
    """Its code; for `list`, "" is every public one."""
    who: str = ""
    """Whom to put out: a name, or a place."""


class Moderation:
    """The operator's route."""

    def __init__(self, games: tuple[Game, ...], key: SigningKey) -> None:
        self._shown = ShownTables(games)
        self._key = key

    def routes(self) -> RouteSet:
        return RouteSet(
            title="The operator's say",
            refusal=refusal,
            routes=(
                Route(
                    "POST",
                    PATH,
                    self._carry_out,
                    "Put people out of a table, or lock it, by the server's key.",
                    body=SignedOrder,
                    gives=Tables,
                    slow=True,
                ),
            ),
        )

    async def _carry_out(self, desk: Desk, asked: Asked) -> Tables:
        order = verified(self._key.public, _AUDIENCE, asked.body, TableOrder)
        if not order.table and order.what == "list":
            page = await desk.call(LIST_TABLES, None, None, 0)
            return Tables([self._info(each) for each in page.tables])
        roster = await desk.call(FIND, "".join(order.table.split()))
        if roster is None:
            raise Illegal("no-such-table", "There is no table with that code.")
        match order.what:
            case "kick" | "ban":
                place = _named(roster, order.who).place
                entry: do.Input = do.Kick(do.HOUSE, place, order.what == "ban")
                roster = await desk.call(RUN, RunRequest(roster.id, None, entry))
            case "lock" | "unlock":
                entry = do.Lock(do.HOUSE, order.what == "lock")
                roster = await desk.call(RUN, RunRequest(roster.id, None, entry))
            case "list":
                pass
        return Tables([self._info(roster)])

    def _info(self, roster: Roster) -> TableInfo:
        return self._shown.table(roster, None)


def _named(roster: Roster, who: str) -> Player:
    """Of two with one name there is none: names are unique at a table. A name goes before a place
    that is written like it."""
    for player in roster.players:
        if player.name.casefold() == who.casefold():
            return player
    for player in roster.players:
        if str(player.place) == who:
            return player
    raise Illegal("not-here", "Nobody of that name or place sits at this table.")


async def moderate(config: Config, url: str | None, order: TableOrder) -> Tables:
    """From the command line. Raises `Illegal`, or `StoreTrouble` if no server can be asked."""
    signed = sign(await signing_key(config), _AUDIENCE, order)
    return await send(config, url, PATH, signed, Tables)
