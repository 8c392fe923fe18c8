"""Cambia: turns and timers, over the cards (`layout.py`), abilities, snaps and the count.

Rules only: no clock, no sockets, no JSON. Spec: "Rules"; protocol: "Game/Turns".

One clock runs at a time (`clock.py`): the pre-game's, then the turn's. Cards owed after snaps
have deadlines of their own beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.games.cambia import actions as act
from parlour.games.cambia import events as ev
from parlour.games.cambia import scoring
from parlour.games.cambia.actions import Action
from parlour.games.cambia.cards import card_id, full_deck
from parlour.games.cambia.clock import PRE_GAME, Clock
from parlour.games.cambia.events import Event
from parlour.games.cambia.layout import NO_CARD, Layout
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.snaps import Debt, Snaps, penalise
from parlour.games.cambia.specials import Ability
from parlour.kit import Illegal, Match, Millis, Outcome, Seat, Setup
from parlour.rng import Rng

HAND: Final = 4
MOST_PLAYERS: Final = 8
NO_SEAT: Final = -1

# What the turn waits for.
LOOKING: Final = 0  # the pre-game
TO_DRAW: Final = 1
HOLDING: Final = 2  # a drawn card to place
CHOOSING: Final = 3  # an ability to use
OVER: Final = 4


@final
class Cambia(Match[Action, Event]):
    """One game, changed in place."""

    def __init__(
        self,
        settings: Settings,
        layout: Layout,
        first: Seat,
        totals: dict[str, int],
        begins: Millis,
    ) -> None:
        rules = settings.houseRules
        self.settings = settings
        self.layout = layout
        self.snaps = Snaps(rules.snapRace, rules.allowOpponentSnapping)
        self.clock = Clock(rules, len(layout.players), begins)
        self.ability = Ability(layout, self.clock)
        self.first = first
        self.totals = totals
        self.stage = LOOKING
        self.turn = 0
        self.current = first
        self.from_discards = False
        self.caller = NO_SEAT
        self.result: ev.GameEnded | None = None

    # What may be done

    def legal(self, seat: Seat) -> Sequence[Action]:
        """Every action of the turn, then every snap, right or wrong."""
        if self.stage in (LOOKING, OVER):
            return []
        if self.snaps.debt_of(seat) is not None:
            return [act.SnapMove(self.layout.ids[card]) for card in self.layout.hands[seat]]
        actions: list[Action] = []
        if seat == self.current:
            actions.extend(self._turn_choices(seat))
        actions.extend(self.snaps.choices(self.layout, seat, self._locked()))
        return actions

    def _turn_choices(self, seat: Seat) -> Sequence[Action]:
        layout = self.layout
        if self.stage == CHOOSING:
            return self.ability.choices(seat, self._locked())
        actions: list[Action] = []
        if self.stage == TO_DRAW:
            actions.append(act.DrawStockpile())
            if self.settings.houseRules.allowDrawFromDiscardPile:
                actions.append(act.DrawDiscard())
            if self.caller == NO_SEAT:
                actions.append(act.CallCambia())
        else:
            actions.append(act.DiscardDrawn(layout.ids[layout.drawn]))
            for idx, card in enumerate(layout.hands[seat]):
                actions.append(act.Replace(layout.ids[card], idx))
        return actions

    def _locked(self) -> Seat:
        """The seat whose hand is locked, or no seat."""
        return self.caller if self.settings.houseRules.lockCallerHand else NO_SEAT

    def outcome(self) -> Outcome | None:
        if self.result is None:
            return None
        scores = {s: score for s, score in enumerate(self.result.scores) if score is not None}
        return Outcome(tuple(self.result.winners), self.result.how, scores)

    # Doing it

    def apply(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        if self.stage == OVER:
            raise Illegal("game-over", "The game is over.")
        if self.stage == LOOKING:
            raise Illegal("pre-game", "The game has not begun: look at your cards.")
        turn = self.turn
        events = self._do(seat, action, rng, now)
        woke = self.clock.wake(seat)
        if woke:
            events = woke + events
            if self.turn == turn and seat == self.current and self.stage != OVER:
                events.append(self.clock.reset(seat, now))
        return events

    def _do(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        if isinstance(action, act.SnapMove):
            return self._snap_move(seat, action)
        if self.snaps.debt_of(seat) is not None:
            raise Illegal("owes-card", "First hand over a card for the one you snapped.")
        if isinstance(action, act.Snap):
            return self._snap(seat, action, rng, now)
        if seat != self.current:
            raise Illegal("not-your-turn", "It is not your turn.")
        if isinstance(action, act.Special):
            return self._special(seat, action, rng, now)
        if self.stage == CHOOSING:
            raise Illegal("special-pending", "Use your card's ability first, or skip it.")
        if isinstance(action, act.DiscardDrawn):
            return self._discard_drawn(seat, action, rng, now)
        if isinstance(action, act.Replace):
            return self._replace(seat, action, rng, now)
        if self.stage == HOLDING:
            raise Illegal("already-drawn", "You have drawn: discard the card or replace one.")
        if isinstance(action, act.DrawStockpile):
            return self._draw(seat, rng)
        if isinstance(action, act.DrawDiscard):
            return self._draw_discard(seat)
        if self.caller != NO_SEAT:
            raise Illegal("already-called", "Cambia has been called.")
        self.caller = seat
        return [ev.CambiaCalled(seat), *self._next_turn(rng, now)]

    def _draw(self, seat: Seat, rng: Rng) -> list[Event]:
        layout = self.layout
        if not layout.can_draw():
            return self._end(scoring.STOCKPILE, rng)
        events = layout.refill(0, rng)
        card = layout.stockpile.pop()
        layout.show(card, seat)
        layout.drawn = card
        self.from_discards = False
        self.stage = HOLDING
        events.append(self._drew(seat, ev.STOCKPILE))
        return events + layout.refill(1, rng)

    def _draw_discard(self, seat: Seat) -> list[Event]:
        if not self.settings.houseRules.allowDrawFromDiscardPile:
            raise Illegal("house-rule", "Here the discard pile is not drawn from.")
        # Between turns the pile is never empty: every turn that takes a card lays one.
        self.layout.drawn = self.layout.discards.pop()
        self.from_discards = True
        self.stage = HOLDING
        return [self._drew(seat, ev.DISCARDPILE)]

    def _drew(self, seat: Seat, source: ev.Source) -> ev.Drew:
        layout = self.layout
        name, face = layout.ids[layout.drawn], layout.faces[layout.drawn]
        return ev.Drew(seat, name, face, source, len(layout.stockpile), len(layout.discards))

    def _discard_drawn(
        self, seat: Seat, action: act.DiscardDrawn, rng: Rng, now: Millis
    ) -> list[Event]:
        if self.stage != HOLDING:
            raise Illegal("not-drawn", "Draw a card first.")
        drawn = self.layout.drawn
        if action.card != self.layout.ids[drawn]:
            raise Illegal("not-drawn", "That is not the card you drew.")
        events: list[Event] = [self._lay_drawn(seat, False)]
        return events + self._fire(seat, drawn, not self.from_discards, rng, now)

    def _lay_drawn(self, seat: Seat, timed_out: bool) -> ev.Discarded:
        card = self.layout.drawn
        self.layout.drawn = NO_CARD
        self.layout.discard(card)
        self.snaps.used.discard(card)
        name, face = self.layout.ids[card], self.layout.faces[card]
        return ev.Discarded(seat, name, face, timed_out=timed_out)

    def _replace(self, seat: Seat, action: act.Replace, rng: Rng, now: Millis) -> list[Event]:
        if self.stage != HOLDING:
            raise Illegal("not-drawn", "Draw a card first.")
        layout = self.layout
        drawn = layout.drawn
        hand = layout.hands[seat]
        if action.card == layout.ids[drawn]:
            if not 0 <= action.idx < len(hand):
                raise Illegal("no-such-card", "You have no card at that place.")
            old = hand[action.idx]
        else:
            place = -1 if action.owner is None and action.card else action.idx
            old = layout.find(seat, action.card, action.owner or "", place)
            if layout.owners[old] != seat:
                raise Illegal("not-yours", "You can only replace a card of your own.")
        idx = layout.lift(old)
        layout.put(drawn, seat, idx)
        layout.drawn = NO_CARD
        layout.discard(old)
        self.snaps.used.discard(old)
        events: list[Event] = [
            ev.Discarded(seat, layout.ids[old], layout.faces[old], idx, layout.ids[drawn])
        ]
        abilities = self.settings.houseRules.allowReplaceAbilities
        return events + self._fire(seat, old, abilities, rng, now)

    # Abilities

    def _fire(self, seat: Seat, card: int, allowed: bool, rng: Rng, now: Millis) -> list[Event]:
        """Offer the discarded card's ability, or go on to the next turn."""
        offered = self.ability.fire(seat, card, self._locked(), now) if allowed else []
        if not offered:
            return self._next_turn(rng, now)
        self.stage = CHOOSING
        return offered

    def _special(self, seat: Seat, action: act.Special, rng: Rng, now: Millis) -> list[Event]:
        if self.stage != CHOOSING:
            raise Illegal("no-special", "There is no ability to use.")
        used = self.ability.use(seat, action, self._locked(), now)
        return [used] if self.ability.special else [used, *self._next_turn(rng, now)]

    # Snaps

    def _snap(self, seat: Seat, action: act.Snap, rng: Rng, now: Millis) -> list[Event]:
        layout = self.layout
        card = layout.find(seat, action.card, action.owner, action.idx)
        self.snaps.check(layout, seat, card, self._locked(), now)
        shown = layout.face_up(card)
        if not self.snaps.is_right(layout, card):
            layout.show_all(card)
            self.snaps.fail(seat, now)
            failed: list[Event] = [ev.SnapFailed(seat, shown)]
            return failed + penalise(layout, seat, self.settings.houseRules.penaltyDrawCount, rng)
        self.snaps.lay(layout, seat, card)
        if shown.owner == seat or not layout.hands[seat]:
            return [ev.SnapWon(seat, shown)]
        debt = Debt(seat, shown.owner, shown.idx, self.clock.debt_deadline(now))
        self.snaps.debts.append(debt)
        return [ev.SnapWon(seat, shown, debt.deadline)]

    def _snap_move(self, seat: Seat, action: act.SnapMove) -> list[Event]:
        debt = self.snaps.debt_of(seat)
        if debt is None:
            raise Illegal("owes-nothing", "You owe nobody a card.")
        card = self.layout.find(seat, action.card, action.owner, action.idx)
        if self.layout.owners[card] != seat:
            raise Illegal("not-yours", "Hand over a card of your own.")
        return [self.snaps.pay(self.layout, debt, card, False)]

    # Turns and time

    def _next_turn(self, rng: Rng, now: Millis) -> list[Event]:
        """On to the next player; the game ends when that is the caller."""
        following = (self.current + 1) % len(self.layout.players)
        if following == self.caller:
            return self._end(scoring.CAMBIA, rng)
        return [self._begin_turn(following, now)]

    def _begin_turn(self, seat: Seat, now: Millis) -> ev.TurnBegan:
        self.turn += 1
        self.current = seat
        self.stage = TO_DRAW
        self.ability.end()
        self.clock.start(seat, now)
        return ev.TurnBegan(seat, self.turn, now, self.clock.deadline)

    def due(self) -> Millis | None:
        debt = self.snaps.next_debt()
        moments = [self.clock.deadline, self.snaps.next_rest()]
        if debt is not None:
            moments.append(debt.deadline)
        return min([moment for moment in moments if moment is not None], default=None)

    def tick(self, rng: Rng, now: Millis) -> list[Event]:
        events: list[Event] = []
        self.snaps.end_rests(now)
        while True:
            due = self.due()
            if due is None or due > now:
                return events
            debt = self.snaps.next_debt()
            if debt is not None and debt.deadline == due:
                events.append(self.snaps.collect(self.layout, debt, rng))
            elif self.stage == LOOKING:
                events += [ev.PlayStarted(), self._begin_turn(self.first, now)]
            else:
                events += self._time_out(rng, now)

    def _time_out(self, rng: Rng, now: Millis) -> list[Event]:
        """Skip the ability, or discard the drawn card without it, or draw one for that."""
        seat = self.current
        events = self.clock.miss(seat)
        if self.stage == CHOOSING:
            events.append(ev.SpecialSkipped(seat, True))
            return events + self._next_turn(rng, now)
        if self.stage == TO_DRAW:
            events += self._draw(seat, rng)
        if self.result is not None:
            return events
        events.append(self._lay_drawn(seat, True))
        return events + self._next_turn(rng, now)

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        return self._with_clock(seat, self.clock.leave(seat), now)

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        return self._with_clock(seat, self.clock.come_back(seat), now)

    def _with_clock(self, seat: Seat, events: list[Event], now: Millis) -> list[Event]:
        """Going away and coming back in one's turn gains no time: its timer runs on.

        It is set anew where there was none (an untimed turn is timed while its player is gone),
        where the timer had played for the player who is back, and where the time ran out while
        the house was shut.
        """
        if events and seat == self.current and TO_DRAW <= self.stage < OVER:
            woke = any(isinstance(event, ev.AutoPlayChanged) for event in events)
            if woke or not self.clock.runs_on(now):
                events.append(self.clock.reset(seat, now))
        return events

    # The end

    def _end(self, how: str, rng: Rng) -> list[Event]:
        """Cards owed are handed over first; then everything is turned up and counted."""
        events: list[Event] = []
        while self.snaps.debts:
            events.append(self.snaps.collect(self.layout, self.snaps.debts[0], rng))
        caller = None if self.caller == NO_SEAT else self.caller
        circuit = self.settings.circuit.enabled
        totals = [self.totals[player] for player in self.layout.players] if circuit else None
        result = scoring.settle(self.layout, self.settings, caller, self.clock.absent, totals, how)
        if result.totals is not None:
            self.totals.update(zip(self.layout.players, result.totals, strict=True))
        for hand in self.layout.hands:
            for card in hand:
                self.layout.show_all(card)
        self.snaps.rests = {}
        self.result = result
        self.stage = OVER
        self.clock.deadline = None
        events.append(result)
        return events

    def abandon(self, rng: Rng, now: Millis) -> list[Event]:
        """Nobody is left to play for: no scores, and a circuit's totals stay as they are."""
        return [] if self.stage == OVER else self._end(scoring.ABANDONED, rng)


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Cambia, list[Event]]:
    """Four cards each, one face up, and ten seconds to look at the first of them.

    The first turn goes round the table from game to game.
    """
    settings, players = setup.settings, setup.players
    previous = setup.previous if isinstance(setup.previous, Cambia) else None
    if not 2 <= len(players) <= MOST_PLAYERS:
        raise Illegal("seats", "Cambia is for two to eight players.")
    rules = settings.houseRules
    faces = full_deck(len(players), rules.numJokers)
    rng.shuffle(faces)
    ids = [card_id(token) for token in rng.tokens(len(faces))]
    layout = Layout(ids, faces, players, HAND)
    first = 0
    totals = scoring.carried_totals(settings, players, {}, None)
    if previous is not None:
        first = (previous.first + 1) % len(players)
        totals = scoring.carried_totals(settings, players, previous.totals, previous.result)
    match = Cambia(settings, layout, first, totals, now + PRE_GAME)
    top = layout.top()
    events: list[Event] = [
        ev.Dealt(
            hands=[[ids[card] for card in hand] for hand in layout.hands],
            top=ids[top],
            face=faces[top],
            stockpile=len(layout.stockpile),
            settings=settings,
            totals=[totals[player] for player in players] if settings.circuit.enabled else None,
            deadline=now + PRE_GAME,
        )
    ]
    for seat, hand in enumerate(layout.hands):
        looked_at = hand[: rules.initialViewCount]
        for card in looked_at:
            layout.show(card, seat)
        events.append(ev.InitialCards(seat, [layout.face_up(card) for card in looked_at]))
    return match, events
