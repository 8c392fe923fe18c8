"""Quips in the battery: with few cards, so that piles run out, and strict clients on both wires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from parlour.battery import Position, Transcript, Trial
from parlour.games.quips import GAME
from parlour.games.quips import actions as act
from parlour.games.quips.events import StateChanged
from parlour.games.quips.lobby import EXTENDED, LOBBY, OLDER, Packs
from parlour.games.quips.packfile import read
from parlour.games.quips.packs import Shelf, gather
from parlour.kit import Seat
from tests.quips.strict import Extended, Newer, Older
from tests.quips.tools import mixed_cards, pack

CONTENT: Mapping[str, bytes] = pack(mixed_cards())
SHELF: Shelf = gather([read(data) for data in CONTENT.values()])


def _cards(match: Any) -> list[str]:
    """As what they are dealt: an upgrade is the same card, and what somebody wrote is none."""
    supply, board = match.supply, match.board
    held = [h.base for p in board.players for h in (*p.hand, *p.play) if h.base]
    piles = [supply.whites.cards, supply.whites.discards, supply.blacks.cards]
    piles += [supply.blacks.discards, [board.black], held]
    return [card for pile in piles for card in pile]


def _knows(match: Any, seat: Seat | None) -> list[str]:
    """The black card, all plays once they are judged, one's own hand and play."""
    board = match.board
    shown = [held for author in board.order for held in board.players[author].play]
    if seat is not None:
        shown += board.players[seat].hand + board.players[seat].play
    return [board.black, *(held.base for held in shown if held.base)]


def _reveals(event: Any) -> list[str]:
    """A black card that was turned up, and nobody could be found to judge it."""
    return [event.black] if isinstance(event, StateChanged) else []


def _alike(card: str) -> Any:
    """How many cards a black one takes; what a white one's upgrades cost, since all see the
    points of who buys one."""
    if card in SHELF.blacks:
        return SHELF.blacks[card].pick, SHELF.blacks[card].draw
    costs: list[int] = []
    while card := SHELF.whites[card].next_tier_id:
        costs.append(SHELF.whites[card].tier_cost)
    return tuple(costs)


def _settings(rnd: Random) -> dict[str, Any]:
    if rnd.random() < 0.2:
        return {"max_players": 6}
    return {
        "max_players": rnd.choice((4, 6, 9)),
        "hand_size": rnd.choice((5, 8, 10)),
        "blank_cards": rnd.choice((0, 1, 3)),
        "discards": rnd.choice((0, 2, 10)),
        "enable_upgrades": rnd.random() < 0.8,
        "enable_game_ready_up": rnd.random() < 0.7,
        "bot_czars": rnd.random() < 0.5,
        "winner_czar": rnd.random() < 0.3,
        "perma_czar": rnd.random() < 0.2,
        "allow_skips": rnd.random() < 0.7,
        "max_points": rnd.choice((2, 8, 30)),
        "max_rounds": rnd.choice((1, 4, 16)),
        "round_end_timeout": rnd.choice((0, 900, 5_000)),
        "game_end_timeout": rnd.choice((0, 3_000)),
        "afk_time_seconds": rnd.choice((5, 90)),
        "idle_kick_time_seconds": rnd.choice((5, 180)),
        "player_preserve_time": rnd.choice((0, 2, 120)),
    }


class FewPacks(Packs):
    """One small pack, so that piles run out."""

    def own(self, settings: Any) -> Mapping[str, bytes]:
        return CONTENT


QUIPS = Trial(
    # Lessons are given with the cards of the usual packs (tests/test_lessons.py).
    game=replace(GAME, lobby=replace(LOBBY, content=FewPacks()), max_seats=9, lessons=()),
    cards=_cards,
    knows=_knows,
    reveals=_reveals,
    alike=_alike,
    settings=_settings,
    answered=(act.VoteSkip,),
    client=lambda wire: {OLDER: Older, EXTENDED: Extended}.get(wire.name, Newer)(),
    # Three of five kinds of action change little; a majority is soon found by chance.
    rare={act.VoteSkip: 0.03, act.Discard: 0.3, act.Upgrade: 0.5},
    bot_games=3,
    golden=Path(__file__).parent.parent / "golden",
    transcripts=(
        Transcript("three-players", 3, 1, {"max_rounds": 2}),
        Transcript("house-rules", 4, 2, {"winner_czar": True, "max_rounds": 3, "blank_cards": 0}),
        Transcript("coming-and-going", 4, 3, {"max_players": 6}, steps=60),
    ),
    positions=(Position(3, "66" * 32, depth=2), Position(4, "77" * 32, {"discards": 0}, depth=2)),
)
