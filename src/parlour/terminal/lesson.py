"""Lessons in a terminal: `parlour learn GAME`."""

from __future__ import annotations

from rich.console import Console

from parlour.scenes import Scene, changed
from parlour.teaching import TaughtLesson, TaughtStep, is_expected
from parlour.terminal.choosing import Ask, Changed, Chooser, Quit
from parlour.terminal.drawing import Drawing
from parlour.terminal.entries import Chosen


class Learning:
    """One person who takes one lesson."""

    def __init__(
        self, lesson: TaughtLesson, console: Console, ask: Ask | None = None, name: str = "Player"
    ) -> None:
        self._lesson = lesson
        self._drawing = Drawing(console, [name, *lesson.names[1:]])
        self._chooser = Chooser(self._drawing, ask)

    def learn(self) -> bool:
        """Whether the learner stays to the end."""
        scene, steps = self._lesson.scene, self._lesson.steps
        try:
            for number, step in enumerate(steps, 1):
                for change in step.changes:
                    scene = changed(scene, change.fields, change.zones, change.order)
                    self._drawing.moves += [change.move] if change.move else []
                while True:
                    self._drawing.draw(scene)
                    try:
                        self._take(scene, step, f"{number}/{len(steps)}")
                        break
                    except Changed:
                        continue
        except Quit:
            self._drawing.say("Goodbye.")
            return False
        return True

    def _take(self, scene: Scene, step: TaughtStep, count: str) -> None:
        """Read the sentence, and do what it says."""
        say, expected = self._drawing.say, step.expected
        sentence = f"[{count}] {self._drawing.filled(step.text)}"
        say(sentence, "bold green")
        if expected is None:
            self._chooser.word("Enter to go on, q to quit > ")
            return

        def hint() -> str:
            chosen = Chosen(expected.action, expected.fields)
            return f"Hint: {self._chooser.wording.words(scene, chosen)}"

        while True:
            chosen = self._chooser.choose(scene, hint=hint)
            assert chosen is not None, "without a pause, something is chosen"
            if is_expected(scene, expected, chosen.action, chosen.fields):
                return
            say(self._drawing.filled(step.otherwise), "yellow")
            say(sentence, "bold green")
