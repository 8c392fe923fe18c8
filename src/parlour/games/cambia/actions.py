"""The actions of Cambia (protocol: the `action_*` messages).

A card is named by its id, or by its owner (a player's id; "": the player who acts) and its idx
(-1: not given). If both are given, they must agree: an idx can be out of date when the message
arrives (somebody's snap closed up a hand), and the server does not guess which of the two is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, get_args


@dataclass(slots=True)
class DrawStockpile:
    """`action_draw_stockpile`. With no card to give, even reshuffled, it ends the game."""


@dataclass(slots=True)
class DrawDiscard:
    """`action_draw_discardpile`, with the house rule `allowDrawFromDiscardPile`."""


@dataclass(slots=True)
class DiscardDrawn:
    """`action_discard{card{id}}`: `card` is the card just drawn."""

    card: str


@dataclass(slots=True)
class Replace:
    """`action_replace{card{id,idx}}`: the drawn card takes the place of a card in hand.

    `card` names the card that goes. Should it name the drawn card, `idx` says which place.
    `owner` None: the `idx` of a card named by its id is not checked (logs of older versions).
    """

    card: str
    idx: int
    owner: str | None = None


@dataclass(slots=True)
class Snap:
    """`action_snap{card{id}}`: out of turn, this card has the rank of the top discard."""

    card: str
    owner: str = ""
    idx: int = -1


@dataclass(slots=True)
class SnapMove:
    """`action_snap_move{card{id}}`: hand this card over for the one you snapped away."""

    card: str
    owner: str = ""
    idx: int = -1


@dataclass(slots=True)
class CallCambia:
    """`action_cambia`: end the turn before drawing, and the game after one more round."""


@dataclass(slots=True)
class Special:
    """`action_special{special,card1,card2}`; a card that is not needed is "".

    `special` is one of `peek_self peek_other swap_blind swap_peek swap_peek_swap skip`.
    """

    special: str
    card1: str = ""
    card2: str = ""
    owner1: str = ""
    idx1: int = -1
    owner2: str = ""
    idx2: int = -1


Action = (
    DrawStockpile | DrawDiscard | DiscardDrawn | Replace | Snap | SnapMove | CallCambia | Special
)

ACTIONS: Final = get_args(Action)
