"""Estimates of what unseen cards are worth, for the bots.

Everything here is computed from a picture (and from which cards others chose to keep), so it
can be no wiser than somebody who watched the table with care.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from typing import Final, final

from parlour.cards import Face
from parlour.games.cambia.cards import HIDDEN, full_deck, value_of
from parlour.games.cambia.picture import CambiaPicture
from parlour.kit import Seat

_LAST_TURN: Final = 2.0
"""The points that a hand probably loses in its last turn, after somebody has called."""

_KEPT_BELOW: Final = 9
"""A card drawn and kept has at most about this value; the lower, the more likely."""


def unseen(picture: CambiaPicture) -> list[Face]:
    """The faces that lie in the stockpile or, unknown to this viewer, in hands."""
    left = Counter(full_deck(len(picture.players), picture.settings.houseRules.numJokers))
    left.subtract(face for _, face in picture.discards)
    left.subtract(picture.known.values())
    left.subtract(p.drawn_face for p in picture.players if p.drawn_face != HIDDEN)
    return list(left.elements())


@final
class Worth:
    """Expected values of cards, as one viewer can reckon them now."""

    def __init__(self, picture: CambiaPicture, kept: Collection[str]) -> None:
        self.picture = picture
        self.kept = kept
        values = [value_of(face) for face in unseen(picture)]
        self.mean, self.variance = _moments(values, [1.0] * len(values))
        weights = [max(0.0, float(_KEPT_BELOW - value)) for value in values]
        self.kept_mean, self.kept_variance = _moments(values, weights)

    def of(self, card: str) -> float:
        """The expected value of a card in a hand."""
        if card in self.picture.known:
            return value_of(self.picture.known[card])
        return self.kept_mean if card in self.kept else self.mean

    def hand(self, seat: Seat) -> tuple[float, float]:
        """Mean and variance of a hand's sum."""
        mean = variance = 0.0
        for card in self.picture.players[seat].hand:
            mean += self.of(card)
            if card not in self.picture.known:
                variance += self.kept_variance if card in self.kept else self.variance
        return mean, variance

    def chance_to_be_lowest(self, seat: Seat) -> float:
        """The odds of a call: that no other hand gets below this one in its last turn."""
        mean, variance = self.hand(seat)
        chance = 1.0
        for other in range(len(self.picture.players)):
            if other != seat:
                their_mean, their_variance = self.hand(other)
                # The caller wins ties: half a point of a whole-numbered sum.
                margin = their_mean - _LAST_TURN - mean + 0.5
                spread = math.sqrt(variance + their_variance + 1.0)
                chance *= 0.5 * (1.0 + math.erf(margin / (spread * math.sqrt(2.0))))
        return chance


def _moments(values: list[int], weights: list[float]) -> tuple[float, float]:
    total = sum(weights)
    if total <= 0.0:
        return 0.0, 0.0
    mean = sum(v * w for v, w in zip(values, weights, strict=True)) / total
    square = sum(v * v * w for v, w in zip(values, weights, strict=True)) / total
    return mean, square - mean * mean
