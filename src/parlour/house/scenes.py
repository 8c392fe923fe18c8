"""Scenes of a table, for connections that ask for them (`?extras=scene`).

A scene is told after every event, so that a page can show one after the other; only the last of an
input has choices. Spectators share one. Tables where nobody asks do nothing here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from parlour.bus import ConnectionId
from parlour.choices import Choices
from parlour.house.journal import Letter
from parlour.kit import Picture, Seat
from parlour.protocol import extras
from parlour.scenes import Scene
from parlour.table import Player, Table
from parlour.table import events as tell

log = logging.getLogger("parlour.house")

LARGEST: Final = 65_536
"""Bytes of a scene; a larger one is not told."""
LONGEST_MOVE: Final = 500
MOST_MOVES: Final = 80
"""How many sentences a newcomer is told of the match so far."""


@dataclass
class _Viewer:
    """What the connections of one place, or all spectators, have been shown."""

    seat: Seat | None
    picture: Picture
    scene: Scene | None = None
    """The last that was told; None: it could not be drawn."""


class Scenes:
    """The scenes that one table's connections are shown."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._viewers: dict[int | None, _Viewer] = {}
        """By place; None: spectators."""
        self._failed = False

    def greet(self, player: Player | None) -> bytes:
        """The whole scene, for somebody who has just come."""
        place = None if player is None else player.place
        viewer = self._viewers.get(place)
        if viewer is None or viewer.scene is None or viewer.seat != _seat(player):
            viewer = self._viewers[place] = self._folded(player)
        return self._whole(viewer, player)

    def tell(
        self,
        happened: tell.Happened,
        told: Iterable[tuple[Player | None, list[ConnectionId]]],
    ) -> Iterable[Letter]:
        """What has changed for each viewer, given with the connections that asked."""
        begun = any(isinstance(event, tell.Dealt) for event in happened)
        events = [event for event in happened if not isinstance(event, tell.Event)]
        present: dict[int | None, _Viewer] = {}
        for player, connections in told:
            place = None if player is None else player.place
            viewer = self._viewers.get(place)
            if begun or viewer is None or viewer.scene is None or viewer.seat != _seat(player):
                viewer = self._folded(player)
                yield connections, self._whole(viewer, player)
            else:
                for data in self._followed(viewer, player, events):
                    yield connections, data
            present[place] = viewer
        self._viewers = present

    def _whole(self, viewer: _Viewer, player: Player | None) -> bytes:
        if viewer.scene is None:
            return extras.NO_SCENE
        seen = [self._table.view(event, player) for event in self._table.story]
        moves = [self._words(event) for event in seen if event is not None]
        return extras.scene(viewer.scene, [move for move in moves if move][-MOST_MOVES:])

    def _folded(self, player: Player | None) -> _Viewer:
        viewer = _Viewer(_seat(player), self._table.picture(player))
        viewer.scene = self._drawn(viewer, self._choices(viewer.seat))
        return viewer

    def _followed(
        self, viewer: _Viewer, player: Player | None, events: list[object]
    ) -> Iterable[bytes]:
        """The changes after each event; the last one also brings the choices."""
        seen = [event for each in events if (event := self._table.view(each, player)) is not None]
        for event in seen[:-1]:
            viewer.picture.see(event)
            yield from self._changed(viewer, (), self._words(event))
        for event in seen[-1:]:
            viewer.picture.see(event)
        move = self._words(seen[-1]) if seen else ""
        yield from self._changed(viewer, self._choices(viewer.seat), move)

    def _changed(self, viewer: _Viewer, choices: Choices, move: str) -> Iterable[bytes]:
        old, new = viewer.scene, self._drawn(viewer, choices)
        viewer.scene = new
        if new is None:
            yield extras.NO_SCENE
        elif old is None:
            yield extras.scene(new)
        elif new != old or move:
            yield extras.change(old, new, move)

    def _words(self, event: object) -> str:
        """What happened, in a sentence; a viewer's own cards may be named in it."""
        words = self._table.game.words
        try:
            return "" if words is None else words(event)[:LONGEST_MOVE]
        except Exception as error:
            self._fail(error)
            return ""

    def _choices(self, seat: Seat | None) -> Choices:
        match = self._table.match
        if seat is None or match is None or not self._table.roster.running:
            return ()
        try:
            return match.choices(seat)
        except Exception as error:
            self._fail(error)
            return ()

    def _drawn(self, viewer: _Viewer, choices: Choices) -> Scene | None:
        """Rules of others may be wrong: the table goes on without a scene then."""
        draw = self._table.game.scene
        if draw is None or not self._table.roster.match_ids:
            return None
        try:
            scene: Scene = draw(viewer.picture, choices)
            size = len(extras.scene(scene))
            if size > LARGEST:
                raise ValueError(f"a scene of {size} bytes is too large")
        except Exception as error:
            self._fail(error)
            return None
        return scene

    def _fail(self, error: Exception) -> None:
        """Say it once for each table."""
        if not self._failed:
            self._failed = True
            table = self._table
            log.error(
                "the game %s can't be drawn at table %s",
                table.game.id,
                table.roster.code,
                exc_info=error,
            )


def _seat(player: Player | None) -> Seat | None:
    return None if player is None else player.seat
