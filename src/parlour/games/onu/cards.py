"""ONU's cards: colours, numbers and effects, and the two decks.

A card is one number whose bits say its colour, its symbol (a number or an effect) and which copy
of that face it is, so the rules need no table of cards.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

Card = int

HIDDEN: Final[Card] = -1
"""A card whose face the viewer may not know."""

# Colours, as the document numbers them. SPECIAL is the colour of wilds, and of hidden cards.
BLUE: Final[i64] = 0
RED: Final[i64] = 1
YELLOW: Final[i64] = 2
GREEN: Final[i64] = 3
SPECIAL: Final[i64] = 4
COLOURS: Final[i64] = 4
COLOUR_NAMES: Final = ("blue", "red", "yellow", "green")

# Effects, as the document numbers them.
NONE: Final[i64] = 0
REVERSE: Final[i64] = 1
SKIP_TURN: Final[i64] = 2
PICK_2: Final[i64] = 3
WILD_CARD: Final[i64] = 4
WILD_PICK_4: Final[i64] = 5
EFFECT_NAMES: Final = ("", "reverse", "skip", "pick 2", "wild", "wild pick 4")

# A card's bits: two for the copy, four for the symbol, then the colour. Symbols 0 to 9 are numbers,
# the effects come after them in their order.
SYMBOL_AT: Final[i64] = 2
SYMBOL_BITS: Final[i64] = 0b111100
COLOUR_AT: Final[i64] = 6
_LAST_NUMBER: Final[i64] = 9

CLASSIC_SIZE: Final[i64] = 108
"""The larger deck: no pile ever holds more."""


def card_of(colour: i64, symbol: i64, copy: i64) -> i64:
    return colour << COLOUR_AT | symbol << SYMBOL_AT | copy


def colour_of(card: i64) -> i64:
    return card >> COLOUR_AT


def symbol_of(card: i64) -> i64:
    """The number from 0 to 9 on the card, or beyond those its effect."""
    return (card & SYMBOL_BITS) >> SYMBOL_AT


def number_of(card: i64) -> i64:
    """The number on the card; -1 on effect cards and hidden ones."""
    symbol = symbol_of(card)
    return symbol if card >= 0 and symbol <= _LAST_NUMBER else -1


def effect_of(card: i64) -> i64:
    symbol = (card & SYMBOL_BITS) >> SYMBOL_AT
    return symbol - _LAST_NUMBER if card >= 0 and symbol > _LAST_NUMBER else NONE


def compact_deck() -> list[Card]:
    """54 cards: of each colour 0 to 8 and the three effects once; 3 wilds, 3 wild-pick-4."""
    return [*_coloured(0, 8, 1), *_coloured(10, 12, 1), *_wilds(3)]


def classic_deck() -> list[Card]:
    """108 cards: of each colour one 0, 1 to 9 and the three effects twice; 4 wilds, 4 pick-4."""
    return [*_coloured(0, 0, 1), *_coloured(1, 12, 2), *_wilds(4)]


def _coloured(first: i64, last: i64, copies: i64) -> list[Card]:
    return [
        card_of(colour, symbol, copy)
        for colour in range(COLOURS)
        for symbol in range(first, last + 1)
        for copy in range(copies)
    ]


def _wilds(copies: i64) -> list[Card]:
    symbols = (_LAST_NUMBER + WILD_CARD, _LAST_NUMBER + WILD_PICK_4)
    return [card_of(SPECIAL, symbol, copy) for symbol in symbols for copy in range(copies)]


def described(card: Card, colour: i64 = SPECIAL) -> str:
    """ "red 7", "green skip", "wild"; a wild that was played, "wild (blue)"."""
    if card < 0:
        return "hidden card"
    effect, own = effect_of(card), colour_of(card)
    symbol = EFFECT_NAMES[effect] if effect else str(number_of(card))
    if own != SPECIAL:
        return f"{COLOUR_NAMES[own]} {symbol}"
    return symbol if colour == SPECIAL else f"{symbol} ({COLOUR_NAMES[colour]})"
