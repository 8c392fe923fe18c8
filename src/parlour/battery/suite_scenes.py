"""What a game describes as data: choices are exact, scenes show what there is, nothing leaks.

Only for games that have a `scene`.
"""

from __future__ import annotations

import re
from dataclasses import fields
from random import Random
from typing import Any, ClassVar

import msgspec
import pytest

from parlour.battery.night import Night
from parlour.battery.play import night_under_way, random_night
from parlour.battery.suite_rules import nights
from parlour.battery.suite_secrets import in_other_worlds
from parlour.battery.trial import Trial
from parlour.choices import Choices, Step, admits, given, listed, name_of, offers
from parlour.kit import Illegal, Millis, Seat
from parlour.rng import FastRng
from parlour.scenes import Scene, faults, named

MOST_TRIED = 60
"""How many actions of one seat are tried at one position."""


class ScenesSuite:
    """The tests of choices and scenes."""

    trial: ClassVar[Trial]

    @nights(25)
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
        """Actions that are right but for the seat, or for one field.

        Values come from other actions, and from things and zones that somebody sees.
        """
        seen = [value for seat in range(night.seats) for value in _values(self._scene(night, seat))]
        made: list[Any] = list(right)
        for action in rnd.sample(right, min(len(right), 12)):
            for field in fields(action):
                old = getattr(action, field.name)
                pool = [getattr(each, field.name) for each in right if type(each) is type(action)]
                pool += [value for value in seen if type(value) is type(old)]
                if pool:
                    old_fields = {each.name: getattr(action, each.name) for each in fields(action)}
                    made.append(type(action)(**{**old_fields, field.name: rnd.choice(pool)}))
        return rnd.sample(made, min(len(made), MOST_TRIED))

    @nights(25)
    def test_a_scene_names_only_what_there_is(self, rnd: Random) -> None:
        self._check_described()
        night = random_night(self.trial, rnd, rnd.randint(0, 120))
        for seat in night.viewers():
            assert list(faults(self._scene(night, seat))) == []
            named_seats = {int(each) for each in re.findall(r"\{(\d+)\}", self._told(night, seat))}
            assert named_seats <= set(range(night.seats)), "words name a seat that is not there"

    def test_what_a_seat_cannot_know_changes_neither_its_choices_nor_its_scene(self) -> None:
        self._check_described()

        def compare(seat: Seat | None, night: Night, twin: Night, rnd: Random) -> None:
            one, other = self._scene(night, seat), self._scene(twin, seat)
            assert msgspec.json.encode(one) == msgspec.json.encode(other)
            assert self._told(night, seat) == self._told(twin, seat)

        in_other_worlds(self.trial, lambda knows, seat: knows.ever[seat], compare)

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


def _moment(night: Night) -> Millis:
    """Now, but before what is due: a table lets that happen first, and then choices change."""
    due = night.match.due()
    return night.now if due is None else min(night.now, due - 1)


def _values(scene: Scene) -> list[object]:
    things = [named(thing) for zone in scene.zones for thing in zone.things]
    return [*things, *(zone.name for zone in scene.zones)]


def _put_together(choices: Choices, kinds: dict[str, type[Any]], rnd: Random) -> Any:
    """An action made of random steps, as a page or a terminal makes it."""
    steps: list[Step] = []
    while following := offers(choices, steps):
        field, value = rnd.choice(following)
        steps.append((field, "a text" if value == "" and field else value))
    name = str(steps[0][1])
    return kinds[name](**given(choices, steps))
