"""The French deck: suits, ranks and a `Face`, as small whole numbers.

A face says what a card shows. Games that need ids or places for cards have their own types.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

Face: TypeAlias = Annotated[int, "face"]
"""`suit * 13 + rank - 1` for the 52; 52 and 53 are the red and the black joker."""

Suit: TypeAlias = Annotated[int, "suit"]
"""HEARTS to SPADES. Marked, as the others are, so that a wire can say it in words."""

Rank: TypeAlias = Annotated[int, "rank"]
"""1 is the ace, 13 the king."""

HEARTS: Final = 0
DIAMONDS: Final = 1
CLUBS: Final = 2
SPADES: Final = 3
JOKERS: Final = 4

ACE: Final = 1
JACK: Final = 11
QUEEN: Final = 12
KING: Final = 13

RANKS: Final = ("joker", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
"""How ranks are written, by `rank_of`."""
SUITS: Final = ("hearts", "diamonds", "clubs", "spades", "joker")
"""How suits are written, by `suit_of`."""
SUIT_SIGNS: Final = "♥♦♣♠"
SUIT_LETTERS: Final = "hdcs"
"""For a terminal that can't print the signs."""

RED_JOKER: Final = 52
BLACK_JOKER: Final = 53


def face(suit: Suit, rank: Rank) -> Face:
    """The face of one of the 52: rank 1 is the ace, 13 the king."""
    return suit * 13 + rank - 1


def faces(written: str) -> list[Face]:
    """Cards written with spaces between them: `A♠ 10♥`; `joker` is the red one.

    >>> faces("A♥ K♠")
    [0, 51]
    """
    return [_face(card) for card in written.split()]


def _face(card: str) -> Face:
    if card == "joker":
        return RED_JOKER
    return face(SUIT_SIGNS.index(card[-1]), RANKS.index(card[:-1]))


def suit_of(card: Face) -> int:
    """HEARTS to SPADES, or JOKERS."""
    return card // 13


def rank_of(card: Face) -> int:
    """1 to 13; 0 for a joker."""
    return card % 13 + 1 if card < 52 else 0


def is_joker(card: Face) -> bool:
    return card >= 52


def is_red(card: Face) -> bool:
    """Hearts, diamonds and the red joker."""
    return card < 26 or card == RED_JOKER


def deck(jokers: int = 0) -> list[Face]:
    """One deck in order, with up to two jokers behind it."""
    return list(range(52 + jokers))
