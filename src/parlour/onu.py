"""Names that bot authors import for ONU over the relay; the game itself is `parlour.games.onu`."""

from parlour.games.onu.cards import (
    BLUE,
    GREEN,
    NONE,
    PICK_2,
    RED,
    REVERSE,
    SKIP_TURN,
    SPECIAL,
    WILD_CARD,
    WILD_PICK_4,
    YELLOW,
)
from parlour.games.onu.client.bot import Bot
from parlour.games.onu.client.document_bot import DocumentBot
from parlour.games.onu.client.turn import Action, Turn
from parlour.games.onu.messages import Card, PlayerHand

__all__ = [
    "BLUE",
    "GREEN",
    "NONE",
    "PICK_2",
    "RED",
    "REVERSE",
    "SKIP_TURN",
    "SPECIAL",
    "WILD_CARD",
    "WILD_PICK_4",
    "YELLOW",
    "Action",
    "Bot",
    "Card",
    "DocumentBot",
    "PlayerHand",
    "Turn",
]
