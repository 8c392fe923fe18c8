"""The operations of `protocol/operations.py`, one function each.

A function refuses with `Illegal`. Its answer must not change afterwards: `House.call` returns it
once everything written so far is committed.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar, TypeVarTuple

import msgspec

from parlour.bus import Refusal, Rejoined, RejoinRequest
from parlour.bus.operations import REJOIN
from parlour.house.frames import OPEN, SPECTATOR, VIEW
from parlour.house.live import LiveTable
from parlour.house.rejoin import rejoin
from parlour.house.replay import NOT_OVER, Make
from parlour.house.requests import NOT_FROM_OUTSIDE
from parlour.house.verified import log_of
from parlour.kit import Illegal
from parlour.protocol import OpenRequest, Operation, PinRequest, RunRequest, TablePage
from parlour.protocol import operations as ops
from parlour.protocol.operations import LOG
from parlour.table import Roster
from parlour.table import inputs as do

if TYPE_CHECKING:
    from parlour.house.house import House

A = TypeVar("A")
Args = TypeVarTuple("Args")

FUNCTIONS: Final[dict[str, Callable[..., Awaitable[Any]]]] = {}
"""By name of the operation."""

MOST_ADDED: Final = 10
"""How many files (card packs) may be added to one table."""
_COUNT: Final = re.compile(r"[0-9]{1,9}")


def runs(
    operation: Operation[A, *Args],
) -> Callable[[Callable[[House, *Args], Awaitable[A]]], Callable[[House, *Args], Awaitable[A]]]:
    """Register the function that runs an operation."""

    def register(
        function: Callable[[House, *Args], Awaitable[A]],
    ) -> Callable[[House, *Args], Awaitable[A]]:
        FUNCTIONS[operation.name] = function
        return function

    return register


@runs(ops.OPEN)
async def open_table(house: House, request: OpenRequest) -> Roster:
    game = house.games.get(request.game)
    if game is None:
        raise Illegal("no-such-game", f"There is no game called {request.game!r}.")
    most = game.max_seats - 1 if game.bots is not None else 0
    if not 0 <= request.bots <= most:
        raise Illegal("bad-bots", f"{game.name} takes up to {most} bots.")
    if request.strength and request.bots and game.bots is not None:
        # Before the table is opened, so that none is left without its bots.
        if request.strength not in game.bots.strengths:
            raise Illegal("bad-strength", f"{game.name} has no bots of that strength.")
    live = await house.opening.open_alone(game, request)
    for _ in range(request.bots):
        live.receive(do.AddBot(do.HOUSE, request.strength))
    return live.face


@runs(ops.RUN)
async def run_input(house: House, request: RunRequest) -> Roster:
    live, place = await _as_member(house, request.table, request.visitor)
    entry = request.input
    if place != do.HOUSE:
        if not isinstance(entry, do.Placed) or isinstance(entry, NOT_FROM_OUTSIDE):
            raise Illegal("not-here", "Only those at the table may do that.")
        # A member may do over HTTP what its protocol lets it do, with the same checks.
        entry.place = place
    live.receive(entry)
    return live.face


@runs(ops.PIN)
async def pin_content(house: House, request: PinRequest) -> Roster:
    live, place = await _as_member(house, request.table, request.visitor)
    # Everything is checked before anything is kept.
    live.table.check_may_run(place)
    live.table.phase.check_between_matches()
    there = live.roster.content
    others = {name: there[name].data for name in there if name != request.name}
    if live.game.lobby.content is None:
        raise Illegal("no-content", "This game takes no files.")
    data = live.game.lobby.content.read(request.data, others)
    added = there.keys() - live.table.opening.content.keys()
    if request.name not in added and len(added) >= MOST_ADDED:
        raise Illegal("too-much-content", f"A table takes {MOST_ADDED} of these.")
    digest = await house.library.bring(live.roster.id, data, (request.visitor, request.address))
    pinned = {name: each.digest for name, each in live.roster.content.items()}
    live.receive(do.Pin(place, {**pinned, request.name: digest}))
    return live.face


@runs(ops.COMMON)
async def common_table(house: House, game: str) -> Roster:
    return (await house.common.table(house.games[game])).face


@runs(ops.FIND)
async def find_table(house: House, table: str) -> Roster | None:
    entry = await house.loader.find(table)
    if entry is not None:
        return entry.face
    house.index.check_not_shut(table)
    return house.index.ended.get(table)


@runs(ops.LIST_TABLES)
async def list_tables(house: House, game: str | None, visitor: str | None, after: int) -> TablePage:
    await house.loader.all_read()
    listed, next_ = house.index.page(game, visitor, after)
    return TablePage([live.face for live in listed], next_)


@runs(ops.LIST_ALL)
async def list_all(house: House, after: int) -> TablePage:
    await house.loader.all_read()
    listed, next_ = house.index.every(after)
    return TablePage([live.face for live in listed], next_)


@runs(ops.REPLAY)
async def replay(house: House, name: str, visitor: str | None) -> msgspec.Raw:
    return await _replay(house, name, visitor)


@runs(ops.REPLAY_FRAMES)
async def replay_frames(house: House, name: str, view: str, visitor: str | None) -> msgspec.Raw:
    if view == LOG:
        return await _replay(house, name, visitor, view, log_of)
    if not VIEW.fullmatch(view):
        raise Illegal("bad-message", f"`view` is {OPEN}, {SPECTATOR} or the number of a seat.")
    return await _replay(house, name, visitor, view)


async def _replay(
    house: House,
    name: str,
    visitor: str | None,
    view: str | None = None,
    make: Make | None = None,
) -> msgspec.Raw:
    table, _, digits = name.rpartition("-")
    # A match that is over in memory may not be committed yet.
    await house.journal.kept(None)
    row = await house.journal.store.find_table(table)
    # Bounded before `int` reads it: Python refuses, or takes long over, very long numbers.
    if row is None or not _COUNT.fullmatch(digits):
        raise Illegal("no-such-replay", "There is no such replay.")
    if row.game not in house.games:
        raise Illegal("no-such-game", f"This is a match of {row.game}, which is not installed.")
    number = int(digits)
    live = await house.loader.find(row.id) if row.closed is None else None
    if live is None and row.closed is None:
        house.index.check_not_shut(row.id)
    over = row.closed is not None if live is None else number <= live.roster.matches_over
    told: msgspec.Raw | Refusal = NOT_OVER
    if number >= 1 and over:
        told = await house.replays.of(house.games[row.game], row.id, number, visitor, view, make)
    if isinstance(told, Refusal):
        raise Illegal(told.code, told.sentence)
    return told


@runs(ops.CONTENT)
async def content(house: House, digest: str) -> bytes:
    data = await house.library.fetch(digest)
    if data is None:
        raise Illegal("no-such-table", "The table that this content belongs to has closed.")
    return data


@runs(REJOIN)
async def take_over_connections(house: House, request: RejoinRequest) -> Rejoined:
    live = await house.loader.found(request.table, "There is no such table.")
    await live.mended()
    return await rejoin(live, house.services, request)


async def _as_member(house: House, table: str, visitor: str | None) -> tuple[LiveTable, int]:
    """A table, and the place from which a visitor acts there: the house's own for the operator
    (None) and the opener."""
    live = await house.loader.found(table, "There is no such table.")
    if visitor is None or live.table.opening.opener == visitor:
        return live, do.HOUSE
    player = live.roster.of_visitor(visitor)
    if player is None:
        raise Illegal("not-here", "Only those at the table may do that.")
    return live, player.place
