"""Scenes of a table, for connections that ask for them (`?extras=scene`).

A scene is told after every event, so that a page can show one after the other; only the last of an
input has choices. Spectators share one. Tables where nobody asks do nothing here.

Descriptions may be somebody else's code, and run on the event loop. One that does not return stops
the server, as rules that do not return would: a thread can't be interrupted. But a table whose
descriptions are slow again and again is shown without them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from time import thread_time
from typing import Final, ParamSpec, TypeVar

from parlour.bus import ConnectionId
from parlour.choices import Choices
from parlour.house.journal import Letter
from parlour.kit import Match, Seat
from parlour.protocol import extras
from parlour.protocol import extras_messages as say
from parlour.show import Frame, Show
from parlour.table import Player, Table
from parlour.table import events as tell

log = logging.getLogger("parlour.house")

T = TypeVar("T")
P = ParamSpec("P")

ALLOWED: Final = 0.01
"""Seconds of CPU time that choices, scenes and words of one viewer may take after an input."""
MOST_OVER: Final = 1.0
"""Seconds that they may take longer than that, added up; those that are quicker are subtracted."""
MOST_AT_ONCE: Final = MOST_OVER / 3
"""Of which one viewer and input count at most so many: once is not again and again."""


class Scenes:
    """The scenes that one table's connections are shown."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shows: dict[int | None, Show] = {}
        """By place (None: spectators), what its connections have been shown."""
        self._failed = False
        self._told_names: list[str] = []
        self._over = 0.0
        self._too_slow = False

    def greet(self, player: Player | None) -> bytes:
        """The whole scene, for somebody who has just come."""
        if self._too_slow:
            return extras.NO_SCENE
        place = None if player is None else player.place
        self._told_names = self._names()
        show = self._shows[place] = self._going_on(player) or self._timed(self._caught_up, player)
        return self._whole(show)

    def _shown(
        self, player: Player | None, show: Show | None, happened: tell.Happened, joined: bool
    ) -> tuple[Show, list[bytes]]:
        """The show goes on, or begins anew (None); with the messages for its viewer."""
        if show is None:
            show = self._timed(self._caught_up, player)
            return show, [self._whole(show)]
        frames = self._timed(show.frames, happened, self._match)
        if joined or any(frame.before is None for frame in frames):
            return show, [self._whole(show)]
        return show, [data for frame in frames for data in _told(frame)]

    def tell(
        self,
        happened: tell.Happened,
        told: Iterable[tuple[Player | None, list[ConnectionId]]],
    ) -> Iterable[Letter]:
        """The changes for each viewer, with the connections that asked for scenes."""
        begun = any(isinstance(event, tell.Dealt) for event in happened)
        names = self._names()
        joined, self._told_names = names != self._told_names, names
        shows: dict[int | None, Show] = {}
        messages: dict[int | None, list[bytes]] = {}
        for player, connections in told:
            place = None if player is None else player.place
            # Spectators, or the connections of a place, may be at several gateways.
            if self._too_slow:
                messages[place] = [extras.NO_SCENE]
            elif place not in messages:
                going_on = None if begun else self._going_on(player)
                try:
                    shows[place], messages[place] = self._shown(player, going_on, happened, joined)
                except Exception as error:
                    # A field of the scene has a value of another type than declared.
                    self._fail(error)
                    messages[place] = [extras.NO_SCENE]
            for data in messages[place]:
                yield connections, data
        self._shows = shows

    def forget(self) -> None:
        """No connection asks for scenes now."""
        self._shows = {}

    def choices(self, player: Player) -> Choices:
        """The choices that this player was shown last, if any."""
        show, match = self._going_on(player), self._match
        if show is not None and show.scene is not None:
            return show.scene.choices
        if match is None or player.seat is None or self._too_slow:
            return ()
        try:
            return self._timed(match.choices, player.seat)
        except Exception as error:
            self._fail(error)
            return ()

    def _going_on(self, player: Player | None) -> Show | None:
        """The show of this player; None: it must start again."""
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
        return extras.encode(say.SceneExtras(show.scene, list(show.moves), self._names()))

    def _names(self) -> list[str]:
        return [player.name for player in self._table.roster.seating]

    def _timed(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask descriptions, and see how long it takes."""
        began = thread_time()
        found = work(*args, **kwargs)
        over = min(thread_time() - began - ALLOWED, MOST_AT_ONCE)
        self._over = max(self._over + over, 0.0)
        if self._over > MOST_OVER:
            self._too_slow = True
            self._shows = {}
            self._log("its choices, scenes or words are too slow and are no longer used")
        return found

    @property
    def _match(self) -> Match | None:
        """The match under way."""
        return self._table.match if self._table.roster.running else None

    def _fail(self, error: Exception) -> None:
        """Rules of others may be wrong: the table goes on without a scene then. Say it once."""
        if not self._failed:
            self._failed = True
            self._log("see below", error)

    def _log(self, why: str, error: Exception | None = None) -> None:
        game, code = self._table.game.id, self._table.roster.code
        log.error("the game %s can't be drawn at table %s: %s", game, code, why, exc_info=error)


def _told(frame: Frame) -> Iterable[bytes]:
    if frame.scene is None:
        yield extras.NO_SCENE
    elif frame.before is not None and (frame.scene != frame.before or frame.move):
        yield extras.change(frame.before, frame.scene, frame.move)


def _seat(player: Player | None) -> Seat | None:
    return None if player is None else player.seat
