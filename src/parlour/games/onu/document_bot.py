"""The bot of the ONU document: the same answer as its example for every hand and top card.

It plays the heaviest card that fits: wilds before matching effects before the rest, a little more
for effects and for its commonest colour. The functions take cards as the protocol has them, so
they answer a prompt of any host; `DocumentBot` plays with them at our tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from parlour.games.onu.cards import (
    BLUE,
    COLOURS,
    NONE,
    SPECIAL,
    Card,
    colour_of,
    effect_of,
    number_of,
)
from parlour.games.onu.moves import Action, Draw, Event, Play
from parlour.games.onu.picture import Picture
from parlour.kit import Bot, Millis, Plan

PLAY_CARD: Final = 0
PICK_CARD: Final = 1

# The document's weights in quarters, which are exact.
_WILD: Final = 4
_SAME_EFFECT: Final = 3
_SAME_COLOUR_OR_NUMBER: Final = 2
_HAS_EFFECT: Final = 2
_OPTIMAL_COLOUR: Final = 1

_THINKS: Final[Millis] = 900


@final
@dataclass(frozen=True, slots=True)
class Face:
    """A card of the protocol: `Color`, `Number`, `Effect`."""

    colour: int
    number: int
    effect: int


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """`Action`, `CardIndex` (None when drawing) and `WildColor`, which is always said."""

    action: int
    card_index: int | None
    wild_colour: int


BLANK: Final = Face(SPECIAL, -1, NONE)
"""How a hidden card is shown."""


def face_of(card: Card, colour: int | None = None) -> Face:
    """The protocol's card; on top of the stack a wild has the colour chosen for it."""
    if card < 0:
        return BLANK
    return Face(colour_of(card) if colour is None else colour, number_of(card), effect_of(card))


def answer(hand: Sequence[Face], top: Face) -> Answer:
    """What the document's `playTurn` sends."""
    colour = optimal_colour(hand)
    picked = pick_card_index(hand, top, colour)
    return Answer(PICK_CARD if picked is None else PLAY_CARD, picked, colour)


def optimal_colour(hand: Sequence[Face]) -> int:
    """The first colour to reach the highest count, in the order of the hand; blue if none."""
    counts = [0] * COLOURS
    optimal: int = BLUE
    for card in hand:
        # Numbers that are no colour never count; in JavaScript they make NaN.
        if 0 <= card.colour < COLOURS:
            counts[card.colour] += 1
            if counts[card.colour] > counts[optimal]:
                optimal = card.colour
    return optimal


def pick_card_index(hand: Sequence[Face], top: Face, optimal: int) -> int | None:
    """The first of the heaviest cards that fit; None: draw."""
    best: int | None = None
    heaviest = -1
    for index, card in enumerate(hand):
        weight = _weight(card, top, optimal)
        if weight > heaviest:
            best, heaviest = index, weight
    return best


def _weight(card: Face, top: Face, optimal: int) -> int:
    """-1 for a card that does not fit."""
    if card.colour == SPECIAL:
        weight = _WILD
    elif card.effect != NONE and card.effect == top.effect:
        weight = _SAME_EFFECT
    elif card.colour == top.colour or (card.number >= 0 and card.number == top.number):
        weight = _SAME_COLOUR_OR_NUMBER
    else:
        return -1
    if card.effect != NONE:
        weight += _HAS_EFFECT
    if card.colour == optimal:
        weight += _OPTIMAL_COLOUR
    return weight


@final
class DocumentBot(Bot[Action, Event, Picture]):
    """The document's bot at a table of ours."""

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if not legal:
            return None
        picture = self.picture
        at = max(now, picture.asked_at) + _THINKS
        hand = [face_of(card) for card in picture.hand]
        said = answer(hand, face_of(picture.top, picture.colour))
        if said.card_index is None:
            return Plan(at, Draw())
        return Plan(at, Play(said.card_index, said.wild_colour))
