"""A match as one viewer sees it: a scene and a sentence after every event.

Live tables, replays, lessons and terminals are shown so. The descriptions of a game (`scene`,
`words`, `choices`) may be somebody else's: what they raise is caught here, and their size limited.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, cast

import msgspec
from msgspec.structs import replace

from parlour.kit import Match, Picture, Seat
from parlour.scenes import Scene, Zone
from parlour.table import GameRules
from parlour.table import events as tell

LARGEST: Final = 65_536
"""Bytes of a scene as JSON; a larger one is not shown."""
LONGEST_MOVE: Final = 500
"""Characters of a sentence; the rest is cut off."""
MOST_MOVES: Final = 80
"""How many sentences a newcomer is told of the match so far."""


class Frame(NamedTuple):
    """A viewer's scene after an event."""

    before: Scene | None
    """The scene before it."""
    scene: Scene | None
    """None: it can't be drawn."""
    move: str
    """A sentence about the event; "": it needs none."""


class Show:
    """One viewer of one match."""

    def __init__(
        self,
        game: GameRules,
        seat: Seat | None,
        failed: Callable[[Exception], None],
        all_open: bool = False,
    ) -> None:
        """`failed` is called with what a description raised. `all_open`: hide nothing, for
        spectators of a match that is over."""
        self.seat = seat
        self.scene: Scene | None = None
        """The last one; None: it can't be drawn."""
        self.moves: deque[str] = deque(maxlen=MOST_MOVES)
        """The last events in sentences, as this viewer is told them."""
        self._game = game
        self._failed = failed
        self._all_open = all_open
        # None: folding it failed, so nothing can be drawn from it.
        self._picture: Picture | None = game.picture(seat)

    def catch_up(self, events: Iterable[object], match: Match | None) -> None:
        """Fold the match so far, and draw only what it looks like now; `match` as in `frames`."""
        for event in self._viewed(events):
            self._see(event)
        self._draw(match)

    def frames(self, events: Iterable[object], match: Match | None) -> list[Frame]:
        """The frames for the events of one input: one for each that the viewer may know
        of, and one at least. The last has what the seat may do in `match` (None: nothing)."""
        seen = self._viewed(events)
        frames = [self._frame([event], None) for event in seen[:-1]]
        return [*frames, self._frame(seen[-1:], match)]

    def _frame(self, seen: list[object], match: Match | None) -> Frame:
        before = self.scene
        move = "".join(map(self._see, seen))
        self._draw(match)
        return Frame(before, self.scene, move)

    def _viewed(self, events: Iterable[object]) -> list[object]:
        """A match's events as the viewer may see them. Events of the table are left out."""
        own = [event for event in events if not isinstance(event, tell.Event)]
        if self._all_open:
            return own
        view = self._game.view
        return [seen for event in own if (seen := view(event, self.seat)) is not None]

    def _see(self, event: object) -> str:
        """Fold an event; what happened, in a sentence."""
        move = self._words(event)
        if move:
            self.moves.append(move)
        try:
            if self._picture is not None:
                self._picture.see(event)
        except Exception as error:
            self._picture = None
            self._failed(error)
        return move

    def _words(self, event: object) -> str:
        words = self._game.words
        if words is None or self._picture is None:
            return ""
        try:
            # An untyped game may return anything.
            said = cast(object, words(event, self._picture))
            if not isinstance(said, str):
                raise TypeError(f"words returned {said!r:.80}")
            return said[:LONGEST_MOVE]
        except Exception as error:
            self._failed(error)
            return ""

    def _draw(self, match: Match | None) -> None:
        self.scene = None
        if self._game.scene is None or self._picture is None:
            return
        try:
            choices = () if match is None or self.seat is None else match.choices(self.seat)
            scene = cast(object, self._game.scene(self._picture, choices))
            if not isinstance(scene, Scene):
                raise TypeError(f"scene returned {scene!r:.80}")
            size = len(msgspec.json.encode(scene))
            if size > LARGEST:
                raise ValueError(f"a scene of {size} bytes is too large")
            self.scene = scene
        except Exception as error:
            self._failed(error)


def opened(scenes: Sequence[Scene | None]) -> list[Scene | None]:
    """Scenes of a match that is over, with the faces of cards that nobody knew at the time: what
    lies before a player and is turned up later."""
    faces: dict[str, str] = {}
    turned: list[Scene | None] = []
    for scene in reversed(scenes):
        if scene is not None:
            scene = replace(scene, zones=[_opened(zone, faces) for zone in scene.zones])
        turned.append(scene)
    return turned[::-1]


def _opened(zone: Zone, faces: dict[str, str]) -> Zone:
    faces.update({thing.id: thing.face for thing in zone.things if thing.face is not None})
    if zone.seat is None or all(thing.face is not None for thing in zone.things):
        return zone
    things = [
        replace(thing, face=faces.get(thing.id)) if thing.face is None else thing
        for thing in zone.things
    ]
    return replace(zone, things=things)
