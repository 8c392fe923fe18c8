"""Super Rummy in the battery."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec

from parlour.battery import Position, Transcript, Trial
from parlour.games.rummy import GAME, moves
from parlour.kit import Seat


def _cards(match: Any) -> list[Any]:
    piles = [match.deck, match.discards, *match.hands, *match.melds]
    return [card.id for pile in piles for card in pile]


def _knows(match: Any, seat: Seat | None) -> list[Any]:
    """What lies open, and one's own hand; with `allow_draw_choice`, the deck's top card for who
    is to draw."""
    known = [*match.discards, *(card for meld in match.melds for card in meld)]
    if seat is not None:
        known += match.hands[seat]
        if match.settings.allow_draw_choice and seat == match.turn and not match.drawn:
            known += match.deck[-1:]
    return [card.face for card in known]


def _reveals(event: Any) -> list[Any]:
    """A discard lies open, even if it goes into a new deck at once."""
    discard = isinstance(event, moves.Moved) and event.destination == moves.TO_DISCARDS
    return [card.face for card in event.cards] if discard else []


def _garbage(rnd: Random, match: Any) -> Any:
    def some_id() -> str:
        return rnd.choice([*_cards(match), "", "no such card", "0" * 32])

    def some_ids() -> list[str]:
        return [some_id() for _ in range(rnd.randint(0, 5))]

    return rnd.choice(
        (
            lambda: moves.Draw(some_id()),
            lambda: moves.Discard(some_id()),
            lambda: moves.Meld(some_ids()),
            lambda: moves.Lay(some_ids(), rnd.randint(-3, 5)),
        )
    )()


def _settings(rnd: Random) -> dict[str, Any]:
    if rnd.random() < 0.3:
        return {}
    return {
        "deck_count": rnd.choice((1, 1, 2, 4)),
        "enable_jokers": rnd.random() < 0.5,
        "hand_size": rnd.choice((0, 0, 7, 9, 12)),
        "first_turn": rnd.choice(("next_player", "prev_winner", "random")),
        "allow_draw_choice": rnd.random() < 0.5,
        "allow_run_mixed_suit": rnd.random() < 0.3,
        "allow_set_duplicate_suit": rnd.random() < 0.3,
        "limit_meld_size": rnd.choice((None, None, 3, 4)),
        "ace_rank": rnd.choice(("low", "high")),
        "deck_exhaust": rnd.choice(("flip_discard", "shuffle_discard", "end_round")),
        "require_end_discard": rnd.random() < 0.4,
        "lay_at_end": rnd.random() < 0.4,
    }


class RummyClient:
    """Keeps the table by the messages alone, the way existing clients do."""

    def __init__(self) -> None:
        self.deck: list[str] = []
        self.discards: list[str] = []
        self.hands: dict[str, list[str]] = {}
        self.melds: list[list[str]] = []
        self.faces: dict[str, Any] = {}
        self.turn: Any = None
        self.me = ""

    def hear(self, message: bytes) -> None:
        told = msgspec.json.decode(message)
        take = getattr(self, f"on_{told['type']}", None)
        if take is not None:
            take(told)

    def on_start(self, told: Any) -> None:
        self.__init__()  # type: ignore[misc]
        self.deck = told["card_ids"]
        self.hands = {player["id"]: [] for player in told["players"]}
        self.me = told["current_player_id"] if not told.get("spectator") else ""

    def on_move(self, told: Any) -> None:
        where = told["destination"]
        for card in reversed(told["cards"]):
            for pile in (self.deck, self.discards, *self.hands.values(), *self.melds):
                if card["id"] in pile:
                    pile.remove(card["id"])
            if card["face"] is not None:
                self.faces[card["id"]] = card["face"]
            if where["type"] == "discard":
                self.discards.append(card["id"])
            elif where["type"] == "player":
                self.hands[where["player_id"]].insert(where["position"], card["id"])
            elif where["meld_number"] < len(self.melds):
                self.melds[where["meld_number"]].insert(where["position"], card["id"])
            else:
                self.melds.append([card["id"]])

    def on_turn(self, told: Any) -> None:
        self.turn = told

    def on_redeck(self, told: Any) -> None:
        self.discards = []
        self.deck = told["new_card_ids"]

    def summary(self) -> Any:
        """Without what only a long memory knows: faces of cards that lie in others' hands."""
        open_ids = [*self.discards, *(c for m in self.melds for c in m)]
        open_ids += self.hands.get(self.me, [])
        return [
            self.deck,
            self.discards,
            self.hands,
            self.melds,
            self.turn,
            {card: self.faces[card] for card in open_ids},
        ]


RUMMY = Trial(
    game=GAME,
    cards=_cards,
    knows=_knows,
    reveals=_reveals,
    settings=_settings,
    garbage=_garbage,
    client=lambda wire: RummyClient(),
    golden=Path(__file__).parent.parent / "golden",
    transcripts=(
        Transcript("two-players", 2, 3),
        Transcript(
            "house-rules",
            3,
            4,
            {
                "enable_jokers": True,
                "allow_draw_choice": True,
                "deck_exhaust": "shuffle_discard",
                "require_end_discard": True,
                "lay_at_end": True,
                "ace_rank": "high",
            },
        ),
        Transcript("coming-and-going", 3, 2, steps=60),
    ),
    positions=(
        Position(2, "11" * 32, depth=4),
        Position(3, "22" * 32, {"enable_jokers": True, "deck_count": 2}),
        Position(4, "33" * 32, {"allow_run_mixed_suit": True, "ace_rank": "high"}),
    ),
)
