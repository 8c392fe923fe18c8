"""Extras: what every table tells and takes besides its game's own protocol.

A connection that has `extras` in its address (`/…?extras`) is sent these messages between those
of the game, and may send some: who waits for a seat, what the rounds add up to, what is said, and
what happened before it came. Nobody else hears of them (docs/protocols/extras.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from parlour.kit import Illegal, Millis
from parlour.protocol.codec import Codec
from parlour.protocol.requests import (
    Answer,
    BadMessage,
    Choose,
    Quit,
    Request,
    StopWaiting,
    WaitForSeat,
)
from parlour.scenes import Scene, Zone, changes
from parlour.table import inputs as do
from parlour.table.lobby import Lobby
from parlour.table.management import votes_against, votes_needed
from parlour.table.notes import Note, NoteKind
from parlour.table.roster import Player, Roster

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


class Scores(msgspec.Struct, frozen=True):
    """What the matches at this table add up to, the best first."""

    target: int
    """Who has so many points has won; 0: it goes on and on."""
    standings: list[Score]
    rounds: list[Round]
    winners: list[str]
    """Who has won, once somebody has; the next match begins anew."""


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
    """All that there is to see for you: after the greeting, and when a match begins. Only for who
    asks for `scene`, as are the next two."""

    scene: Scene
    moves: Sequence[str] = ()
    """The match so far in sentences, the last ones of it. As all texts of a scene they say `{0}`
    for the name of the player at seat 0."""


class ChangeExtras(msgspec.Struct, tag="extras_change", frozen=True):
    """One thing has happened: what is different in the scene now."""

    fields: dict[str, Any]
    """Fields of the scene with their new values, all but `zones`."""
    zones: Sequence[Zone] = ()
    """Those that are new or different."""
    order: Sequence[str] = ()
    """The ids of all zones, in their order, if any zone changed; others are gone."""
    move: str = ""
    """What has happened, in a sentence; "": nothing that needs one."""


class NoScene(msgspec.Struct, tag="extras_no_scene", frozen=True):
    """The game can't be drawn right now. It goes on; a whole scene follows when it can."""

    message: str


class Pong(msgspec.Struct, tag="extras_pong", frozen=True):
    """All that you sent before your `extras_ping` has been answered."""


class Refused(msgspec.Struct, tag="extras_refused", frozen=True):
    """Something was refused that the game's own protocol does not answer."""

    code: str
    message: str


Outgoing: TypeAlias = (
    TableExtras | Noted | Said | StoryExtras | SceneExtras | ChangeExtras | NoScene | Pong | Refused
)

# From the client


class Say(msgspec.Struct, tag="extras_say"):
    """Say something to all at the table."""

    text: Annotated[str, Meta(max_length=1000)]


class Wait(msgspec.Struct, tag="extras_queue"):
    """Who watches asks for the next free seat; it is theirs once `seated` says so."""

    password: Annotated[str, Meta(max_length=200)] | None = None


class StopWait(msgspec.Struct, tag="extras_unqueue"):
    """No longer wait for a seat."""


class Leave(msgspec.Struct, tag="extras_leave"):
    """Get up for good; the connection is closed."""


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


class Act(msgspec.Struct, tag="extras_act"):
    """Do one of the `choices` of your scene."""

    action: Annotated[str, Meta(max_length=100)]
    fields: dict[str, Any] = {}
    """Its fields, as the choice allows them."""


class Ping(msgspec.Struct, tag="extras_ping"):
    """Whether the house listens: it answers in turn, once what came before is done and kept."""


Incoming: TypeAlias = Say | Wait | StopWait | Leave | VoteOut | SetTarget | Act | Ping


class Extras(Codec):
    """The messages as a whole, for the published documents."""

    incoming = Incoming
    outgoing = Outgoing


Spoken: TypeAlias = tuple[str, str, int]
"""Whose name, which text, and when."""

_decoder: msgspec.json.Decoder[Incoming] = msgspec.json.Decoder(Incoming)
_encode = msgspec.json.Encoder().encode
_MARK = b'"extras_'
_PONG = _encode(Pong())


def meant(data: bytes) -> bool:
    """Whether a frame is (most likely) one of these messages, and not one of the game's."""
    return _MARK in data[:40]


def decode(data: bytes) -> Request:
    """What a frame asks for, or `BadMessage`."""
    try:
        message = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadMessage("bad-message", "That is no message of ours.") from None
    match message:
        case Say(text=text):
            return do.Say(do.ME, text)
        case Wait(password=password):
            return WaitForSeat(password)
        case StopWait():
            return StopWaiting()
        case Leave():
            return Quit()
        case VoteOut(place=place, out=out):
            return do.VoteOut(do.ME, place, out)
        case SetTarget(points=points):
            return do.Target(do.ME, points)
        case Act(action=action, fields=fields):
            return Choose(action, fields)
        case Ping():
            return Answer(_PONG)


def table(roster: Roster, lobby: Lobby, visitor: str, now: Millis) -> bytes:
    """How the table stands, for this visitor."""
    series = roster.series
    standings = sorted(series.standings, key=lambda standing: -standing.points)
    scores = Scores(
        series.target,
        [Score(s.id, s.name, s.points, s.won, you=s.visitor == visitor) for s in standings],
        [Round(r.number, list(r.winners), r.gains) for r in series.rounds],
        list(series.winners),
    )
    queue = [Waiting(w.name, w.visitor == visitor, w.until is not None) for w in roster.queue]
    me = roster.of_visitor(visitor)
    runs = _runs(roster, lobby, me, visitor)
    return _encode(
        TableExtras(
            roster.running,
            me is not None,
            _free(roster, lobby),
            runs,
            [_person(roster, lobby, me, player, runs, now) for player in roster.people],
            roster.ended_by,
            queue,
            scores,
        )
    )


def _person(
    roster: Roster, lobby: Lobby, me: Player | None, player: Player, runs: bool, now: Millis
) -> Person:
    stands_still = roster.running and not player.present and not player.stand_in
    needed = None if me is None else votes_needed(roster, lobby, me, player)
    return Person(
        player.place,
        player.id,
        player.name,
        you=player is me,
        away=not player.present,
        kept=0 if player.until is None else max(0, player.until - now),
        votes=votes_against(roster, player),
        needed=needed or 0,
        voted=me is not None and me.place in player.against,
        stand_in=player.stand_in,
        may_stand_in=runs and lobby.seating.stand_ins and stands_still,
    )


def _runs(roster: Roster, lobby: Lobby, me: Player | None, visitor: str) -> bool:
    if visitor == roster.opener:
        return True
    try:
        if me is not None:
            lobby.entry.check_may_run(roster, me)
    except Illegal:
        return False
    return me is not None


def note(noted: Note) -> bytes:
    """Somebody came or went."""
    return _encode(Noted(*noted))


def _free(roster: Roster, lobby: Lobby) -> bool:
    try:
        lobby.seating.check(roster)
    except Illegal:
        return False
    return not roster.locked


def scene(shown: Scene, moves: Sequence[str] = ()) -> bytes:
    """A whole scene, and the match so far in sentences."""
    return _encode(SceneExtras(shown, moves))


def change(old: Scene, new: Scene, move: str) -> bytes:
    """What is different in the new scene, and what has happened."""
    return _encode(ChangeExtras(*changes(old, new), move))


NO_SCENE = _encode(NoScene("This game can't be drawn right now. It goes on."))


def said(name: str, text: str, at: int) -> bytes:
    """Somebody said something."""
    return _encode(Said(name, text, at))


def refused(code: str, sentence: str) -> bytes:
    """Why something was refused."""
    return _encode(Refused(code, sentence))


def story(spoken: Sequence[Spoken], events: Sequence[bytes]) -> bytes:
    """What was said, and the messages of the match so far."""
    told = [msgspec.Raw(data) for data in events]
    return _encode(StoryExtras([Said(*line) for line in spoken], told))
