"""One table, without I/O: inputs in; what to log, and what happened, out."""

from parlour.table.game import GameRules, shown_settings
from parlour.table.lobby import HostedLobby, OpenLobby, Solo, StandingTable
from parlour.table.roster import Player, Roster, Stage
from parlour.table.table import Table

__all__ = [
    "GameRules",
    "HostedLobby",
    "OpenLobby",
    "Player",
    "Roster",
    "Solo",
    "Stage",
    "StandingTable",
    "Table",
    "shown_settings",
]
