"""A computer player for MO: the honest search, on what its seat was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.games.mo.board import PILES
from parlour.games.mo.rules import Action, Dealt, Event, Play
from parlour.games.mo.search import Player
from parlour.kit import Millis, Plan, Seat
from parlour.rng import Rng

PAUSE: Final = 900
"""Milliseconds between two plays, so that people can follow."""
POSITIONS: Final = 4_000
"""Less than a hint looks at: the table waits while a bot thinks."""


@final
class MoBot:
    """Plays every deal to its end and never takes a move back."""

    def __init__(self, seat: Seat, rng: Rng) -> None:
        self._player = Player(POSITIONS)
        self._last: Event | None = None

    def see(self, event: Event) -> None:
        if isinstance(event, Dealt):
            self._player = Player(POSITIONS)
        self._last = event

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if self._last is None or self._last.picture.reason:
            return None
        pile = self._player.choose(self._last.picture.board)
        return Plan(now + PAUSE, Play(PILES[pile]))
