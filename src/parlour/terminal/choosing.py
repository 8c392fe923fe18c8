"""Asks a person what to do, from the choices of a scene.

Whole actions are listed where there are few of an action, and numbered. Others are put together
step by step. Several numbers may be typed on one line: they answer one question after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from rich.text import Text

from parlour.choices import (
    Choice,
    Choices,
    Domain,
    One,
    Some,
    Step,
    Value,
    completed,
    given,
    offers,
)
from parlour.scenes import Scene, Zone, named
from parlour.terminal.drawing import Drawing

Ask: TypeAlias = Callable[[str], str]
"""Prints a prompt and reads a line."""

FEW: Final = 24
"""So many actions of one kind are listed at once; of optional kinds, only a single one is."""
MANY: Final = 60
"""So many are listed once the kind has been chosen."""

HELP: Final = """\
Type the number of what you want to do, and press Enter. Answers to questions that
follow may stand on the same line: 2 5
  0          go back and do something else
  h          what a bot would do
  q          quit
  ?          this help"""


class Quit(Exception):
    """The player has had enough."""


class Chosen(NamedTuple):
    """An action among the choices."""

    action: str
    fields: dict[str, Any]


class Entry(NamedTuple):
    """A line of a menu."""

    label: Text
    chosen: Chosen | None
    """None: more is asked."""
    action: str = ""


class Chooser:
    """Asks for one action after the other."""

    def __init__(self, drawing: Drawing, ask: Ask | None = None) -> None:
        self._drawing = drawing
        self._ask = ask or partial(drawing.console.input, markup=False)
        self._typed: list[str] = []
        """The rest of the last line."""

    # -- reading ----------------------------------------------------------------------

    def line(self, prompt: str) -> str:
        """One line. Where the input ends, the player quits."""
        self._typed.clear()
        try:
            return self._ask(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None

    def word(self, prompt: str, hint: Callable[[], str] | None = None) -> str:
        """The next word; "": an empty line."""
        while True:
            if not self._typed:
                self._typed = self.line(prompt).lower().replace(",", " ").split()
            word = self._typed.pop(0) if self._typed else ""
            if word in ("q", "quit"):
                raise Quit
            if word in ("?", "help"):
                self._drawing.say(HELP)
            elif word in ("h", "hint") and hint is not None:
                self._drawing.say(hint(), "green")
            else:
                return word

    def _number(self, entries: Sequence[Text], prompt: str, hint: Callable[[], str] | None) -> int:
        """Which of these; -1: none, 0 was typed or nothing."""
        while True:
            word = self.word(prompt, hint)
            if word in ("", "0"):
                return -1
            if word.isdecimal() and 1 <= int(word[:6]) <= len(entries):
                return int(word) - 1
            self._typed.clear()
            self._drawing.say(f"Type a number from 1 to {len(entries)}; ? is help.", "yellow")

    # -- asking -----------------------------------------------------------------------

    def choose(
        self, scene: Scene, pause: str = "", hint: Callable[[], str] | None = None
    ) -> Chosen | None:
        """An action. With `pause` the player may also do nothing: then it is the prompt."""
        entries = self._entries(scene)
        while True:
            self._list([entry.label for entry in entries])
            at = self._number([entry.label for entry in entries], pause or "> ", hint)
            if at < 0:
                if pause:
                    return None
                continue
            entry = entries[at]
            chosen = entry.chosen or self._put_together(scene, entry.action)
            if chosen is not None:
                return chosen

    def _entries(self, scene: Scene) -> list[Entry]:
        """The menu: what somebody waits for comes first."""
        entries: list[Entry] = []
        kinds = dict.fromkeys(
            each.action for each in sorted(scene.choices, key=lambda each: each.optional)
        )
        for action in kinds:
            same = [each for each in scene.choices if each.action == action]
            whole = _whole(same, 1 if same[0].optional else FEW)
            if whole is None:
                entries.append(Entry(Text(f"{_label(same, action)} …"), None, action))
            else:
                entries += [Entry(self.words(scene, each), each) for each in whole]
        return entries

    def _list(self, labels: Sequence[Text]) -> None:
        """Short ones share a line."""
        width, line = self._drawing.console.width, Text()
        for number, label in enumerate(labels, 1):
            entry = Text().append(f"{number} ", "bold").append_text(label)
            if line and len(line) + len(entry) + 3 > width:
                self._drawing.say(line)
                line = Text()
            line.append("   " if line else "").append_text(entry)
        if line:
            self._drawing.say(line)

    def _put_together(self, scene: Scene, action: str) -> Chosen | None:
        """An action, asked for field by field; None: the player wants to do something else."""
        choices = [each for each in scene.choices if each.action == action]
        whole = _whole(choices, MANY)
        if whole is None:
            return self._step_by_step(scene, choices, action)
        labels = [self.words(scene, each) for each in whole]
        self._list(labels)
        at = self._number(labels, "Which? > ", None)
        return None if at < 0 else whole[at]

    def _step_by_step(self, scene: Scene, choices: Choices, action: str) -> Chosen | None:
        steps: list[Step] = [("", action)]
        while following := offers(choices, steps):
            field = following[0][0].removesuffix("!")
            lists = _lists_of(choices, field)
            if lists:
                taken = self._several(scene, choices, steps, field, lists[0])
            elif len(following) == 1 and following[0][1] != "":
                taken = following
            else:
                taken = self._single(scene, choices, steps, following)
            if taken is None:
                return None
            steps += taken
        return Chosen(action, given(choices, steps))

    def _single(
        self, scene: Scene, choices: Choices, steps: list[Step], following: list[Step]
    ) -> list[Step] | None:
        field, value = following[0]
        if value == "":
            text = self.line("Your text > ")
            return [(field, text)] if text else None
        labels = [self._value(scene, choices, str(steps[0][1]), *step) for step in following]
        self._list(labels)
        at = self._number(labels, f"{field.replace('_', ' ').capitalize()}? > ", None)
        return None if at < 0 else [following[at]]

    def _several(
        self, scene: Scene, choices: Choices, steps: list[Step], field: str, some: Some
    ) -> list[Step] | None:
        """A list of values, by their numbers on one line; "t" stands for a text."""
        action = str(steps[0][1])
        of = list(dict.fromkeys(v for each in _lists_of(choices, field) for v in each.of))
        self._list([self._value(scene, choices, action, field, value) for value in of])
        count = str(some.least) if some.least == some.most else f"{some.least} to {some.most}"
        asked = f"Which {count}{', in order' if some.ordered and some.most > 1 else ''}"
        asked += f" ({some.rule})" if some.rule else ""
        asked += ", or t to write one" if some.texts else ""
        while True:
            words = [self.word(f"{asked}? > "), *self._typed]
            self._typed.clear()
            if words[0] in ("", "0"):
                return None
            values = self._picked(words, of, some)
            for choice in choices:
                taken = _listed(choice.fields[field], values, field)
                if values and _possible([choice], steps, taken):
                    return taken
            self._drawing.say("That is not possible.", "yellow")

    def _picked(self, words: list[str], of: Sequence[Value], some: Some) -> list[Value]:
        """The values with these numbers; none, if something else was typed."""
        values: list[Value] = []
        for word in words:
            if word == "t" and some.texts:
                values.append(self.line(f"Your text, up to {some.longest} characters > "))
            elif word.isdecimal() and 1 <= int(word[:6]) <= len(of):
                values.append(of[int(word) - 1])
            else:
                return []
        return values

    # -- in words ---------------------------------------------------------------------

    def words(self, scene: Scene, chosen: Chosen) -> Text:
        """ "Discard 7♥", "Lay on a meld 5♥, Meld 2" """
        same = [each for each in scene.choices if each.action == chosen.action]
        line = Text(_label(same, chosen.action))
        told: list[Text] = []
        for field, value in chosen.fields.items():
            values = value if isinstance(value, list) else [value]
            if f"{chosen.action}.{field}" in scene.targets or _is_open(same, field, value):
                each = [self._value(scene, same, chosen.action, field, one) for one in values]
                told.append(Text(" ").join(each))
        return line.append(" ").append_text(Text(", ").join(told)) if told else line

    def _value(self, scene: Scene, choices: Choices, action: str, field: str, value: Value) -> Text:
        """A value: the thing on the table that it stands for, or a word."""
        targets = scene.targets.get(f"{action}.{field}", ())
        for zone in scene.zones:
            if zone.id not in targets:
                continue
            if zone.name is not None and zone.name == value:
                return Text(self._drawing.filled(zone.label))
            for at, thing in enumerate(zone.things):
                if named(thing) == value:
                    if thing.face is None:
                        return Text(self._unseen(zone, at))
                    where = "" if len(targets) == 1 else f" ({self._drawing.filled(zone.label)})"
                    return self._drawing.face(thing.face, zone.deck).append(where)
        for choice in choices:
            domain = choice.fields.get(field)
            if choice.action == action and isinstance(domain, One) and domain.words:
                for each, word in zip(domain.of, domain.words, strict=True):
                    if each == value:
                        return Text(self._drawing.filled(word))
        return Text(str(value))

    def _unseen(self, zone: Zone, at: int) -> str:
        """ "Your cards 2", "Deck" """
        label = self._drawing.filled(zone.label)
        return label if zone.look == "pile" else f"{label} {at + 1}"


def _whole(choices: Choices, most: int) -> list[Chosen] | None:
    """All actions, if there are few; None: there are more, or lists of any values."""
    domains = [domain for each in choices for domain in each.fields.values()]
    if any(isinstance(each, Some) and each.sets is None and each.most > 1 for each in domains):
        return None
    try:
        return [Chosen(*each) for each in completed(choices, most)]
    except ValueError:
        return None


def _label(choices: Sequence[Choice], action: str) -> str:
    labels = (each.label for each in choices)
    return next(filter(None, labels), action.replace("_", " ").capitalize())


def _is_open(choices: Choices, field: str, value: object) -> bool:
    """Whether there were other answers, so that this one must be told."""
    domains = [each.fields[field] for each in choices if field in each.fields]
    own = [each for each in domains if not isinstance(each, One) or value in each.of]
    return any(not isinstance(each, One) or len(each.of) > 1 for each in own)


def _lists_of(choices: Choices, field: str) -> list[Some]:
    domains = (each.fields.get(field) for each in choices)
    return [each for each in domains if isinstance(each, Some)]


def _listed(domain: Domain, values: Sequence[Value], field: str) -> list[Step]:
    """The steps by which these values are put into a list, in the order that is asked for."""
    if isinstance(domain, Some) and not domain.ordered:
        values = sorted(values, key=lambda v: domain.of.index(v) if v in domain.of else -1)
    return [*((field, value) for value in values), (f"{field}!", None)]


def _possible(choices: Choices, steps: list[Step], taken: list[Step]) -> bool:
    """Whether these steps may follow one after the other."""
    so_far = list(steps)
    for step in taken:
        following = offers(choices, so_far)
        own_text = bool(step[1]) and isinstance(step[1], str) and (step[0], "") in following
        # A list that can't be longer ends by itself.
        if step not in following and not own_text and not (step[1] is None and not following):
            return False
        so_far.append(step)
    return True
