"""Extras: what every table tells and takes besides its game's own protocol.

A connection that has `extras` in its address (`/…?extras`) is sent these messages between those
of the game, and may send some: who waits for a seat, what the rounds add up to, what is said, and
what happened before it came. Nobody else hears of them (docs/protocols/extras.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from parlour.kit import Illegal, Millis
from parlour.protocol import extras_messages as say
from parlour.protocol.codec import Codec
from parlour.protocol.plain import COUNTDOWN
from parlour.protocol.requests import (
    Answer,
    BadMessage,
    Choose,
    Quit,
    Request,
    StopWaiting,
    WaitForSeat,
)
from parlour.scenes import Scene, changes
from parlour.table import inputs as do
from parlour.table.lobby import Lobby
from parlour.table.management import votes_against, votes_needed
from parlour.table.roster import Player, Roster
from parlour.table.series import best_first


class Extras(Codec):
    """The messages as a whole, for the published documents."""

    incoming = say.Incoming
    outgoing = say.Outgoing


Spoken: TypeAlias = tuple[str, str, int]
"""The name of the speaker, the text, and the time."""

_decoder: msgspec.json.Decoder[say.Incoming] = msgspec.json.Decoder(say.Incoming)
encode = msgspec.json.Encoder().encode
_at: msgspec.json.Decoder[say.At] = msgspec.json.Decoder(say.At)
_MARK = b'"extras_'
_PONG = encode(say.Pong())


def meant(data: bytes) -> bool:
    """Whether a frame is (most likely) one of these messages, and not one of the game's."""
    return _MARK in data[:40]


def decode(data: bytes) -> Request:
    """The request in a frame; raises `BadMessage`."""
    try:
        message = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadMessage("bad-message", "That is no message of ours.") from None
    match message:
        case say.Say(text=text):
            return do.Say(do.ME, text)
        case say.Wait(password=password):
            return WaitForSeat(password)
        case say.StopWait():
            return StopWaiting()
        case say.Leave():
            return Quit()
        case say.VoteOut(place=place, out=out):
            return do.VoteOut(do.ME, place, out)
        case say.SetTarget(points=points):
            return do.Target(do.ME, points)
        case say.Ready(ready=ready):
            return do.Ready(do.ME, ready, COUNTDOWN)
        case say.AskForTime(longer=longer):
            return do.AskForTime(do.ME, longer)
        case say.Act(action=action, fields=fields):
            return Choose(action, fields)
        case say.Nonce(commitment=commitment, nonce=nonce):
            return do.Nonce(do.ME, nonce, commitment)
        case say.Ping():
            return Answer(_PONG)


def table(roster: Roster, lobby: Lobby, visitor: str, now: Millis) -> bytes:
    """How the table stands, for this visitor."""
    series = roster.series
    standings = best_first(series.standings, lobby.won_by)
    scores = say.Scores(
        series.target,
        [say.Score(s.id, s.name, s.points, s.won, you=s.visitor == visitor) for s in standings],
        [say.Round(r.number, list(r.winners), r.gains) for r in series.rounds],
        list(series.winners),
        lobby.won_by,
        in_wins=not lobby.most_points,
    )
    queue = [say.Waiting(w.name, w.visitor == visitor, w.until is not None) for w in roster.queue]
    me = roster.of_visitor(visitor)
    runs = _runs(roster, lobby, me, visitor)
    return encode(
        say.TableExtras(
            roster.running,
            me is not None,
            _free(roster, lobby),
            runs,
            [_person(roster, lobby, me, player, runs, now) for player in roster.people],
            roster.ended_by,
            queue,
            scores,
            lobby.options.timed(roster.settings),
        )
    )


def _person(
    roster: Roster, lobby: Lobby, me: Player | None, player: Player, runs: bool, now: Millis
) -> say.Person:
    stands_still = roster.running and not player.present and not player.stand_in
    needed = None if me is None else votes_needed(roster, lobby, me, player)
    return say.Person(
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
        unhurried=player.unhurried,
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


def _free(roster: Roster, lobby: Lobby) -> bool:
    try:
        lobby.seating.check(roster)
    except Illegal:
        return False
    return not roster.locked


def change(old: Scene, new: Scene, move: str) -> bytes:
    """The differences of the new scene, and the move that led to it."""
    return encode(say.ChangeExtras(*changes(old, new), move))


NO_SCENE = encode(say.NoScene("This game can't be drawn right now. It goes on."))


def story(spoken: Sequence[Spoken], events: Sequence[bytes]) -> bytes:
    """The talk, and the messages of the match so far."""
    told = [msgspec.Raw(data) for data in events]
    return encode(say.StoryExtras([say.Said(*line) for line in spoken], told))


def at(
    version: int,
    moment: Millis,
    place: int | None,
    messages: int,
    whole: bool = False,
    ago: int = 0,
) -> bytes:
    """How far a connection is with the next messages."""
    here = f"{version}-{moment}-{'w' if place is None else place}"
    return encode(say.At(here, messages, whole, ago))


def fewer(data: bytes, count: int) -> bytes | None:
    """An `extras_at` for so many messages less; None: it has not so many."""
    here = _at.decode(data)
    left = here.messages - count
    return None if left < 0 else encode(say.At(here.at, left, here.whole, here.ago))
