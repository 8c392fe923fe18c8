"""Super Rummy's messages: events out, actions in. `codec.py` translates them.

"Spec" is the project's page on Super Rummy; "§" names a heading of the protocol document.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from parlour.games.rummy.settings import Settings
from parlour.protocol import ErrorEvent, plain

# Events: server to client


class Face(msgspec.Struct, frozen=True):
    """The face of a card."""

    suit: Literal["hearts", "diamonds", "clubs", "spades", "joker"]
    rank: Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "W"]


class Card(msgspec.Struct, frozen=True):
    """A card by its id; `face` is null when the viewer may not see it."""

    id: str
    face: Face | None


class PlayerInfo(msgspec.Struct, frozen=True):
    """Somebody at the table."""

    name: str
    id: str
    human: bool


class Lobby(msgspec.Struct, frozen=True):
    """§Game and Lobby Setup: who is here, and the code to join them."""

    players: list[PlayerInfo]
    current_player_id: str
    code: str
    settings: Settings


class LobbyEvent(msgspec.Struct, tag="lobby", frozen=True, omit_defaults=True):
    """§Game and Lobby Setup. Between rounds, at every change, to every member."""

    lobby: Lobby
    spectator: bool = False
    """Our extension: true for somebody who only watches."""


class StartEvent(msgspec.Struct, tag="start", frozen=True, omit_defaults=True):
    """§Starting the game. Everybody's hand is empty; all cards are in the deck."""

    players: list[PlayerInfo]
    current_player_id: str
    card_ids: list[str]
    """Bottom to top."""
    game_code: str
    settings: Settings
    spectator: bool = False
    """Our extension: true for somebody who only watches."""


class ToPlayer(msgspec.Struct, tag="player", frozen=True):
    """Into a hand; position 0 is its left end."""

    player_id: str
    position: int


class ToMeld(msgspec.Struct, tag="meld", frozen=True):
    """Onto the table; meld 0 was laid first."""

    meld_number: int
    position: int


class ToDiscard(msgspec.Struct, tag="discard", frozen=True):
    """Onto the discard pile."""


Destination: TypeAlias = ToPlayer | ToMeld | ToDiscard


class MoveEvent(msgspec.Struct, tag="move", frozen=True):
    """§Dealing and Moving Cards. `cards` is always a list, `face` always there."""

    cards: list[Card]
    destination: Destination


class TurnEvent(msgspec.Struct, tag="turn", frozen=True, omit_defaults=True):
    """§Turns."""

    player_id: str
    state: Literal["draw", "play"]
    deck_card: Card | None = None
    """Our extension, with `allow_draw_choice`: the deck's top card, for the player in turn."""


class RedeckEvent(msgspec.Struct, tag="redeck", frozen=True):
    """§Exhausted Decks. Bottom to top."""

    new_card_ids: list[str]


class EndEvent(msgspec.Struct, tag="end", frozen=True):
    """§Ending the Round. Doubled already, where the winner went rummy."""

    winner_id: str | None
    hand_values: dict[str, int]


Event: TypeAlias = (
    LobbyEvent | StartEvent | MoveEvent | TurnEvent | RedeckEvent | EndEvent | ErrorEvent
)


# Actions: client to server


class JoinAction(msgspec.Struct, tag="join"):
    """§Game and Lobby Setup. The code may come with spaces."""

    code: Annotated[str, Meta(max_length=32)]


class AiAction(msgspec.Struct, tag="ai"):
    """§Game and Lobby Setup."""

    action: Literal["add", "remove"]


class DrawAction(msgspec.Struct, tag="draw"):
    """§Gameplay Actions. The top card of the deck or of the discard pile."""

    card_id: str


class MeldAction(msgspec.Struct, tag="meld"):
    """§Gameplay Actions."""

    card_ids: Annotated[list[str], Meta(max_length=128)]


class LayAction(msgspec.Struct, tag="lay", omit_defaults=True):
    """§Gameplay Actions. One card by `card_id`, or several by `card_ids`."""

    meld_number: Annotated[int, Meta(ge=0, le=1000)]
    card_id: str | None = None
    card_ids: Annotated[list[str], Meta(max_length=128)] | None = None


class DiscardAction(msgspec.Struct, tag="discard"):
    """§Gameplay Actions."""

    card_id: str


class PongAction(msgspec.Struct, tag="pong"):
    """The answer to a `ping`; taken and forgotten."""


Action: TypeAlias = (
    JoinAction
    | AiAction
    | plain.NameAction
    | plain.SettingsAction
    | plain.StartAction
    | DrawAction
    | MeldAction
    | LayAction
    | DiscardAction
    | PongAction
)
