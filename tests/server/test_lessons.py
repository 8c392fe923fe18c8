"""Lessons over HTTP: every one that a game lists, and a wrong one that breaks nothing else."""

from __future__ import annotations

import logging
from dataclasses import replace

import msgspec
import pytest

from parlour.games import installed_games
from parlour.lessons import Do, Lesson, Say
from parlour.teaching import taught
from tests.support import OpenHouse

WRONG = Lesson(id="wrong", title="Wrong", seats=2, steps=[Do("Fly.", "fly"), Say("Done.")])


async def test_every_lesson_that_is_listed_can_be_read(house: OpenHouse) -> None:
    visitor = await house.visitor()
    _, found = await visitor.call("GET", "/api/games")
    listed = {game["id"]: game["lessons"] for game in found["games"]}
    assert listed["rummy"] == [{"id": "first-round", "title": "Your first round"}]
    for game in installed_games():
        for lesson, info in zip(game.lessons, listed[game.id], strict=True):
            answer = await visitor.get(f"/api/games/{game.id}/lessons/{info['id']}")
            assert answer.body == msgspec.json.encode(taught(game, lesson))


@pytest.mark.parametrize(
    "path", ["rummy/lessons/x", "x/lessons/first-round", "mo/lessons/first-round"]
)
async def test_there_are_no_other_lessons(house: OpenHouse, path: str) -> None:
    status, no = await (await house.visitor()).call("GET", f"/api/games/{path}")
    assert (status, no["error"]["code"]) == (404, "no-such-lesson")


@pytest.fixture
def a_wrong_lesson(monkeypatch: pytest.MonkeyPatch) -> None:
    """Houses opened from here on have a lesson that can't be taught."""
    games = tuple(
        replace(game, lessons=(WRONG, *game.lessons)) if game.id == "rummy" else game
        for game in installed_games()
    )
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)


async def test_a_wrong_lesson_is_logged_once_and_leaves_the_others_alone(
    a_wrong_lesson: None, house: OpenHouse, caplog: pytest.LogCaptureFixture
) -> None:
    visitor = await house.visitor()
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            status, no = await visitor.call("GET", "/api/games/rummy/lessons/wrong")
            assert (status, no["error"]["code"]) == (404, "no-such-lesson")
    (said,) = [record.getMessage() for record in caplog.records]
    assert said == "lesson wrong of the game rummy can't be taught"
    assert (await visitor.call("GET", "/api/games/rummy/lessons/first-round"))[0] == 200
