"""Super Rummy's easier computer players: they lay down at once, and the easy one hardly looks."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.games.rummy.bot import RummyBot
from parlour.games.rummy.moves import Action, Discard
from parlour.games.rummy.outs import HandPlan


class NormalBot(RummyBot):
    """Lays down what it can at once, and hopes only for cards that make a new meld."""

    def _holds_back(self) -> bool:
        return False

    def lay_offs(self, plan: HandPlan) -> int:
        return 0


class EasyBot(NormalBot):
    """Draws from the deck whatever lies open, and throws away any card it has no meld for."""

    def _draw(self, legal: Sequence[Action]) -> Action:
        return legal[0]

    def _discard(self, legal: Sequence[Action], plan: HandPlan) -> Action:
        loose = {card.id for card in plan.deadwood if card.face < 52}
        discards = [action for action in legal if isinstance(action, Discard)]
        choices = [action for action in discards if action.card_id in loose] or discards
        return choices[self.rng.below(len(choices))]
