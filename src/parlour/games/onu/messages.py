"""ONU's messages over the relay: labels, and the JSON in their content.

The page's wire shows cards in the same form.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from parlour.games.onu.cards import (
    HIDDEN,
    SPECIAL,
    classic_deck,
    colour_of,
    compact_deck,
    effect_of,
    number_of,
)
from parlour.games.onu.picture import Picture

HAS_HOST: Final = "onu-hashost"
IS_HOST: Final = "onu-ishost"
PING: Final = "onu-ping"
PONG: Final = "onu-pong"
START: Final = "onu-start"
TURN: Final = "onu-turn"
PLAYER_TURN: Final = "onu-player-turn"
PLAYER_ACTION: Final = "onu-player-action"
PLAY_ANIM: Final = "onu-play-anim"
WON: Final = "onu-won"

HOSTS_ONLY: Final = frozenset({IS_HOST, PONG, START, TURN, PLAYER_TURN, PLAY_ANIM, WON})
"""Labels that only the host of a channel uses."""

PLAY_CARD: Final = 0
PICK_CARD: Final = 1


Direction: TypeAlias = Literal["Right", "Left"]


class Card(msgspec.Struct, frozen=True):
    """The document's card. Blank (4, -1, 0) where the reader may not know it."""

    Color: int
    """0 blue, 1 red, 2 yellow, 3 green, 4 none: a wild that has not been played, or a blank."""
    Number: int
    """-1 on effect cards and blanks."""
    Effect: int
    """0 none, 1 reverse, 2 skip, 3 pick two, 4 wild, 5 wild pick four."""


class PlayerHand(msgspec.Struct, frozen=True):
    """How many cards somebody holds, by display name."""

    Name: str
    CardCount: int


class TurnInfo(msgspec.Struct, frozen=True):
    """The content of `onu-player-turn`: the document's five keys and `TurnEffect`."""

    TurnDirection: Direction
    TopStackCard: Card
    HandCards: list[Card]
    PlayerHands: list[PlayerHand]
    PlayerOrder: list[str]
    TurnEffect: int


class PlayerAction(msgspec.Struct, frozen=True):
    """The content of `onu-player-action`."""

    Action: Literal[0, 1]
    """0 plays a card, 1 draws one."""
    CardIndex: int | None
    """Its place in `HandCards`; may be null when drawing."""
    WildColor: int
    """0 to 3; counts for wilds alone."""


class StatePlayer(msgspec.Struct, frozen=True):
    """One player in a State; cards that its reader may not know are blank."""

    Cards: list[Card]
    DisplayName: str
    UserName: str


class State(msgspec.Struct, frozen=True):
    """The content of `onu-start` and `onu-turn`."""

    Deck: list[Card]
    Direction: Direction
    Host: str
    """A user name."""
    PlayerTurn: str
    """The display name of the player whose turn it is."""
    Players: list[StatePlayer]
    Stack: list[Card]
    TurnEffect: int


class PlayAnim(msgspec.Struct, frozen=True):
    """The content of `onu-play-anim`; a wild still has colour 4."""

    AnimFrom: str
    """A user name."""
    Card: Card


CONTENTS: Final = {
    START: State,
    TURN: State,
    PLAYER_TURN: TurnInfo,
    PLAYER_ACTION: PlayerAction,
    PLAY_ANIM: PlayAnim,
}
"""Labels with JSON in their content; the others have plain text, or nothing."""

_encode: Final = msgspec.json.Encoder().encode

BLANK: Final = Card(4, -1, 0)
FACES: Final = {HIDDEN: BLANK} | {
    card: Card(int(colour_of(card)), int(number_of(card)), int(effect_of(card)))
    for card in (*compact_deck(), *classic_deck())
}
"""By card of the rules, the document's; a wild has no colour."""


def top_of(picture: Picture) -> Card:
    """The top of the stack; a wild there has the colour chosen for it."""
    return coloured(FACES[picture.stack[-1]], picture.colour)


def coloured(face: Card, colour: int) -> Card:
    """A card on top of the stack, where a wild has the colour in force."""
    return face if face.Color < SPECIAL else Card(colour, face.Number, face.Effect)


def dump(content: object) -> str:
    """A content as the text it is sent as."""
    return _encode(content).decode()


def load(content: str) -> dict[str, object]:
    """The object in a content that anybody may have sent; empty: there is none."""
    try:
        told = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def whole(value: object) -> int | None:
    """A number without a fraction, as an integer: 3 and 3.0, but neither `true` nor "3"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if isinstance(value, int) else None
