"""Abilities: which cards they may name, and what they do to them.

7/8 peek at an own card, 9/10 at another's, J/Q swap two cards blind, K looks at two and then
decides (protocol: "Special Card Discard Actions"). These functions know the cards; turns and
timers are `rules.py`'s.
"""

from __future__ import annotations

from parlour.games.cambia.actions import Special
from parlour.games.cambia.cards import (
    PEEK_OTHER,
    PEEK_SELF,
    SKIP,
    SWAP_BLIND,
    SWAP_PEEK_SWAP,
)
from parlour.games.cambia.events import Peeked, Swapped
from parlour.games.cambia.layout import IN_NO_HAND, NO_CARD, Layout
from parlour.kit import Illegal, Seat


def targets(layout: Layout, seat: Seat, special: str, locked: Seat) -> list[int]:
    """The cards an ability may name, in seating order. `locked` is a seat, or no seat at all."""
    cards: list[int] = []
    for owner, hand in enumerate(layout.hands):
        if special == PEEK_SELF and owner != seat:
            continue
        if special == PEEK_OTHER and owner == seat:
            continue
        if special == SWAP_BLIND and owner == locked:
            continue
        cards.extend(hand)
    return cards


def fires(layout: Layout, seat: Seat, special: str, locked: Seat) -> bool:
    """Whether there is anything to choose. An ability without a target is passed over."""
    if not special:
        return False
    needed = 1 if special in (PEEK_SELF, PEEK_OTHER) else 2
    return len(targets(layout, seat, special, locked)) >= needed


def choices(layout: Layout, seat: Seat, special: str, locked: Seat) -> list[Special]:
    """Every way to use an ability that has fired. Of a pair, only one order is listed."""
    cards = targets(layout, seat, special, locked)
    ids = layout.ids
    if special in (PEEK_SELF, PEEK_OTHER):
        listed = [Special(special, ids[card]) for card in cards]
    else:
        listed = [
            Special(special, ids[one], ids[other])
            for at, one in enumerate(cards)
            for other in cards[at + 1 :]
        ]
    listed.append(Special(SKIP))
    return listed


def king_choices(layout: Layout, one: int, other: int) -> list[Special]:
    """After the look: swap, if nobody has snapped either card away meanwhile, or not."""
    listed = [Special(SKIP)]
    if layout.owners[one] != IN_NO_HAND and layout.owners[other] != IN_NO_HAND:
        listed.insert(0, Special(SWAP_PEEK_SWAP, layout.ids[one], layout.ids[other]))
    return listed


def named(layout: Layout, name: str) -> int:
    """The card in a hand called `name`."""
    card = layout.in_hand(name)
    if card == NO_CARD:
        raise Illegal("no-such-card", "No card of that id lies in anybody's hand.")
    return card


def named_pair(layout: Layout, action: Special) -> tuple[int, int]:
    """The two different cards a swap names."""
    one = named(layout, action.card1)
    other = named(layout, action.card2)
    if one == other:
        raise Illegal("same-card", "A swap needs two different cards.")
    return one, other


def peek(layout: Layout, seat: Seat, action: Special) -> Peeked:
    """7 to 10: look at one card."""
    card = named(layout, action.card1)
    own = layout.owners[card] == seat
    if action.special == PEEK_SELF and not own:
        raise Illegal("not-yours", "A seven or an eight looks at a card of your own.")
    if action.special == PEEK_OTHER and own:
        raise Illegal("your-own", "A nine or a ten looks at somebody else's card.")
    layout.show(card, seat)
    return Peeked(seat, action.special, layout.face_up(card))


def names_locked(layout: Layout, one: int, other: int, locked: Seat) -> bool:
    """Whether one of two cards lies in the locked hand."""
    return locked in (layout.owners[one], layout.owners[other])


def settled_pair(layout: Layout, action: Special, one: int, other: int) -> None:
    """Check a King's decision: the pair looked at, in either order, or no cards named at all."""
    if action.card1 or action.card2:
        pair = (layout.ids[one], layout.ids[other])
        if (action.card1, action.card2) not in (pair, (pair[1], pair[0])):
            raise Illegal("not-those-cards", "Swap the two cards you looked at, or skip.")
    if layout.owners[one] == IN_NO_HAND or layout.owners[other] == IN_NO_HAND:
        raise Illegal("card-gone", "One of the two cards has been snapped away.")


def swap(layout: Layout, seat: Seat, special: str, one: int, other: int) -> Swapped:
    """J/Q, and a King's second step: the two cards change places."""
    layout.swap(one, other, seat if special == SWAP_PEEK_SWAP else None)
    return Swapped(seat, special, layout.face_down(one), layout.face_down(other))
