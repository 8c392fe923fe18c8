"""The events of Cambia, as complete facts, and what each viewer is shown of them.

`view` is the only place where anything is hidden. A hidden face is `HIDDEN`; a hidden event
is None. Moments (`at`) and deadlines are absolute; a deadline of None is a timer turned off.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from parlour.cards import Face
from parlour.games.cambia.cards import HIDDEN, SpecialName
from parlour.games.cambia.settings import Settings
from parlour.kit import Millis, Seat
from parlour.marks import PartlySecret

NO_OWNER: Final = -1
Source: TypeAlias = Literal["stockpile", "discardpile"]
STOCKPILE: Final = "stockpile"
DISCARDPILE: Final = "discardpile"
How: TypeAlias = Literal["cambia", "stockpile", "abandoned"]


class Event:
    """The root of everything that happens."""

    __slots__ = ()


@dataclass(slots=True)
class PlayerEvent(Event):
    """The root of what a player does, or what happens to one."""

    seat: Seat


@dataclass(slots=True)
class CardAt:
    """A card in a hand: its id, whose hand, at which idx, and its face where it is shown."""

    card: str
    owner: Seat
    idx: int
    face: Face = HIDDEN


@dataclass(slots=True)
class Dealt(Event):
    """The cards are out and the pre-game runs until `deadline`. Faces follow in `InitialCards`.

    `totals` are what the players bring along in a circuit, None outside one.
    """

    hands: list[list[str]]
    top: str
    face: Face
    stockpile: int
    settings: Settings
    totals: list[int] | None
    deadline: Millis


@dataclass(slots=True)
class InitialCards(PlayerEvent):
    """`private_initial_cards`: what one player looks at before the first turn."""

    cards: list[CardAt]


@dataclass(slots=True)
class PlayStarted(Event):
    """The pre-game is over (protocol: everybody gets a `private_sync_state`)."""


@dataclass(slots=True)
class TurnBegan(PlayerEvent):
    """`game_player_turn`. Turns are counted from 1."""

    turn: int
    at: Millis
    deadline: Millis | None


@dataclass(slots=True)
class Drew(PlayerEvent, PartlySecret):
    """`player_draw_stockpile` to all and `private_draw_stockpile` to the player.

    A card taken from the discard pile is public. The sizes are those after the draw.
    """

    card: str
    face: Face
    source: Source
    stockpile: int
    discards: int
    public: Drew | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class Discarded(PlayerEvent):
    """`player_discard`. With an idx of 0 or more it came out of the hand, and `drawn` lies there.

    `timed_out`: the timer did it.
    """

    card: str
    face: Face
    idx: int = -1
    drawn: str = ""
    timed_out: bool = False


@dataclass(slots=True)
class SpecialChoice(PlayerEvent):
    """`player_special_choice`: the discard's ability fired, and the timer starts again."""

    card: str
    face: Face
    special: SpecialName
    at: Millis
    deadline: Millis | None


@dataclass(slots=True)
class Peeked(PlayerEvent, PartlySecret):
    """`player_special_action` to all, `private_special_action_success` with the face to one."""

    special: SpecialName
    card: CardAt
    public: Peeked | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class KingLooked(PlayerEvent, PartlySecret):
    """`swap_peek_reveal`: two cards picked up and looked at. The timer starts again."""

    card1: CardAt
    card2: CardAt
    at: Millis
    deadline: Millis | None
    public: KingLooked | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class Swapped(PlayerEvent):
    """`swap_blind` or `swap_peek_swap` done: both cards, at their new owner and idx."""

    special: SpecialName
    card1: CardAt
    card2: CardAt


@dataclass(slots=True)
class SpecialSkipped(PlayerEvent):
    """`player_special_action{special:"skip"}`, by choice or by the timer."""

    timed_out: bool = False


@dataclass(slots=True)
class SpecialRefused(PlayerEvent):
    """`private_special_action_fail`: choose again, or skip; the timer runs on.

    A locked card was named, or one that is not where it was named; or a King's two cards can
    no longer be swapped, or others were named after they had been looked at. A card that lies in
    no hand has no owner (`NO_OWNER`); `card2` is None where one card is looked at.
    """

    special: SpecialName
    card1: CardAt
    card2: CardAt | None
    sentence: str
    at: Millis
    deadline: Millis | None


@dataclass(slots=True)
class CambiaCalled(PlayerEvent):
    """`player_cambia`."""


@dataclass(slots=True)
class SnapWon(PlayerEvent):
    """`player_snap_success`: the card left its owner's hand (which closes up) for the pile.

    `deadline`: until then `seat` hands a card over to the owner (`SnapMove`); None: nothing owed.
    """

    card: CardAt
    deadline: Millis | None = None


@dataclass(slots=True)
class SnapFailed(PlayerEvent):
    """`player_snap_fail`: everybody has seen the card; it stays where it was."""

    card: CardAt


@dataclass(slots=True)
class SnapPenalty(PlayerEvent):
    """`player_snap_penalty` and `private_snap_penalty`: a blind card, `count` of `total`."""

    card: CardAt
    count: int
    total: int
    stockpile: int


@dataclass(slots=True)
class SnapMoved(PlayerEvent):
    """`player_snap_move`: the card came from `seat`'s hand at `source_idx` into the gap."""

    card: CardAt
    source_idx: int
    timed_out: bool = False


@dataclass(slots=True)
class Reshuffled(Event):
    """`game_reshuffle_stockpile`: all discards but the top one went under the stockpile."""

    stockpile: int


@dataclass(slots=True)
class PresenceChanged(PlayerEvent):
    """`player_disconnect` or `player_reconnect`."""

    connected: bool


@dataclass(slots=True)
class AutoPlayChanged(PlayerEvent):
    """The timer plays this seat after too many timeouts in a row (`autoKickTurnCount`); or its
    owner has moved or come back, and plays again."""

    timer_plays: bool


@dataclass(slots=True)
class ClockReset(PlayerEvent):
    """The running turn has another deadline, because its player went away or came back."""

    at: Millis
    deadline: Millis | None


@dataclass(slots=True)
class GameEnded(Event):
    """`game_end`. All hands lie open.

    `scores` are final: hand, caller's penalty and circuit bonus together; None for a forfeit.
    `how`: `cambia`, `stockpile` (nothing left to draw) or `abandoned`.
    `totals` are the circuit's, None outside one; `champions` is empty until `circuit_over`.
    """

    hands: list[list[CardAt]]
    scores: list[int | None]
    winners: list[Seat]
    caller: Seat | None
    penalty_applied: bool
    bonus_applied: bool
    how: How
    totals: list[int] | None
    circuit_over: bool
    champions: list[Seat]


_PARTLY_SECRET: Final = (Drew, Peeked, KingLooked)
_PRIVATE: Final = (InitialCards, SpecialRefused)


def view(event: Event, seat: Seat | None) -> Event | None:
    """The event as `seat` may see it; a spectator is None.

    Everybody who is shown less is shown the same object, so that it is encoded once.
    """
    if isinstance(event, _PARTLY_SECRET):
        if event.seat == seat or (isinstance(event, Drew) and event.source == DISCARDPILE):
            return event
        if event.public is None:
            _make_public(event)
        return event.public
    if isinstance(event, _PRIVATE):
        return event if event.seat == seat else None
    return event


def _make_public(event: Drew | Peeked | KingLooked) -> None:
    """The event without the faces that only its player sees."""
    if isinstance(event, Drew):
        # Not `replace`, which is slow: most events that are partly secret are these.
        event.public = Drew(
            event.seat, event.card, HIDDEN, event.source, event.stockpile, event.discards
        )
    elif isinstance(event, Peeked):
        event.public = replace(event, card=_face_down(event.card))
    else:
        one, other = _face_down(event.card1), _face_down(event.card2)
        event.public = replace(event, card1=one, card2=other)


def _face_down(card: CardAt) -> CardAt:
    return replace(card, face=HIDDEN)
