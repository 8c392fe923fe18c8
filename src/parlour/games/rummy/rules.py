"""Super Rummy: draw, meld and lay, discard; who is rid of all cards first wins the round.

Rules only: no clock, no sockets, no JSON. `wire.py` speaks the protocol, `melds.py` knows
what a meld is. "Spec" in the docstrings is the project's page on Super Rummy.

`allow_draw_choice` (may look at the deck card and then take the discard instead) needs no
action of its own and no card that goes back: whoever is to draw is told the top card of
the deck with their `Turned`, and the view takes it away from everybody else. Existing
clients see the turns and moves they always saw; a card nobody took never left the deck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, Union, final

from parlour.cards import Face, deck
from parlour.games.rummy.melds import (
    HIDDEN,
    Card,
    House,
    arrange,
    melds_in,
    place_in_hand,
    room_on,
    value_of,
)
from parlour.games.rummy.settings import Settings, in_force
from parlour.kit import Illegal, Match, Millis, Outcome, Seat
from parlour.rng import Rng

TO_HAND: Final = "player"
TO_MELD: Final = "meld"
TO_DISCARDS: Final = "discard"

DRAW: Final = "draw"
PLAY: Final = "play"


# Actions


@final
@dataclass(slots=True)
class Draw:
    """Take the top card of the deck or of the discard pile (protocol: "draw")."""

    card_id: str


@final
@dataclass(slots=True)
class Meld:
    """Lay down a new meld from the hand (protocol: "meld")."""

    card_ids: list[str]


@final
@dataclass(slots=True)
class Lay:
    """Add one or several cards to a meld on the table, anybody's (protocol: "lay")."""

    card_ids: list[str]
    meld_number: int


@final
@dataclass(slots=True)
class Discard:
    """Put a card on the discard pile and end the turn (protocol: "discard")."""

    card_id: str


Action: TypeAlias = Union[Draw, Meld, Lay, Discard]
ACTIONS: Final = (Draw, Meld, Lay, Discard)


# Events


@final
@dataclass(slots=True)
class Started:
    """A new round: nobody holds a card, all of them lie in the deck, bottom to top."""

    players: list[str]
    card_ids: list[str]
    settings: Settings
    """With `hand_size` as the number in force."""


@final
@dataclass(slots=True)
class Moved:
    """Cards came to a hand (`seat`, `position`), a meld (`meld_number`, `position`) or the pile.

    `right_end` is the position everybody but the owner of the hand is told: the true one
    would tell something of the card's rank.
    """

    cards: list[Card]
    destination: str
    seat: Seat = -1
    meld_number: int = -1
    position: int = 0
    right_end: int = 0
    public: Moved | None = field(default=None, compare=False, repr=False)


@final
@dataclass(slots=True)
class Turned:
    """It is `seat`'s turn to draw or to play.

    `deck_top` is shown to that seat alone, with `allow_draw_choice`, when it is to draw.
    """

    seat: Seat
    state: str
    deck_top: Card | None = None
    public: Turned | None = field(default=None, compare=False, repr=False)


@final
@dataclass(slots=True)
class Redecked:
    """The discards, gone as such, are the deck now, under new ids, bottom to top."""

    new_card_ids: list[str]


@final
@dataclass(slots=True)
class Ended:
    """The round is over. `hand_values`: the losers'; everybody's when nobody won."""

    winner: Seat | None
    hand_values: dict[Seat, int]
    how: str
    """`out`, `deck-exhausted`, `standstill` or `abandoned`."""


Event: TypeAlias = Union[Started, Moved, Turned, Redecked, Ended]


def view(event: Event, seat: Seat | None) -> Event:
    """What `seat` may know of `event`; a spectator is None.

    Hidden are the face of a card that goes to somebody else's hand, also from the discard
    pile, with the place it takes there; and the deck card another player may look at.
    """
    if isinstance(event, Moved):
        if event.destination != TO_HAND or event.seat == seat:
            return event
        if event.public is None:
            event.public = Moved(
                [Card(card.id, HIDDEN) for card in event.cards],
                TO_HAND,
                event.seat,
                position=event.right_end,
                right_end=event.right_end,
            )
        return event.public
    if isinstance(event, Turned):
        if event.deck_top is None or event.seat == seat:
            return event
        if event.public is None:
            event.public = Turned(event.seat, event.state)
        return event.public
    return event


class Rummy(Match[Action, Event]):
    """One round, changed in place; `copy()` is cheap enough to search with."""

    def __init__(self, settings: Settings, players: Sequence[str], starter: Seat) -> None:
        seats = len(players)
        self.settings = settings
        self.players: list[str] = list(players)
        self.house = House(
            settings.allow_run_mixed_suit,
            settings.allow_set_duplicate_suit,
            settings.limit_meld_size,
            settings.ace_rank == "high",
        )
        self.draw_choice: bool = settings.allow_draw_choice
        self.end_discard: bool = settings.require_end_discard
        self.exhaust: str = settings.deck_exhaust
        self.starter: Seat = starter
        self.deck: list[Card] = []
        self.discards: list[Card] = []
        self.hands: list[list[Card]] = [[] for _ in range(seats)]
        self.melds: list[list[Card]] = []
        # Beside each meld the faces it takes; see `room_on`.
        self.room: list[int] = []
        self.active: list[bool] = [True] * seats
        self.turn: Seat = starter
        self.drawn: bool = False
        # The id of the card taken from the discard pile this turn.
        self.taken: str | None = None
        # Who laid cards down in an earlier turn, and whether this turn did.
        self.laid: list[bool] = [False] * seats
        self.laid_now: bool = False
        self.quiet: int = 0
        self.patience: int = 0
        self.ended: Ended | None = None
