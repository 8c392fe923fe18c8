"""Abilities: which cards they may name, and what they do to them.

7/8 peek at an own card, 9/10 at another's, J/Q swap two cards blind, K looks at two and then
decides (protocol: "Special Card Discard Actions"). Whose turn it is, and what a timeout means,
is decided by `rules.py`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final, final

from parlour.games.cambia import events as ev
from parlour.games.cambia.actions import Special
from parlour.games.cambia.cards import SpecialName, ability_of
from parlour.games.cambia.clock import Clock
from parlour.games.cambia.layout import IN_NO_HAND, NO_CARD, Layout
from parlour.kit import Copyable, Illegal, Millis, Seat

_RETRY: Final = ("card-moved", "card-gone", "already-looked", "locked")
"""Refusals of an ability after which its player chooses again, or skips. They do not reset the
timer: otherwise a player could hold up the game by naming such cards again and again."""


def targets(layout: Layout, seat: Seat, special: SpecialName, locked: Seat | None) -> list[int]:
    """The cards an ability may name, in seating order."""
    cards: list[int] = []
    for owner, hand in enumerate(layout.hands):
        if special == "peek_self" and owner != seat:
            continue
        if special == "peek_other" and owner == seat:
            continue
        if special == "swap_blind" and owner == locked:
            continue
        cards.extend(hand)
    return cards


def fires(layout: Layout, seat: Seat, special: SpecialName, locked: Seat | None) -> bool:
    """Whether there is anything to choose. An ability without a target is passed over."""
    needed = 1 if special in ("peek_self", "peek_other") else 2
    return len(targets(layout, seat, special, locked)) >= needed


@final
class Ability(Copyable):
    """The ability of the card just discarded, while it waits for its player."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self.layout = layout
        self.clock = clock
        self.special: SpecialName | None = None
        # The two cards of a King's first step, while the second is waited for.
        self.looked: list[int] = []

    def end(self) -> None:
        self.special = None
        self.looked = []

    def fire(self, seat: Seat, card: int, locked: Seat | None, now: Millis) -> list[ev.Event]:
        """Offer the ability of a discarded card, if it has one that can be used."""
        face = self.layout.faces[card]
        special = ability_of(face)
        if special is None or not fires(self.layout, seat, special, locked):
            return []
        self.special = special
        self.clock.start(seat, now)
        name, deadline = self.layout.ids[card], self.clock.deadline
        return [ev.SpecialChoice(seat, name, face, special, now, deadline)]

    def choices(self, seat: Seat, locked: Seat | None) -> list[Special]:
        """Every way to use it. Of a pair, only one order is listed."""
        special, ids = self._expected(), self.layout.ids
        cards = self.looked or targets(self.layout, seat, special, locked)
        if special in ("peek_self", "peek_other"):
            listed = [Special(special, ids[card]) for card in cards]
        elif self._looked_is_gone():
            listed = []
        else:
            listed = [
                Special(special, ids[one], ids[other]) for one, other in combinations(cards, 2)
            ]
        return [*listed, Special("skip")]

    def _looked_is_gone(self) -> bool:
        """Whether somebody has snapped away a card that the King has looked at."""
        return any(self.layout.owners[card] == IN_NO_HAND for card in self.looked)

    # Using it

    def use(self, seat: Seat, action: Special, locked: Seat | None, now: Millis) -> ev.Event:
        """Do what `action` says, or raise `Illegal`. Afterwards `special` is None unless there is
        something left to choose."""
        if action.special == "skip":
            self.end()
            return ev.SpecialSkipped(seat)
        special = self._expected()
        if action.special == "swap_peek" == self.special:
            special = "swap_peek"  # once more, after a reload between a King's two steps
        if action.special != special:
            raise Illegal("wrong-special", f"What you can do now is {special}, or skip.")
        try:
            if special in ("peek_self", "peek_other"):
                return self._peek(seat, special, action)
            if special == "swap_peek":
                return self._king_look(seat, action, locked, now)
            return self._swap(seat, special, action, locked)
        except Illegal as no:
            if no.code not in _RETRY:
                raise
            return self._refused(seat, special, action, no.sentence, now)

    def _expected(self) -> SpecialName:
        """The ability that its player is to name now, unless they skip it."""
        assert self.special is not None, "an ability waits"
        return "swap_peek_swap" if self.looked else self.special

    def _first(self, seat: Seat, action: Special) -> int:
        return self.layout.find(seat, action.card1, action.owner1, action.idx1)

    def _second(self, seat: Seat, action: Special) -> int:
        return self.layout.find(seat, action.card2, action.owner2, action.idx2)

    def _pair(self, seat: Seat, action: Special) -> tuple[int, int]:
        one, other = self._first(seat, action), self._second(seat, action)
        if one == other:
            raise Illegal("same-card", "A swap needs two different cards.")
        return one, other

    def _names_locked(self, one: int, other: int, locked: Seat | None) -> bool:
        return locked in (self.layout.owners[one], self.layout.owners[other])

    def _peek(self, seat: Seat, special: SpecialName, action: Special) -> ev.Peeked:
        """7 to 10: look at one card."""
        card = self._first(seat, action)
        own = self.layout.owners[card] == seat
        if special == "peek_self" and not own:
            raise Illegal("not-yours", "A seven or an eight looks at a card of your own.")
        if special == "peek_other" and own:
            raise Illegal("your-own", "A nine or a ten looks at somebody else's card.")
        self.layout.show(card, seat)
        self.end()
        return ev.Peeked(seat, special, self.layout.face_up(card))

    def _king_look(
        self, seat: Seat, action: Special, locked: Seat | None, now: Millis
    ) -> ev.KingLooked:
        """The King's first step. A locked card may be looked at, but not swapped."""
        layout = self.layout
        one, other = self._pair(seat, action)
        again = bool(self.looked)
        if again and {one, other} != set(self.looked):
            sentence = "You have looked at two cards: swap those two, or skip."
            raise Illegal("already-looked", sentence)
        if not again:
            layout.show(one, seat)
            layout.show(other, seat)
            self.looked = [one, other]
            self.clock.start(seat, now)
            if self._names_locked(one, other, locked):
                self.end()
        # Otherwise it is somebody who reloaded in between: the timer runs on.
        first, second = layout.face_up(one), layout.face_up(other)
        return ev.KingLooked(seat, first, second, now, self.clock.deadline)

    def _swap(
        self, seat: Seat, special: SpecialName, action: Special, locked: Seat | None
    ) -> ev.Swapped:
        """J/Q, and a King's second step: two cards change places."""
        layout, king = self.layout, special == "swap_peek_swap"
        if king:
            self._check_decision(seat, action)
            one, other = self.looked
        else:
            one, other = self._pair(seat, action)
            if self._names_locked(one, other, locked):
                sentence = (
                    "The hand of whoever called Cambia is locked. Choose other cards, or skip."
                )
                raise Illegal("locked", sentence)
        layout.swap(one, other, seat if king else None)
        self.end()
        return ev.Swapped(seat, special, layout.face_down(one), layout.face_down(other))

    def _check_decision(self, seat: Seat, action: Special) -> None:
        """A King's decision names the pair looked at, in either order, or no cards.

        The two have been picked up already, so their ids decide, wherever they are said to lie.
        """
        same = True
        if action.card1 and action.card2:
            same = {action.card1, action.card2} == {self.layout.ids[card] for card in self.looked}
        elif action.card1 or action.card2 or action.idx1 >= 0 or action.idx2 >= 0:
            same = {self._first(seat, action), self._second(seat, action)} == set(self.looked)
        if not same:
            raise Illegal("not-those-cards", "Swap the two cards you looked at, or skip.")
        if self._looked_is_gone():
            raise Illegal("card-gone", "One of the two cards has been snapped away: skip.")

    def _refused(
        self, seat: Seat, special: SpecialName, action: Special, sentence: str, now: Millis
    ) -> ev.SpecialRefused:
        """Told to its player alone, who may choose again; nothing has changed."""
        second = None
        if special == "swap_peek_swap":
            # It may have been sent without naming the two cards that were looked at.
            first, second = (self._as_named(seat, self.layout.ids[card]) for card in self.looked)
        else:
            first = self._as_named(seat, action.card1, action.owner1, action.idx1)
            if special in ("swap_blind", "swap_peek"):
                second = self._as_named(seat, action.card2, action.owner2, action.idx2)
        deadline = self.clock.deadline
        return ev.SpecialRefused(seat, special, first, second, sentence, now, deadline)

    def _as_named(self, seat: Seat, name: str, owner: str = "", idx: int = -1) -> ev.CardAt:
        """The place of a card that a player named, perhaps by a place where it lies no more."""
        card = self.layout.in_hand(name) if name else self.layout.find(seat, name, owner, idx)
        return ev.CardAt(name, ev.NO_OWNER, -1) if card == NO_CARD else self.layout.face_down(card)
