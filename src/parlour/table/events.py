"""What a table tells: facts about who sits there, apart from the match's own events.

All of them are public; what is secret happens in a match and goes through its `view`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from parlour.kit import Millis, Outcome


@final
@dataclass(slots=True)
class Sat:
    """Somebody sat down."""

    place: int


@final
@dataclass(slots=True)
class Left:
    """Somebody's place is free again. `id` and `name` are still needed to say whose."""

    place: int
    id: str
    name: str


@final
@dataclass(slots=True)
class Kicked:
    """Somebody was put out, by the host or by the rules; `Left` follows.

    `reason` is a code for programs. Their connections hear of it by `Wire.put_out`.
    """

    place: int
    id: str
    name: str
    reason: str
    sentence: str


@final
@dataclass(slots=True)
class WentAway:
    place: int


Departure: TypeAlias = Literal["left", "expired", "voted"]
"""`left`, `expired` (away too long) or `voted` (the others went on without them)."""


@final
@dataclass(slots=True)
class Departed:
    """Somebody has given up their place, or it is kept no longer. What that means for the match and
    for the place (`DroppedOut`, `Left`) follows. Not told of people who are put out (`Kicked`).
    """

    place: int
    id: str
    name: str
    why: Departure


@final
@dataclass(slots=True)
class Skipped:
    """Somebody who is away was waited for long enough: their turn was passed on."""

    place: int


@final
@dataclass(slots=True)
class VotesChanged:
    """Somebody wants to go on without somebody else, or no longer does (`Player.against`)."""


@final
@dataclass(slots=True)
class StoodIn:
    """From now on a computer player plays for somebody who is away, until they are back."""

    place: int


@final
@dataclass(slots=True)
class DroppedOut:
    """Somebody is waited for no longer. Their seat stays theirs until the match is over."""

    place: int


@final
@dataclass(slots=True)
class CameBack:
    place: int


@final
@dataclass(slots=True)
class Renamed:
    place: int
    name: str


@final
@dataclass(slots=True)
class Configured:
    """The settings have changed (`Roster.settings`)."""


@final
@dataclass(slots=True)
class Pinned:
    """From the next match on, rules read other content (`Roster.content`)."""


@final
@dataclass(slots=True)
class Readied:
    place: int
    ready: bool


@final
@dataclass(slots=True)
class CountdownSet:
    """The match starts at `at`; None: it was called off."""

    at: Millis | None
    span: Millis = 0


@final
@dataclass(slots=True)
class Dealt:
    """A match has begun; its own events follow."""

    round: int


@final
@dataclass(slots=True)
class NotDealt:
    """A match should have begun, and the rules would not deal."""

    code: str
    sentence: str


@final
@dataclass(slots=True)
class Finished:
    """The match is over; its own last event went before."""

    outcome: Outcome
    again_in: Millis | None = None
    """After how long the next one starts by itself; None: it does not."""


@final
@dataclass(slots=True)
class MovedOn:
    """First of an input's events when it is the first since a match to change the lobby.

    Where it deals the next match, `Dealt` says so.
    """


@final
@dataclass(slots=True)
class QueueChanged:
    """Who waits for a seat has changed (`Roster.queue`)."""


@final
@dataclass(slots=True)
class TargetSet:
    """How many points are played for has changed (`Roster.series`)."""


@final
@dataclass(slots=True)
class Said:
    place: int
    text: str
    at: Millis


@final
@dataclass(slots=True)
class Applauded:
    """Somebody who watches has called something out. The one event that follows from no input."""

    text: str


@final
@dataclass(slots=True)
class LobbyChanged:
    """Clients should be shown the lobby again. Never while a match runs.

    It follows the events of an input that may have changed the lobby (whether it did is not
    looked at), and the end of a match. `WentAway`, `CameBack`, chat and the queue come without it.
    """


@final
@dataclass(slots=True)
class Closed:
    """Nobody is left: the table is gone."""


TableEvent: TypeAlias = (
    Sat
    | Left
    | Kicked
    | WentAway
    | Departed
    | Skipped
    | VotesChanged
    | StoodIn
    | DroppedOut
    | CameBack
    | Renamed
    | Configured
    | Pinned
    | Readied
    | CountdownSet
    | Dealt
    | NotDealt
    | Finished
    | MovedOn
    | QueueChanged
    | TargetSet
    | Said
    | Applauded
    | LobbyChanged
    | Closed
)
Happened: TypeAlias = list[object]
"""What followed from an input, in order: events of the table and of the match under way."""
TABLE_EVENTS = frozenset(TableEvent.__args__)
ASIDE = frozenset({Departed, Skipped, VotesChanged, QueueChanged, TargetSet})
"""Those that only the extras tell: no game's protocol has words for them."""
LOBBY_EVENTS = TABLE_EVENTS - ASIDE - {Said, Applauded, MovedOn, Closed}
"""Those that change something about the lobby."""
