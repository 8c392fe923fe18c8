"""How names look: invisible characters, and names that look the same.

Names are compared by their skeletons (Unicode TS 39), in which each character is replaced by the
one it looks like. These tables grow with every version of Unicode. So names are checked here,
before they become part of an input: a fold never depends on the tables.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

from parlour.kit import Illegal
from parlour.letters import INVISIBLE


def check_visible(name: str) -> None:
    """Refuse a name with invisible characters. Formats, controls and unassigned characters are
    refused elsewhere (`str.isprintable`)."""
    if not INVISIBLE.isdisjoint(name):
        raise Illegal("bad-name", "A name can't hold characters that can't be seen.")


@lru_cache(maxsize=10_000)
def skeletons(name: str) -> frozenset[str]:
    """The skeletons of a name; two names that share one of these look the same.

    Case is ignored. But some letters look alike in one case only, so the name is taken both as it
    is and in lower case.
    """
    plain = unicodedata.normalize("NFKC", name)
    small = plain.casefold()
    return frozenset((small, _skeleton(plain).casefold(), _skeleton(small).casefold()))


def _skeleton(text: str) -> str:
    """TS 39, section 4: with every character replaced by the one it is a look-alike of."""
    prototypes = _prototypes()
    shown = [c for c in unicodedata.normalize("NFD", text) if not _is_selector(c)]
    return unicodedata.normalize("NFD", "".join([prototypes.get(c, c) for c in shown]))


def _is_selector(char: str) -> bool:
    """A variation selector: it says how the character before it is drawn."""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


@cache
def _prototypes() -> dict[str, str]:
    """By character, the one that it looks like."""
    # Imported here because loading the tables takes 50 ms.
    from confusable_homoglyphs.confusables import (  # type: ignore[import-untyped]
        confusables_data,
    )

    # Characters that look alike are listed under their prototype; under each of them, only the
    # prototype is.
    # Characters written from right to left are listed between marks that say so.
    listed = {
        key.strip("\u200e"): [other["c"].strip("\u200e") for other in others]
        for key, others in confusables_data.items()
    }
    prototypes: dict[str, str] = {}
    for char, others in listed.items():
        if len(char) != 1 or len(others) != 1:
            continue
        (other,) = others
        # Of two that are listed only under each other, the one that comes first in Unicode is as
        # good as any; a sequence can only be what a character stands for.
        if len(other) > 1 or len(listed.get(other, ())) > 1 or other < char:
            prototypes[char] = other
    return prototypes


def load() -> None:
    """Load the tables now rather than when the first name is given."""
    _prototypes()
