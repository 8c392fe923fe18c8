"""The enveloped form: lobby and game on one socket (spec: "Two transports").

A server frame is `{"seq":n,"type":t,"payload":{…}}` around a whole flat message; a client
frame is a flat message, or has its fields in `body`. A stale `last_seq` changes nothing: on
one connection nothing gets lost, and a client that reconnects is told everything anew.

Existing clients of this form change hands by `private_sync_state` alone, so one follows every
change of a hand (spec: "What the existing web client relies on").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

import msgspec
from msgspec import UNSET
from mypy_extensions import mypyc_attr

from parlour.games.cambia import events as ev
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.wire import incoming, lobby
from parlour.games.cambia.wire.codec import CambiaCodec
from parlour.games.cambia.wire.flat import FlatGame
from parlour.games.cambia.wire.outgoing import (
    Envelope,
    EnvelopedError,
    GameMessage,
    Message,
    Pong,
    encode,
)
from parlour.games.cambia.wire.state import PrivateSyncState, SyncState, state_of
from parlour.games.cambia.wire.telling import Teller
from parlour.protocol import Framing, Manner, Told, union_of
from parlour.table import Player, Roster
from parlour.table import events as tell

EnvelopedMessage: Any = (
    union_of(GameMessage)
    | PrivateSyncState
    | SyncState
    | lobby.LobbyStateWithPhase
    | lobby.PhaseChange
    | lobby.EnvelopedChat
    | lobby.GameStarted
    | lobby.GameResults
    | EnvelopedError
    | Pong
)


_TYPE_AT = len(b'{"type":"')

_UNANSWERED = ("snap-rest", "locked")
"""Refusals of a snap too soon after a wrong one, or by the caller: existing clients offer both in
the ordinary course of play, and an `error` would hide their whole table."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Enveloped(CambiaCodec):
    """`/ws/{lobby_id}`: the lobby and its games."""

    countdown = 3_000
    manners: ClassVar = {
        **FlatGame.manners,
        # `lobby_state` names its reader.
        tell.LobbyChanged: Manner.PERSONAL,
        tell.WentAway: Manner.PERSONAL,
        tell.CameBack: Manner.PERSONAL,
        tell.Dealt: Manner.PERSONAL,
        # A card has come into a hand, left one, or changed its place there.
        ev.Discarded: Manner.FOLLOWED,
        ev.Swapped: Manner.FOLLOWED,
        ev.SnapWon: Manner.FOLLOWED,
        ev.SnapMoved: Manner.FOLLOWED,
        ev.SnapPenalty: Manner.PERSONAL_FOLLOWED,
        # Somebody is mistaken about where a card lies.
        ev.SpecialRefused: Manner.FOLLOWED,
    }

    def __init__(self) -> None:
        self.incoming = union_of(incoming.Message)
        self.outgoing = EnvelopedMessage
        super().__init__()

    def greet(
        self, picture: CambiaPicture, roster: Roster, me: Player | None, now: int
    ) -> list[bytes]:
        """In a game its state before anything else; then the lobby, then both in one.

        Existing clients forget at `sync_state` what they were about to do, so the game's state
        comes once more behind it, with an ability that is pending.
        """
        state = state_of(picture, roster, now) if roster.running else None
        greeting: list[bytes] = []
        if state is not None:
            greeting.append(encode(PrivateSyncState(state)))
            if picture.looked_at is not None:
                greeting += self.encode(picture.looked_at, roster, me)
        facts = lobby.facts(roster, me)
        # Results are shown once: a client that connects after them finds an open lobby.
        phase: lobby.Phase = "open" if roster.just_over else lobby.phase_of(roster)
        greeting.append(encode(lobby.LobbyStateWithPhase(**facts, phase=phase)))
        greeting.append(encode(SyncState(**facts, phase=phase, state=state)))
        if state is not None:
            greeting += self.snapshot(None, picture, roster, me, now)
        left = lobby.seconds_left(roster, now)
        if left is not None:
            greeting.append(encode(lobby.PhaseChange(phase, left)))
        return greeting

    def encode(self, event: Told[ev.Event], roster: Roster, me: Player | None) -> Sequence[bytes]:
        if type(event) in tell.TABLE_EVENTS:
            return [encode(message) for message in _of_lobby(event, roster, me)]
        return [encode(message) for message in Teller(roster.seating, me).told(event)]

    def refuse(self, code: str, sentence: str) -> bytes | None:
        return None if code in _UNANSWERED else error(code, sentence)

    def snapshot(
        self,
        event: Told[ev.Event] | None,
        picture: CambiaPicture,
        roster: Roster,
        me: Player | None,
        now: int,
    ) -> Sequence[bytes]:
        """The state, then again the ability it waits for. A game that is over has `game_end`."""
        if picture.result is not None:
            return ()
        state = encode(PrivateSyncState(state_of(picture, roster, now)))
        if picture.choice is None:
            return (state,)
        choice = replace(picture.choice, at=now, deadline=picture.deadline)
        return [state, *self.encode(choice, roster, me)]


def error(code: str, sentence: str) -> bytes:
    return encode(EnvelopedError(sentence, code, sentence))


def _after_number(data: bytes) -> bytes:
    # A message always begins with its type.
    kind = data[_TYPE_AT : data.index(b'"', _TYPE_AT)]
    return b',"type":"%b","payload":%b}' % (kind, data)


def _flattened(data: bytes) -> bytes:
    """The same message with the fields of its `body` beside the others."""
    if b'"body"' not in data:
        return data
    try:
        plain = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return data  # refused by the decoder, which says why
    if not isinstance(plain, dict) or not isinstance(plain.get("body"), dict):
        return data
    return msgspec.json.encode({**plain, **plain["body"], "type": plain.get("type")})


FRAMING: Final = Framing(Envelope, b'{"seq":', _after_number, _flattened)


def _lobby_state(roster: Roster, me: Player | None) -> lobby.LobbyStateWithPhase:
    return lobby.LobbyStateWithPhase(**lobby.facts(roster, me), phase=lobby.phase_of(roster))


def _of_lobby(event: Told[ev.Event], roster: Roster, me: Player | None) -> Sequence[Message]:
    phase = lobby.phase_of(roster)
    match event:
        case tell.LobbyChanged() | tell.WentAway() | tell.CameBack():
            return (_lobby_state(roster, me),)
        case tell.MovedOn():
            # Other phases are told by the event that leads to them.
            return (lobby.PhaseChange(phase),) if phase == "open" else ()
        case tell.CountdownSet(at=None):
            return (lobby.PhaseChange(phase),)
        case tell.CountdownSet(span=span):
            return (lobby.PhaseChange(phase, lobby.seconds(span)),)
        case tell.Said(place=place, text=text):
            player = roster.at(place)
            if player is None:
                return ()
            return (lobby.EnvelopedChat(player.id, player.name, text),)
        case tell.Dealt():
            started = lobby.GameStarted(roster.match_id, [p.id for p in roster.seating])
            return lobby.PhaseChange(phase), started, _lobby_state(roster, me)
        case tell.Finished(again_in=rest):
            seconds = UNSET if rest is None else lobby.seconds(rest)
            return lobby.PhaseChange(phase, seconds), lobby.results(event, roster)
        case _:
            return ()
