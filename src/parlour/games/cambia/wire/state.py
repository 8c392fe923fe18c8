"""`private_sync_state{state}`: the whole game as one viewer may see it (spec: "state").

Made from a picture, that is from what this viewer was shown, and from nothing else.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from parlour.cards import Face
from parlour.games.cambia.cards import HIDDEN, Rank, Suit, rank_letter
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import HouseRules
from parlour.games.cambia.wire.lobby import LobbyStateWithPhase
from parlour.games.cambia.wire.outgoing import Message, Special
from parlour.games.cambia.wire.telling import FACES
from parlour.kit import Millis, Seat
from parlour.table import Roster


class SeenCard(msgspec.Struct, frozen=True):
    """A card by its id; with its face where `known`."""

    id: str
    known: bool
    rank: Rank | UnsetType = UNSET
    suit: Suit | UnsetType = UNSET
    value: int | UnsetType = UNSET


class HandCard(msgspec.Struct, frozen=True):
    """A card in a hand; with its face where `known`."""

    id: str
    idx: int
    known: bool
    rank: Rank | UnsetType = UNSET
    suit: Suit | UnsetType = UNSET
    value: int | UnsetType = UNSET


class DrawnCard(SeenCard, frozen=True, kw_only=True):
    """The card in its player's fingers, to be placed."""

    source: Literal["stockpile", "discardpile"]
    """Our extension: from the discard pile, it fires no ability."""


class SpecialAction(msgspec.Struct, frozen=True):
    """An ability waiting for its player."""

    active: bool
    playerId: str | None
    cardRank: Rank | None
    special: Special | UnsetType = UNSET
    """Our extension: what its player is to send, or `skip`."""
    looked: list[str] | UnsetType = UNSET
    """Our extension: the two cards of a King's first step."""


class PlayerState(msgspec.Struct, frozen=True):
    playerId: str
    username: str
    handSize: int
    hasCalledCambia: bool
    connected: bool
    isCurrentTurn: bool
    revealedHand: list[HandCard]
    drawnCard: DrawnCard | UnsetType = UNSET
    timerPlays: bool = False
    """Our extension: it has missed too many turns, and the timer plays for it."""
    owesCardUntil: int | UnsetType = UNSET
    """Our extension: it has to hand a card over by then (`action_snap_move`)."""
    total: int | UnsetType = UNSET
    """Our extension: in a circuit, its total so far."""


class GameState(msgspec.Struct, frozen=True):
    """Moments are milliseconds since the epoch; in the pre-game `turnDeadline` is its end."""

    gameId: str
    preGameActive: bool
    started: bool
    gameOver: bool
    currentPlayerId: str | None
    turnId: int
    stockpileSize: int
    discardSize: int
    discardTop: SeenCard | None
    players: list[PlayerState]
    cambiaCalled: bool
    cambiaCallerId: str | None
    houseRules: HouseRules
    turnDeadline: int | None
    serverNow: int
    specialAction: SpecialAction


class PrivateSyncState(Message, tag="private_sync_state", frozen=True):
    """On connect, when the cards are dealt, and when play starts; in the enveloped form also
    after every change of a hand."""

    state: GameState


class SyncState(LobbyStateWithPhase, tag="sync_state", frozen=True):
    """To clients that connect: the fields of `lobby_state`, and the game's, if one is running."""

    state: GameState | None


def state_of(picture: CambiaPicture, roster: Roster, now: Millis) -> GameState:
    ids = [player.id for player in roster.seating]
    top = picture.top
    faces = picture.shown_again()
    return GameState(
        gameId=roster.match_id,
        preGameActive=picture.pre_game,
        started=picture.started,
        gameOver=picture.result is not None,
        currentPlayerId=None if picture.current is None else ids[picture.current],
        turnId=picture.turn,
        stockpileSize=picture.stockpile,
        discardSize=len(picture.discards),
        discardTop=None if top is None else SeenCard(top[0], True, *FACES[top[1]]),
        players=[_player(picture, faces, roster, seat) for seat in range(len(picture.players))],
        cambiaCalled=picture.caller is not None,
        cambiaCallerId=None if picture.caller is None else ids[picture.caller],
        houseRules=picture.settings.houseRules,
        turnDeadline=picture.deadline,
        serverNow=now,
        specialAction=_special(picture, ids),
    )


def _player(
    picture: CambiaPicture, faces: dict[str, Face], roster: Roster, seat: Seat
) -> PlayerState:
    seen = picture.players[seat]
    player = roster.seating[seat]
    drawn: DrawnCard | UnsetType = UNSET
    if seen.drawn:
        face = seen.drawn_face
        drawn = DrawnCard(seen.drawn, face != HIDDEN, *FACES[face], source=seen.drawn_from)
    return PlayerState(
        playerId=player.id,
        username=player.name,
        handSize=len(seen.hand),
        hasCalledCambia=picture.caller == seat,
        connected=seen.connected,
        isCurrentTurn=picture.current == seat and picture.result is None,
        revealedHand=[
            HandCard(card, idx, card in faces, *FACES[faces.get(card, HIDDEN)])
            for idx, card in enumerate(seen.hand)
        ],
        drawnCard=drawn,
        timerPlays=seen.timer_plays,
        owesCardUntil=UNSET if seen.owes_until is None else seen.owes_until,
        total=UNSET if picture.totals is None else picture.totals[seat],
    )


def _special(picture: CambiaPicture, ids: list[str]) -> SpecialAction:
    choice = picture.choice
    if choice is None:
        return SpecialAction(False, None, None)
    rank, looked = rank_letter(choice.face), picture.looked or UNSET
    return SpecialAction(True, ids[choice.seat], rank, choice.special, looked)
