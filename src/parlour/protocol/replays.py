"""A finished match as frames for one viewer, and as its log: what `/api/replays/{id}/frames` and
`/log` answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from parlour.kit import Millis, Seat
from parlour.scenes import Scene, Zone


class ReplayPlayer(msgspec.Struct, frozen=True):
    """Somebody who sat in a seat of the match."""

    name: str
    human: bool


class ReplayResult(msgspec.Struct, frozen=True):
    """How the match ended."""

    winners: Sequence[Seat]
    how: str
    """A word of the game's own."""
    scores: Mapping[Seat, int]
    """In the game's points."""


class ReplayFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """The view after one event: a whole scene, or its differences from the frame
    before (`fields`, `zones` and `order` as in `extras_change`)."""

    at: Millis
    """After the start of the match."""
    step: int
    """Of the inputs of the match, the one that it follows from: 0 is the deal. The same for all
    viewers."""
    turn: int
    """The number of the turn, from 1 on. It rises when somebody else is waited for."""
    move: str = ""
    """A sentence about the event; "": it needs none."""
    scene: Scene | None = None
    fields: Mapping[str, Any] = {}
    zones: Sequence[Zone] = ()
    order: Sequence[str] = ()
    blank: bool = False
    """The game can't be drawn at this moment."""


class ReplayFrames(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finished match as one viewer saw it. As all texts of a scene, moves say `{0}` for the
    name of the player at seat 0."""

    id: str
    game: str
    view: str
    """"open" (all cards), "spectator", or the number of a seat."""
    began: Millis
    """When it was dealt, since the epoch."""
    players: Sequence[ReplayPlayer]
    """By seat."""
    result: ReplayResult
    frames: Sequence[ReplayFrame]
    """Empty where the game has no scenes."""
    left_out: int = 0
    """How many frames are left out at the end, because the replay is too large."""


class ReplayLog(msgspec.Struct, frozen=True):
    """A finished match with its log, as `/api/replays/{id}/log` answers it."""

    lines: Sequence[str]
    """The lines of the file that `parlour replay export` writes."""
    fair: bool
    """Whether the server finds that the cards and all events follow from them."""
    sentence: str
    """Its reason."""
