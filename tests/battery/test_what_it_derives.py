"""The messages of the battery's failures, and the actions and settings that it makes up."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from parlour.battery import Battery, Trial, checks, golden, suite_secrets
from parlour.battery.dealing import World
from parlour.battery.derive import random_action, random_settings
from parlour.battery.night import Elsewhere
from parlour.battery.play import night_under_way
from parlour.kit import Bots
from tests.battery.breaking import (
    BYTES,
    ENDS,
    GOLDEN,
    PLACES,
    VIEW,
    broken,
    fails,
    raises,
)
from tests.battery.made_up import HIGH
from tests.battery.small_games import (
    LOW,
)
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow


# What a failure says


def test_every_check_names_the_section_that_explains_it() -> None:
    page = Path(__file__).parents[2] / checks.PAGE
    headings = re.findall(r"^## (.+)$", page.read_text(), re.M)
    sections = {heading.lower().replace(" ", "-") for heading in headings}
    tests = [getattr(Battery, name) for name in dir(Battery) if name.startswith("test_")]
    named = {_innermost(test).section for test in tests}
    assert named == sections


def _innermost(test: Any) -> Any:
    """Hypothesis keeps the function it calls."""
    return test.hypothesis.inner_test if hasattr(test, "hypothesis") else test


@pytest.mark.parametrize(
    ("test", "trial", "seed", "section"),
    [
        (BYTES, broken(LOW, view=lambda event, seat: event), r"Random\(\d+\)", "other-worlds"),
        (VIEW, broken(LOW, view=raises), r"Random\(0\)", "view"),
        (PLACES, replace(LOW, cards=lambda match: []), r"Random\(0\)", "cards"),
        (ENDS, broken(LOW, bots=Bots(raises, ("X",))), "seed 0", "matches-end"),
    ],
)
def test_a_failure_names_the_seed_the_step_the_check_and_the_section(
    test: str, trial: Trial, seed: str, section: str
) -> None:
    with pytest.raises(Exception) as failed:  # noqa: PT011 - whatever it is
        getattr(type("Broken", (Battery,), {"trial": trial})(), test)()
    notes = "\n".join(failed.value.__notes__)
    assert re.search(seed, notes)
    assert re.search(
        rf"after step \d+, \w+\(.*\), in {test}: see docs/battery.md#{section}$", notes
    )


# What is derived


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, MO, HIGH], ids=lambda t: t.game.id)
def test_settings_are_made_from_their_types(trial: Trial) -> None:
    game = trial.game
    seen: dict[str, set[str]] = {}
    for seed in range(150):
        patch = random_settings(game, Random(seed))
        game.configure(game.settings(), patch)
        for key, value in patch.items():
            seen.setdefault(key, set()).add(repr(value))
    # MO's seed must be like a pattern, and what is like a pattern is not guessed.
    assert set(seen) | {"seed"} == set(msgspec.to_builtins(game.settings())) | {"seed"}
    assert all(len(values) > 1 for values in seen.values())


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, MO, HIGH], ids=lambda t: t.game.id)
def test_actions_are_made_from_their_fields(trial: Trial) -> None:
    """Of every kind; most are refused, some are not, and none is of a wrong type."""
    answers: Counter[bool] = Counter()
    kinds = set()
    for seed in range(60):
        rnd = Random(seed)
        night = night_under_way(trial, rnd, 20)
        for _ in range(20):
            action = random_action(trial.game.actions, rnd, night.match, night.seats)
            kinds.add(type(action))
            seat = rnd.randrange(night.seats)
            answers[suite_secrets._answer(night, seat, action) is None] += 1
    assert kinds == set(trial.game.actions)
    assert answers[True] > 5
    assert answers[False] > 50


def test_golden_files_are_recorded_where_the_trial_says(tmp_path: Path) -> None:
    trial = replace(HIGH, golden=tmp_path / "golden")
    assert fails(trial, GOLDEN)
    written = golden.record(trial)
    assert [path.name for path in written] == ["high-random.txt", "high-counts.json"]
    assert not fails(trial, GOLDEN)
    written[0].write_text(written[0].read_text().replace("laid", "played", 1))
    assert fails(trial, GOLDEN)


def test_cards_stand_in_only_for_those_alike() -> None:
    """In another world an even card lies where an even one lay, and most lie elsewhere."""
    deck = list(range(30))
    trial = replace(HIGH, alike=lambda card: card % 2)
    everything = {(0, place) for place in range(30)}
    world = World(trial, [deck], set(), everything, Random(1))
    dealt = world.dealt(0, deck)
    assert sorted(dealt) == deck
    assert [card % 2 for card in dealt] == [card % 2 for card in deck]
    assert len(world.changed) > 20
    with pytest.raises(Elsewhere):
        World(trial, [deck], set(), everything, Random(1)).dealt(0, [0] * 30)
