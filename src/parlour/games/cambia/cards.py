"""Cambia's cards: what they count, what they can do, and their letters on the wire.

A card here is a face (`parlour.cards`) and an id; the id is the wire's name for it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from parlour.cards import BLACK_JOKER, KING, Face, deck, is_red, rank_of, suit_of

Rank: TypeAlias = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "O"]
Suit: TypeAlias = Literal["H", "D", "C", "S", "R", "B"]
SpecialName: TypeAlias = Literal[
    "peek_self", "peek_other", "swap_blind", "swap_peek", "swap_peek_swap"
]

HIDDEN: Final = -1
"""In place of a face: not shown."""

_RANKS: Final[tuple[Rank, ...]] = get_args(Rank)
_SUITS: Final[tuple[Suit, ...]] = get_args(Suit)
_ABILITIES: Final[dict[int, SpecialName]] = {
    7: "peek_self",
    8: "peek_self",
    9: "peek_other",
    10: "peek_other",
    11: "swap_blind",
    12: "swap_blind",
    13: "swap_peek",
}


def rank_letter(card: Face) -> Rank:
    """`A 2..9 T J Q K`, or `O` for a joker (spec: "Cards on the wire")."""
    return _RANKS[rank_of(card) - 1]


def suit_letter(card: Face) -> Suit:
    """`H D C S`, or a joker's colour: `R` or `B`."""
    return "B" if card == BLACK_JOKER else _SUITS[suit_of(card)]


def value_of(card: Face) -> int:
    """A 1, 2-10, J 11, Q 12, black K 13, red K -1, joker 0 (spec: "Rules")."""
    rank = rank_of(card)
    return -1 if rank == KING and is_red(card) else rank


def ability_of(card: Face) -> SpecialName | None:
    """The ability that discarding this card gives: 7 to K; None for the others."""
    return _ABILITIES.get(rank_of(card))


def full_deck(players: int, jokers: int) -> list[Face]:
    """One deck for up to four players, two for five to eight, each with so many jokers."""
    return deck(jokers) * (1 if players <= 4 else 2)


def card_id(token: str) -> str:
    """32 hex digits as a uuid (RFC 9562, 5.4): some clients check the two digits that say so."""
    variant = "89ab"[int(token[16], 16) & 3]
    return f"{token[:8]}-{token[8:12]}-4{token[13:16]}-{variant}{token[17:20]}-{token[20:]}"
