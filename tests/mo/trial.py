"""MO in the battery."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from parlour.battery import Position, Transcript, Trial
from parlour.games.mo import GAME, rules
from parlour.games.mo.board import PILES, is_royal
from parlour.kit import Seat


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


def _knows(match: Any, seat: Seat | None) -> list[int]:
    """Spec: everything on the grid lies open, and so does the top of the draw pile. Royals met
    in the deal were seen before they went back on top, where others may follow."""
    dealt = match.line[0].board.draw
    met = next((at for at, card in enumerate(dealt) if not is_royal(card)), len(dealt))
    return [*match.board.draw[:1], *(c for pile in match.board.piles for c in pile), *dealt[:met]]


MO = Trial(
    game=GAME,
    cards=_cards,
    settings=_settings,
    garbage=_garbage,
    knows=_knows,
    remembers=True,
    golden=Path(__file__).parent.parent / "golden",
    chance=("parlour.table.table.ProvableRng", "parlour.games.mo.rules.ProvableRng"),
    transcripts=(Transcript("classic", 1, 1, {"seed": "golden"}, steps=40),),
    positions=(
        Position(1, "66" * 32, {"seed": "counting"}, depth=5),
        Position(1, "77" * 32, {"seed": "counting", "profile": "printed"}, depth=5),
    ),
)
