"""A list of words that are replaced by stars: in talk, in names and in texts within a game.

It is applied before a text becomes part of an input. So the log holds what was sent, and a changed
list never changes a fold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_WORDS = 10_000


class WordList:
    """Whole words, whatever their case; an empty list changes nothing."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        wanted = sorted({word.strip() for word in words} - {""}, key=len, reverse=True)
        # Whole words only: no letter, digit or underscore before and after.
        choices = "|".join(re.escape(word) for word in wanted[:MOST_WORDS])
        self.pattern = re.compile(rf"(?<!\w)(?:{choices})(?!\w)", re.I) if choices else None

    def starred(self, text: str) -> str:
        """`text`, with a star for every letter of a word on the list."""
        if self.pattern is None:
            return text
        return self.pattern.sub(lambda found: "*" * len(found[0]), text)
