"""Computer players for Liar's Dice: one that goes by the odds, and one that believes everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.kit import Bot, Millis, Plan, Seat
from parlour_dice.picture import DicePicture
from parlour_dice.rules import Action, Bid, Challenge, Event, matches

LIE: Final = 0.3
"""How often a bid that is not true goes unchallenged, as far as the bot knows."""
TRUST: Final = 0.2
"""How much likelier each die of a bidder is to show the number of the bid."""


class BelievingBot(Bot[Action, Event, DicePicture]):
    """Raises by as little as possible, and challenges what would be more than usual."""

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action]:
        return Plan(now + 900 + self.rng.below(1200), self.choose(legal))

    def choose(self, legal: Sequence[Action]) -> Action:
        bid = self.picture.bid
        usual = sum(self.picture.dice) * self.chance(legal)
        if bid is not None and bid.count > usual:
            return Challenge()
        return next((each for each in legal if isinstance(each, Bid)), legal[0])

    def chance(self, legal: Sequence[Action]) -> float:
        """Of one die to match a bid. Where nobody may bid on ones, they are wild."""
        return 1 / 3 if self.wild(legal) else 1 / 6

    def wild(self, legal: Sequence[Action]) -> bool:
        return not any(isinstance(each, Bid) and each.number == 1 for each in legal)


class DiceBot(BelievingBot):
    """Does what leaves it the best chance to keep its dice."""

    def choose(self, legal: Sequence[Action]) -> Action:
        wild, bid = self.wild(legal), self.picture.bid
        odds = [self._odds(number, wild) for number in range(7)]

        def worth(action: Action) -> float:
            if isinstance(action, Bid):
                true = odds[action.number][action.count]
                return true + (1 - true) * LIE
            assert bid is not None, "without a bid nothing is challenged"
            return 1 - self._odds(bid.number, wild, bid.seat)[bid.count]

        return max(legal, key=lambda action: (worth(action), self.rng.below(1000)))

    def _odds(self, number: int, wild: bool, bidder: Seat | None = None) -> list[float]:
        """How likely it is that at least 0, 1, 2, ... dice match, given the bot's own."""
        picture = self.picture
        own = sum(matches(die, number, wild) for die in picture.own_dice)
        chance = 1 / 3 if wild else 1 / 6
        trusted = picture.dice[bidder] if bidder is not None else 0
        exactly = [1.0]
        for die in range(sum(picture.dice) - len(picture.own_dice)):
            exactly = _one_more(exactly, chance + TRUST if die < trusted else chance)
        at_least = [sum(exactly[count:]) for count in range(len(exactly))]
        never = [0.0] * len(picture.own_dice)
        return [*[1.0] * own, *at_least, *never]


def _one_more(odds: list[float], chance: float) -> list[float]:
    """The odds of 0, 1, 2, ... matching dice, after one more die."""
    failed = [*(each * (1 - chance) for each in odds), 0.0]
    matched = [0.0, *(each * chance for each in odds)]
    return [a + b for a, b in zip(failed, matched, strict=True)]
