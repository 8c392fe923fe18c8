"""ONU's easy computer player: it plays whatever fits. The normal one is the document's."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.games.onu.bot import OnuBot
from parlour.games.onu.moves import Action, Draw, Play


class EasyBot(OnuBot):
    """Plays any card that fits, and any colour with a wild."""

    def choose(self, legal: Sequence[Action]) -> Action:
        plays = [action for action in legal if isinstance(action, Play)]
        best: Action = plays[self.rng.below(len(plays))] if plays else Draw()
        return Draw() if isinstance(best, Play) and self._rather_passes(best) else best
