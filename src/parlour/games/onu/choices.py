"""ONU's legal actions as choices, in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.choices import Choice, Choices, One
from parlour.games.onu.cards import COLOUR_NAMES, SPECIAL
from parlour.games.onu.moves import Action, Play

PLAYS: Final = "Play"
DRAWS: Final = "Draw"
PASSES: Final = "Pass"


def choices_of(legal: Sequence[Action], can_draw: bool) -> Choices:
    """Cards of a colour, wilds with one of the four colours, and drawing, which may be a pass."""
    if not legal:
        return []
    plays = [action for action in legal if isinstance(action, Play)]
    plain = [play.index for play in plays if play.colour == SPECIAL]
    wilds = list(dict.fromkeys(play.index for play in plays if play.colour != SPECIAL))
    found = [Choice("draw", label=DRAWS if can_draw else PASSES)]
    if wilds:
        colours = One(list(range(len(COLOUR_NAMES))), words=COLOUR_NAMES)
        found.insert(0, Choice("play", {"index": One(wilds), "colour": colours}, PLAYS))
    if plain:
        found.insert(0, Choice("play", {"index": One(plain)}, PLAYS))
    return found
