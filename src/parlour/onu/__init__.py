"""ONU over the relay: a base class for bots. The hosts of the house's tables are beside it."""

from parlour.onu.bot import Bot
from parlour.onu.document_bot import DocumentBot
from parlour.onu.protocol import Card, PlayerHand
from parlour.onu.turn import (
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
    Action,
    Turn,
)

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
