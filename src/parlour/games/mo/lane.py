"""A lane of MO, as the protocol and the hints tell it."""

from __future__ import annotations

import msgspec


class LaneInfo(msgspec.Struct, frozen=True):
    """A lane, and what it lacks to defeat its royal."""

    pile: str
    """The royal's outer pile."""
    near: str
    middle: str
    far: str
    health: int
    """The royal's value and its armour together."""
    suits: str
    """Which cards count against it: `any`, a colour, or a suit."""
    missing: int
    """How much the tops of near and middle that count are short of `health`."""
    wrong: list[str]
    """Which of the two do not count."""
    ready: bool
    """A card on the far pile defeats the royal now."""
    needs: str
    """All that in a few words for people: "needs 3 more, hearts"."""
