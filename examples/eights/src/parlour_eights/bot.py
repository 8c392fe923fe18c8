"""A computer player for Crazy Eights: keeps its eights, and its longest suit, for later."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.cards import rank_of, suit_of
from parlour.kit import Bot, Millis, Plan
from parlour_eights.picture import EightsPicture
from parlour_eights.rules import EIGHT, Action, Event, Play, points_of


class EightsBot(Bot[Action, Event, EightsPicture]):
    """Lays what leaves it the most choice; draws or passes when it can't lay anything."""

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action]:
        plays = [action for action in legal if isinstance(action, Play)]
        action = max(plays, key=self._worth) if plays else legal[0]
        return Plan(now + 700 + self.rng.below(800), action)

    def _worth(self, play: Play) -> tuple[bool, int, int]:
        """Anything before an eight; then the suit it holds most of; then the dearest card."""
        hand = self.picture.hand
        card = hand[play.index]
        suit = suit_of(card) if play.suit is None else play.suit
        left = sum(1 for other in hand if suit_of(other) == suit)
        return rank_of(card) != EIGHT, left, points_of(card)
