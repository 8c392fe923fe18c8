"""The games in the battery. A sixth game gets all of it with one line in `TRIALS`."""

from __future__ import annotations

from tests.battery.trial import Trial
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.rummy.trial import RUMMY

TRIALS: tuple[Trial, ...] = (RUMMY, CAMBIA, MO)
