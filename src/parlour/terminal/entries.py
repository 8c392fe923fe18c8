"""Lists of things to choose from, and what a typed word stands for in one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from rich.text import Text

from parlour.cards import SUIT_LETTERS, SUIT_SIGNS
from parlour.choices import Choices

_LETTERS: Final = str.maketrans(SUIT_SIGNS, SUIT_LETTERS)
"""How suits are typed."""


YES_NO: Final = "yn"
"""Letters for doing something, and for leaving it."""


class Chosen(NamedTuple):
    """An action among the choices."""

    action: str
    fields: dict[str, Any]


class Entry(NamedTuple):
    """Something in a list."""

    label: Text
    values: Sequence[str]
    """The things it names, each as it may be typed."""
    choices: Choices = ()
    """Of an action: the choices it is among."""
    key: str = ""
    """The letter of its action."""
    chosen: Chosen | None = None
    """None: more is asked."""


def letters_for(labels: Sequence[str], reserved: str) -> list[str]:
    """A letter for each label: the first of one of its words that is free, else any that is, else
    none. As the page does it (`letters.ts`)."""
    letters: list[str] = []
    for label in labels:
        words = re.findall("[a-z]+", label.lower())
        wanted = [*(word[0] for word in words), *"".join(words)]
        taken = {*reserved, *letters}
        letters.append(next((each for each in wanted if each not in taken), ""))
    return letters


def numbers_for(entries: Sequence[Entry]) -> list[str]:
    """The number to type for each: the one that it begins with, if all do ("4 dice"), so that
    nobody bids 4 by typing 5. Others are counted."""
    own = [re.match(r"\d{1,6}(?= |$)", each.values[0]) for each in entries if len(each.values) == 1]
    found = [number[0] for number in own if number]
    unique = len({*found}) == len(entries)
    return found if unique else [str(at) for at in range(1, len(entries) + 1)]


def bracketed(label: Text, key: str) -> Text:
    """ "[D]raw", "Leave it [n]" """
    if not key:
        return label
    text = label.plain.lower()
    starts = re.search(rf"\b{key}", text)
    at = starts.start() if starts else text.find(key)
    if at < 0 or (at and key in YES_NO):
        return label.copy().append(f" [{key}]")
    return Text.assemble(label[:at], "[", label[at], "]", label[at + 1 :])


def typed(value: Text) -> str:
    """How a value may be typed: "7h", "alma's cards 2" """
    return re.sub("[()]", "", value.plain.lower().translate(_LETTERS))


def meant(entries: Sequence[Entry], word: str) -> tuple[Sequence[Entry], bool]:
    """Those that a word stands for, and whether it names a value of theirs."""
    word = {"yes": "y", "no": "n"}.get(word, word).translate(_LETTERS)
    by_action = [
        each
        for each in entries
        if word == each.key or (len(word) > 1 and each.label.plain.lower().startswith(word))
    ]
    by_value: list[Entry] = []
    for names in (_is_name, str.startswith, _begins_part):
        by_value = by_value or [e for e in entries if any(names(v, word) for v in e.values)]
    both = [each for each in by_action if each in by_value]
    return both or by_action or by_value, bool(both or not by_action)


def _is_name(value: str, word: str) -> bool:
    """Whether it is a part of the value, or its first and last letters: "a2" is Alma's card 2."""
    return word in value.split() or word in (value, value[0] + value.rsplit(maxsplit=1)[-1])


def _begins_part(value: str, word: str) -> bool:
    return any(part.startswith(word) for part in value.split())
