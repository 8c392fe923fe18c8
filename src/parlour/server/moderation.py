"""The operator's rights: close, lock and rename tables, remove and rename people, remove packs.

Tables that people open have a host who can do most of it; the server's own tables have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Game, Route, RunRequest
from parlour.protocol.operations import FIND, LIST_TABLES, RUN
from parlour.server.admin.audit import BY_COMMAND, Audit, AuditEntry
from parlour.server.config import Config
from parlour.server.keys import SigningKey
from parlour.server.orders import SignedOrder, send, verified
from parlour.server.shown import ShownTables, Tables
from parlour.table import Player, Roster, renaming
from parlour.table import inputs as do

PATH: Final = "/api/operator/tables"
_AUDIENCE: Final = "parlour-tables"

What: TypeAlias = Literal["list", "kick", "ban", "lock", "unlock", "close", "rename", "unpack"]
Words: TypeAlias = Annotated[str, msgspec.Meta(max_length=100)]


class TableOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order of the operator for one table."""

    what: What
    table: Words = ""
    """Its code. "": every public table (`list`), or no table but an account (`rename`)."""
    who: Words = ""
    """The person to remove or rename: a name, or a place. "": rename the table itself."""
    name: Words = ""
    """The new name ("" for a table: none), or that of the card pack to remove (`unpack`)."""


def moderation_route(games: tuple[Game, ...], key: SigningKey, audit: Audit) -> Route:
    """The route of `parlour table`."""
    shown = ShownTables(games)

    async def answer(desk: Desk, asked: Asked) -> Tables:
        """Remove people from a table, lock or close it, by the server's key."""
        order = verified(key, _AUDIENCE, asked.body, TableOrder)
        if order.what != "list":
            audit.note(entry_of(BY_COMMAND, order))
        return Tables([shown.table(each, None) for each in await carry_out(desk, order)])

    return Route("POST", PATH, answer, body=SignedOrder, gives=Tables, slow=True)


def entry_of(by: str, order: TableOrder) -> AuditEntry:
    return AuditEntry(by, order.what, order.table, order.who, order.name)


async def carry_out(desk: Desk, order: TableOrder) -> Sequence[Roster]:
    """Returns the tables that were listed or changed."""
    if not order.table and order.what == "list":
        return (await desk.call(LIST_TABLES, None, None, 0)).tables
    if not order.table and order.what == "rename":
        await desk.rename_account(order.who, order.name)
        return []
    roster = await desk.call(FIND, "".join(order.table.split()))
    if roster is None:
        raise Illegal("no-such-table", "There is no table with that code.")
    entry: do.Input
    match order.what:
        case "list":
            return [roster]
        case "kick" | "ban":
            entry = do.Kick(do.HOUSE, _named(roster, order.who).place, order.what == "ban")
        case "rename" if not order.who:
            change = renaming(roster.settings, order.name)
            if not change:
                raise Illegal("no-names", "Tables of this game have no names.")
            entry = do.Configure(do.HOUSE, change)
        case "rename":
            player = _named(roster, order.who)
            account = player.visitor and desk.account_of(player.visitor)
            if account:
                await desk.rename_account(account, order.name)
            elif player.visitor:
                await desk.rename(player.visitor, order.name)
            entry = do.Rename(player.place, order.name)
        case "unpack":
            if order.name not in roster.brought:
                raise Illegal("no-such-content", "Nobody has brought that to this table.")
            left = {n: each.digest for n, each in roster.content.items() if n != order.name}
            entry = do.Pin(do.HOUSE, left)
        case "lock" | "unlock":
            entry = do.Lock(do.HOUSE, order.what == "lock")
        case "close":
            entry = do.Close()
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
