"""The events of a table itself, apart from those of its matches.

All of them are public; what is secret happens in a match and goes through its `view`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from parlour.kit import Millis, Outcome


class Event(msgspec.Struct, tag_field="event", tag=True):
    """The root of all events of a table."""


class Sat(Event):
    """Somebody sat down."""

    place: int


class Left(Event):
    """Somebody's place is free again. `id` and `name` are still needed to say whose."""

    place: int
    id: str
    name: str


class Kicked(Event):
    """Somebody was put out, by the host or by the rules; `Left` follows.

    `reason` is a code for programs. Their connections hear of it by `Wire.put_out`.
    """

    place: int
    id: str
    name: str
    reason: str
    sentence: str


class WentAway(Event):
    place: int


Departure: TypeAlias = Literal["left", "expired", "voted"]
"""`left`, `expired` (away too long) or `voted` (the others went on without them)."""


class Departed(Event):
    """Somebody has given up their place, or it is kept no longer. What that means for the match and
    for the place (`DroppedOut`, `Left`) follows. Not told of people who are put out (`Kicked`).
    """

    place: int
    id: str
    name: str
    why: Departure


class Skipped(Event):
    """Somebody who is away was waited for long enough: their turn was passed on."""

    place: int


class VotesChanged(Event):
    """Somebody wants to go on without somebody else, or no longer does (`Player.against`)."""


class AskedForTime(Event):
    """Somebody wants longer timers, or no longer does (`Player.unhurried`)."""


class StoodIn(Event):
    """From now on a computer player plays for somebody who is away, until they are back."""

    place: int


class DroppedOut(Event):
    """Somebody is waited for no longer. Their seat stays theirs until the match is over."""

    place: int


class CameBack(Event):
    place: int


class Renamed(Event):
    place: int
    name: str


class Configured(Event):
    """The settings have changed (`Roster.settings`)."""


class Pinned(Event):
    """From the next match on, rules read other content (`Roster.content`)."""


class Readied(Event):
    place: int
    ready: bool


class CountdownSet(Event):
    """The match starts at `at`; None: it was called off."""

    at: Millis | None
    span: Millis = 0


class Dealt(Event):
    """A match has begun; its own events follow."""

    round: int


class NotDealt(Event):
    """A match should have begun, and the rules would not deal."""

    code: str
    sentence: str


class Finished(Event):
    """The match is over; its own last event went before."""

    outcome: Outcome
    again_in: Millis | None = None
    """After how long the next one starts by itself; None: it does not."""


class MovedOn(Event):
    """First of an input's events when it is the first since a match to change the lobby.

    Where it deals the next match, `Dealt` says so.
    """


class QueueChanged(Event):
    """The queue for a seat has changed (`Roster.queue`)."""


class TargetSet(Event):
    """How many points are played for has changed (`Roster.series`)."""


class Said(Event):
    place: int
    text: str
    at: Millis


class Applauded(Event):
    """Somebody who watches has called something out. The one event that follows from no input."""

    text: str


class Sealed(Event):
    """A match has ended, and the chain of the log (`Seal`) has this head."""

    match: str
    head: str


class LobbyChanged(Event):
    """Clients should be shown the lobby again. Never while a match runs.

    It follows the events of an input that may have changed the lobby (whether it did is not
    looked at), and the end of a match. `WentAway`, `CameBack`, chat and the queue come without it.
    """


class Closed(Event):
    """Nobody is left: the table is gone."""


Happened: TypeAlias = list[object]
"""The events of one input, in order: of the table and of the match under way."""
TABLE_EVENTS: frozenset[type[object]] = frozenset(Event.__subclasses__())
ASIDE = frozenset({Departed, Skipped, VotesChanged, AskedForTime, QueueChanged, TargetSet})
"""Those that only the extras tell: no game's protocol has words for them."""
LOBBY_EVENTS = TABLE_EVENTS - ASIDE - {Said, Applauded, MovedOn, Sealed, Closed}
"""Those that change something about the lobby."""
