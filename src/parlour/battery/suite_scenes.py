"""Tests of choices and scenes: they are exact, name only what exists, and reveal nothing.

Only for games that have a `scene`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, ClassVar

import msgspec
import pytest
from msgspec.structs import replace

from parlour.battery.checks import check, nights
from parlour.battery.derive import nearly_right
from parlour.battery.night import Night
from parlour.battery.play import dealing, night_under_way, random_night
from parlour.battery.suite_secrets import in_other_worlds
from parlour.battery.trial import Trial
from parlour.battery.worlds import Observe
from parlour.choices import Choices, Step, admits, given, listed, name_of, offers
from parlour.kit import Illegal, Millis, Seat
from parlour.rng import FastRng
from parlour.scenes import Scene, faults, named
from parlour.show import LONGEST_MOVE, Show

MOST_TRIED = 60
"""How many actions of one seat are tried at one position."""


class ScenesSuite:
    """The tests of choices and scenes."""

    trial: ClassVar[Trial]

    @nights(25, "choices-and-scenes")
    def test_choices_are_what_can_be_done_and_nothing_else(self, rnd: Random) -> None:
        self._check_described()
        night = night_under_way(self.trial, rnd, 80)
        right: list[Any] = []
        for seat in range(night.seats):
            choices = night.match.choices(seat)
            mine = self._listed(choices, rnd)
            for action in mine:
                night.match.copy().apply(seat, action, FastRng(1), _moment(night))
            for action in night.match.legal(seat):
                assert admits(choices, action), f"{action} is legal and not among the choices"
            right += mine
        for seat in range(night.seats):
            choices = night.match.choices(seat)
            for action in self._nearly_right(night, right, rnd):
                if not admits(choices, self.trial.meant(night.match, seat, action)):
                    assert self._refused(night, seat, action), f"{action} is not refused"

    def _refused(self, night: Night, seat: Seat, action: Any) -> bool:
        """Whether an action is refused, or does nothing and is of a kind that may."""
        match = night.match.copy()
        try:
            match.apply(seat, action, FastRng(1), _moment(night))
        except Illegal:
            return True
        return isinstance(action, self.trial.answered) and all(
            match.choices(each) == night.match.choices(each) for each in range(night.seats)
        )

    def _listed(self, choices: Choices, rnd: Random) -> list[Any]:
        """Some of the actions among the choices, put together step by step."""
        kinds = {name_of(kind): kind for kind in self.trial.game.actions}
        try:
            every = listed(choices, kinds.values())
            return rnd.sample(every, min(len(every), MOST_TRIED))
        except ValueError:
            return [_put_together(choices, kinds, rnd) for _ in range(MOST_TRIED)]

    def _nearly_right(self, night: Night, right: list[Any], rnd: Random) -> list[Any]:
        """Actions that are right but for the seat, for one field, or because it is too late.

        Values come from other actions, and from things that lie where somebody performs them.
        """
        scenes = [self._scene(night, seat) for seat in range(night.seats)]
        others = right + night.acted()
        near = [
            nearly_right(action, others, _lying(scenes, action), rnd)
            for action in rnd.sample(others, min(len(others), 12))
            for _ in range(3)
        ]
        return near + rnd.sample(others, min(len(others), MOST_TRIED - len(near)))

    @nights(25, "choices-and-scenes")
    def test_a_scene_names_only_what_there_is(self, rnd: Random) -> None:
        self._check_described()
        night = random_night(self.trial, rnd, rnd.randint(0, 120))
        seat = rnd.choice(night.viewers())
        show = Show(self.trial.game, seat, _raise)
        for happened in night.happened[dealing(night) :]:
            *between, last = show.frames(happened, None)
            for frame in between:
                # Nothing can be done yet, and not everything may be there.
                scene = frame.scene and replace(frame.scene, targets={})
                self._check_shown(scene, frame.move, night.seats)
            self._check_shown(last.scene, last.move, night.seats)
        show.catch_up([], night.match if night.running else None)
        self._check_shown(show.scene, "", night.seats)

    def _check_shown(self, scene: Scene | None, move: str, seats: int) -> None:
        assert scene is not None
        assert list(faults(scene)) == []
        assert len(move) < LONGEST_MOVE, f"{move} is too long to be said"
        for seat in map(int, re.findall(r"\{(\d+)\}", f"{scene.prompt} {move}")):
            assert seat < seats, f"{scene.prompt} {move} names a seat that is not there"

    @check("other-worlds")
    def test_what_a_seat_cannot_know_changes_neither_its_choices_nor_its_scene(self) -> None:
        self._check_described()

        def look(seat: Seat | None, night: Night, rnd: Random) -> Observe:
            def observe(night: Night) -> Iterator[tuple[str, Any]]:
                yield "its scene", msgspec.json.encode(self._scene(night, seat))
                yield "its list of moves", self._told(night, seat)

            return observe

        in_other_worlds(self.trial, lambda knows, seat: knows.ever[seat], look)

    def _check_described(self) -> None:
        if self.trial.game.scene is None:
            pytest.skip("the game has no scene")

    def _told(self, night: Night, seat: Seat | None) -> str:
        """The match so far in words."""
        game = self.trial.game
        picture = game.picture(seat)
        moves: list[str] = []
        for event in night.shown(seat):
            if game.words is not None:
                moves.append(game.words(event, picture))
            picture.see(event)
        return " ".join(moves)

    def _scene(self, night: Night, seat: Seat | None) -> Scene:
        game = self.trial.game
        assert game.scene is not None
        picture = game.picture(seat)
        for event in night.shown(seat):
            picture.see(event)
        choices = night.match.choices(seat) if seat is not None and night.running else ()
        return game.scene(picture, choices)


def _raise(error: Exception) -> None:
    raise AssertionError(f"a description raises {error!r}") from error


def _moment(night: Night) -> Millis:
    """Now, but before what is due: a table lets that happen first, and then choices change."""
    due = night.match.due()
    return night.now if due is None else min(night.now, due - 1)


def _lying(scenes: list[Scene], action: object) -> list[object]:
    """The names of the zones where a kind of action is performed, and of the things there."""
    values: list[object] = []
    for scene in scenes:
        for target, at in scene.targets.items():
            if target.partition(".")[0] == name_of(type(action)):
                zones = [zone for zone in scene.zones if zone.id in at]
                values += [zone.name for zone in zones]
                values += [named(thing) for zone in zones for thing in zone.things]
    return values


def _put_together(choices: Choices, kinds: dict[str, type[Any]], rnd: Random) -> Any:
    """An action made of random steps, as a page or a terminal makes it."""
    steps: list[Step] = []
    while following := offers(choices, steps):
        field, value = rnd.choice(following)
        steps.append((field, "a text" if value == "" and field else value))
    name = str(steps[0][1])
    return kinds[name](**given(choices, steps))
