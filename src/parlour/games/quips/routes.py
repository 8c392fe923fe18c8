"""Quips' HTTP: `GET /gameinfo`, what a join screen shows (spec: "Transport")."""

from __future__ import annotations

import msgspec

from parlour.games.quips.lobby import here
from parlour.games.quips.settings import Settings
from parlour.games.quips.wire.telling import shelf_of
from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Route, RouteSet
from parlour.protocol.operations import COMMON, FIND
from parlour.protocol.routes import read_content
from parlour.table import Roster


class PackInfo(msgspec.Struct, frozen=True):
    id: str
    name: str


class GameInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A table as a join screen shows it: some of its settings, and how it stands."""

    server_name: str
    min_players: int
    current_player_count: int
    max_players: int
    hand_size: int
    white_card_count: int
    black_card_count: int
    upgrades_enabled: bool
    perma_czar: bool
    bot_czars: bool
    bot_count: int
    winner_czar: bool
    max_points: int
    max_rounds: int
    blank_cards: int
    discards: int
    allow_skips: bool
    chat_enabled: bool
    pack_info: list[PackInfo]
    game_port: int
    """The port at which browsers reach the sockets."""


async def game_info(desk: Desk, asked: Asked) -> GameInfo:
    """The house's own table, or `?table=`, as a join screen shows it."""
    roster = await _table(desk, asked.query.get("table"))
    content = tuple([await read_content(desk, each) for each in roster.content.values()])
    settings: Settings = roster.settings
    shelf = shelf_of(content, settings)
    return msgspec.convert(
        {
            **msgspec.structs.asdict(settings),
            "min_players": roster.min_seats,
            "current_player_count": len(roster.players if roster.running else here(roster)),
            "max_players": roster.max_seats,
            "white_card_count": len(shelf.dealt()),
            "black_card_count": len(shelf.blacks),
            "upgrades_enabled": settings.enable_upgrades,
            "bot_count": len(roster.bots),
            "chat_enabled": settings.enable_chat,
            "pack_info": [PackInfo(pack.id, pack.name) for pack in shelf.packs],
            "game_port": asked.arrival.port,
        },
        GameInfo,
    )


async def _table(desk: Desk, code: str | None) -> Roster:
    if not code:
        return await desk.call(COMMON, "quips")
    roster = await desk.call(FIND, "".join(code.split()))
    if roster is None or roster.game != "quips":
        raise Illegal("no-such-table", "There is no table with that code.")
    return roster


ROUTES = RouteSet(title="Quips", routes=(Route("GET", "/gameinfo", game_info, gives=GameInfo),))
