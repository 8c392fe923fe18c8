"""How a table of Super Rummy is run: anybody may; hands stay automatic, rounds add up."""

from __future__ import annotations

from typing import Any

import msgspec

from parlour.games.rummy.settings import Settings, in_force
from parlour.table import Lobby
from parlour.table.lobby import Options

MOST_POINTS = 10_000


class RummyOptions(Options[Settings]):
    """Clients send all twelve settings back in order to change one."""

    def changes(self, settings: Settings, patch: dict[str, Any], players: int) -> dict[str, Any]:
        """`patch` without what a client merely sends back as it was told.

        They are told the hand size in force: sent back with the rest, it must not pin a size
        that was left automatic. A patch of fewer keys means every one of them.
        """
        told = msgspec.to_builtins(in_force(settings, players))
        if told.keys() - patch.keys():
            return patch
        own = msgspec.to_builtins(settings)
        return {
            key: value
            for key, value in patch.items()
            if key not in told or told[key] == own[key] or told[key] != value
        }


LOBBY = Lobby(options=RummyOptions(), most_points=MOST_POINTS)
"""Spec, Ending the Round: the winner gains what the others hold."""
