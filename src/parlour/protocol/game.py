"""A game as the server sees it: one frozen record per game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from parlour.kit import A, E, Outcome, P, S
from parlour.protocol.attending import ATTENDING
from parlour.protocol.routes import RouteSet
from parlour.protocol.wire import Wire
from parlour.table import GameRules, Roster


def _standard(roster: Roster, outcome: Outcome) -> str | None:
    """A match with standard settings that somebody won counts for the one pool of its game."""
    standard = roster.settings == type(roster.settings)()
    return roster.game if outcome.winners and standard else None


class Preset(msgspec.Struct, frozen=True):
    """Settings that suit some kind of group, with a name for them."""

    name: str
    blurb: str
    """One line for players."""
    settings: dict[str, Any]
    """Those that differ from the game's defaults."""


@dataclass(frozen=True, kw_only=True)
class Game(GameRules[S, A, E, P]):
    """One game. Tables and the server call it; it calls neither.

    Its functions are those of modules and classes, not lambdas: a game is sent to other
    processes, which fold its matches for replays.
    """

    wires: tuple[Wire, ...]
    routes: RouteSet | None = None
    """Its own HTTP, where the protocol has any."""
    pool: Callable[[Roster[S], Outcome], str | None] = _standard
    """The pool of ratings a finished match at a public table counts for; None: it does not count.
    Only matches with standard settings should."""

    presets: tuple[Preset, ...] = ()
    """Settings to choose from at a new table. The first one is meant for friends: a table that
    somebody makes on the page begins with it."""
    assets: str = ""
    """A folder with files for the page (`server/brought.py`); "": it brings none."""

    def wire(self, name: str) -> Wire:
        return next(wire for wire in (*self.wires, ATTENDING) if wire.name == name)
