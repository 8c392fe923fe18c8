"""Which characters can be seen."""

from __future__ import annotations

import unicodedata
from typing import Final

INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Letters, marks and signs that show nothing: fillers, blanks, joiners."""


def can_be_seen(text: str) -> bool:
    """Whether any letter, digit or sign in it shows."""
    return any(c not in INVISIBLE and unicodedata.category(c)[0] in "LNPS" for c in text)
