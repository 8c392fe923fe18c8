"""One table, without I/O: inputs in; what to log, and what happened, out."""

from parlour.table.game import Game
from parlour.table.roster import Player, Roster
from parlour.table.table import Table
from parlour.table.wire import (
    Answer,
    BadMessage,
    CloseWith,
    Elsewhere,
    Hello,
    Question,
    Quit,
    Seek,
    TurnAway,
    Wire,
    Wish,
)

__all__ = [
    "Answer",
    "BadMessage",
    "CloseWith",
    "Elsewhere",
    "Game",
    "Hello",
    "Player",
    "Question",
    "Quit",
    "Roster",
    "Seek",
    "Table",
    "TurnAway",
    "Wire",
    "Wish",
]
