"""Messages from clients, and their requests (spec: "Lobby messages", "Game messages").

Fields we do not know are ignored, among them the enveloped form's `last_seq`; a field of a
wrong type is refused with the whole message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from parlour.games.cambia import actions
from parlour.games.cambia.cards import SpecialName
from parlour.games.cambia.events import DISCARDPILE, Discarded, Drew, Event
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire.outgoing import PONG
from parlour.kit import Millis
from parlour.protocol import Answer, BadMessage, Codec, Manner, Quit, Request, Told
from parlour.table import inputs as do

Id: TypeAlias = Annotated[str, Meta(max_length=64)]
Idx: TypeAlias = Annotated[int, Meta(ge=-1, le=999)]


class Message(msgspec.Struct, frozen=True, tag_field="type"):
    """The root of every client message."""


class LobbyMessage(Message, frozen=True):
    """The root of those about the lobby."""


class GameMessage(Message, frozen=True):
    """The root of those about a game."""


class Ping(Message, tag="ping", frozen=True):
    """Answered with `pong`, on any socket."""


# The lobby


class Ready(LobbyMessage, tag="ready", frozen=True):
    """When all (two or more) are ready, the countdown starts."""


class Unready(LobbyMessage, tag="unready", frozen=True):
    """Calls a countdown off."""


class Invite(LobbyMessage, tag="invite", frozen=True):
    """Let a user see this lobby in `GET /api/tables`, though it is private."""

    userID: Id


class LeaveLobby(LobbyMessage, tag="leave_lobby", frozen=True):
    """Leave the lobby and the seat; the socket is closed."""


class Chat(LobbyMessage, tag="chat", frozen=True):
    """Say something to everybody here."""

    msg: Annotated[str, Meta(max_length=2000)]


class RulesChange(msgspec.Struct, frozen=True):
    """Only what is to change: all of it or, if one value is of a wrong type, nothing.

    A rule we do not have is passed over, because other servers' clients send theirs.
    """

    houseRules: dict[str, Any] | None = None
    circuit: dict[str, Any] | None = None
    settings: dict[str, Any] | None = None


class UpdateRules(LobbyMessage, tag="update_rules", frozen=True):
    """The host's alone."""

    rules: RulesChange


class StartGame(LobbyMessage, tag="start_game", frozen=True):
    """The host's alone, once all are ready: at once, without a countdown."""


class AddBot(LobbyMessage, tag="add_bot", frozen=True):
    """Our extension. The host's alone."""


class RemoveBot(LobbyMessage, tag="remove_bot", frozen=True):
    """Our extension. The host's alone: this bot, or the one that came last."""

    userID: Id | None = None


# The game


class UserRef(msgspec.Struct, frozen=True):
    id: Id


class CardRef(msgspec.Struct, frozen=True):
    """A card by its `id`, or by its owner (`user`; left out: you) and `idx`. If more is said, all
    of it must be true: a card that is not where it is named is refused, never guessed."""

    id: Id = ""
    idx: Idx | None = None
    user: UserRef | None = None


class DrawStockpile(GameMessage, tag="action_draw_stockpile", frozen=True):
    """Protocol: Draw Action."""


class DrawDiscardpile(GameMessage, tag="action_draw_discardpile", frozen=True):
    """Protocol: Draw Action; with the house rule `allowDrawFromDiscardPile`."""


class Discard(GameMessage, tag="action_discard", frozen=True):
    """The card just drawn."""

    card: CardRef


class Replace(GameMessage, tag="action_replace", frozen=True):
    """The card of one's hand that goes; or the drawn card, with the idx where it shall lie."""

    card: CardRef


class Snap(GameMessage, tag="action_snap", frozen=True):
    """Protocol: Snap Action."""

    card: CardRef


class SnapMove(GameMessage, tag="action_snap_move", frozen=True):
    """Hand this card over for the one you snapped (`allowOpponentSnapping`)."""

    card: CardRef


class Cambia(GameMessage, tag="action_cambia", frozen=True):
    """Protocol: Calling Cambia Action."""


class Special(GameMessage, tag="action_special", frozen=True):
    """Protocol: Special Card Discard Actions. `card` is taken for a `card1` that is not there."""

    special: Literal[SpecialName, "skip", "blind_swap", "peek_swap", "swap_look"]
    card1: CardRef | None = None
    card2: CardRef | None = None
    card: CardRef | None = None


_ALIASES: Final = {"blind_swap": "swap_blind", "peek_swap": "swap_peek", "swap_look": "swap_peek"}


def _named(card: CardRef | None) -> tuple[str, str, int]:
    """A card's id, its owner's id and its idx; "", "" and -1 where they are not said."""
    if card is None:
        return "", "", -1
    owner = "" if card.user is None else card.user.id
    return card.id, owner, -1 if card.idx is None else card.idx


def _replace(message: Replace) -> actions.Replace:
    card, owner, idx = _named(message.card)
    return actions.Replace(card, idx, owner)


def _special(message: Special) -> actions.Special:
    special = _ALIASES.get(message.special, message.special)
    one, owner1, idx1 = _named(message.card1 or message.card)
    other, owner2, idx2 = _named(message.card2)
    return actions.Special(special, one, other, owner1, idx1, owner2, idx2)


_ACTIONS: Final[dict[type[Message], Callable[[Any], actions.Action]]] = {
    DrawStockpile: lambda _: actions.DrawStockpile(),
    DrawDiscardpile: lambda _: actions.DrawDiscard(),
    Discard: lambda said: actions.DiscardDrawn(said.card.id),
    Replace: _replace,
    Snap: lambda said: actions.Snap(*_named(said.card)),
    SnapMove: lambda said: actions.SnapMove(*_named(said.card)),
    Cambia: lambda _: actions.CallCambia(),
    Special: _special,
}
_REQUESTS: Final[dict[type[Message], Callable[[Any], Request]]] = {
    Chat: lambda said: do.Say(do.ME, said.msg),
    UpdateRules: lambda said: do.Configure(do.ME, known_rules(said.rules)),
    StartGame: lambda _: do.Start(do.ME),
    Invite: lambda said: do.Invite(do.ME, _user_id(said.userID)),
    LeaveLobby: lambda _: Quit(),
    AddBot: lambda _: do.AddBot(do.ME),
    RemoveBot: lambda said: do.RemoveBot(do.ME, said.userID),
    Ping: lambda _: Answer(PONG),
}


def known_rules(rules: RulesChange) -> dict[str, Any]:
    """Without the rules that we do not have."""
    given = {name: value for name, value in asdict(rules).items() if value is not None}
    return _known(given, Settings())


def _known(given: dict[str, Any], settings: msgspec.Struct) -> dict[str, Any]:
    """Without the fields that `settings`, or a struct in it, does not have."""
    known: dict[str, Any] = {}
    for name, value in given.items():
        if name in settings.__struct_fields__:
            part = getattr(settings, name)
            deeper = isinstance(value, dict) and isinstance(part, msgspec.Struct)
            known[name] = _known(value, part) if deeper else value
    return known


def _user_id(user: str) -> str:
    try:
        return str(UUID(user))
    except ValueError:
        raise BadMessage("bad-message", "userID must be the id of a user.") from None


class CambiaCodec(Codec[Message, Settings, Event, CambiaPicture]):
    """The base of the codecs of both forms."""

    countdown: ClassVar[Millis] = 10_000
    """Spec, Lobby messages: how long it takes, unless the lobby says otherwise."""
    manners: ClassVar[dict[type, Manner]] = {}
    """By kind of event; the others are shared."""

    def request(self, message: Message) -> Request:
        kind = type(message)
        if kind in _ACTIONS:
            return do.Act(do.ME, _ACTIONS[kind](message))
        if kind in (Ready, Unready):
            return do.Ready(do.ME, kind is Ready, self.countdown)
        return _REQUESTS[kind](message)

    def manner(self, event: Told[Event]) -> Manner:
        if isinstance(event, Drew) and event.source == DISCARDPILE:
            # All are shown the same event, but its player is told more.
            return Manner.PERSONAL
        if isinstance(event, Discarded) and event.idx < 0:
            # It was drawn, and no hand has changed.
            return Manner.SHARED
        return self.manners.get(type(event), Manner.SHARED)
