"""The small checks of a pack file: objects, lists, ids, numbers, texts by language.

Each takes where it is and what was written there, notes down a mistake, and gives back something
harmless to read on with.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

from parlour.games.quips.packcards import Texts, complete
from parlour.letters import can_be_seen

MAX_LABEL: Final = 100
MAX_LANGUAGES: Final = 12
"""Texts of one card, with those that are filled in."""
MAX_FLAGS: Final = 8
MAX_ID: Final = 64
MAX_REASONS: Final = 50

_FLAG = re.compile(r"[a-z0-9_-]{1,24}")
_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}")
_COLOUR = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,24}")
# They reorder what is written around them, on the cards of others as well.
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
NOTES = ("//", "$")
ACCENTS: Final = (
    *("red", "orange", "yellow", "navy", "blue", "lightblue", "green", "turquoise"),
    *("black", "purple", "brown", "limegreen", "white"),
)
"""Older clients know these words, and show black for any other."""
_MOST_MARKS: Final = 2
"""On one letter; more of them cover the lines above and below."""


class Enough(Exception):
    """So much is wrong that the rest can wait."""


class Checks:
    """Mistakes are gathered, up to a bound; the first does not hide the others."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def wrong(self, where: str, what: str) -> None:
        if len(self.reasons) == MAX_REASONS:
            raise Enough
        self.reasons.append(f"{where}: {what}")

    def colour(self, where: str, value: Any) -> str:
        if isinstance(value, str) and _COLOUR.fullmatch(value.lower()):
            return value.lower()
        self.wrong(where, f"{shown(value)} is no colour; write one like #ffd166 or a CSS name.")
        return "#000000"

    def accent(self, where: str, value: Any) -> str:
        if isinstance(value, str) and value.lower() in ACCENTS:
            return value.lower()
        self.wrong(where, f"{shown(value)} can't be; write one of {listed(ACCENTS)}.")
        return "black"

    def fields(self, where: str, raw: dict[str, Any], fields: Sequence[str]) -> None:
        """That an object has no others; keys that begin with `//` or `$` are the author's notes."""
        for key in raw:
            if key not in fields and not key.startswith(NOTES):
                near = difflib.get_close_matches(key[:MAX_ID], fields, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {listed(fields)}."
                self.wrong(where, f"{shown(key)} is no field here; {hint}")

    def array(self, where: str, raw: Any, most: int) -> list[Any]:
        if not isinstance(raw, list):
            self.wrong(where, f"{cant(raw)}; write a list [...].")
            return []
        if len(raw) > most:
            self.wrong(where, f"there are {len(raw):,}; at most {most:,} are taken.")
            return []
        return raw

    def ident(self, where: str, value: Any, form: re.Pattern[str], words: str) -> str:
        if isinstance(value, str) and len(value) <= MAX_ID and form.fullmatch(value):
            return value
        self.wrong(where, f"{cant(value)}; write up to {MAX_ID} characters of: {words}.")
        return ""

    def whole(self, where: str, value: Any, low: int, high: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(where, f"{cant(value)}; write a whole number from {low} to {high}.")
        return low

    def yes_or_no(self, where: str, value: Any) -> bool:
        if not isinstance(value, bool):
            self.wrong(where, f"{cant(value)}; write true or false.")
        return value is True

    def flags(self, where: str, raw: Any) -> tuple[str, ...]:
        words = self.array(where, raw.split() if isinstance(raw, str) else raw, MAX_FLAGS)
        found: list[str] = []
        for word in words:
            if isinstance(word, str) and _FLAG.fullmatch(word.lower()):
                found.append(word.lower())
            else:
                self.wrong(where, f"{cant(word)}; write a short word, like animal.")
        return tuple(dict.fromkeys(found))

    def texts(self, where: str, raw: Any, longest: int) -> Texts:
        """A text by language, as it is written."""
        if isinstance(raw, dict):
            raw = {key: value for key, value in raw.items() if not key.startswith(NOTES)}
        if not isinstance(raw, dict) or not raw:
            self.wrong(where, 'write a text by language, like {"en": "A goose"}.')
            return {}
        if len(raw) > MAX_LANGUAGES:
            self.wrong(where, f"there are {len(raw)} languages; at most {MAX_LANGUAGES} are taken.")
            return {}
        found: Texts = {}
        for key, value in raw.items():
            if not _TAG.fullmatch(key.lower()):
                self.wrong(where, f"{shown(key)} is no language; write one like en, de or pt-BR.")
                continue
            tag = _tidy_tag(key)
            if tag in found:
                self.wrong(f"{where}, {tag}", "it is there twice; leave one.")
            found[tag] = self.text(f"{where}, {tag}", value, longest)
        return found

    def completed(self, where: str, texts: Texts) -> Texts:
        if not texts:
            return {}
        full = complete(texts)
        if len(full) > MAX_LANGUAGES:
            self.wrong(
                where,
                f"with en and a text for each bare language there are {len(full)}; "
                f"at most {MAX_LANGUAGES} are taken.",
            )
        return full

    def label(self, where: str, value: Any) -> str:
        return "" if value == "" else self.text(where, value, MAX_LABEL)

    def text(self, where: str, value: Any, longest: int) -> str:
        if not isinstance(value, str):
            self.wrong(where, f"{cant(value)}; write a text.")
            return ""
        # Before it is normalised: that takes long where many accents are piled up.
        text = value
        if len(text) <= longest:
            text = " ".join(unicodedata.normalize("NFC", text).split())
        if not 1 <= len(text) <= longest:
            self.wrong(where, f"it has {len(text)} characters; write 1 to {longest}.")
        elif "<" in text:
            self.wrong(where, "leave out the <: some clients would take it for markup.")
        elif any(unicodedata.category(c) in ("Cc", "Cs") or c in _DIRECTIONS for c in text):
            self.wrong(where, "it holds invisible control characters; type it anew.")
        elif not can_be_seen(text):
            self.wrong(where, "nothing of it can be seen; write something.")
        elif _piles_marks(value):
            self.wrong(where, f"it piles up marks; a letter takes at most {_MOST_MARKS}.")
        return text


def _piles_marks(text: str) -> bool:
    """Whether more combining marks than that follow each other."""
    run = 0
    for c in text:
        run = run + 1 if unicodedata.category(c) in ("Mn", "Me") else 0
        if run > _MOST_MARKS:
            return True
    return False


def _tidy_tag(tag: str) -> str:
    """`DE-at` is `de-AT`, `zh-hans` is `zh-Hans`."""
    first, *rest = tag.lower().split("-")
    return "-".join(
        [first, *(p.upper() if len(p) == 2 else p.title() if len(p) == 4 else p for p in rest)]
    )


def cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def named(ident: Any) -> str:
    """What a card or a trophy calls itself, if that can be shown on a terminal."""
    return f" ({cut(ident)})" if isinstance(ident, str) and ident.isprintable() else ""


def cant(value: Any) -> str:
    """The first half of a sentence about something that can't be."""
    return "it is missing" if value is None else f"{shown(value)} can't be"


def shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "an object"
        case list():
            return "a list"
        case bool():
            return "true" if value else "false"
        case str():
            return repr(cut(value))
        case int() | float() if abs(value) < 1e15:
            return repr(value)
        case _:
            return "so large a number"


def listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + f" and {words[-1]}"
