"""Super Rummy in the battery."""

from __future__ import annotations

from random import Random
from typing import Any

from parlour.games.rummy import GAME, rules
from tests.battery.trial import Position, Transcript, Trial


def _cards(match: Any) -> list[Any]:
    piles = [match.deck, match.discards, *match.hands, *match.melds]
    return [card.id for pile in piles for card in pile]


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


def _garbage(rnd: Random, match: Any) -> Any:
    def some_id() -> str:
        return rnd.choice([*_cards(match), "", "no such card", "0" * 32])

    def some_ids() -> list[str]:
        return [some_id() for _ in range(rnd.randint(0, 5))]

    return rnd.choice(
        (
            lambda: rules.Draw(some_id()),
            lambda: rules.Discard(some_id()),
            lambda: rules.Meld(some_ids()),
            lambda: rules.Lay(some_ids(), rnd.randint(-3, 5)),
        )
    )()


RUMMY = Trial(
    game=GAME,
    cards=_cards,
    settings=_settings,
    garbage=_garbage,
    transcripts=(
        Transcript("two-players", 2, 3),
        Transcript(
            "house-rules",
            3,
            8,
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
