"""Tests of lessons: each can be played to its last sentence.

Only for games that have lessons.
"""

from __future__ import annotations

import re
from typing import ClassVar

import pytest

from parlour.battery.checks import check
from parlour.battery.trial import Trial
from parlour.teaching import LessonError, taught


class LessonsSuite:
    """The tests of lessons."""

    trial: ClassVar[Trial]

    @check("lessons")
    def test_every_lesson_can_be_taught(self) -> None:
        game = self.trial.game
        if not game.lessons:
            pytest.skip("the game has no lessons")
        ids = [lesson.id for lesson in game.lessons]
        assert len(set(ids)) == len(ids), f"two lessons of {game.id} have the same id"
        for lesson in game.lessons:
            assert re.fullmatch(r"[a-z0-9-]{1,40}", lesson.id), f"{lesson.id!r} can't be an address"
            try:
                once = taught(game, lesson)
            except LessonError as wrong:
                raise AssertionError(f"{wrong}. See docs/adding-a-game.md, A lesson") from wrong
            assert taught(game, lesson) == once, f"lesson {lesson.id} is not the same each time"
