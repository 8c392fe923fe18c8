"""The checks of a pack's fields: ids, numbers, lists, texts by language.

A check is called with the reading under way, the place of the field and the value written there.
It notes a mistake down, and returns something harmless to read on with.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from parlour.games.quips.packtexts import Texts, complete
from parlour.letters import can_be_seen

MAX_LABEL: Final = 100
MAX_LANGUAGES: Final = 12
"""Texts of one card, with those that are filled in."""
MAX_FLAGS: Final = 8
MAX_ID: Final = 64
MAX_REASONS: Final = 50
MAX_CARDS: Final = 2000

_FLAG = re.compile(r"[a-z0-9_-]{1,24}")
_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}")
_COLOUR = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,24}")
# They reorder what is written around them, on the cards of others as well.
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
NOTES: Final = ("//", "$")
"""Keys that begin so are the author's notes."""
ACCENTS: Final = (
    *("red", "orange", "yellow", "navy", "blue", "lightblue", "green", "turquoise"),
    *("black", "purple", "brown", "limegreen", "white"),
)
"""Older clients know these words, and show black for any other."""
_MOST_MARKS: Final = 2
"""On one letter; more of them cover the lines above and below."""


class Enough(Exception):
    """So many mistakes were found that reading stops."""


class Reading:
    """Gathers mistakes, up to a bound: the first does not hide the others."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        """Whether mistakes matter."""
        self.reasons: list[str] = []
        self.whites: set[str] = set()
        """The ids of the pack's white cards, once they have been read."""

    def wrong(self, where: str, what: str) -> None:
        if len(self.reasons) == MAX_REASONS:
            raise Enough
        if self.strict:
            self.reasons.append(f"{where}: {what}")


def colour(reading: Reading, where: str, value: object) -> str:
    if isinstance(value, str) and _COLOUR.fullmatch(value.lower()):
        return value.lower()
    reading.wrong(where, f"{shown(value)} is no colour; write one like #ffd166 or a CSS name.")
    return "#000000"


def accent(reading: Reading, where: str, value: object) -> str:
    if isinstance(value, str) and value.lower() in ACCENTS:
        return value.lower()
    reading.wrong(where, f"{shown(value)} can't be; write one of {listed(ACCENTS)}.")
    return "black"


def array(reading: Reading, where: str, value: object, most: int) -> list[object]:
    if not isinstance(value, list):
        reading.wrong(where, f"{cant(value)}; write a list [...].")
        return []
    if len(value) > most:
        reading.wrong(where, f"there are {len(value):,}; at most {most:,} are taken.")
        return []
    return value


def ident(reading: Reading, where: str, value: object, form: str, words: str) -> str:
    if isinstance(value, str) and len(value) <= MAX_ID and re.fullmatch(form, value):
        return value
    reading.wrong(where, f"{cant(value)}; write up to {MAX_ID} characters of: {words}.")
    return ""


def next_tier_id(reading: Reading, where: str, value: object) -> str:
    if value is not None and not isinstance(value, str):
        reading.wrong(where, "name a white card of the pack, or leave it out.")
    return value if isinstance(value, str) else ""


def white_ids(reading: Reading, where: str, value: object) -> tuple[str, ...]:
    ids = array(reading, where, value, MAX_CARDS)
    for one in ids:
        if not isinstance(one, str) or one not in reading.whites:
            reading.wrong(where, f"{shown(one)} is no white card of this pack.")
    return tuple(dict.fromkeys(one for one in ids if isinstance(one, str)))


def whole(reading: Reading, where: str, value: object, low: int, high: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    reading.wrong(where, f"{cant(value)}; write a whole number from {low} to {high}.")
    return low


def proportion(reading: Reading, where: str, value: object, usual: float) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    reading.wrong(where, f"{cant(value)}; write 0 to 1, like 0.5.")
    return usual


def yes_or_no(reading: Reading, where: str, value: object) -> bool:
    if not isinstance(value, bool):
        reading.wrong(where, f"{cant(value)}; write true or false.")
    return value is True


def flags(reading: Reading, where: str, value: object) -> tuple[str, ...]:
    words = array(reading, where, value.split() if isinstance(value, str) else value, MAX_FLAGS)
    found: list[str] = []
    for word in words:
        if isinstance(word, str) and _FLAG.fullmatch(word.lower()):
            found.append(word.lower())
        else:
            reading.wrong(where, f"{cant(word)}; write a short word, like animal.")
    return tuple(dict.fromkeys(found))


def texts(reading: Reading, where: str, value: object, longest: int) -> Texts:
    """A text by language, completed; empty where there is none that could be read."""
    raw = value if isinstance(value, dict) else {}
    raw = {key: text for key, text in raw.items() if not key.startswith(NOTES)}
    if not raw:
        reading.wrong(where, 'write a text by language, like {"en": "A goose"}.')
        return {}
    if len(raw) > MAX_LANGUAGES:
        reading.wrong(where, f"there are {len(raw)} languages; at most {MAX_LANGUAGES} are taken.")
        return {}
    found: Texts = {}
    for key, said in raw.items():
        if not _TAG.fullmatch(key.lower()):
            reading.wrong(where, f"{shown(key)} is no language; write one like en, de or pt-BR.")
            continue
        tag = _tidy_tag(key)
        if tag in found:
            reading.wrong(f"{where}, {tag}", "it is there twice; leave one.")
        found[tag] = text(reading, f"{where}, {tag}", said, longest)
    full = complete(found) if found else {}
    if len(full) > MAX_LANGUAGES:
        reading.wrong(
            where,
            f"with en and a text for each bare language there are {len(full)}; "
            f"at most {MAX_LANGUAGES} are taken.",
        )
    return full


def label(reading: Reading, where: str, value: object) -> str:
    """A text that may be empty."""
    return "" if value == "" else text(reading, where, value)


def text(reading: Reading, where: str, value: object, longest: int = MAX_LABEL) -> str:
    if not isinstance(value, str):
        reading.wrong(where, f"{cant(value)}; write a text.")
        return ""
    # Normalising takes long where many accents are piled up, so the length is checked first.
    tidy = value
    if len(value) <= longest:
        tidy = " ".join(unicodedata.normalize("NFC", value).split())
    if not 1 <= len(tidy) <= longest:
        reading.wrong(where, f"it has {len(tidy)} characters; write 1 to {longest}.")
    elif "<" in tidy:
        reading.wrong(where, "leave out the <: some clients would take it for markup.")
    elif any(unicodedata.category(c) in ("Cc", "Cs") or c in _DIRECTIONS for c in tidy):
        reading.wrong(where, "it holds invisible control characters; type it anew.")
    elif not can_be_seen(tidy):
        reading.wrong(where, "nothing of it can be seen; write something.")
    elif _piles_marks(value):
        reading.wrong(where, f"it piles up marks; a letter takes at most {_MOST_MARKS}.")
    return tidy


def _piles_marks(text: str) -> bool:
    """Whether more combining marks than that follow each other."""
    marks = "".join("m" if unicodedata.category(c) in ("Mn", "Me") else " " for c in text)
    return "m" * (_MOST_MARKS + 1) in marks


def _tidy_tag(tag: str) -> str:
    """`DE-at` is `de-AT`, `zh-hans` is `zh-Hans`."""
    first, *rest = tag.lower().split("-")
    return "-".join(
        [first, *(p.upper() if len(p) == 2 else p.title() if len(p) == 4 else p for p in rest)]
    )


# Words for the author


def cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def named(ident: object) -> str:
    """The id of a card or a trophy in brackets, if it can be shown on a terminal."""
    return f" ({cut(ident)})" if isinstance(ident, str) and ident.isprintable() else ""


def cant(value: object) -> str:
    """The first half of a sentence about something that can't be."""
    return "it is missing" if value is None else f"{shown(value)} can't be"


def shown(value: object) -> str:
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
