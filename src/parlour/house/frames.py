"""A finished match as frames for one viewer: a seat, the spectators, or everything open."""

from __future__ import annotations

import logging
import re
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from parlour.house.recorded import Recorded, Step
from parlour.kit import Seat
from parlour.protocol.replays import ReplayFrame, ReplayFrames, ReplayPlayer, ReplayResult
from parlour.scenes import Scene, changes
from parlour.show import Frame, Show, opened

log = logging.getLogger("parlour.house")

OPEN: Final = "open"
SPECTATOR: Final = "spectator"
"""Views besides the numbers of seats."""
VIEW: Final = re.compile(rf"{OPEN}|{SPECTATOR}|0|[1-9][0-9]{{0,2}}")
LARGEST: Final = 8 * 1024 * 1024
"""Bytes of frames in one replay; later frames are left out and counted."""


class Shot(msgspec.Struct):
    """A frame before it is encoded."""

    at: int
    step: int
    scene: Scene | None
    move: str


class Filmed:
    """The frames of a match for one viewer."""

    def __init__(self, recorded: Recorded, view: str) -> None:
        self.recorded = recorded
        self.left_out = 0
        self._open = view == OPEN
        self._seat: Seat | None = int(view) if view.isdecimal() else None
        self._show: Show | None = None
        self._scene: Scene | None = None
        """The last one."""
        self._size = 0
        self._failed = False
        self._shots: list[Shot] = []

    def shots(self) -> list[Shot]:
        """Fold the match, and give what was seen of it."""
        for number, step in enumerate(self.recorded.steps()):
            for frame in self._frames(step):
                self._add(step.at, number, frame)
        if self._open:
            scenes = opened([shot.scene for shot in self._shots])
            for shot, scene in zip(self._shots, scenes, strict=True):
                shot.scene = scene
        return self._shots

    def _frames(self, step: Step) -> list[Frame]:
        """Like a live viewer, who is shown the deal as one scene, and is a spectator until they
        sit down."""
        table, match = self.recorded.table, self.recorded.match
        seat = self._seat
        if seat is not None and seat >= len(table.roster.seating):
            seat = None
        show = self._show
        if show is not None and show.seat == seat:
            return show.frames(step.happened, match)
        show = self._show = Show(self.recorded.game, seat, self._fail, self._open)
        show.catch_up(table.story, match)
        return [Frame(None, show.scene, "")]

    def _add(self, at: int, step: int, frame: Frame) -> None:
        """Leave out what nobody can use in a match that is over."""
        scene = frame.scene
        if scene is not None:
            scene = replace(scene, choices=(), deadline=None)
        before, self._scene = self._scene, scene
        if self._shots and scene == before and not frame.move:
            return
        if self._size > LARGEST:
            self.left_out += 1
            return
        told = scene if before is None or scene is None else changes(before, scene)
        self._size += len(msgspec.json.encode(told))
        self._shots.append(Shot(at, step, scene, frame.move))

    def _fail(self, error: Exception) -> None:
        if not self._failed:
            self._failed = True
            name = self.recorded.game.id
            log.error("the game %s can't be drawn in a replay", name, exc_info=error)


def frames_of(recorded: Recorded, view: str) -> bytes | None:
    """A match as `ReplayFrames`, in JSON; None: it is not over."""
    filmed = Filmed(recorded, view)
    shots = filmed.shots()
    outcome = recorded.outcome
    if outcome is None:
        return None
    roster = recorded.table.roster
    began, turns = shots[0].at, Turns()
    frames: list[ReplayFrame] = []
    before: Scene | None = None
    for shot in shots:
        told = _told(before, shot.scene)
        frames.append(ReplayFrame(shot.at - began, shot.step, turns.of(shot), shot.move, *told))
        before = shot.scene
    return msgspec.json.encode(
        ReplayFrames(
            f"{roster.id}-{recorded.number}",
            roster.game,
            view,
            began,
            [ReplayPlayer(player.name, player.human) for player in roster.seating],
            ReplayResult(outcome.winners, outcome.how, outcome.scores),
            frames if recorded.game.scene is not None else (),
            filmed.left_out,
        )
    )


class Turns:
    """Counts the turns of a match: one begins when the match starts to wait for another player.
    In a game for one player, every move is a turn."""

    def __init__(self) -> None:
        self._count = 1
        self._awaited: set[Seat] = set()
        self._step = 0

    def of(self, shot: Shot) -> int:
        scene = shot.scene
        if scene is not None and scene.awaits:
            awaited = set(scene.awaits)
            alone = len(scene.seats) == 1 and shot.step > self._step
            if self._awaited and (alone or awaited - self._awaited):
                self._count += 1
            self._awaited, self._step = awaited, shot.step
        return self._count


def _told(before: Scene | None, scene: Scene | None) -> tuple[Any, ...]:
    """The last fields of a frame: a scene, what is different in it, whether it can't be drawn."""
    if scene is None:
        return None, {}, (), (), True
    return (scene,) if before is None else (None, *changes(before, scene))
