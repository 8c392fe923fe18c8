"""MO in the battery."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from parlour.games.mo import GAME, rules
from parlour.games.mo.board import PILES, is_royal
from tests.battery.trial import Dealer, Position, Transcript, Trial


def _cards(match: Any) -> list[int]:
    return [*match.board.draw, *(card for pile in match.board.piles for card in pile)]


def _settings(rnd: Random) -> dict[str, Any]:
    seed = rnd.choice(("", f"night-{rnd.randrange(10**6)}"))
    return {"profile": rnd.choice(("classic", "printed")), "seed": seed}


def _garbage(rnd: Random, match: Any) -> Any:
    return rnd.choice(
        (
            lambda: rules.Play(rnd.choice((*PILES, "", "z9", "B2"))),
            rules.Undo,
            rules.Redo,
            lambda: rules.New(rnd.choice((None, "", "ok-1", "no spaces", "x" * 40)), "fancy"),
        )
    )()


def _hidden(story: Sequence[Any], dealer: Dealer) -> set[tuple[int, int]]:
    """The cards never turned up are the last of the deck that was shuffled last.

    Royals met in the deal lie on top of it; they say something of the order and stay put.
    """
    cards = dealer.decks[-1]
    placed = [i for i, card in enumerate(cards) if not is_royal(card)][:8]
    untouched = len(cards) - 1 - placed[-1]
    unseen = min(untouched, story[-1].tableau.unturned)
    return {(len(dealer.decks) - 1, len(cards) - 1 - i) for i in range(unseen)}


MO = Trial(
    game=GAME,
    cards=_cards,
    settings=_settings,
    garbage=_garbage,
    hidden=_hidden,
    chance=("parlour.table.table.ProvableRng", "parlour.games.mo.rules.ProvableRng"),
    transcripts=(Transcript("classic", 1, 1, {"seed": "golden"}, steps=40),),
    positions=(
        Position(1, "66" * 32, {"seed": "counting"}, depth=5),
        Position(1, "77" * 32, {"seed": "counting", "profile": "printed"}, depth=5),
    ),
)
