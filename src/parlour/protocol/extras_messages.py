"""The messages of the extras (`extras.py`), both ways. docs/protocols/extras.md explains them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from parlour.scenes import Scene, Zone
from parlour.table.notes import NoteKind
from parlour.table.series import WonBy

# To the client


class Waiting(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody in the queue for a seat."""

    name: str
    you: bool = False
    away: bool = False


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody's points; `id` is the one that the game's protocol has last called them by."""

    id: str
    name: str
    points: int
    won: int
    you: bool = False


class Round(msgspec.Struct, frozen=True):
    """One match that counted: who won it and what everybody gained, by name."""

    number: int
    winners: list[str]
    gains: dict[str, int]


class Scores(msgspec.Struct, frozen=True, omit_defaults=True):
    """The totals of the matches at this table, the best first."""

    target: int
    """It ends when somebody has so many points; 0: it goes on and on."""
    standings: list[Score]
    rounds: list[Round]
    winners: list[str]
    """The winners, once there are any; the next match starts a new series."""
    won_by: WonBy = "most"
    """Whether the most points win, or the fewest."""
    in_wins: bool = False
    """Whether a point is a match won: the points of the game's matches do not add up."""


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody with a seat, other than a computer player."""

    place: int
    """Their number at this table."""
    id: str
    """The one that the game's protocol calls them by."""
    name: str
    you: bool = False
    away: bool = False
    kept: int = 0
    """While away: for how many milliseconds more the seat is kept."""
    votes: int = 0
    """How many want to go on without them."""
    needed: int = 0
    """How many votes that takes; 0: you have no vote about them."""
    voted: bool = False
    """Whether you want to go on without them."""
    stand_in: bool = False
    """A computer player plays for them until they are back."""
    may_stand_in: bool = False
    """Whether you may have one do so: `POST /api/tables/{code}/bots` with `instead`."""
    unhurried: bool = False
    """They have asked for longer timers."""


class TableExtras(msgspec.Struct, tag="extras_table", frozen=True):
    """How the table stands. Comes after the greeting, and again whenever it has changed."""

    running: bool
    seated: bool
    """Whether you have a seat here, on whatever connection."""
    free: bool
    """Whether one more could sit down now."""
    runs: bool
    """Whether you may run the table: start, change settings, seat bots."""
    people: list[Person]
    ended_by: str
    """Whose leaving ended the last match; "": it came to its own end."""
    queue: list[Waiting]
    scores: Scores
    timed: bool = False
    """Whether there are timers, so that players can ask for longer ones."""


class Said(msgspec.Struct, tag="extras_said", frozen=True):
    """Somebody at the table said something."""

    name: str
    text: str
    at: int
    """Milliseconds since the epoch."""


class Noted(msgspec.Struct, tag="extras_note", frozen=True):
    """Somebody came or went, or their turn was passed on: a line for the list of moves."""

    kind: NoteKind
    """`skipped`: they are away, and were waited for long enough. `expired`: they were away for too
    long. `voted`: the others went on without them. `ended`: the match is over because they left."""
    id: str
    """The one that the game's protocol calls them by; "" with `ended`."""
    name: str


class StoryExtras(msgspec.Struct, tag="extras_story", frozen=True):
    """Once, after the greeting: what was said here, and the match so far.

    `events` are messages of the game's protocol, those that you would have been sent, with
    `extras_note` between them.
    """

    said: list[Said]
    events: list[msgspec.Raw]


class SceneExtras(msgspec.Struct, tag="extras_scene", frozen=True):
    """All that there is to see for you: after the greeting, when a match begins, and when somebody
    joins it. Only for clients that ask for `scene`, as are the next two."""

    scene: Scene
    moves: Sequence[str] = ()
    """The match so far in sentences, the last ones of it. As all texts of a scene they say `{0}`
    for the name of the player at seat 0."""
    names: Sequence[str] = ()
    """The names of the players by seat, also of those who have left."""


class ChangeExtras(msgspec.Struct, tag="extras_change", frozen=True):
    """One thing has happened: what is different in the scene now."""

    fields: dict[str, Any]
    """Fields of the scene with their new values, all but `zones`."""
    zones: Sequence[Zone] = ()
    """Those that are new or different."""
    order: Sequence[str] = ()
    """The ids of all zones, in their order, if any zone changed; others are gone."""
    move: str = ""
    """A sentence about the event; "": it needs none."""


class NoScene(msgspec.Struct, tag="extras_no_scene", frozen=True):
    """The game can't be drawn right now. It goes on; a whole scene follows when it can."""

    message: str


class Notice(msgspec.Struct, tag="extras_notice", frozen=True):
    """The operator's message to everybody, for example before a restart; "": it was taken back.
    Only for clients that ask for `notice`. It comes at any time, also before the greeting."""

    text: str


class Promised(msgspec.Struct, tag="extras_commitment", frozen=True):
    """Before the greeting and after every deal: the server's commitment for the next match. Only
    for clients that ask for `deals`, as is the next message."""

    match: str
    """The id that the match will have."""
    commitment: str
    """The SHA-256 of the server's secret, which is told after the match."""


class Sealed(msgspec.Struct, tag="extras_head", frozen=True):
    """A match has ended. Keep this: it shows whether the log is changed later."""

    match: str
    head: str
    """Of the chain of the log up to the end of the match."""


class At(msgspec.Struct, tag="extras_at", frozen=True, omit_defaults=True):
    """How far you are once you have the next `messages` messages. Only for those who send `since`.

    Refusals, answers and `extras_notice` are not counted, nor other `extras_at`.
    """

    at: str
    """Send it as `since` when you reconnect."""
    messages: int
    whole: bool = False
    """They are a greeting: forget all that came before. Else they are what happened next."""
    ago: int = 0
    """How many milliseconds ago it happened, if you missed it."""


class Pong(msgspec.Struct, tag="extras_pong", frozen=True):
    """All that you sent before your `extras_ping` has been answered."""


class Refused(msgspec.Struct, tag="extras_refused", frozen=True):
    """Something was refused that the game's own protocol does not answer."""

    code: str
    message: str


Outgoing: TypeAlias = (
    TableExtras
    | Noted
    | Said
    | StoryExtras
    | SceneExtras
    | ChangeExtras
    | NoScene
    | Notice
    | Promised
    | Sealed
    | At
    | Pong
    | Refused
)

# From the client


class Say(msgspec.Struct, tag="extras_say"):
    """Say something to all at the table."""

    text: Annotated[str, Meta(max_length=1000)]


class Wait(msgspec.Struct, tag="extras_queue"):
    """A spectator asks for the next free seat; it is theirs once `seated` says so."""

    password: Annotated[str, Meta(max_length=200)] | None = None


class StopWait(msgspec.Struct, tag="extras_unqueue"):
    """No longer wait for a seat."""


class Leave(msgspec.Struct, tag="extras_leave"):
    """Leave the table and your seat; the connection is closed."""


class VoteOut(msgspec.Struct, tag="extras_vote"):
    """Go on without somebody who is away: at once if you run the table, else by a vote.

    Where nobody runs it, also without somebody who is there.
    """

    place: int
    out: bool = True
    """False takes the vote back."""


class SetTarget(msgspec.Struct, tag="extras_target"):
    """Between matches that add up: play for so many points, or (0) on and on."""

    points: int


class Ready(msgspec.Struct, tag="extras_ready"):
    """Where a match starts when everybody is ready: say that you are, or no longer."""

    ready: bool = True


class AskForTime(msgspec.Struct, tag="extras_time"):
    """Where there are timers: from the next match on they run three times as long, for everybody,
    as long as somebody there wants that."""

    longer: bool = True


class Act(msgspec.Struct, tag="extras_act"):
    """Do one of the `choices` of your scene."""

    action: Annotated[str, Meta(max_length=100)]
    fields: dict[str, Any] = {}
    """Its fields, as the choice allows them."""


class Nonce(msgspec.Struct, tag="extras_nonce"):
    """Your own random number for the next deal. The first one for a commitment counts; one that
    answers an earlier commitment is ignored."""

    commitment: Annotated[str, Meta(max_length=64)]
    """The last that you were told."""
    nonce: Annotated[str, Meta(max_length=64, pattern="^[0-9a-f]{64}$")]
    """32 random bytes, as lowercase hex digits."""


class Ping(msgspec.Struct, tag="extras_ping"):
    """Whether the house listens: it answers in turn, once what came before is done and kept."""


Incoming: TypeAlias = (
    Say | Wait | StopWait | Leave | VoteOut | SetTarget | Ready | AskForTime | Act | Nonce | Ping
)
