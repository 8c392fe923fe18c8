"""Cambia in the battery."""

from __future__ import annotations

from random import Random
from typing import Any

from parlour.games.cambia import GAME
from parlour.games.cambia import actions as act
from tests.battery.trial import Position, Transcript, Trial


def _cards(match: Any) -> list[int]:
    layout = match.layout
    drawn = [layout.drawn] if layout.drawn >= 0 else []
    return [
        *drawn,
        *layout.stockpile,
        *layout.discards,
        *(c for hand in layout.hands for c in hand),
    ]


def _settings(rnd: Random) -> dict[str, Any]:
    if rnd.random() < 0.2:
        return {}
    rules = {
        "allowDrawFromDiscardPile": rnd.random() < 0.5,
        "allowReplaceAbilities": rnd.random() < 0.5,
        "snapRace": rnd.random() < 0.5,
        "forfeitOnDisconnect": rnd.random() < 0.5,
        "penaltyDrawCount": rnd.randint(0, 4),
        "autoKickTurnCount": rnd.randint(0, 3),
        "turnTimerSec": rnd.choice((0, 5, 15)),
        "allowOpponentSnapping": rnd.random() < 0.5,
        "lockCallerHand": rnd.random() < 0.7,
        "numJokers": rnd.randint(0, 2),
        "initialViewCount": rnd.randint(0, 4),
        "remindKnown": rnd.random() < 0.5,
    }
    return {"houseRules": rules}


def _garbage(rnd: Random, match: Any) -> Any:
    def some_id() -> str:
        return rnd.choice([*match.layout.ids, "", "no such card"])

    specials = ("peek_self", "peek_other", "swap_blind", "swap_peek", "swap_peek_swap", "skip", "?")
    return rnd.choice(
        (
            act.DrawStockpile,
            act.DrawDiscard,
            act.CallCambia,
            lambda: act.DiscardDrawn(some_id()),
            lambda: act.Replace(some_id(), rnd.randint(-2, 9)),
            lambda: act.Snap(some_id()),
            lambda: act.SnapMove(some_id()),
            lambda: act.Special(rnd.choice(specials), some_id(), some_id()),
        )
    )()


def _knows(match: Any, seat: int) -> list[int]:
    layout = match.layout
    return [layout.faces[card] for card in range(len(layout.faces)) if layout.knows(seat, card)]


CAMBIA = Trial(
    game=GAME,
    cards=_cards,
    settings=_settings,
    garbage=_garbage,
    knows=_knows,
    rare={act.CallCambia: 0.02, act.Snap: 0.2},
    bot_games=20,
    transcripts=(
        Transcript("two-players", 2, 1),
        Transcript(
            "house-rules",
            3,
            5,
            {
                "houseRules": {
                    "allowDrawFromDiscardPile": True,
                    "allowReplaceAbilities": True,
                    "allowOpponentSnapping": True,
                    "remindKnown": True,
                },
                "circuit": {"enabled": True, "mode": "circuit_4p"},
            },
        ),
        Transcript("coming-and-going", 3, 2, steps=60),
    ),
    positions=(
        Position(2, "44" * 32, depth=4),
        Position(3, "55" * 32, {"houseRules": {"allowDrawFromDiscardPile": True}}),
    ),
)
