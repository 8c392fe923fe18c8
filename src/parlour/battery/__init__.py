"""The battery: what every game must pass, for games of this package and of others.

    from parlour.battery import Battery, Trial

    class TestEights(Battery):
        trial = Trial(game=GAME, cards=..., knows=..., golden=Path(__file__).parent / "golden")

pytest collects the tests that the class inherits. Install the extra `battery`. With
`PARLOUR_BATTERY_EFFORT=20` the tests try twenty times as many nights; `python -m parlour.battery`
records golden files.
"""

from __future__ import annotations

import pytest

# Before they are imported, so that a failed assertion shows the values compared.
pytest.register_assert_rewrite(
    "parlour.battery.suite_lessons",
    "parlour.battery.suite_rules",
    "parlour.battery.suite_scenes",
    "parlour.battery.suite_secrets",
    "parlour.battery.suite_wires",
    "parlour.battery.worlds",
)

from parlour.battery.night import START, Night, again, open_night  # noqa: E402
from parlour.battery.play import play_bots, play_on, random_night  # noqa: E402
from parlour.battery.suite_languages import LanguagesSuite  # noqa: E402
from parlour.battery.suite_lessons import LessonsSuite  # noqa: E402
from parlour.battery.suite_rules import RulesSuite  # noqa: E402
from parlour.battery.suite_scenes import ScenesSuite  # noqa: E402
from parlour.battery.suite_secrets import SecretsSuite  # noqa: E402
from parlour.battery.suite_wires import WiresSuite  # noqa: E402
from parlour.battery.trial import Client, Position, Transcript, Trial  # noqa: E402

__all__ = [
    "START",
    "Battery",
    "Client",
    "Night",
    "Position",
    "Transcript",
    "Trial",
    "again",
    "open_night",
    "play_bots",
    "play_on",
    "random_night",
]


class Battery(RulesSuite, SecretsSuite, ScenesSuite, LessonsSuite, LanguagesSuite, WiresSuite):
    """All of it. A subclass gives the `trial`."""
