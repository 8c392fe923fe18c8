"""The battery finds choices, scenes and lessons that are wrong."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from shutil import copytree
from typing import Any

import msgspec
import pytest

from parlour.battery import Battery, Trial
from parlour.choices import Choice, One, admits
from parlour.kit import Setup
from parlour.lessons import Do, Other
from parlour.rng import Rng
from tests.battery.breaking import (
    CHOICES,
    LESSONS,
    SCENE,
    broken,
    fails,
    raises,
)
from tests.cambia.trial import CAMBIA
from tests.mo.trial import MO
from tests.onu.trial import ONU
from tests.rummy.trial import RUMMY

pytestmark = pytest.mark.slow


# Choices and scenes


def dropped(choice: Choice) -> Choice:
    """Without the last value of each field that has several."""
    fields = {
        name: msgspec.structs.replace(domain, of=domain.of[:-1], words=domain.words[:-1])
        if isinstance(domain, One) and len(domain.of) > 1
        else domain
        for name, domain in choice.fields.items()
    }
    return msgspec.structs.replace(choice, fields=fields)


@pytest.mark.parametrize("trial", [RUMMY, CAMBIA, ONU, MO], ids=lambda t: t.game.id)
def test_a_value_that_choices_leave_out_is_found(trial: Trial) -> None:
    """Though `legal` leaves it out, too: only `apply` takes it."""

    def deal(setup: Setup, rng: Rng, now: int) -> Any:
        match, events = trial.game.deal(setup, rng, now)
        whole: type[Any] = type(match)

        class Dropping(whole):  # type: ignore[misc,valid-type]
            def choices(self, seat: int) -> Any:
                self.__class__ = whole
                choices = self.choices(seat)
                self.__class__ = Dropping
                return [dropped(choice) for choice in choices]

            def legal(self, seat: int) -> Any:
                choices = self.choices(seat)
                return [action for action in super().legal(seat) if admits(choices, action)]

        match.__class__ = Dropping
        return match, events

    assert fails(broken(trial, deal=deal), CHOICES)


@pytest.mark.parametrize(
    "changes",
    [
        {"scene": lambda scene: msgspec.structs.replace(scene, targets={"draw": ["nowhere"]})},
        {"scene": lambda scene: msgspec.structs.replace(scene, awaits=[17])},
        {"scene": lambda scene: msgspec.structs.replace(scene, zones=[*scene.zones] * 2)},
        {"scene": lambda scene: msgspec.structs.replace(scene, prompt="x" * 70_000)},
        {"scene": raises},
        {"words": lambda said: said + "{9}"},
        {"words": lambda said: said * 1_000},
        {"words": raises},
    ],
    ids=["no zone", "no seat", "twice", "too large", "raises", "no name", "too long", "no words"],
)
def test_a_description_that_cannot_be_shown_is_found(changes: Any) -> None:
    changed = {
        name: lambda *given, name=name, change=change: change(getattr(RUMMY.game, name)(*given))
        for name, change in changes.items()
    }
    assert fails(broken(RUMMY, **changed), SCENE)


# Lessons


def test_a_lesson_that_cannot_be_played_is_found() -> None:
    (lesson,) = RUMMY.game.lessons
    for at, step in enumerate(lesson.steps):
        if isinstance(step, Do | Other) and step.action == "draw":
            without = [*lesson.steps[:at], *lesson.steps[at + 1 :]]
            less = msgspec.structs.replace(lesson, steps=without)
            assert fails(broken(RUMMY, lessons=(less,)), LESSONS), f"without step {at + 1}"
    assert not fails(RUMMY, LESSONS)


@pytest.mark.parametrize("name", ["First", "", "a/b", "x" * 41])
def test_a_lesson_without_an_address_is_found(name: str) -> None:
    (lesson,) = RUMMY.game.lessons
    other = msgspec.structs.replace(lesson, id=name)
    assert fails(broken(RUMMY, lessons=(other,)), LESSONS)
    assert fails(broken(RUMMY, lessons=(lesson, lesson)), LESSONS)


def test_a_lesson_that_is_not_the_same_each_time_is_found() -> None:
    count = itertools.count()
    assert fails(broken(RUMMY, words=lambda event, picture: f"Move {next(count)}."), LESSONS)


# Languages


def test_sentences_without_a_translation_are_listed(tmp_path: Path) -> None:
    assets = copytree(RUMMY.game.assets, tmp_path / "page")
    file = assets / "messages" / "de-table.json"
    texts = json.loads(file.read_text(encoding="utf-8"))
    for gone in ("Deck", "It is {who}'s turn."):
        del texts[gone]
    file.write_text(json.dumps(texts), encoding="utf-8")
    suite = type("Broken", (Battery,), {"trial": broken(RUMMY, assets=str(assets))})()
    with pytest.raises(AssertionError, match=r"(?s)has no de for these:\nDeck\nIt is \{.\}'s turn"):
        suite.test_everything_told_has_a_translation()
