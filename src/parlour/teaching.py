"""Plays a lesson by the game's own rules: the scenes its learner sees, and the actions expected.

Nothing in a lesson depends on its learner, so it is played once. The page or the terminal that
shows it only steps through the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from parlour.choices import Choice, Domain, One, Some, Value, action_of, name_of
from parlour.kit import Illegal, Seat, Setup
from parlour.lessons import LEARNER, Arranged, At, Do, Fields, Lesson, Named, Other, Say, Step, Wait
from parlour.protocol.extras_messages import ChangeExtras
from parlour.scenes import Scene, changes, named
from parlour.show import Frame, Show
from parlour.table import GameRules

LARGEST: Final = 1_048_576
"""Bytes of a lesson as it is sent."""
LONGEST_TEXT: Final = 400
"""Characters of a sentence."""


class LessonError(ValueError):
    """A lesson that can't be taught, with the step and what is wrong there."""


class Expected(msgspec.Struct, frozen=True):
    """The action expected of the learner. A list is in the order of its choice, unless the order
    matters."""

    action: str
    fields: dict[str, Any]


def is_expected(scene: Scene, expected: Expected, action: str, fields: Mapping[str, Any]) -> bool:
    """Whether this is the expected action. The order of a list matters only where its choice
    says so."""
    return (
        action == expected.action
        and fields.keys() == expected.fields.keys()
        and all(
            value == fields[field]
            or (
                isinstance(value, list)
                and not _is_ordered(scene, action, field)
                and sorted(map(str, value)) == sorted(map(str, fields[field]))
            )
            for field, value in expected.fields.items()
        )
    )


def _is_ordered(scene: Scene, action: str, field: str) -> bool:
    domains = [each.fields.get(field) for each in scene.choices if each.action == action]
    return any(isinstance(domain, Some) and domain.ordered for domain in domains)


class TaughtStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """One sentence of a lesson."""

    text: str
    changes: Sequence[ChangeExtras] = ()
    """Changes since the sentence before, to be shown first."""
    expected: Expected | None = None
    """None: there is only something to read."""
    otherwise: str = ""
    """Shown to a learner who does something else."""
    look: Sequence[str] = ()
    """Zones to look at."""


class TaughtLesson(msgspec.Struct, frozen=True):
    """A lesson, played. All texts say `{0}` for the name of the player at seat 0, the learner."""

    id: str
    title: str
    names: Sequence[str]
    """By seat."""
    scene: Scene
    """The scene before the first sentence."""
    steps: Sequence[TaughtStep]


def taught(game: GameRules, lesson: Lesson) -> TaughtLesson:
    """The lesson as its learner sees it; or `LessonError`."""
    at = 0
    try:
        course = _Course(game, lesson)
        for step in lesson.steps:
            at += 1
            course.take(step)
        return course.end()
    except (ValueError, LookupError, Illegal) as error:
        where = f"step {at}" if at else "the deal"
        raise LessonError(f"lesson {lesson.id} of {game.id}, {where}: {error}") from error


class _Course:
    """A lesson under way."""

    def __init__(self, game: GameRules, lesson: Lesson) -> None:
        if game.scene is None:
            raise ValueError("the game has no scene")
        bots = () if game.bots is None else game.bots.names
        others = [*bots, *(f"Player {seat + 1}" for seat in range(len(bots), lesson.seats))]
        self._names = ["Player", *others[: lesson.seats - 1]]
        self._lesson = lesson
        self._kinds = {name_of(kind): kind for kind in game.actions}
        self._rng = Arranged(lesson)
        self._now = 0
        self._shows = [Show(game, seat, _raise) for seat in range(lesson.seats)]
        settings = game.configure(game.settings(), dict(lesson.settings))
        setup = Setup(
            settings,
            [f"player {seat}" for seat in range(lesson.seats)],
            frozenset(range(1, lesson.seats)),
            content=game.lobby.own_content(settings),
            edition=game.lobby.edition,
        )
        self._match, events = game.deal(setup, self._rng, self._now)
        for seat, show in enumerate(self._shows):
            show.catch_up(events, None if seat == LEARNER else self._match)
        self._frames: list[Frame] = []
        self._first = self._scene(LEARNER)
        self._last = self._first
        self._steps: list[TaughtStep] = []

    def take(self, step: Step) -> None:
        match step:
            case Say(text, look):
                self._tell(text, None, look=look)
            case Do(text, action, fields, otherwise, look):
                expected = self._expected(LEARNER, action, fields)
                self._tell(text, expected, otherwise, look)
                self._act(LEARNER, expected)
            case Other(seat, action, fields):
                if seat == LEARNER:
                    raise ValueError("the learner's actions are steps of the kind `Do`")
                self._act(seat, self._expected(seat, action, fields))
            case Wait():
                due = self._match.due()
                if due is None:
                    raise ValueError("nothing is due")
                self._now = max(self._now, due)
                self._show(self._match.tick(self._rng, self._now))

    def end(self) -> TaughtLesson:
        if not isinstance(self._lesson.steps[-1], Say):
            raise ValueError("the last step must be one of the kind `Say`")
        lesson = self._lesson
        whole = TaughtLesson(lesson.id, lesson.title, self._names, self._first, self._steps)
        size = len(msgspec.json.encode(whole))
        if size > LARGEST:
            raise ValueError(f"{size} bytes are more than {LARGEST}")
        return whole

    # -- sentences --------------------------------------------------------------------

    def _tell(
        self, text: str, expected: Expected | None, otherwise: str = "", look: Sequence[str] = ()
    ) -> None:
        """A sentence, with what has happened before it."""
        (now,) = self._shows[LEARNER].frames([], self._match if expected else None)
        # The choices belong to the last thing that has happened.
        before = self._frames.pop() if self._frames else now
        self._frames.append(before._replace(scene=now.scene))
        scene = self._scene(LEARNER)
        missing = set(look) - {zone.id for zone in scene.zones}
        if missing:
            raise ValueError(f"there is no zone {missing.pop()} to look at")
        for sentence in (text, otherwise):
            if len(sentence) > LONGEST_TEXT:
                raise ValueError(f"a text has more than {LONGEST_TEXT} characters")
            try:
                sentence.format(*self._names)
            except LookupError as error:
                raise ValueError("a text names a player who is not there") from error
        told = [change for frame in self._frames if (change := self._change(frame))]
        self._frames = []
        self._steps.append(TaughtStep(text, told, expected, otherwise, look))

    def _change(self, frame: Frame) -> ChangeExtras | None:
        """From the scene that was told last; None: it looks the same."""
        assert frame.scene is not None, "a scene that can't be drawn ends the lesson"
        new = _timeless(frame.scene)
        if new == self._last and not frame.move:
            return None
        change = ChangeExtras(*changes(self._last, new), frame.move)
        self._last = new
        return change

    # -- actions ----------------------------------------------------------------------

    def _act(self, seat: Seat, expected: Expected) -> None:
        choices = self._match.choices(seat)
        action = action_of(choices, self._kinds, expected.action, expected.fields)
        assert action is not None, "it was put together from these choices"
        self._show(self._match.apply(seat, action, self._rng, self._now))

    def _show(self, events: Sequence[object]) -> None:
        for seat, show in enumerate(self._shows):
            if seat == LEARNER:
                self._frames += show.frames(events, None)
            else:
                show.catch_up(events, self._match)

    def _expected(self, seat: Seat, action: str, fields: Fields) -> Expected:
        """The action that is meant, as the choices of this seat spell it."""
        scene, choices = self._scene(seat), self._match.choices(seat)
        for choice in choices:
            given = _given(scene, choice, fields) if choice.action == action else None
            if given is not None and action_of([choice], self._kinds, action, given) is not None:
                return Expected(action, given)
        there = "; ".join(_written(scene, choice) for choice in choices) or "nothing"
        wanted = ", ".join(f"{field}={value!r}" for field, value in fields.items())
        raise ValueError(f"{action}({wanted}) is not among what seat {seat} can do: {there}")

    def _scene(self, seat: Seat) -> Scene:
        scene = self._shows[seat].scene
        assert scene is not None, "a scene that can't be drawn ends the lesson"
        return _timeless(scene)


def _raise(error: Exception) -> None:
    raise ValueError(f"the game can't be drawn: {error!r}") from error


def _timeless(scene: Scene) -> Scene:
    """A learner is not hurried."""
    return msgspec.structs.replace(scene, deadline=None)


# From the names that a lesson uses to those of the rules


def _given(scene: Scene, choice: Choice, fields: Fields) -> dict[str, Any] | None:
    """The fields of one choice; those with one possible value need not be named."""
    if not fields.keys() <= choice.fields.keys():
        return None
    given: dict[str, Any] = {}
    for field, domain in choice.fields.items():
        faces = _faces(scene, choice, field)
        if field not in fields:
            if not isinstance(domain, One) or len(domain.of) != 1:
                return None
            given[field] = domain.of[0]
        elif isinstance(domain, Some):
            values = [_value(scene, faces, domain, each) for each in _listed(fields[field])]
            if not domain.ordered and all(value in domain.of for value in values):
                values.sort(key=domain.of.index)
            given[field] = values
        else:
            given[field] = _value(scene, faces, domain, fields[field])
    return given


def _value(
    scene: Scene,
    faces: Mapping[Value, Sequence[str]],
    domain: Domain,
    meant: Named | Sequence[Named],
) -> Any:
    if isinstance(meant, At):
        zone = next((zone for zone in scene.zones if zone.id == meant.zone), None)
        if zone is None or not -len(zone.things) <= meant.position < len(zone.things):
            raise ValueError(f"there is no thing {meant.position} in the zone {meant.zone}")
        return named(zone.things[meant.position])
    words: Sequence[str] = domain.words if isinstance(domain, One) else ()
    of: Sequence[Value] = domain.of if isinstance(domain, One | Some) else ()
    for value in of:
        if meant in (*faces.get(value, ()), *words[of.index(value) : of.index(value) + 1]):
            return value
    return meant


def _listed(meant: Named | Sequence[Named]) -> Sequence[Named]:
    return meant if isinstance(meant, list | tuple) else [meant]  # type: ignore[list-item]


def _faces(scene: Scene, choice: Choice, field: str) -> dict[Value, list[str]]:
    """By value, the faces of the things on the table that stand for it; a rank may have four."""
    targets = scene.targets.get(f"{choice.action}.{field}", ())
    found: dict[Value, list[str]] = {}
    for zone in scene.zones:
        if zone.id in targets:
            for thing in zone.things:
                if thing.face is not None:
                    found.setdefault(named(thing), []).append(thing.face)
    return found


def _written(scene: Scene, choice: Choice) -> str:
    """A choice, as the author of a lesson may write it."""
    fields = []
    for field, domain in choice.fields.items():
        faces = _faces(scene, choice, field)
        of = domain.of if isinstance(domain, One | Some) else ()
        words = (domain.words if isinstance(domain, One) else ()) or list(map(repr, of))
        said = ["/".join(faces.get(value, [word])) for value, word in zip(of, words, strict=True)]
        fields.append(f"{field}={' '.join(said) or type(domain).__name__}")
    return f"{choice.action}({', '.join(fields)})"
