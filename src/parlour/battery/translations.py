"""Translations of the texts that a game tells: they are found by their English patterns.

A game brings files of translations for the page (`Game.assets`): `messages/de.json` for the hall,
`messages/de-table.json` for its tables, and as many of `PARTS` as it likes. The page translates
(`web/src/lib/messages/sentences.ts`); here the same is done for tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

PARTS: Final = ("table", "settings", "lessons", "refusals")
_PLACE: Final = re.compile(r"\{([a-z]\w*)\}")
_WORD: Final = re.compile(r"[^\W\d_]{2}")


def languages(assets: str) -> list[str]:
    """The languages that a game has files for: "de"."""
    files = Path(assets).glob("messages/*-table.json") if assets else ()
    return sorted(file.name.removesuffix("-table.json") for file in files)


def texts_in(assets: str, language: str, parts: Sequence[str] = PARTS) -> dict[str, str]:
    """A game's translations for the hall and these parts, as the page loads them.

    A file that the game does not bring is part of its table's.
    """
    folder = Path(assets) / "messages"
    files = [folder / f"{language}.json"]
    for part in parts:
        own = folder / f"{language}-{part}.json"
        files.append(own if own.exists() else folder / f"{language}-table.json")
    texts: dict[str, str] = {}
    for file in files:
        texts |= msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    return texts


class Translations:
    """Finds the translation of a sentence, or None."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        # A number in braces is the name of a player, as in the sentence itself.
        self._whole = {
            english: text for english, text in texts.items() if not _PLACE.search(english)
        }
        patterns = [
            _Pattern(english, text) for english, text in texts.items() if _PLACE.search(english)
        ]
        # The one that leaves least open comes first.
        self._patterns = sorted(patterns, key=lambda pattern: -pattern.known)

    def find(self, text: str) -> str | None:
        # Names of players ("{0}"), numbers and signs are the same in every language.
        if not _WORD.search(text):
            return text
        if text in self._whole:
            return self._whole[text]
        found = self._matched(text)
        if found is None:
            found = self._parts(text, r"(?<=[.!?]) ", " ")
        return self._parts(text, r", | and ", ", ") if found is None else found

    def _matched(self, text: str) -> str | None:
        for pattern in self._patterns:
            match = pattern.matches.fullmatch(text)
            if match is not None and (values := self._values(match.groupdict())) is not None:
                return pattern.filled(values)
        return None

    def _values(self, told: Mapping[str, str]) -> dict[str, str] | None:
        values: dict[str, str] = {}
        for name, value in told.items():
            # Texts of people and of cards stay as they are.
            found = value if name.startswith("text") else self.find(value)
            if found is None:
                return None
            values[name] = found
        return values

    def _parts(self, text: str, by: str, joint: str) -> str | None:
        parts = re.split(by, text)
        found = [self.find(part) for part in parts] if len(parts) > 1 else [None]
        return None if None in found else joint.join(map(str, found))


class _Pattern:
    def __init__(self, english: str, text: str) -> None:
        parts = _PLACE.split(english)
        self.text = text
        self.known = sum(map(len, parts[::2]))
        """How many characters are not open."""
        source = [re.escape(part) for part in parts]
        source[1::2] = [_group(name) for name in parts[1::2]]
        self.matches = re.compile("".join(source), re.DOTALL)

    def filled(self, values: Mapping[str, str]) -> str:
        return _PLACE.sub(lambda place: values[place[1]], self.text)


def _group(name: str) -> str:
    return f"(?P<{name}>-?[0-9]+)" if name == "count" else f"(?P<{name}>.+?)"
