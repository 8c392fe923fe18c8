"""Asks a person what to do, from the choices of a scene.

Whole actions are listed where there are few of an action, and numbered. Others are put together
step by step. What is listed is chosen by its number, by the letter of its action, or by what it
names: a card, a pile. Several words may be typed on one line: they narrow the list, or answer one
question after the other. Longer than most modules, because each question can be answered in all of
these ways.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from rich.console import Console
from rich.text import Text

from parlour.choices import (
    Choice,
    Choices,
    Domain,
    Some,
    Step,
    Value,
    completed,
    given,
    offers,
)
from parlour.scenes import Scene, named
from parlour.terminal.drawing import Drawing
from parlour.terminal.entries import (
    YES_NO,
    Chosen,
    Entry,
    bracketed,
    letters_for,
    meant,
    numbers_for,
    typed,
)
from parlour.terminal.wording import Wording, label_of

Ask: TypeAlias = Callable[[str], str]
"""Prints a prompt and reads a line."""

FEW: Final = 24
"""So many actions of one kind are listed at once; of optional kinds, only a single one is."""
MANY: Final = 60
"""So many are listed once the kind has been chosen."""

HELP: Final = """\
Choose from the list, and press Enter:
  3          by its number
  d          by the letter in brackets, if there is one action with it
  d 7h       by the letter and a card (7h is 7♥), or its number among those
  b2         by a card, a pile or a player alone
  a1         by a player's first letter and a place: Alma's card 1
  y, n       yes or no, where something may be done or left; n also goes on
Answers to questions that follow may stand on the same line: 2 5
  0          go back and do something else
  h          a hint
  Enter      draw the table again
  q          quit
  ?          this help"""
SORTS: Final = "\n  s          sort your cards another way"
RENEWS: Final = """
  new        another match, now; new WORD deals as --seed WORD does,
             new NAME=VALUE changes settings, new ? lists them"""


class Quit(Exception):
    """The player has had enough."""


class Changed(Exception):
    """Raised while a line is read: what was printed is out of date."""


def resizable(console: Console) -> Ask:
    """Reads lines from this terminal; `Changed` when its size changes."""

    def resized(*_: object) -> None:
        raise Changed

    def ask(prompt: str) -> str:
        before = signal.signal(signal.SIGWINCH, resized)
        try:
            return console.input(prompt, markup=False)
        finally:
            signal.signal(signal.SIGWINCH, before)

    return ask


class Chooser:
    """Asks for one action after the other."""

    def __init__(
        self,
        drawing: Drawing,
        ask: Ask | None = None,
        about: str = "",
        renew: Callable[[Sequence[str]], str] | None = None,
    ) -> None:
        """`about`: the game in short, for the help. `renew` begins another match with what was
        typed after "new", or says why not."""
        self._drawing = drawing
        self.wording = Wording(drawing)
        self._ask = ask or resizable(drawing.console)
        self._about = about
        self._renew = renew
        self._typed: list[str] = []
        """The rest of the last line."""
        self._shown: Sequence[Entry] = ()
        """The actions that were listed last."""

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
                self._typed = self.line(prompt).replace(",", " ").split()
            word = self._typed.pop(0).lower() if self._typed else ""
            if word in ("q", "quit"):
                raise Quit
            if word in ("?", "help"):
                self._help()
            elif word in ("s", "sort") and self._drawing.sortable:
                self._drawing.sort()
                self._list(self._shown)
            elif self._renew is not None and self._means_new(word):
                rest, self._typed = self._typed, []
                self._drawing.say(self._renew(rest), "yellow")
            elif word in ("h", "hint") and hint is not None:
                self._drawing.say(hint(), "green")
            else:
                return word

    def _means_new(self, word: str) -> bool:
        """Also the letter of a game's own action of this name, which it stands for."""
        own = [each.choices[0].action for each in self._shown if each.key == word and each.choices]
        return word == "new" or (word == "n" and own == ["new"])

    def _help(self) -> None:
        if self._about:
            self._drawing.say(self._about)
        sorts, renews = SORTS * self._drawing.sortable, RENEWS * (self._renew is not None)
        self._drawing.say(f"{HELP}{sorts}{renews}")

    def _pick(
        self, entries: Sequence[Entry], prompt: str, hint: Callable[[], str] | None = None
    ) -> Entry | None:
        """One of these; None: 0 was typed, or nothing."""
        shown, named = entries, 0
        while True:
            word = self.word(prompt, hint)
            none_is_no = not any(each.key == "n" for each in entries)
            numbered = dict(zip(numbers_for(shown), shown, strict=True))
            leaves = word in ("", "0") or (word in ("n", "no") and none_is_no)
            if leaves and word not in numbered:
                return None
            found, by_value = meant(shown, word) if named or not word.isdecimal() else ([], False)
            if found:
                shown, named = found, named + by_value
            elif word in numbered:
                return numbered[word]
            else:
                self._typed.clear()
                numbers = numbers_for(entries)
                said = f"{word[:20]} is none of these. Type a number from {numbers[0]}"
                said += f" to {numbers[-1]}"
                self._drawing.say(f"{said}, or ? for help.", "yellow")
                if self._shown != entries:
                    self._list(entries)
                shown, named = entries, 0
                continue
            if len(shown) == 1 and shown[0].chosen is None:
                # The rest of the line answers the next question.
                return shown[0]
            if self._typed:
                continue
            # Of "4♥ 5♥ 6♥" and "4♥ 5♥ 6♥ 7♥", the first has just what was typed.
            exact = [each for each in shown if len(each.values) == named]
            only = shown if len(shown) == 1 else exact
            if len(only) == 1:
                return only[0]
            self._list(shown)

    # -- asking -----------------------------------------------------------------------

    def choose(
        self, scene: Scene, pause: str = "", hint: Callable[[], str] | None = None
    ) -> Chosen | None:
        """An action. With `pause` the player may also do nothing: then it is the prompt."""
        entries = self._entries(scene)
        while True:
            self._list(entries)
            entry = self._pick(entries, pause or "> ", hint)
            if entry is None:
                if pause:
                    return None
                self._drawing.draw(scene)
                continue
            chosen = entry.chosen or self._put_together(scene, entry.choices)
            if chosen is not None and not self._typed:
                return chosen
            if self._typed:
                # Not an answer to what is asked next, which the player has not seen.
                rest = " ".join(self._typed)[:20]
                self._drawing.say(f"Nothing was done: {rest} is too much.", "yellow")
                self._typed.clear()

    def _entries(self, scene: Scene) -> list[Entry]:
        """The menu: what somebody waits for comes first."""
        kinds: dict[tuple[str, str], list[Choice]] = {}
        for choice in sorted(scene.choices, key=lambda each: each.optional):
            label = label_of(choice, scene.choices)
            kinds.setdefault((choice.action, label), []).append(choice)
        entries: list[Entry] = []
        keys = self._keys(scene, kinds)
        for (kind, same), key in zip(kinds.items(), keys, strict=True):
            whole = _whole(same, 1 if same[0].optional else FEW)
            if whole is None:
                entries.append(Entry(Text(f"{kind[1]} …"), [], same, key))
            else:
                entries += self._whole_entries(scene, whole, same, key)
        return entries

    def _keys(self, scene: Scene, kinds: Mapping[tuple[str, str], Choices]) -> list[str]:
        """A letter for each: y and n where an action is done or left, else one of its label. What
        is optional keeps its letter whatever else there is."""
        keys: dict[tuple[str, str], str] = {}
        for action in dict.fromkeys(action for action, _ in kinds):
            ways = [kind for kind in kinds if kind[0] == action]
            wholes = {kind: _whole(kinds[kind], 1) for kind in ways}
            bare = [k for k, one in wholes.items() if one and not self.wording.told(scene, one[0])]
            if len(ways) > 1 and len(bare) == 1:
                keys[bare[0]] = "n"
                done = [kind for kind in ways if wholes[kind] and kind not in bare]
                keys |= {kind: "y" for kind in done if len(ways) == 2}
        reserved = ("hqs" if self._drawing.sortable else "hq") + (YES_NO if keys else "")
        rest = sorted(kinds.keys() - keys, key=[*kinds].index)
        rest.sort(key=lambda kind: not kinds[kind][0].optional)
        letters = letters_for([label for _, label in rest], reserved)
        keys |= dict(zip(rest, letters, strict=True))
        return [keys[kind] for kind in kinds]

    def _whole_entries(
        self, scene: Scene, whole: Sequence[Chosen], choices: Choices, key: str = ""
    ) -> list[Entry]:
        return [
            Entry(
                self.wording.words(scene, each),
                [typed(value) for told in self.wording.told(scene, each) for value in told],
                choices,
                key,
                each,
            )
            for each in whole
        ]

    def _list(self, entries: Sequence[Entry]) -> None:
        """Short ones share a line. The first of an action shows its letter in brackets."""
        width, line, before = self._drawing.console.width, Text(), ""
        self._shown = entries
        for number, each in zip(numbers_for(entries), entries, strict=True):
            label = each.label if each.key == before else bracketed(each.label, each.key)
            before = each.key
            counted = not f"{label.plain} ".startswith(f"{number} ")
            entry = Text(f"{number} " * counted, "bold").append_text(label)
            if line and len(line) + len(entry) + 3 > width:
                self._drawing.say(line)
                line = Text()
            line.append("   " if line else "").append_text(entry)
        if line:
            self._drawing.say(line)

    def _put_together(self, scene: Scene, choices: Choices) -> Chosen | None:
        """An action, asked for field by field; None: the player wants to do something else."""
        whole = _whole(choices, MANY)
        if whole is None:
            return self._step_by_step(scene, choices, choices[0].action)
        entries = self._whole_entries(scene, whole, choices)
        if not self._typed:
            self._list(entries)
        entry = self._pick(entries, "Which? > ")
        return None if entry is None else entry.chosen

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
        entries = self._values(scene, choices, str(steps[0][1]), following)
        if not self._typed:
            self._list(entries)
        asked = re.sub(r"_|(?<=[a-z])(?=\d)", " ", field).capitalize()
        entry = self._pick(entries, f"{asked}? > ")
        return None if entry is None else [following[entries.index(entry)]]

    def _values(
        self, scene: Scene, choices: Choices, action: str, of: Sequence[Step]
    ) -> list[Entry]:
        labels = [self.wording.value(scene, choices, action, *step) for step in of]
        return [Entry(label, [typed(label)]) for label in labels]

    def _several(
        self, scene: Scene, choices: Choices, steps: list[Step], field: str, some: Some
    ) -> list[Step] | None:
        """A list of values on one line; "t" stands for a text."""
        lists = _lists_of(choices, field)
        of = list(dict.fromkeys(v for each in lists for v in each.of))
        # Numbers count the cards as they lie on the table.
        at = scene.targets.get(f"{steps[0][1]}.{field}", ())
        zones = [zone for zone in scene.zones if zone.id in at]
        lying = [named(thing) for zone in zones for thing in self._drawing.in_order(zone)]
        of.sort(key=lambda value: lying.index(value) if value in lying else -1)
        entries = self._values(scene, choices, str(steps[0][1]), [(field, each) for each in of])
        if not self._typed:
            self._list(entries)
        count = str(some.least) if some.least == some.most else f"{some.least} to {some.most}"
        asked = f"Which {count}{', in order' if some.ordered and some.most > 1 else ''}"
        asked += f" ({some.rule})" if some.rule else ""
        asked += ", or t to write one" if some.texts else ""
        while True:
            words = [self.word(f"{asked}? > "), *map(str.lower, self._typed)]
            self._typed.clear()
            if words[0] == "" or (words[0] == "0" and "0" not in numbers_for(entries)):
                return None
            values = self._picked(words, of, entries, some)
            for choice in choices:
                taken = _listed(choice.fields[field], values, field)
                if values and _possible([choice], steps, taken):
                    return taken
            counted = not values or any(each.least <= len(values) <= each.most for each in lists)
            self._drawing.say("That is not possible." if counted else f"Choose {count}.", "yellow")
            if self._shown != entries:
                self._list(entries)

    def _picked(
        self, words: list[str], of: Sequence[Value], entries: Sequence[Entry], some: Some
    ) -> list[Value]:
        """The values with these numbers or names; none, if something else was typed."""
        values: list[Value] = []
        numbered = dict(zip(numbers_for(entries), of, strict=True))
        for word in words:
            if word == "t" and some.texts:
                values.append(self.line(f"Your text, up to {some.longest} characters > "))
            elif word in numbered:
                values.append(numbered[word])
            else:
                # The second of two equal cards is meant by typing it twice.
                found = [of[entries.index(each)] for each in meant(entries, word)[0]]
                free = [value for value in found if value not in values]
                if not free:
                    return []
                values.append(free[0])
        return values


def _whole(choices: Choices, most: int) -> list[Chosen] | None:
    """All actions, if there are few; None: there are more, or lists of any values."""
    domains = [domain for each in choices for domain in each.fields.values()]
    if any(isinstance(each, Some) and each.sets is None and each.most > 1 for each in domains):
        return None
    try:
        return [Chosen(*each) for each in completed(choices, most)]
    except ValueError:
        return None


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
