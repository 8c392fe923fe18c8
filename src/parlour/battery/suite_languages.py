"""Tests of translations: what a game tells is in every language that it has files for.

Only for games that bring translations (`messages/de.json`, `messages/de-table.json` and others).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, ClassVar

import pytest

from parlour.battery.checks import check, nights
from parlour.battery.play import dealing, random_night
from parlour.battery.translations import Translations, languages, texts_in
from parlour.battery.trial import Trial
from parlour.choices import One, Some
from parlour.lessons import Do, Say
from parlour.scenes import Scene
from parlour.show import Show


class LanguagesSuite:
    """The tests of translations."""

    trial: ClassVar[Trial]

    @nights(20, "languages")
    def test_everything_told_has_a_translation(self, rnd: Random) -> None:
        game = self.trial.game
        if not languages(game.assets):
            pytest.skip("the game brings no translations")
        night = random_night(self.trial, rnd, rnd.randint(0, 200))
        show = Show(game, rnd.choice(night.viewers()), _raise)
        told: set[str] = set()
        for happened in night.happened[dealing(night) :]:
            for frame in show.frames(happened, None):
                told |= {frame.move, *_texts(frame.scene)}
        show.catch_up([], night.match if night.running else None)
        told |= set(_texts(show.scene))
        _check(game, told, "table")

    @check("languages")
    def test_all_descriptions_have_a_translation(self) -> None:
        game = self.trial.game
        if not languages(game.assets):
            pytest.skip("the game brings no translations")
        _check(game, _shown_in_the_hall(game))
        _check(game, _taught(game), "table", "lessons")
        _check(game, _descriptions(game.settings_schema()), "settings")


def _check(game: Any, told: Iterable[str], *parts: str) -> None:
    """That these texts are in the files that the page has loaded by then."""
    texts = sorted(set(told))
    for language in languages(game.assets):
        translations = Translations(texts_in(game.assets, language, parts))
        missing = [text for text in texts if translations.find(text) is None]
        assert not missing, "\n".join([f"{game.id} has no {language} for these:", *missing])


def _shown_in_the_hall(game: Any) -> Iterator[str]:
    yield game.blurb
    for preset in game.presets:
        yield from (preset.name, preset.blurb)
    for lesson in game.lessons:
        yield lesson.title


def _taught(game: Any) -> Iterator[str]:
    for lesson in game.lessons:
        for step in lesson.steps:
            if isinstance(step, Say | Do):
                yield step.text
            if isinstance(step, Do):
                yield step.otherwise


def _descriptions(schema: Any) -> Iterator[str]:
    """Of the settings in a JSON Schema."""
    for value in schema.get("properties", {}).values():
        yield value.get("description", "")
    for kind in schema.get("$defs", {}).values():
        yield from _descriptions(kind)


def _texts(scene: Scene | None) -> Iterator[str]:
    """The texts of a scene; names of players and texts of cards are none."""
    if scene is None:
        return
    yield scene.prompt
    yield from scene.counters
    for seat in scene.seats:
        yield from (*seat.counters, *seat.marks)
    for zone in scene.zones:
        yield zone.label
        for thing in zone.things:
            yield from thing.marks
    # Where things are picked, buttons stay while their actions have no choices and so no label.
    labelled = {choice.action for choice in scene.choices}
    for action, _, field in (target.partition(".") for target in scene.targets):
        if field and action not in labelled:
            yield _as_words(action)
    for choice in scene.choices:
        yield choice.label or _as_words(choice.action)
        for domain in choice.fields.values():
            if isinstance(domain, One):
                yield from (word.capitalize() for word in domain.words)
            if isinstance(domain, Some):
                yield domain.rule


def _as_words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _raise(error: Exception) -> None:
    raise AssertionError(f"a description raises {error!r}") from error
