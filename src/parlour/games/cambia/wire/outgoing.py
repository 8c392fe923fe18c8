"""Messages to clients about a game (spec: "Game messages"), apart from its `state`.

A field without a value is left out: there are nulls only where the type says so. 0 is a value.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from parlour.games.cambia.cards import Rank, SpecialName, Suit

Special: TypeAlias = Literal[SpecialName, "swap_peek_reveal", "skip"]


class User(msgspec.Struct, frozen=True):
    id: str


class Card(msgspec.Struct, frozen=True):
    """Spec: Cards on the wire. The face where it is shown, `idx` and `user` for hand cards."""

    id: str
    rank: Rank | UnsetType = UNSET
    suit: Suit | UnsetType = UNSET
    value: int | UnsetType = UNSET
    idx: int | UnsetType = UNSET
    user: User | UnsetType = UNSET


class Message(msgspec.Struct, frozen=True, tag_field="type"):
    """The root of every server message."""


class GameMessage(Message, frozen=True):
    """The root of those about a game."""


class AboutPlayer(GameMessage, frozen=True):
    """The root of those about a player."""

    user: User


class Timer(msgspec.Struct, frozen=True):
    """Moments in milliseconds since the epoch; null: this turn has no deadline."""

    serverNow: int
    turnDeadline: int | None


class Turn(msgspec.Struct, frozen=True):
    """Turns are counted from 1."""

    turn: int
    serverNow: int
    turnDeadline: int | None


class Size(msgspec.Struct, frozen=True):
    """How many cards the stockpile holds now."""

    stockpileSize: int


class Source(msgspec.Struct, frozen=True):
    source: Literal["stockpile", "discardpile"]


class Drawn(msgspec.Struct, frozen=True):
    """Where the card came from, and how many cards the piles hold now."""

    source: Literal["stockpile", "discardpile"]
    stockpileSize: int
    discardSize: int


class GamePlayerTurn(AboutPlayer, tag="game_player_turn", frozen=True):
    """Protocol: Turn Timer and Current Turn Broadcast."""

    payload: Turn


class GameTurnTimer(AboutPlayer, tag="game_turn_timer", frozen=True):
    """Our extension: the turn goes on with another deadline, its player having gone or come."""

    payload: Timer


class PlayerDrawStockpile(AboutPlayer, tag="player_draw_stockpile", frozen=True):
    """To all. The card shows its face only when it comes from the discard pile."""

    card: Card
    source: Literal["stockpile", "discardpile"]
    stockpileSize: int
    payload: Drawn


class PrivateDrawStockpile(AboutPlayer, tag="private_draw_stockpile", frozen=True):
    """To the player who drew."""

    card: Card
    source: Literal["stockpile", "discardpile"]
    payload: Source


class PlayerDiscard(AboutPlayer, tag="player_discard", frozen=True):
    """With an `idx`, the card was replaced by the drawn one, which lies there now."""

    card: Card
    timedOut: bool | UnsetType = UNSET
    """Our extension: true where the timer discarded."""


class GameReshuffleStockpile(GameMessage, tag="game_reshuffle_stockpile", frozen=True):
    """All discards but the top one went under the stockpile."""

    stockpileSize: int
    payload: Size


class PlayerSpecialChoice(AboutPlayer, tag="player_special_choice", frozen=True):
    """The ability of a discarded card; the turn's timer has started again."""

    card: Card
    special: Special
    payload: Timer


class PlayerSpecialAction(AboutPlayer, tag="player_special_action", frozen=True):
    """The use of an ability. One card: `card` and `card1`; two: `card1` and `card2`."""

    special: Special
    card: Card | UnsetType = UNSET
    card1: Card | UnsetType = UNSET
    card2: Card | UnsetType = UNSET
    payload: Timer | UnsetType = UNSET
    """After a King's look, which starts the timer again."""
    timedOut: bool | UnsetType = UNSET
    """Our extension: true where the timer skipped."""


class PrivateSpecialActionSuccess(AboutPlayer, tag="private_special_action_success", frozen=True):
    """The same for its player, with the faces."""

    special: Special
    card: Card | UnsetType = UNSET
    card1: Card | UnsetType = UNSET
    card2: Card | UnsetType = UNSET


class Retry(msgspec.Struct, frozen=True):
    message: str
    serverNow: int
    turnDeadline: int | None


class PrivateSpecialActionFail(
    AboutPlayer, tag="private_special_action_fail", frozen=True, kw_only=True
):
    """Choose again, or skip; the timer runs on. The cards are told where they really lie."""

    special: Special
    card: Card | UnsetType = UNSET
    card1: Card
    card2: Card | UnsetType = UNSET
    payload: Retry
    message: str
    """Our extension: `payload.message`, for clients that look for it here."""


class PlayerCambia(AboutPlayer, tag="player_cambia", frozen=True):
    """Protocol: Calling Cambia Action."""


class Debt(msgspec.Struct, frozen=True):
    """Until when a card must be handed over with `action_snap_move`."""

    moveDeadline: int


class PlayerSnapSuccess(AboutPlayer, tag="player_snap_success", frozen=True):
    """Protocol: Snap Action. `card.user` is whose card it was."""

    card: Card
    payload: Debt | UnsetType = UNSET
    """Where another's card was snapped."""


class PlayerSnapFail(AboutPlayer, tag="player_snap_fail", frozen=True):
    """Protocol: Snap Action. The card stays where it was."""

    card: Card


class Penalty(msgspec.Struct, frozen=True):
    """Card `count` of `total`."""

    count: int
    total: int
    stockpileSize: int


class PlayerSnapPenalty(AboutPlayer, tag="player_snap_penalty", frozen=True):
    """To all: a blind card, at the end of the hand."""

    player: User
    card: Card
    stockpileSize: int
    payload: Penalty


class PrivateSnapPenalty(PlayerSnapPenalty, tag="private_snap_penalty", frozen=True):
    """To the player it hits, as blind as to the others."""


class SourceIdx(msgspec.Struct, frozen=True):
    """Where the card lay in the hand it came from."""

    sourceIdx: int


class PlayerSnapMove(AboutPlayer, tag="player_snap_move", frozen=True):
    """A card handed over: `card` at its new owner and idx, face down."""

    card: Card
    payload: SourceIdx
    timedOut: bool | UnsetType = UNSET


class PlayerDisconnect(AboutPlayer, tag="player_disconnect", frozen=True):
    pass


class PlayerReconnect(AboutPlayer, tag="player_reconnect", frozen=True):
    pass


class Active(msgspec.Struct, frozen=True):
    active: bool


class GameAutoPlay(AboutPlayer, tag="game_auto_play", frozen=True):
    """Our extension: from now on the timer plays this seat, or (not `active`) its owner."""

    payload: Active


class PrivateInitialCards(AboutPlayer, tag="private_initial_cards", frozen=True):
    """The reader's cards in the pre-game: slots 0 and 1 as `card1` and `card2`."""

    card1: Card | None
    card2: Card | None
    cards: list[Card]
    """Our extension: all of them, where `initialViewCount` is not 2."""


class CircuitScore(msgspec.Struct, frozen=True):
    """Totals so far; `champions` once somebody has reached the target."""

    totals: dict[str, int]
    over: bool
    champions: list[str]


class Result(msgspec.Struct, frozen=True):
    """`scores` by player, without those who forfeit. `winner` is the first of `winners`."""

    scores: dict[str, int]
    winner: str | None
    winners: list[str]
    caller: str | None
    penaltyApplied: bool
    winBonusApplied: bool
    reason: Literal["cambia", "stockpile", "abandoned"]
    """Our extension."""
    hands: dict[str, list[Card]]
    """Our extension: all cards, turned up."""
    circuit: CircuitScore | UnsetType = UNSET
    """Our extension: in a circuit."""


class GameEnd(GameMessage, tag="game_end", frozen=True):
    payload: Result


class Pong(Message, tag="pong", frozen=True):
    """The answer to `ping`."""


class EnvelopedError(Message, tag="error", frozen=True):
    """Something was refused, and nothing has changed; to its sender alone."""

    error: str
    code: str
    message: str


class Envelope(msgspec.Struct, frozen=True):
    """Around every message of the server (spec: "Two transports")."""

    seq: Annotated[int, Meta(ge=1)]
    """Counts the frames of this connection."""
    type: str
    """That of the message inside."""
    payload: msgspec.Raw
    """The whole message, its type included."""


encode = msgspec.json.Encoder().encode
PONG = encode(Pong())
