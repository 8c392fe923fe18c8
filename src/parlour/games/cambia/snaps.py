"""Snaps: who may snap, whether a snap is right, and the card owed for another's (spec: "Snap").

Two snaps in the same instant have one order, the order in which they are applied; the second
is judged by what the first left behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from parlour.cards import rank_of
from parlour.games.cambia import events as ev
from parlour.games.cambia.actions import Snap, SnapMove
from parlour.games.cambia.clock import Clock
from parlour.games.cambia.layout import Layout
from parlour.games.cambia.settings import HouseRules
from parlour.kit import Copyable, Illegal, Millis, Seat
from parlour.rng import Rng

REST: Final[Millis] = 2_000
LONGEST_REST: Final[Millis] = 60_000
"""How long a player waits after a wrong snap. The wait doubles with each one in a row."""


@dataclass(slots=True)
class Debt:
    """`debtor` snapped a card of `owner`'s at `idx` and hands one over by `deadline`."""

    debtor: Seat
    owner: Seat
    idx: int
    deadline: Millis


@final
class Snaps(Copyable):
    """The snapping of one game: which discards are used up, and who owes a card."""

    def __init__(self, rules: HouseRules, layout: Layout, clock: Clock) -> None:
        self.rules = rules
        self.layout = layout
        self.clock = clock
        # Discards on which a right snap has been made, and the cards snapped onto them: in a race
        # nobody can snap on these. Only the top of the pile is ever looked up here.
        self.used: set[int] = set()
        self.debts: list[Debt] = []
        # Until when a seat may not snap, and how often in a row it was wrong.
        self.rests: dict[Seat, Millis] = {}
        self.wrong: dict[Seat, int] = {}

    def choices(self, seat: Seat, locked: Seat | None) -> list[Snap]:
        """Every card `seat` may try, right or wrong: what is listed must not tell faces."""
        layout = self.layout
        if seat == locked or seat in self.rests or not layout.discards:
            return []
        owners = [owner for owner in range(len(layout.hands)) if owner != locked]
        if not self.rules.allowOpponentSnapping:
            owners = [seat]
        return [Snap(layout.ids[card]) for owner in owners for card in layout.hands[owner]]

    def snap(
        self, seat: Seat, action: Snap, locked: Seat | None, rng: Rng, now: Millis
    ) -> list[ev.Event]:
        layout = self.layout
        card = layout.find(seat, action.card, action.owner, action.idx)
        self._check(seat, card, locked, now)
        shown, top = layout.face_up(card), layout.discards[-1]
        # In a race, only the first snap on a discard is right.
        used_up = self.rules.snapRace and top in self.used
        if used_up or rank_of(layout.faces[card]) != rank_of(layout.faces[top]):
            layout.show_all(card)
            self._rest(seat, now)
            return [ev.SnapFailed(seat, shown), *self._penalise(seat, rng)]
        self.wrong.pop(seat, None)
        self.rests.pop(seat, None)
        self.used.update((top, card))
        layout.lift(card)
        layout.discard(card)
        if not layout.hands[shown.owner]:
            # An empty hand has nothing to pay with.
            self.debts = [debt for debt in self.debts if debt.debtor != shown.owner]
        if shown.owner == seat or not layout.hands[seat]:
            return [ev.SnapWon(seat, shown)]
        debt = Debt(seat, shown.owner, shown.idx, self.clock.debt_deadline(now))
        self.debts.append(debt)
        return [ev.SnapWon(seat, shown, debt.deadline)]

    def _check(self, seat: Seat, card: int, locked: Seat | None, now: Millis) -> None:
        """Refuse a snap that may not be tried. A wrong one may."""
        if self.rests.get(seat, now) > now:
            raise Illegal("snap-rest", "Your last snap was wrong: wait a little before the next.")
        if seat == locked:
            raise Illegal("locked", "You have called Cambia: you do not snap any more.")
        owner = self.layout.owners[card]
        if owner != seat and not self.rules.allowOpponentSnapping:
            raise Illegal("not-yours", "You can only snap your own cards.")
        if owner == locked:
            raise Illegal("locked", "That hand is locked: its owner has called Cambia.")
        if not self.layout.discards:
            raise Illegal("no-discard", "There is no card to snap on.")

    def due(self) -> Millis | None:
        """When the next wait after a wrong snap ends, or the next card owed is due."""
        if not self.rests and not self.debts:
            return None
        return min([*self.rests.values(), *[debt.deadline for debt in self.debts]])

    # Wrong snaps

    def _rest(self, seat: Seat, now: Millis) -> None:
        """Let the player wait, so that nobody floods the table with wrong snaps."""
        before = self.wrong.get(seat, 0)
        self.wrong[seat] = before + 1
        self.rests[seat] = now + min(REST << min(before, 8), LONGEST_REST)

    def end_rests(self, now: Millis) -> None:
        """Forget the waits that are over."""
        self.rests = {seat: until for seat, until in self.rests.items() if until > now}

    def _penalise(self, seat: Seat, rng: Rng) -> list[ev.Event]:
        """Deal blind cards; fewer if both piles run out, which ends no game here."""
        layout, total = self.layout, self.rules.penaltyDrawCount
        events: list[ev.Event] = []
        for count in range(1, total + 1):
            if not layout.can_draw():
                break
            events += layout.refill(0, rng)
            card = layout.stockpile.pop()
            layout.put(card, seat, len(layout.hands[seat]))
            left = len(layout.stockpile)
            events.append(ev.SnapPenalty(seat, layout.face_down(card), count, total, left))
            events += layout.refill(1, rng)
        return events

    # Cards owed

    def debt_of(self, seat: Seat) -> Debt | None:
        for debt in self.debts:
            if debt.debtor == seat:
                return debt
        return None

    def next_debt(self) -> Debt | None:
        """The one to be paid first."""
        return min(self.debts, key=lambda debt: debt.deadline, default=None)

    def hand_over(self, seat: Seat, action: SnapMove) -> ev.Event:
        debt = self.debt_of(seat)
        if debt is None:
            raise Illegal("owes-nothing", "You owe nobody a card.")
        card = self.layout.find(seat, action.card, action.owner, action.idx)
        if self.layout.owners[card] != seat:
            raise Illegal("not-yours", "Hand over a card of your own.")
        return self._pay(debt, card, False)

    def collect(self, debt: Debt, rng: Rng) -> ev.Event:
        """The debtor chose no card in time: hand over a random one."""
        hand = self.layout.hands[debt.debtor]
        return self._pay(debt, hand[rng.below(len(hand))], True)

    def _pay(self, debt: Debt, card: int, timed_out: bool) -> ev.Event:
        """Put the card into the gap, or at the end of a row that has become too short for it."""
        layout = self.layout
        source = layout.lift(card)
        layout.put(card, debt.owner, min(debt.idx, len(layout.hands[debt.owner])))
        layout.known[card] = 0
        self.debts.remove(debt)
        return ev.SnapMoved(debt.debtor, layout.face_down(card), source, timed_out)
