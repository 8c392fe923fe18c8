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
        """`patch` without the values that a client only sends back as it received them.

        Clients receive the hand size that is dealt. If they send it back with the rest, it must not
        fix a size that was left automatic. In a patch of fewer keys every value is meant.
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
