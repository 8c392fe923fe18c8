"""The bot of the ONU document, over the relay: the same answer as its example to every prompt."""

from __future__ import annotations

from parlour.games.onu.client.bot import Bot
from parlour.games.onu.client.turn import Action, Turn
from parlour.games.onu.document_bot import Face, answer
from parlour.games.onu.messages import BLANK, Card


class DocumentBot(Bot):
    """Plays the heaviest card that fits, and otherwise draws."""

    def choose(self, turn: Turn) -> Action:
        said = answer([_face(card) for card in turn.hand], _face(turn.top))
        return Action(said.action, said.card_index, said.wild_colour)


def _face(card: Card) -> Face:
    if card == BLANK:
        # Left out by the host. It would pass for a wild, and fits nothing.
        return Face(-1, -1, 0)
    return Face(card.Color, card.Number, card.Effect)
