"""The bot of the ONU document: the same answer as its example for every hand and top card.

It plays the heaviest card that fits: wilds before matching effects before the rest, a little more
for effects and for its commonest colour. The functions take cards as the protocol has them, so
they answer a prompt of any host; `DocumentBot` plays with them at our tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.games.onu.cards import BLUE, COLOURS, NONE, SPECIAL
from parlour.games.onu.messages import FACES, Card, top_of
from parlour.games.onu.moves import Action, Draw, Event, Play
from parlour.games.onu.picture import Picture
from parlour.kit import Bot, Millis, Plan

# The document's weights in quarters, which are exact.
_WILD: Final = 4
_SAME_EFFECT: Final = 3
_SAME_COLOUR_OR_NUMBER: Final = 2
_HAS_EFFECT: Final = 2
_OPTIMAL_COLOUR: Final = 1

_THINKS: Final[Millis] = 900


def answer(hand: Sequence[Card], top: Card) -> tuple[int | None, int]:
    """The answer of the document's `playTurn`: `CardIndex` (None: draw), and `WildColor`."""
    colour = optimal_colour(hand)
    return pick_card_index(hand, top, colour), colour


def optimal_colour(hand: Sequence[Card]) -> int:
    """The first colour to reach the highest count, in the order of the hand; blue if none."""
    counts = [0] * COLOURS
    optimal: int = BLUE
    for card in hand:
        # Numbers that are no colour never count; in JavaScript they make NaN.
        if 0 <= card.Color < COLOURS:
            counts[card.Color] += 1
            if counts[card.Color] > counts[optimal]:
                optimal = card.Color
    return optimal


def pick_card_index(hand: Sequence[Card], top: Card, optimal: int) -> int | None:
    """The first of the heaviest cards that fit; None: draw."""
    best: int | None = None
    heaviest = -1
    for index, card in enumerate(hand):
        weight = _weight(card, top, optimal)
        if weight > heaviest:
            best, heaviest = index, weight
    return best


def _weight(card: Card, top: Card, optimal: int) -> int:
    """-1 for a card that does not fit."""
    if card.Color == SPECIAL:
        weight = _WILD
    elif card.Effect != NONE and card.Effect == top.Effect:
        weight = _SAME_EFFECT
    elif card.Color == top.Color or (card.Number >= 0 and card.Number == top.Number):
        weight = _SAME_COLOUR_OR_NUMBER
    else:
        return -1
    if card.Effect != NONE:
        weight += _HAS_EFFECT
    if card.Color == optimal:
        weight += _OPTIMAL_COLOUR
    return weight


@final
class DocumentBot(Bot[Action, Event, Picture]):
    """The document's bot at our tables."""

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if not legal:
            return None
        picture = self.picture
        at = max(now, picture.asked_at) + _THINKS
        index, colour = answer([FACES[card] for card in picture.hand], top_of(picture))
        return Plan(at, Draw() if index is None else Play(index, colour))
