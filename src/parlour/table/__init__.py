"""One table, without I/O: inputs in; what to log, and what happened, out."""

from parlour.table.game import Game
from parlour.table.lobby import HostedLobby, OpenLobby, Solo, StandingTable
from parlour.table.plain import PlainWire
from parlour.table.roster import Player, Roster, Stage
from parlour.table.routes import Arrival, Asked, Desk, Rank, Reply, Route, RouteSet
from parlour.table.table import Table
from parlour.table.wire import (
    Answer,
    At,
    Attempt,
    BadMessage,
    CloseWith,
    Common,
    Hello,
    InContext,
    MoveTo,
    Origins,
    Own,
    Question,
    Quit,
    Seek,
    SitDown,
    TurnAway,
    Wire,
    Wish,
)

__all__ = [
    "Answer",
    "Arrival",
    "Asked",
    "At",
    "Attempt",
    "BadMessage",
    "CloseWith",
    "Common",
    "Desk",
    "Game",
    "Hello",
    "HostedLobby",
    "InContext",
    "MoveTo",
    "OpenLobby",
    "Origins",
    "Own",
    "PlainWire",
    "Player",
    "Question",
    "Quit",
    "Rank",
    "Reply",
    "Roster",
    "Route",
    "RouteSet",
    "Seek",
    "SitDown",
    "Solo",
    "Stage",
    "StandingTable",
    "Table",
    "TurnAway",
    "Wire",
    "Wish",
]
