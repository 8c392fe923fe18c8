"""Scenes of a table, for connections that ask for them (`?extras=scene`).

A scene is told after every event, so that a page can show one after the other; only the last of an
input has choices. Spectators share one. Tables where nobody asks do nothing here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from parlour.bus import ConnectionId
from parlour.house.journal import Letter
from parlour.kit import Match, Seat
from parlour.protocol import extras
from parlour.show import Frame, Show
from parlour.table import Player, Table
from parlour.table import events as tell

log = logging.getLogger("parlour.house")


class Scenes:
    """The scenes that one table's connections are shown."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shows: dict[int | None, Show] = {}
        """By place (None: spectators), what its connections have been shown."""
        self._failed = False

    def greet(self, player: Player | None) -> bytes:
        """The whole scene, for somebody who has just come."""
        place = None if player is None else player.place
        show = self._shows[place] = self._going_on(player) or self._caught_up(player)
        return self._whole(show)

    def tell(
        self,
        happened: tell.Happened,
        told: Iterable[tuple[Player | None, list[ConnectionId]]],
    ) -> Iterable[Letter]:
        """What has changed for each viewer, given with the connections that asked."""
        begun = any(isinstance(event, tell.Dealt) for event in happened)
        shows: dict[int | None, Show] = {}
        messages: dict[int | None, list[bytes]] = {}
        for player, connections in told:
            place = None if player is None else player.place
            # Spectators, or the connections of a place, may be at several gateways.
            if place not in shows:
                show = None if begun else self._going_on(player)
                if show is None:
                    show = self._caught_up(player)
                    messages[place] = [self._whole(show)]
                else:
                    frames = show.frames(happened, self._match)
                    messages[place] = [data for frame in frames for data in _told(frame)]
                shows[place] = show
            for data in messages[place]:
                yield connections, data
        self._shows = shows

    def _going_on(self, player: Player | None) -> Show | None:
        """What this player is being shown; None: it must begin anew."""
        show = self._shows.get(None if player is None else player.place)
        gone_on = show is not None and show.scene is not None and show.seat == _seat(player)
        return show if gone_on else None

    def _caught_up(self, player: Player | None) -> Show:
        show = Show(self._table.game, _seat(player), self._fail)
        if self._table.roster.match_ids:
            show.catch_up(self._table.story, self._match)
        return show

    def _whole(self, show: Show) -> bytes:
        if show.scene is None:
            return extras.NO_SCENE
        return extras.scene(show.scene, list(show.moves))

    @property
    def _match(self) -> Match | None:
        """The match under way."""
        return self._table.match if self._table.roster.running else None

    def _fail(self, error: Exception) -> None:
        """Rules of others may be wrong: the table goes on without a scene then. Say it once."""
        if not self._failed:
            self._failed = True
            table = self._table
            log.error(
                "the game %s can't be drawn at table %s",
                table.game.id,
                table.roster.code,
                exc_info=error,
            )


def _told(frame: Frame) -> Iterable[bytes]:
    if frame.scene is None:
        yield extras.NO_SCENE
    elif frame.before is None:
        yield extras.scene(frame.scene)
    elif frame.scene != frame.before or frame.move:
        yield extras.change(frame.before, frame.scene, frame.move)


def _seat(player: Player | None) -> Seat | None:
    return None if player is None else player.seat
