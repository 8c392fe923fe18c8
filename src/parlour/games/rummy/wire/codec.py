"""Super Rummy's protocol: events out, actions in, JSON text frames.

"Spec" is the project's page on Super Rummy; "§" names a heading of the protocol document.
"""

# The messages are in `messages.py`, because this module can be compiled and that one can't.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
from mypy_extensions import mypyc_attr

from parlour.cards import RANKS, SUITS, deck, rank_of, suit_of
from parlour.games.rummy import moves
from parlour.games.rummy.melds import HIDDEN
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.settings import Settings, in_force
from parlour.games.rummy.wire.messages import (
    Action,
    AiAction,
    Card,
    DiscardAction,
    DrawAction,
    EndEvent,
    Event,
    Face,
    JoinAction,
    LayAction,
    Lobby,
    LobbyEvent,
    MeldAction,
    MoveEvent,
    PlayerInfo,
    PongAction,
    RedeckEvent,
    StartEvent,
    ToDiscard,
    ToMeld,
    ToPlayer,
    TurnEvent,
)
from parlour.protocol import BadMessage, Manner, MoveTo, Request, Told, plain
from parlour.protocol.codec import Codec
from parlour.table import Player, Roster
from parlour.table import events as tell
from parlour.table import inputs as do

_encode = msgspec.json.Encoder().encode

# A joker's rank is "W" here.
_RANKS: Final[Sequence[Any]] = ("W", *RANKS[1:])
_FACES: Final = {
    **{face: Face(SUITS[suit_of(face)], _RANKS[rank_of(face)]) for face in deck(2)},
    HIDDEN: None,
}


@mypyc_attr(allow_interpreted_subclasses=True)
class RummyCodec(Codec[Action, Settings, moves.Event, RummyPicture]):
    """Both translations, without state: one object serves every connection."""

    def __init__(self) -> None:
        self.incoming = Action
        self.outgoing = Event
        super().__init__()

    # -- in ---------------------------------------------------------------------------

    def request(self, message: Action) -> Request:
        match message:
            case DrawAction(card_id=card_id):
                return do.Act(do.ME, moves.Draw(card_id))
            case DiscardAction(card_id=card_id):
                return do.Act(do.ME, moves.Discard(card_id))
            case MeldAction(card_ids=card_ids):
                return do.Act(do.ME, moves.Meld(card_ids))
            case LayAction(meld_number=number, card_id=card_id, card_ids=card_ids):
                if (card_id is None) == (card_ids is None):
                    raise BadMessage("bad-message", "Lay one card_id, or several card_ids.")
                several = card_ids if card_ids is not None else [card_id or ""]
                return do.Act(do.ME, moves.Lay(several, number))
            case JoinAction(code=code):
                return MoveTo("".join(code.split()))
            case AiAction(action="add"):
                return do.AddBot(do.ME)
            case AiAction():
                return do.RemoveBot(do.ME)
            case PongAction():
                return None
            case _:
                return plain.lobby_request(message)

    # -- out --------------------------------------------------------------------------

    def manner(self, event: Told[moves.Event]) -> Manner:
        """`lobby` and `start` name their reader."""
        if type(event) is tell.LobbyChanged or type(event) is moves.Started:
            return Manner.PERSONAL
        return Manner.SHARED

    def encode(
        self, event: Told[moves.Event], roster: Roster, me: Player | None
    ) -> Sequence[bytes]:
        # Nearly everything is one of these two.
        if type(event) is moves.Moved:
            return (_encode(_move(event, roster)),)
        if type(event) is moves.Turned:
            return (_encode(_turn(event, roster)),)
        message = self._message(event, roster, me)
        return () if message is None else (_encode(message),)

    def _message(self, event: Told[moves.Event], roster: Roster, me: Player | None) -> Event | None:
        match event:
            case moves.Started(card_ids=card_ids):
                return _start(card_ids, event.settings, roster, me)
            case moves.Redecked(new_card_ids=ids):
                return RedeckEvent(ids)
            case moves.Ended(winner=winner, hand_values=values):
                seating = roster.seating
                won = None if winner is None else seating[winner].id
                return EndEvent(won, {seating[s].id: v for s, v in values.items()})
            case tell.LobbyChanged():
                return _lobby(roster, me)
            case _:
                return None

    def greet(
        self, picture: RummyPicture, roster: Roster, me: Player | None, now: int
    ) -> list[bytes]:
        """The lobby; or, in a round, `start` and the moves that rebuild what `me` may see."""
        if not roster.running:
            return [_encode(_lobby(roster, me))]
        greeting = [_encode(_start(picture.ids(), picture.settings, roster, me))]
        greeting += [_encode(_move(move, roster)) for move in picture.moves()]
        if picture.turned is not None:
            greeting.append(_encode(_turn(picture.turned, roster)))
        return greeting


def _players(roster: Roster) -> list[PlayerInfo]:
    return [PlayerInfo(p.name, p.id, p.human) for p in roster.players]


def _reader(roster: Roster, me: Player | None) -> str:
    """Spec, Events: `current_player_id` is always in `players`, for a spectator too."""
    if me is not None:
        return me.id
    return roster.players[0].id if roster.players else ""


def _lobby(roster: Roster, me: Player | None) -> LobbyEvent:
    settings = in_force(roster.settings, len(roster.players))
    lobby = Lobby(_players(roster), _reader(roster, me), roster.code, settings)
    return LobbyEvent(lobby, spectator=me is None)


def _start(ids: list[str], settings: Settings, roster: Roster, me: Player | None) -> StartEvent:
    return StartEvent(
        _players(roster), _reader(roster, me), ids, roster.code, settings, spectator=me is None
    )


def _move(event: moves.Moved, roster: Roster) -> MoveEvent:
    cards = [Card(card.id, _FACES[card.face]) for card in event.cards]
    if event.destination == moves.TO_HAND:
        return MoveEvent(cards, ToPlayer(roster.seating[event.seat].id, event.position))
    if event.destination == moves.TO_MELD:
        return MoveEvent(cards, ToMeld(event.meld_number, event.position))
    return MoveEvent(cards, ToDiscard())


def _turn(event: moves.Turned, roster: Roster) -> TurnEvent:
    top = event.deck_top
    shown = None if top is None else Card(top.id, _FACES[top.face])
    state: Literal["draw", "play"] = "draw" if event.state == moves.DRAW else "play"
    return TurnEvent(roster.seating[event.seat].id, state, shown)
