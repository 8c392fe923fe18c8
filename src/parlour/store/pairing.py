"""Whether a write waits for a second one, so that the two share a commit.

On a quiet server a sync takes about as much processor time as everything else that is done for an
action. At a few hundred actions a second, two can share one if the first waits a few milliseconds.
If nobody else acts, or only after the first was answered, waiting is in vain: so it depends on
whether the last waits were.
"""

from __future__ import annotations

from typing import Final

WAIT: Final = 0.003
"""Seconds for which a write waits for a second one."""
_MOST: Final = 8
_TRY_EVERY: Final = 32
"""Of how many writes one waits although the last waits were in vain."""


class Pairing:
    """Counts waits that were worth it against those that were in vain."""

    def __init__(self) -> None:
        self._score = 0
        self._asked = 0

    def worth_it(self) -> bool:
        """Whether the first write since the last commit should wait."""
        self._asked += 1
        return self._score > 0 or self._asked % _TRY_EVERY == 0

    def came(self) -> None:
        """A second write came while the first waited."""
        self._score = min(_MOST, self._score + 1)

    def nobody_came(self) -> None:
        self._score = max(0, self._score - 1)
