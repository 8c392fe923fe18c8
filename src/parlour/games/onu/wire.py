"""ONU's wire for the page: JSON text frames. Characters play over a relay instead.

Cards have the form that the ONU document gives them; a card that its reader may not know is blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from parlour.games.onu import moves
from parlour.games.onu.messages import FACES, Card, top_of
from parlour.games.onu.picture import Picture
from parlour.games.onu.settings import Settings
from parlour.kit import Millis
from parlour.protocol import Codec, ErrorEvent, Request, Told, Wire, plain
from parlour.table import Player, Roster
from parlour.table import events as tell
from parlour.table import inputs as do

# Out


class PlayerInfo(plain.PlayerInfo, frozen=True):
    """Somebody at the table."""

    user: str
    """Their user name on the relay; with a colon in it for people on the page and bots."""


class WelcomeEvent(plain.WelcomeEvent, tag="welcome", frozen=True):
    """The first message: where you are. What follows tells you all you may know."""

    channel: str
    """The relay's channel in which this table is played."""


class LobbyEvent(plain.LobbyEvent, tag="lobby", frozen=True):
    """The people here, and how this table plays: whole, whenever anything about it changes."""

    players: Sequence[PlayerInfo]


class SeatInfo(msgspec.Struct, frozen=True):
    """Somebody in a game."""

    user: str
    name: str
    cards: list[Card]
    """Your own are true, in the order in which `index` counts."""


class StateEvent(msgspec.Struct, tag="state", frozen=True):
    """The whole game: for clients that connect while it is running, or just over."""

    players: list[SeatInfo]
    """By seat."""
    deck: int
    """How many cards can be drawn."""
    stack: list[Card]
    """The last is on top; a wild there has the colour chosen for it."""
    direction: int
    """1 is "Right", -1 "Left"."""
    turn: int
    """The seat whose turn it is."""
    effect: int
    """`TurnEffect`: of the card just played, at a turn's first prompt."""
    awaited: bool
    """Whether they are asked for a move."""
    deadline: Millis
    """Until when; milliseconds since the epoch."""
    over: bool
    winner: int | None


class DealtEvent(StateEvent, tag="dealt", frozen=True):
    """A game begins: all of it, as in `state`."""


class PlayedEvent(msgspec.Struct, tag="played", frozen=True):
    """A card left its place in a hand for the stack."""

    seat: int
    index: int
    card: Card
    color: int
    """Now in force; for a wild, the colour chosen."""
    direction: int


class SkippedEvent(msgspec.Struct, tag="skipped", frozen=True):
    seat: int


class DrewEvent(msgspec.Struct, tag="drew", frozen=True):
    """Cards came to the end of a hand; `why` is asked-for, forced, timeout or mistakes."""

    seat: int
    cards: list[Card]
    why: str


class ReshuffledEvent(msgspec.Struct, tag="reshuffled", frozen=True):
    """The stack below its top is the deck again."""

    deck: int


class PassedEvent(msgspec.Struct, tag="passed", frozen=True):
    """A turn ended without a card; `why` is limit, nothing-to-draw, timeout or mistakes."""

    seat: int
    why: str


class PromptedEvent(msgspec.Struct, tag="prompted", frozen=True):
    """A seat is asked for a move."""

    seat: int
    effect: int
    first: bool
    """A turn begins with it."""
    deadline: Millis


class FumbledEvent(msgspec.Struct, tag="fumbled", frozen=True):
    """An answer that can't be, the turn's `times`-th; a prompt follows at `again_at`."""

    seat: int
    times: int
    again_at: Millis


class EndedEvent(msgspec.Struct, tag="ended", frozen=True):
    """The game is over; without a winner it was given up."""

    winner: int | None
    how: str


SaidEvent: TypeAlias = plain.SaidEvent

Outgoing: TypeAlias = (
    WelcomeEvent
    | LobbyEvent
    | StateEvent
    | DealtEvent
    | PlayedEvent
    | SkippedEvent
    | DrewEvent
    | ReshuffledEvent
    | PassedEvent
    | PromptedEvent
    | FumbledEvent
    | EndedEvent
    | SaidEvent
    | ErrorEvent
)

# In


class PlayAction(msgspec.Struct, tag="play"):
    """Play the card at `index` of your hand; for a wild, choose a colour from 0 to 3."""

    index: Annotated[int, Meta(ge=0, le=1_000)]
    color: Annotated[int, Meta(ge=0, le=4)] = 4


class DrawAction(msgspec.Struct, tag="draw"):
    """Draw a card; with nothing to draw, pass."""


Incoming: TypeAlias = (
    PlayAction
    | DrawAction
    | plain.NameAction
    | plain.AddBotAction
    | plain.RemoveBotAction
    | plain.SettingsAction
    | plain.StartAction
    | plain.SayAction
    | plain.KickAction
    | plain.SitDownAction
    | plain.LeaveAction
)

_encode = msgspec.json.Encoder().encode

_AT_ANY_TIME = frozenset(
    {
        tell.LobbyChanged,
        tell.WentAway,
        tell.CameBack,
        tell.CountdownSet,
        tell.Dealt,
        tell.DroppedOut,
    }
)


class OnuCodec(Codec[Incoming, Settings, moves.Event, Picture]):
    """ONU for the page."""

    incoming = Incoming
    outgoing = Outgoing

    def request(self, message: Incoming) -> Request:
        if isinstance(message, PlayAction):
            return do.Act(do.ME, moves.Play(message.index, message.color))
        if isinstance(message, DrawAction):
            return do.Act(do.ME, moves.Draw())
        return plain.lobby_request(message)

    # -- out --------------------------------------------------------------------------

    def encode(
        self, event: Told[moves.Event], roster: Roster, me: Player | None
    ) -> Sequence[bytes]:
        if type(event) in _AT_ANY_TIME:
            return (_encode(_lobby(roster)),)
        message = _message(event, roster)
        return () if message is None else (_encode(message),)

    def greet(
        self, picture: Picture, roster: Roster, me: Player | None, now: Millis
    ) -> list[bytes]:
        place = None if me is None else me.place
        channel = roster.settings.channel or roster.code
        welcome = WelcomeEvent(roster.game, roster.code, place, channel)
        greeting = [_encode(welcome), _encode(_lobby(roster))]
        if picture.players:
            greeting.append(_encode(_state(picture, roster)))
        return greeting


WIRE: Final = Wire("onu", ("/onu",), OnuCodec())


def _message(event: Told[moves.Event], roster: Roster) -> Outgoing | None:
    match event:
        case moves.Dealt():
            picture = Picture(None)
            picture.see(event)
            return _state(picture, roster, DealtEvent)
        case moves.Played(seat, index, card, colour, direction):
            return PlayedEvent(seat, index, FACES[card], colour, direction)
        case moves.Skipped(seat):
            return SkippedEvent(seat)
        case moves.Drew(seat, cards, why):
            return DrewEvent(seat, [FACES[card] for card in cards], why)
        case moves.Reshuffled(deck):
            return ReshuffledEvent(len(deck))
        case moves.Passed(seat, why):
            return PassedEvent(seat, why)
        case moves.Prompted(seat, effect, first, deadline):
            return PromptedEvent(seat, effect, first, deadline)
        case moves.Fumbled(seat, times, again_at):
            return FumbledEvent(seat, times, again_at)
        case moves.Ended(winner, how):
            return EndedEvent(winner, how)
        case tell.Said():
            return plain.said_event(event, roster)
        case _:
            return None


def _state(picture: Picture, roster: Roster, kind: type[StateEvent] = StateEvent) -> StateEvent:
    stack = [*(FACES[card] for card in picture.stack[:-1]), top_of(picture)]
    return kind(
        [
            SeatInfo(player.id, player.name, [FACES[card] for card in hand])
            for player, hand in zip(roster.seating, picture.hands, strict=True)
        ],
        len(picture.deck),
        stack,
        picture.direction,
        picture.turn,
        picture.effect,
        picture.awaited,
        picture.deadline,
        picture.ended is not None,
        None if picture.ended is None else picture.ended.winner,
    )


def _lobby(roster: Roster) -> plain.LobbyEvent:
    players = [
        PlayerInfo(**msgspec.structs.asdict(plain.player_info(player, roster)), user=player.id)
        for player in roster.players
    ]
    return plain.lobby_event(roster, players)
