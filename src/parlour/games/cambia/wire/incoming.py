"""Messages from clients (spec: "Lobby messages", "Game messages"). `codec.py` says what they mean.

Fields we do not know are ignored, among them the enveloped form's `last_seq`; a field of a
wrong type is refused with the whole message.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from parlour.games.cambia.cards import SpecialName

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
