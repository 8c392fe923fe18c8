"""How a table of Cambia is run: by a host, with seats, countdown and circuit by the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from parlour.games.cambia import rules
from parlour.games.cambia.settings import CircuitRules, HouseRules, Settings
from parlour.kit import Match, Millis, Outcome
from parlour.table import HOSTED, Player, Roster
from parlour.table.lobby import Names, Options, WhenReady

BETWEEN_GAMES: Millis = 10_000
"""How long the result of one game of a circuit stays before the next begins."""

SEATS = {"head_to_head": 2, "group_of_4": 4, "circuit_4p": 4, "circuit_7p8p": 8, "custom": 8}

_FIRST_BOT_NAMES = ("Ace", "Deuce", "Nines", "Jack", "Queenie", "Joker", "Blind", "Snap", "Peek")
"""Names of bots in the first edition: its logs must fold to the same names."""


class CambiaOptions(Options[Settings]):
    def seats(self, settings: Settings, least: int, most: int) -> tuple[int, int]:
        return least, SEATS[settings.gameMode]

    def timed(self, settings: Settings) -> bool:
        return True

    def computers(
        self, settings: Settings, usual: tuple[str, ...], edition: int
    ) -> tuple[int, tuple[str, ...]]:
        return 0, _FIRST_BOT_NAMES if edition == 1 else usual


class CambiaNames(Names):
    def player_id(self, visitor: str | None, token: str) -> str:
        """A user's id is the visitor's, at every table (spec: "Identity"). A bot gets a new one."""
        return str(UUID(token, version=4)) if visitor is None else visitor


class CambiaStart(WhenReady):
    """Spec, Lobby messages."""

    def countdown(self, roster: Roster, here: Sequence[Player], usual: Millis) -> Millis | None:
        settings: Settings = roster.settings
        if not settings.settings.autoStart:
            return None
        seconds = settings.settings.countdownSec
        return super().countdown(roster, here, usual if seconds is None else seconds * 1000)

    def again(self, match: Match[Any, Any]) -> Millis | None:
        """A circuit goes on by itself until somebody reaches the target (spec: "Circuit mode")."""
        assert isinstance(match, rules.Cambia)
        result = match.result
        if result is None or result.circuit_over or result.how == "abandoned":
            return None
        return BETWEEN_GAMES if match.settings.circuit.enabled else None


LOBBY = replace(
    HOSTED, options=CambiaOptions(), names=CambiaNames(), start=CambiaStart(), edition=2
)


def pool(roster: Roster, outcome: Outcome) -> str | None:
    """Each game mode has its own pool of ratings, for games with the default rules."""
    settings: Settings = roster.settings
    mode, circuit = settings.gameMode, settings.circuit
    standard = settings.houseRules == HouseRules() and circuit.rules == CircuitRules()
    if not standard or circuit.enabled is not mode.startswith("circuit"):
        return None
    return None if outcome.how == "abandoned" else mode
