"""A list of words that are not said at this house: in talk, in names and in what people write
into a game they become stars.

Applied before an input is made of them, so the log holds what was told and a changed list never
changes a fold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_WORDS = 10_000


class WordList:
    """Whole words, whatever their case; an empty list changes nothing."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        wanted = sorted({word.strip() for word in words} - {""}, key=len, reverse=True)
        # A word is what stands between characters that belong to no word.
        choices = "|".join(re.escape(word) for word in wanted[:MOST_WORDS])
        self.pattern = re.compile(rf"(?<!\w)(?:{choices})(?!\w)", re.I) if choices else None

    def starred(self, text: str) -> str:
        """`text`, with a star for every letter of a word on the list."""
        if self.pattern is None:
            return text
        return self.pattern.sub(lambda found: "*" * len(found[0]), text)
