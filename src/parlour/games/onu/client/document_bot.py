"""The bot of the ONU document, over the relay: the same answer as its example to every prompt."""

from __future__ import annotations

from parlour.games.onu.client.bot import Bot
from parlour.games.onu.client.turn import Action, Turn
from parlour.games.onu.document_bot import answer
from parlour.games.onu.messages import BLANK, PICK_CARD, PLAY_CARD, Card

_FITS_NOTHING = Card(-1, -1, 0)
"""Stands for a card that the host left out: a blank would pass for a wild."""


class DocumentBot(Bot):
    """Plays the heaviest card that fits, and otherwise draws."""

    def choose(self, turn: Turn) -> Action:
        hand = [_FITS_NOTHING if card == BLANK else card for card in turn.hand]
        top = _FITS_NOTHING if turn.top == BLANK else turn.top
        index, colour = answer(hand, top)
        return Action(PICK_CARD if index is None else PLAY_CARD, index, colour)
