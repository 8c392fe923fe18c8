"""What is said over the relay in a game of ONU: labels, and the JSON in their content."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec

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
"""What only the host of a channel says."""

PLAY_CARD: Final = 0
PICK_CARD: Final = 1


Direction: TypeAlias = Literal["Right", "Left"]


class Card(msgspec.Struct, frozen=True):
    """`Color` 0 to 3, 4 for wilds; `Number` -1 on effect cards; `Effect` 0 to 5."""

    Color: int
    Number: int
    Effect: int


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
"""What is JSON in its content; the other labels have plain text, or none."""

BLANK: Final = Card(4, -1, 0)


def dump(content: Any) -> str:
    """A content as the text it is sent as."""
    return msgspec.json.encode(content).decode()


def whole(value: Any) -> int | None:
    """A number without a fraction, as an integer: 3 and 3.0, but neither `true` nor "3"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if isinstance(value, int) else None
