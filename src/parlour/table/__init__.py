"""One table, without I/O: inputs in; what to log, and what happened, out."""

from parlour.table.game import (
    GameRules,
    chooses_deal,
    own_name,
    renaming,
    secret_settings,
    shown_settings,
)
from parlour.table.lobby import HOSTED, SOLO, STANDING, Lobby
from parlour.table.roster import Content, Player, Roster, Stage
from parlour.table.table import Table

__all__ = [
    "HOSTED",
    "SOLO",
    "STANDING",
    "Content",
    "GameRules",
    "Lobby",
    "Player",
    "Roster",
    "Stage",
    "Table",
    "chooses_deal",
    "own_name",
    "renaming",
    "secret_settings",
    "shown_settings",
]
