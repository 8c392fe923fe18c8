"""The plain protocol: for games that have none of their own. JSON text frames.

The lobby's messages are the same for every game. The game's own are made from its actions and
events: a class `NamedSuit` is the message `{"type": "named_suit"}` with the fields of the class.
Faces, suits and ranks of the French deck are said in words; what is hidden is null.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from parlour.kit import Millis, Story
from parlour.protocol.codec import Codec, ErrorEvent
from parlour.protocol.messages import Derived
from parlour.protocol.requests import Quit, Request, SitDown
from parlour.protocol.wire import Wire
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.game import shown_settings
from parlour.table.roster import Player, Roster

COUNTDOWN: Final = 3_000
"""Milliseconds between the last one being ready and the deal, where games start so."""


# Events: server to client


class PlayerInfo(msgspec.Struct, frozen=True):
    """Somebody at the table."""

    place: int
    """Their number at this table, never given to anybody else."""
    name: str
    human: bool
    present: bool
    """False while they are disconnected."""
    ready: bool
    seat: int | None
    """Their seat in the match under way: what the game's own messages call `seat`."""


class WelcomeEvent(msgspec.Struct, tag="welcome", frozen=True):
    """The first message: where you are. What follows tells you all you may know."""

    game: str
    code: str
    """For others to join: `?table=` this."""
    place: int | None
    """Yours; null: you are watching."""


class LobbyEvent(msgspec.Struct, tag="lobby", frozen=True):
    """The people here and the table's settings; sent whole whenever any of it changes."""

    players: Sequence[PlayerInfo]
    host: int | None
    """The place of the player who opened the table or, of those who are here, came first."""
    min_seats: int
    max_seats: int
    settings: dict[str, Any]
    """All of them but secret ones."""
    running: bool
    """Whether a match is under way."""
    round: int
    """How many have begun here."""
    starts_at: Millis | None
    """When the countdown ends, if one runs; milliseconds since the epoch."""


class MatchEvent(msgspec.Struct, tag="match", frozen=True):
    """A match begins. The game's own messages from here on, put together, are its state."""

    round: int


class ResultEvent(msgspec.Struct, tag="result", frozen=True):
    """The match is over."""

    winners: list[int]
    """Seats; empty when nobody won."""
    how: str
    scores: dict[str, int]
    """By seat, in the game's own points."""
    next_in: Millis | None
    """After so many milliseconds the next match begins automatically; null: it does not."""


class SaidEvent(msgspec.Struct, tag="said", frozen=True):
    """Somebody said something."""

    place: int
    name: str
    text: str
    at: Millis


Event: TypeAlias = WelcomeEvent | LobbyEvent | MatchEvent | ResultEvent | SaidEvent | ErrorEvent


# Actions: client to server

Place: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000_000)]


class NameAction(msgspec.Struct, tag="name"):
    """Be called so."""

    name: Annotated[str, Meta(max_length=200)]


class AddBotAction(msgspec.Struct, tag="add_bot"):
    """Let a computer player sit down."""


class RemoveBotAction(msgspec.Struct, tag="remove_bot"):
    """Send a computer player away; without a place, the one that came last."""

    place: Place | None = None


class SettingsAction(msgspec.Struct, tag="settings"):
    """Change these settings; all of them, or none."""

    settings: dict[str, Any]


class ReadyAction(msgspec.Struct, tag="ready"):
    """Say that you are ready, or not any more, where the game starts by that."""

    ready: bool = True


class StartAction(msgspec.Struct, tag="start"):
    """Begin a match."""


class SayAction(msgspec.Struct, tag="say"):
    """Say something to everybody at the table."""

    text: Annotated[str, Meta(max_length=2_000)]


class KickAction(msgspec.Struct, tag="kick"):
    """Remove somebody from the table, if you may; with `ban` they can't come back."""

    place: Place
    ban: bool = False


class SitDownAction(msgspec.Struct, tag="sit_down"):
    """Play along from now on, if you were watching and there is room."""


class LeaveAction(msgspec.Struct, tag="leave"):
    """Leave the table and your seat. The connection is closed."""


Action: TypeAlias = (
    NameAction
    | AddBotAction
    | RemoveBotAction
    | SettingsAction
    | ReadyAction
    | StartAction
    | SayAction
    | KickAction
    | SitDownAction
    | LeaveAction
)

_encode = msgspec.json.Encoder().encode

_AT_ANY_TIME: Final = frozenset({tell.LobbyChanged, tell.WentAway, tell.CameBack, tell.Dealt})
_IN_A_MATCH: Final = frozenset({tell.Sat, tell.Left, tell.DroppedOut, tell.Renamed})
"""Told during a match only: between matches a `LobbyChanged` follows these."""


def plain_wire(game: str, actions: Sequence[type[object]], events: Sequence[type[object]]) -> Wire:
    """The plain protocol of one game: `wires=(plain_wire("yours", ACTIONS, EVENTS),)`.

    A client that connects is sent all that was shown of the match so far. Raises `TypeError` if
    no messages can be made from these classes.
    """
    return Wire(game, (f"/plain/{game}",), PlainCodec(game, actions, events))


class PlainCodec(Codec):
    """Messages derived from a game's actions and events, and those of a lobby."""

    retells = True

    def __init__(
        self, game: str, actions: Sequence[type[object]], events: Sequence[type[object]]
    ) -> None:
        taken = [Derived.action(each) for each in actions]
        told = [Derived.event(each) for each in events]
        self.incoming = _union(Action, taken, "action")
        self.outgoing = _union(Event, told, "event")
        super().__init__()
        self._game = game
        self._actions: dict[type[object], Derived] = {each.message: each for each in taken}
        self._events = {each.source: each for each in told}

    def __reduce__(self) -> tuple[object, ...]:
        """Derived types can't be sent to another process: they are derived again there."""
        actions = [each.source for each in self._actions.values()]
        return type(self), (self._game, actions, list(self._events))

    # -- in ---------------------------------------------------------------------------

    def request(self, message: Any) -> Request:
        derived = self._actions.get(type(message))
        return lobby_request(message) if derived is None else do.Act(do.ME, derived.back(message))

    # -- out --------------------------------------------------------------------------

    def encode(self, event: object, roster: Roster, me: Player | None) -> Sequence[bytes]:
        derived = self._events.get(type(event))
        if derived is not None:
            return (_encode(derived.out(event)),)
        kind = type(event)
        if kind not in tell.TABLE_EVENTS:
            raise TypeError(f"{kind.__name__} is not among the events of the game {self._game}")
        if kind in _AT_ANY_TIME or (roster.running and kind in _IN_A_MATCH):
            lobby = _encode(lobby_event(roster))
            return (lobby, _match(roster)) if kind is tell.Dealt else (lobby,)
        match event:
            case tell.Finished(outcome=outcome, again_in=again_in):
                scores = {str(seat): score for seat, score in outcome.scores.items()}
                result = ResultEvent(list(outcome.winners), outcome.how, scores, again_in)
                return (_encode(result),)
            case tell.Said():
                return (_encode(said_event(event, roster)),)
            case _:
                return ()

    def greet(self, picture: Story, roster: Roster, me: Player | None, now: Millis) -> list[bytes]:
        """The lobby; in a match, then, all that was shown of it."""
        place = None if me is None else me.place
        greeting = [
            _encode(WelcomeEvent(self._game, roster.code, place)),
            _encode(lobby_event(roster)),
        ]
        if roster.running:
            greeting.append(_match(roster))
            for event in picture.shown:
                greeting += self.encode(event, roster, me)
        return greeting


def lobby_request(message: Action) -> Request:
    """The request in one of the lobby's own messages."""
    match message:
        case NameAction(name=name):
            return do.Rename(do.ME, name)
        case AddBotAction():
            return do.AddBot(do.ME)
        case RemoveBotAction(place=place):
            return do.RemoveBot(do.ME, place)
        case SettingsAction(settings=settings):
            return do.Configure(do.ME, settings)
        case ReadyAction(ready=ready):
            return do.Ready(do.ME, ready, COUNTDOWN)
        case StartAction():
            return do.Start(do.ME)
        case SayAction(text=text):
            return do.Say(do.ME, text)
        case KickAction(place=place, ban=ban):
            return do.Kick(do.ME, place, ban)
        case SitDownAction():
            return SitDown()
        case LeaveAction():
            return Quit()


# For wires whose messages are these with more fields


def player_info(player: Player, roster: Roster) -> PlayerInfo:
    seat = player.seat if roster.running else None
    return PlayerInfo(player.place, player.name, player.human, player.present, player.ready, seat)


def lobby_event(roster: Roster, players: Sequence[PlayerInfo] | None = None) -> LobbyEvent:
    """The lobby as it is; `players`: for wires that say more about them."""
    host = roster.host
    return LobbyEvent(
        [player_info(player, roster) for player in roster.players] if players is None else players,
        None if host is None else host.place,
        roster.min_seats,
        roster.max_seats,
        shown_settings(roster.settings),
        roster.running,
        roster.round,
        roster.countdown,
    )


def said_event(said: tell.Said, roster: Roster) -> SaidEvent:
    speaker = roster.at(said.place)
    return SaidEvent(said.place, "" if speaker is None else speaker.name, said.text, said.at)


def _union(own: Any, derived: Sequence[Derived], what: Literal["action", "event"]) -> Any:
    """The lobby's messages and the game's in one union, if no two are called the same."""
    sources = {message.__struct_config__.tag: "" for message in own.__args__}
    for each in derived:
        if each.tag in sources:
            taken = sources[each.tag] or "the lobby's"
            raise TypeError(
                f"the {what} {each.source.__name__} would be called {each.tag!r} on the wire,"
                f" as {taken} is"
            )
        sources[each.tag] = each.source.__name__
    return reduce(or_, [each.message for each in derived], own)


def _match(roster: Roster) -> bytes:
    return _encode(MatchEvent(roster.round))
