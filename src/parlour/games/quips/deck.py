"""The cards of one table: those of its packs that its settings allow.

A card goes by its protocol id: `w_...`, `b_...`, or `custom_` and what somebody wrote on a blank
card, in Base64 (spec: "Client messages"). The draw piles are in `supply.py`.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from parlour.games.quips.packcards import Pack, White
from parlour.games.quips.packfile import recall
from parlour.games.quips.packs import Shelf, choose, gather
from parlour.games.quips.settings import Settings
from parlour.kit import Illegal

CUSTOM: Final = "custom_"


@lru_cache(maxsize=64)
def read_once(data: bytes) -> Pack:
    """A pack of a table. Reading takes long enough (10 ms) that no game should wait twice."""
    return recall(data)


def assemble(content: Iterable[bytes], settings: Settings) -> Shelf:
    """The cards in use: those of the packs in `content` that the settings allow."""
    return gather(choose([read_once(data) for data in content], settings))


def tier_of(shelf: Shelf, card: str) -> int:
    """The points that a card adds to a win; 0, if a player wrote it."""
    return 0 if card.startswith(CUSTOM) else shelf.whites[card].tier


def upgrade_of(shelf: Shelf, card: str) -> White | None:
    """The card that a card in a hand can be upgraded to."""
    return shelf.whites.get(shelf.whites[card].next_tier_id)


# Cards that somebody wrote


def canonical(text: str, longest: int) -> str:
    """The text of a blank card as it is played; an `Illegal` if nothing is left of it."""
    text = text.replace("<", "").strip()[:longest].rstrip()
    try:
        text.encode()
    except UnicodeEncodeError:
        text = ""
    if not text:
        raise Illegal("bad-blank", "A blank card needs a text.")
    return text


def custom_id(text: str) -> str:
    """The card id of a text in its canonical form."""
    return CUSTOM + b64encode(text.encode()).decode("ascii")


def custom_text(card: str) -> str:
    """The text in a custom card's id; an `Illegal` if it is not one."""
    try:
        return b64decode(card.removeprefix(CUSTOM), validate=True).decode()
    except (NotBase64, ValueError):
        raise Illegal("bad-blank", "This is not a custom card.") from None
