"""Super Rummy's actions and events, and what each viewer is shown of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from parlour.games.rummy.melds import HIDDEN, Card
from parlour.games.rummy.settings import Settings
from parlour.kit import Seat
from parlour.marks import PartlySecret

TO_HAND: Final = "player"
TO_MELD: Final = "meld"
TO_DISCARDS: Final = "discard"

DRAW: Final = "draw"
PLAY: Final = "play"


# Actions


@dataclass(slots=True)
class Draw:
    """Take the top card of the deck or of the discard pile (protocol: "draw")."""

    card_id: str


@dataclass(slots=True)
class Meld:
    """Lay down a new meld from the hand (protocol: "meld")."""

    card_ids: list[str]


@dataclass(slots=True)
class Lay:
    """Add one or several cards to a meld on the table, anybody's (protocol: "lay")."""

    card_ids: list[str]
    meld_number: int


@dataclass(slots=True)
class Discard:
    """Put a card on the discard pile and end the turn (protocol: "discard")."""

    card_id: str


Action: TypeAlias = Draw | Meld | Lay | Discard
ACTIONS: Final = (Draw, Meld, Lay, Discard)


# Events


@dataclass(slots=True)
class Started:
    """A new round: nobody holds a card, all of them lie in the deck, bottom to top."""

    players: list[str]
    card_ids: list[str]
    settings: Settings
    """With the `hand_size` that is dealt, never 0."""


@dataclass(slots=True)
class Moved(PartlySecret):
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


@dataclass(slots=True)
class Turned(PartlySecret):
    """It is `seat`'s turn to draw or to play.

    `deck_top` is shown to that seat alone, with `allow_draw_choice`, when it is to draw.
    """

    seat: Seat
    state: str
    deck_top: Card | None = None
    public: Turned | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Redecked:
    """The discards, gone as such, are the deck now, under new ids, bottom to top."""

    new_card_ids: list[str]


@dataclass(slots=True)
class Ended:
    """The round is over. `hand_values`: the losers'; everybody's when nobody won."""

    winner: Seat | None
    hand_values: dict[Seat, int]
    how: str
    """`out`, `deck-exhausted`, `standstill` or `abandoned`."""


Event: TypeAlias = Started | Moved | Turned | Redecked | Ended


def view(event: Event, seat: Seat | None) -> Event:
    """The event as `seat` may see it; a spectator is None.

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
