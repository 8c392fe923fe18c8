"""Abilities: which cards they may name, and what they do to them.

7/8 peek at an own card, 9/10 at another's, J/Q swap two cards blind, K looks at two and then
decides (protocol: "Special Card Discard Actions"). These functions know the cards; turns and
timers are `rules.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.games.cambia.actions import Special
from parlour.games.cambia.cards import (
    PEEK_OTHER,
    PEEK_SELF,
    SKIP,
    SWAP_BLIND,
    SWAP_PEEK_SWAP,
)
from parlour.games.cambia.events import NO_OWNER, CardAt, Peeked, Swapped
from parlour.games.cambia.layout import IN_NO_HAND, NO_CARD, Layout
from parlour.kit import Illegal, Seat


def targets(layout: Layout, seat: Seat, special: str, locked: Seat) -> list[int]:
    """The cards an ability may name, in seating order. `locked` is a seat, or −1."""
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


RETRY: Final = ("card-moved", "card-gone", "already-looked")
"""Refusals of an ability after which its player chooses again, or skips."""


@final
class Names:
    """Finds the card in a hand that a message of `seat`'s means."""

    def __init__(self, layout: Layout, players: Sequence[str], seat: Seat) -> None:
        self._layout = layout
        self._players = players
        self._seat = seat

    def find(self, name: str, owner: str, idx: int) -> int:
        """By id, or by owner and idx; what is said of a card must all be true of it."""
        layout = self._layout
        if not name:
            hand = layout.hands[self._seat_of(owner)]
            if not 0 <= idx < len(hand):
                raise Illegal("no-such-card", "There is no card at that place.")
            return hand[idx]
        card = layout.in_hand(name)
        if not owner and idx < 0:
            if card == NO_CARD:
                raise Illegal("no-such-card", "No card of that id lies in anybody's hand.")
            return card
        if card == NO_CARD or not self._lies_at(card, owner, idx):
            raise Illegal("card-moved", "That card is not where you named it: look again.")
        return card

    def _lies_at(self, card: int, owner: str, idx: int) -> bool:
        layout = self._layout
        if owner and self._players[layout.owners[card]] != owner:
            return False
        return idx < 0 or layout.idx(card) == idx

    def _seat_of(self, owner: str) -> Seat:
        if not owner:
            return self._seat
        if owner not in self._players:
            raise Illegal("no-such-card", "Nobody of that id plays here.")
        return self._players.index(owner)

    def first(self, action: Special) -> int:
        return self.find(action.card1, action.owner1, action.idx1)

    def second(self, action: Special) -> int:
        return self.find(action.card2, action.owner2, action.idx2)

    def pair(self, action: Special) -> tuple[int, int]:
        """The two different cards a swap names."""
        one, other = self.first(action), self.second(action)
        if one == other:
            raise Illegal("same-card", "A swap needs two different cards.")
        return one, other

    def as_named(self, name: str, owner: str, idx: int) -> CardAt:
        """Where a card lies that was named, which need not be where its name says."""
        card = self._layout.in_hand(name) if name else self.find(name, owner, idx)
        return CardAt(name, NO_OWNER, -1) if card == NO_CARD else self._layout.face_down(card)


def peek(layout: Layout, seat: Seat, action: Special, card: int) -> Peeked:
    """7 to 10: look at one card."""
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


def settled_pair(layout: Layout, names: Names, action: Special, one: int, other: int) -> None:
    """Check a King's decision: the pair looked at, in either order, or no cards named at all.

    The two have been picked up already, so their ids decide, wherever they are said to lie.
    """
    if action.card1 and action.card2:
        pair = (layout.ids[one], layout.ids[other])
        same = (action.card1, action.card2) in (pair, (pair[1], pair[0]))
    elif action.card1 or action.card2 or action.idx1 >= 0 or action.idx2 >= 0:
        same = {names.first(action), names.second(action)} == {one, other}
    else:
        same = True
    if not same:
        raise Illegal("not-those-cards", "Swap the two cards you looked at, or skip.")
    if layout.owners[one] == IN_NO_HAND or layout.owners[other] == IN_NO_HAND:
        raise Illegal("card-gone", "One of the two cards has been snapped away: skip.")


def swap(layout: Layout, seat: Seat, special: str, one: int, other: int) -> Swapped:
    """J/Q, and a King's second step: the two cards change places."""
    layout.swap(one, other, seat if special == SWAP_PEEK_SWAP else None)
    return Swapped(seat, special, layout.face_down(one), layout.face_down(other))
