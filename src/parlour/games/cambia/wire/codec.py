"""Cambia's requests: what the messages of `incoming.py` mean; and the base of both codecs.

Apart from the messages, because it can be compiled and they can't.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final
from uuid import UUID

import msgspec
from msgspec.structs import asdict
from mypy_extensions import mypyc_attr

from parlour.games.cambia import actions
from parlour.games.cambia.events import DISCARDPILE, Discarded, Drew, Event
from parlour.games.cambia.picture import CambiaPicture
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire.incoming import (
    AddBot,
    Cambia,
    CardRef,
    Chat,
    Discard,
    DrawDiscardpile,
    DrawStockpile,
    Invite,
    LeaveLobby,
    Message,
    Ping,
    Ready,
    RemoveBot,
    Replace,
    RulesChange,
    Snap,
    SnapMove,
    Special,
    StartGame,
    Unready,
    UpdateRules,
)
from parlour.games.cambia.wire.outgoing import PONG
from parlour.kit import Millis
from parlour.protocol import Answer, BadMessage, Manner, Quit, Request, Told
from parlour.protocol.codec import Codec
from parlour.table import inputs as do

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


@mypyc_attr(allow_interpreted_subclasses=True)
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
