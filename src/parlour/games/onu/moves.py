"""ONU's actions and events, and who may see them.

Events are complete facts; `view` is the only place where anything is hidden. A hidden card is
`HIDDEN`. Their order lets a host show them one after the other: a card played, a seat skipped,
cards drawn, and at last the prompt: no more events follow until somebody acts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from parlour.games.onu.cards import HIDDEN, SPECIAL, Card
from parlour.games.onu.settings import Settings
from parlour.kit import Millis, Seat

# Actions


@dataclass(slots=True)
class Play:
    """`Action` 0: play the card at `index` of your hand; for a wild, `colour` is 0 to 3.

    Named by its place, never by its face. Other cards ignore `colour`.
    """

    index: int
    colour: int = SPECIAL


@dataclass(slots=True)
class Draw:
    """`Action` 1: draw a card. If there is no card to draw, it passes the turn."""


Action = Play | Draw

ACTIONS: Final = (Play, Draw)

# Events

ASKED_FOR: Final = "asked-for"
FORCED: Final = "forced"
TIMEOUT: Final = "timeout"
MISTAKES: Final = "mistakes"
NOTHING_TO_DRAW: Final = "nothing-to-draw"
LIMIT: Final = "limit"


@dataclass(slots=True)
class Dealt:
    """`onu-start`: seven cards each, and the start card. The deck's top is its end."""

    players: list[str]
    hands: list[list[Card]]
    start: Card
    deck: list[Card]
    settings: Settings
    public: Dealt | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class Played:
    """`onu-play-anim`: the card left its place in the hand for the stack.

    `colour` is now in force (chosen, for a wild), `direction` too: 1 is "Right", -1 "Left".
    """

    seat: Seat
    index: int
    card: Card
    colour: int
    direction: int


@dataclass(slots=True)
class Skipped:
    """The seat is jumped over."""

    seat: Seat


@dataclass(slots=True)
class Drew:
    """Cards from the deck's end came to the end of the hand, in this order.

    `why` is ASKED_FOR, FORCED (by the card before), TIMEOUT or MISTAKES.
    """

    seat: Seat
    cards: list[Card]
    why: str
    public: Drew | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class Reshuffled:
    """The stack below its top is the deck again, in an order that nobody knows."""

    deck: list[Card]
    public: Reshuffled | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class Passed:
    """The turn ended without a card: LIMIT (`maxDraws`), NOTHING_TO_DRAW, TIMEOUT or MISTAKES."""

    seat: Seat
    why: str


@dataclass(slots=True)
class Prompted:
    """`onu-player-turn`: an answer is awaited until `deadline`.

    `effect` is the `TurnEffect` to tell: the effect of the card just played on a turn's first
    prompt, else 0. `first`: a turn begins with it.
    """

    seat: Seat
    effect: int
    first: bool
    deadline: Millis


@dataclass(slots=True)
class Fumbled:
    """An answer that could not be, the turn's `times`-th. A prompt follows at `again_at`."""

    seat: Seat
    times: int
    again_at: Millis


@dataclass(slots=True)
class Ended:
    """`onu-won`. Without a winner the game was given up: `abandoned` or `endless`."""

    winner: Seat | None
    how: str


Event = Dealt | Played | Skipped | Drew | Reshuffled | Passed | Prompted | Fumbled | Ended


def view(event: Event, seat: Seat | None) -> Event:
    """The event as `seat` may see it; a spectator is None.

    Everybody who is shown less is shown the same object, so that it is encoded once.
    """
    if isinstance(event, Drew):
        if event.seat == seat:
            return event
        if event.public is None:
            event.public = Drew(event.seat, [HIDDEN] * len(event.cards), event.why)
        return event.public
    if isinstance(event, Reshuffled):
        if event.public is None:
            event.public = Reshuffled([HIDDEN] * len(event.deck))
        return event.public
    if isinstance(event, Dealt):
        if seat is not None:
            return _dealt(event, seat)
        if event.public is None:
            event.public = _dealt(event, None)
        return event.public
    return event


def _dealt(event: Dealt, viewer: Seat | None) -> Dealt:
    hands = [[HIDDEN] * len(hand) for hand in event.hands]
    if viewer is not None:
        hands[viewer] = event.hands[viewer]
    return Dealt(event.players, hands, event.start, [HIDDEN] * len(event.deck), event.settings)
