"""Tables as they are shown over HTTP: one, or a page of the list.

The list is asked for often, and most of its tables have not changed since. So the bytes of a table
are kept with the roster that they were made from.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from parlour.protocol import Game, TablePage
from parlour.table import Roster, shown_settings

MOST_KEPT: Final = 2_000
"""For how many tables the bytes are kept."""


class SeatsInfo(msgspec.Struct, frozen=True):
    """How many it takes to play, and how many can."""

    min: int
    max: int


class PlayerInfo(msgspec.Struct, frozen=True):
    """Somebody at a table."""

    place: int
    name: str
    human: bool
    present: bool


class Fairness(msgspec.Struct, frozen=True):
    """The match under way or just over: how to check that it was dealt fairly."""

    replay: str | None
    commitment: str | None


class BroughtPack(msgspec.Struct, frozen=True):
    """A pack that people brought to a table."""

    name: str
    shared: bool
    """Other tables may have it, too."""


class TableInfo(msgspec.Struct, frozen=True):
    """A table, as anybody may know it."""

    code: str
    id: str
    game: str
    public: bool
    players: list[PlayerInfo]
    seats: SeatsInfo
    running: bool
    round: int
    settings: dict[str, Any]
    opened: int
    """Milliseconds since the epoch."""
    locked: bool
    """Nobody else may sit down."""
    packs: list[str]
    """The names of the card packs that are played with."""
    brought: list[BroughtPack]
    """Those of them that are this table's own."""
    fairness: Fairness
    host: int | None
    """The place of who alone runs it, if anybody does."""
    yours: bool = False
    """Whether you have a seat there."""
    queue: int = 0
    """How many wait for a seat."""


class Tables(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page of the list of tables."""

    tables: list[TableInfo]
    next: int | None = None
    """There are more: ask again with `?after=` and this number."""


class ShownTables:
    """Makes what is shown from rosters."""

    def __init__(self, games: tuple[Game, ...]) -> None:
        self._games = {game.id: game for game in games}
        self._kept: dict[str, tuple[Roster, msgspec.Raw]] = {}
        """By table: its last roster, and the bytes for visitors without a seat there."""

    def page(self, page: TablePage, visitor: str | None) -> msgspec.Raw:
        """`Tables` for this visitor, encoded."""
        shown = _Page([self._encoded(roster, visitor) for roster in page.tables], page.next or None)
        return msgspec.Raw(msgspec.json.encode(shown))

    def _encoded(self, roster: Roster, visitor: str | None) -> msgspec.Raw:
        if _sits(roster, visitor):
            return msgspec.Raw(msgspec.json.encode(self.table(roster, visitor)))
        kept = self._kept.get(roster.id)
        # A house hands out the same object until something has changed (`LiveTable.face`).
        if kept is not None and kept[0] is roster:
            return kept[1]
        self._kept.pop(roster.id, None)
        while len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        data = msgspec.Raw(msgspec.json.encode(self.table(roster, None)))
        self._kept[roster.id] = roster, data
        return data

    def table(self, roster: Roster, visitor: str | None) -> TableInfo:
        game = self._games[roster.game]
        host = game.lobby.entry.host(roster)
        return TableInfo(
            code=roster.code,
            id=roster.id,
            game=roster.game,
            public=roster.public,
            players=[PlayerInfo(p.place, p.name, p.human, p.present) for p in roster.players],
            seats=SeatsInfo(roster.min_seats, roster.max_seats),
            running=roster.running,
            round=roster.round,
            settings=shown_settings(roster.settings),
            opened=roster.opened,
            locked=roster.locked,
            packs=list(roster.content),
            brought=[BroughtPack(name, shared) for name, shared in roster.brought.items()],
            fairness=Fairness(
                f"{roster.id}-{roster.round}" if roster.round else None,
                roster.commitment or None,
            ),
            host=None if host is None else host.place,
            yours=_sits(roster, visitor),
            queue=len(roster.queue),
        )


class _Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """`Tables`, with tables that are bytes already."""

    tables: list[msgspec.Raw]
    next: int | None = None


def _sits(roster: Roster, visitor: str | None) -> bool:
    return visitor is not None and roster.of_visitor(visitor) is not None
