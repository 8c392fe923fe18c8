"""Games with awkward rules pass the battery."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random
from typing import Any

import pytest

from parlour.battery import Battery, random_night
from parlour.battery.play import dealing
from parlour.table import events as tell
from tests.battery.made_up import EIGHTS, HIGH, OPEN_SEATS
from tests.battery.small_games import (
    DICE,
    DUEL,
    LOW,
    LOWEST,
)

pytestmark = pytest.mark.slow


class TestHighCard(Battery):
    trial = HIGH


class TestHighCardWithOpenSeats(Battery):
    trial = OPEN_SEATS

    def test_people_sit_down_and_get_up_in_mid_match(self) -> None:
        happened: Counter[type[Any]] = Counter()
        for seed in range(40):
            night = random_night(self.trial, Random(seed), 120)
            after = itertools.chain(*night.happened[dealing(night) + 1 :])
            happened.update(type(event) for event in after)
        assert happened[tell.Sat] > 20
        assert happened[tell.Left] > 20


class TestEights(Battery):
    """Texts as cards, whoever can play must, a start card that is buried, a second shuffle."""

    trial = EIGHTS


class TestSeveralDeals(Battery):
    """Cards are shuffled and dealt again in mid-match."""

    trial = LOW


class TestComparedInSecret(Battery):
    """Everybody is told what follows from cards that stay hidden; and some cards look alike."""

    trial = DUEL


class TestMovesByDefault(Battery):
    """A card that is played for somebody who is away follows from the rest of the hand."""

    trial = LOWEST


class TestDice(Battery):
    """What is hidden is drawn and not shuffled."""

    trial = DICE
