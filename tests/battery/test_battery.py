"""The battery on every game of the house."""

from __future__ import annotations

import pytest

from parlour.battery import Battery
from parlour.games import installed_games
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.onu.trial import ONU
from tests.quips.trial import QUIPS
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow


class TestRummy(Battery):
    trial = RUMMY


class TestCambia(Battery):
    trial = CAMBIA


class TestQuips(Battery):
    trial = QUIPS


class TestOnu(Battery):
    trial = ONU


class TestMo(Battery):
    trial = MO


def test_every_game_of_the_house_is_in_the_battery() -> None:
    tried = {suite.trial.game.id for suite in Battery.__subclasses__()}
    assert tried >= {game.id for game in installed_games()}
