"""Games, ratings and tables as they are shown over HTTP.

The list of tables is asked for often, and most of its tables have not changed since. So the bytes
of a table are kept with the roster that they were made from.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from parlour.protocol import Game, Preset, Rank, TablePage
from parlour.server.brought import brings
from parlour.table import Roster, own_name, shown_settings

_BEST: Final = 100
"""How many of a pool of ratings are shown."""
MOST_KEPT: Final = 2_000
"""For how many tables the bytes are kept."""


class SeatsInfo(msgspec.Struct, frozen=True):
    """How many it takes to play, and how many can."""

    min: int
    max: int


class LessonInfo(msgspec.Struct, frozen=True):
    """A lesson, which teaches a game by playing it."""

    id: str
    title: str


class GameInfo(msgspec.Struct, frozen=True):
    """A game of this house."""

    id: str
    name: str
    blurb: str
    seats: SeatsInfo
    settings: dict[str, Any]
    """A JSON Schema."""
    defaults: dict[str, Any]
    sockets: list[str]
    bots: bool
    strengths: list[str]
    """How strong its bots can be, the weakest first; empty where it has none."""
    ready: bool
    """Whether a match starts when all players say that they are ready."""
    most_points: int
    """How many points a series of matches can be played for; 0: points do not add up."""
    scenes: bool
    """Whether clients that know nothing of it can play it by scenes and choices (extras)."""
    lessons: list[LessonInfo]
    presets: list[Preset]
    """Settings to choose from; a table for friends begins with the first."""
    brings: list[str]
    """Its files for the page, below `/package/{id}/`: `emblem.svg`, `board.js`, and decks by
    their folders (`decks/tarot`)."""


class Games(msgspec.Struct, frozen=True):
    games: list[GameInfo]


def shown_game(game: Game) -> GameInfo:
    return GameInfo(
        id=game.id,
        name=game.name,
        blurb=game.blurb,
        seats=SeatsInfo(game.min_seats, game.max_seats),
        settings=game.settings_schema(),
        defaults=msgspec.to_builtins(game.settings()),
        sockets=[path for wire in game.wires for path in wire.paths],
        bots=game.bots is not None,
        strengths=[] if game.bots is None else list(game.bots.strengths),
        ready=game.lobby.start.ready_up,
        most_points=game.lobby.most_points,
        scenes=game.scene is not None,
        lessons=[LessonInfo(lesson.id, lesson.title) for lesson in game.lessons],
        presets=list(game.presets),
        brings=brings(game),
    )


class RankInfo(msgspec.Struct, frozen=True):
    """Somebody with an account, in a pool of ratings."""

    rank: int
    name: str
    rating: int
    rd: int
    """How far off the rating may be."""
    games: int
    wins: int
    you: bool


class Ranking(msgspec.Struct, frozen=True):
    """The best of a pool, and the one who asks."""

    pool: str
    ranks: list[RankInfo]


def shown_ranks(ranks: Iterable[Rank], visitor: str | None) -> list[RankInfo]:
    """The best hundred, and this visitor."""
    return [
        RankInfo(r.rank, r.name, round(r.rating), round(r.rd), r.games, r.wins, you)
        for r in ranks
        if (you := r.visitor == visitor) or r.rank <= _BEST
    ]


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
    """The place of the player who runs it; null: nobody runs it alone."""
    yours: bool = False
    """Whether you have a seat there."""
    banned: bool = False
    """Whether you were put out of it, so that you get no seat."""
    queue: int = 0
    """How many wait for a seat."""
    name: str = ""
    """Given by its players; "": they have not named it."""
    password: bool = False
    """Whether players are asked for a password."""


class Tables(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page of the list of tables."""

    tables: list[TableInfo]
    next: int | None = None
    """There are more: ask again with `?after=` and this number."""
    notice: str = ""
    """The operator's message to everybody; "": there is none."""


class ShownTables:
    """Makes what is shown from rosters."""

    def __init__(self, games: tuple[Game, ...]) -> None:
        self._games = {game.id: game for game in games}
        self._kept: dict[str, tuple[Roster, msgspec.Raw]] = {}
        """By table: its last roster, and the bytes for visitors whom it does not know."""

    def page(self, page: TablePage, visitor: str | None, notice: str) -> msgspec.Raw:
        """`Tables` for this visitor, encoded."""
        tables = [self._encoded(roster, visitor) for roster in page.tables]
        shown = _Page(tables, page.next or None, notice)
        return msgspec.Raw(msgspec.json.encode(shown))

    def _encoded(self, roster: Roster, visitor: str | None) -> msgspec.Raw:
        if _sits(roster, visitor) or _banned(roster, visitor):
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
            banned=_banned(roster, visitor),
            queue=len(roster.queue),
            name=own_name(roster.settings),
            password=bool(game.lobby.entry.terms(roster.settings).password),
        )


class _Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """`Tables`, with tables that are bytes already."""

    tables: list[msgspec.Raw]
    next: int | None = None
    notice: str = ""


def _sits(roster: Roster, visitor: str | None) -> bool:
    return visitor is not None and roster.of_visitor(visitor) is not None


def _banned(roster: Roster, visitor: str | None) -> bool:
    return visitor is not None and visitor in roster.banned
