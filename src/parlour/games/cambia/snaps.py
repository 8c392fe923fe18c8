"""Snaps: who may, whether it is right, and the card owed for somebody else's (spec: "Snap").

Two snaps in the same instant have one order, the order in which they are applied; the second
is judged by what the first left behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from parlour.cards import rank_of
from parlour.games.cambia.actions import Snap
from parlour.games.cambia.events import Event, SnapMoved, SnapPenalty
from parlour.games.cambia.layout import NO_CARD, Layout
from parlour.kit import Illegal, Millis, Seat
from parlour.rng import Rng

REST: Final[Millis] = 2_000
LONGEST_REST: Final[Millis] = 60_000
"""How long a player waits after a wrong snap. The wait doubles with each one in a row."""


@final
@dataclass(slots=True)
class Debt:
    """`debtor` snapped a card of `owner`'s at `idx` and hands one over by `deadline`."""

    debtor: Seat
    owner: Seat
    idx: int
    deadline: Millis


@final
class Snaps:
    """The snapping of one game: which discards are used up, and who owes a card."""

    def __init__(self, race: bool, others: bool) -> None:
        self.race = race
        self.others = others
        # Discards on which a right snap has been made, and the cards snapped onto them: in a race
        # nobody can snap on these. Only the top of the pile is ever looked up here.
        self.used: set[int] = set()
        self.debts: list[Debt] = []
        # Until when a seat may not snap, and how often in a row it was wrong.
        self.rests: dict[Seat, Millis] = {}
        self.wrong: dict[Seat, int] = {}

    def debt_of(self, seat: Seat) -> Debt | None:
        for debt in self.debts:
            if debt.debtor == seat:
                return debt
        return None

    def next_debt(self) -> Debt | None:
        """The one to be paid first."""
        return min(self.debts, key=lambda debt: debt.deadline, default=None)

    def next_rest(self) -> Millis | None:
        """When the next player may snap again."""
        return min(self.rests.values(), default=None)

    def end_rests(self, now: Millis) -> None:
        """Forget the waits that are over."""
        self.rests = {seat: until for seat, until in self.rests.items() if until > now}

    def fail(self, seat: Seat, now: Millis) -> None:
        """Note a wrong snap. The player has to wait, so that nobody floods the table with them."""
        before = self.wrong.get(seat, 0)
        self.wrong[seat] = before + 1
        self.rests[seat] = now + min(REST << min(before, 8), LONGEST_REST)

    def choices(self, layout: Layout, seat: Seat, locked: Seat) -> list[Snap]:
        """Every card `seat` may try, right or wrong: what is listed must not tell faces."""
        if seat == locked or seat in self.rests or layout.top() == NO_CARD:
            return []
        owners = [owner for owner in range(len(layout.hands)) if owner != locked]
        if not self.others:
            owners = [seat]
        return [Snap(layout.ids[card]) for owner in owners for card in layout.hands[owner]]

    def check(self, layout: Layout, seat: Seat, card: int, locked: Seat, now: Millis) -> None:
        """Refuse a snap that may not be tried. A wrong one may."""
        if self.rests.get(seat, now) > now:
            raise Illegal("snap-rest", "Your last snap was wrong: wait a little before the next.")
        if seat == locked:
            raise Illegal("locked", "You have called Cambia: you do not snap any more.")
        owner = layout.owners[card]
        if owner != seat and not self.others:
            raise Illegal("not-yours", "You can only snap your own cards.")
        if owner == locked:
            raise Illegal("locked", "That hand is locked: its owner has called Cambia.")
        if layout.top() == NO_CARD:
            raise Illegal("no-discard", "There is no card to snap on.")

    def is_right(self, layout: Layout, card: int) -> bool:
        """The rank of the top discard; in a race, only the first time."""
        top = layout.top()
        if self.race and top in self.used:
            return False
        return rank_of(layout.faces[card]) == rank_of(layout.faces[top])

    def lay(self, layout: Layout, seat: Seat, card: int) -> None:
        """Move a card that `seat` snapped rightly to the pile."""
        self.wrong.pop(seat, None)
        self.rests.pop(seat, None)
        self.used.add(layout.top())
        self.used.add(card)
        owner = layout.owners[card]
        layout.lift(card)
        layout.discard(card)
        if not layout.hands[owner]:
            # An empty hand has nothing to pay with.
            self.debts = [debt for debt in self.debts if debt.debtor != owner]

    def pay(self, layout: Layout, debt: Debt, card: int, timed_out: bool) -> SnapMoved:
        """Into the gap; at the end of the row, if the row has become too short to have it."""
        source = layout.lift(card)
        layout.put(card, debt.owner, min(debt.idx, len(layout.hands[debt.owner])))
        layout.known[card] = 0
        self.debts.remove(debt)
        return SnapMoved(debt.debtor, layout.face_down(card), source, timed_out)

    def collect(self, layout: Layout, debt: Debt, rng: Rng) -> SnapMoved:
        """Nobody chose in time: chance hands the card over."""
        hand = layout.hands[debt.debtor]
        return self.pay(layout, debt, hand[rng.below(len(hand))], True)


def penalise(layout: Layout, seat: Seat, total: int, rng: Rng) -> list[Event]:
    """Deal blind cards for a wrong snap; fewer if both piles run out, which ends no game here."""
    events: list[Event] = []
    for count in range(1, total + 1):
        if not layout.can_draw():
            break
        events += layout.refill(0, rng)
        card = layout.stockpile.pop()
        layout.put(card, seat, len(layout.hands[seat]))
        left = len(layout.stockpile)
        events.append(SnapPenalty(seat, layout.face_down(card), count, total, left))
        events += layout.refill(1, rng)
    return events
