"""Cambia: turns and timers, over the cards (`layout.py`), abilities, snaps and the count.

Rules only: no clock, no sockets, no JSON. Spec: "Rules"; protocol: "Game/Turns".

One clock runs at a time (`clock.py`): the pre-game's, then the turn's. Cards owed after snaps
have deadlines of their own beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.games.cambia import scoring, specials
from parlour.games.cambia.actions import (
    ACTIONS,
    Action,
    CallCambia,
    DiscardDrawn,
    DrawDiscard,
    DrawStockpile,
    Replace,
    Snap,
    SnapMove,
    Special,
)
from parlour.games.cambia.cards import (
    SKIP,
    SWAP_BLIND,
    SWAP_PEEK,
    SWAP_PEEK_SWAP,
    ability_of,
    card_id,
    full_deck,
)
from parlour.games.cambia.clock import PRE_GAME, Clock
from parlour.games.cambia.events import (
    DISCARDPILE,
    STOCKPILE,
    AutoPlayChanged,
    CambiaCalled,
    Dealt,
    Discarded,
    Drew,
    Event,
    GameEnded,
    InitialCards,
    KingLooked,
    PlayStarted,
    SnapFailed,
    SnapWon,
    Source,
    SpecialChoice,
    SpecialRefused,
    SpecialSkipped,
    TurnBegan,
    view,
)
from parlour.games.cambia.layout import NO_CARD, Layout
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.snaps import Debt, Snaps, penalise
from parlour.kit import Illegal, Match, Millis, Outcome, Seat, Setup
from parlour.rng import Rng

__all__ = ["ACTIONS", "Action", "Cambia", "Event", "deal", "view"]

HAND: Final = 4
MOST_PLAYERS: Final = 8
NO_SEAT: Final = -1

# What the turn waits for.
LOOKING: Final = 0  # the pre-game
TO_DRAW: Final = 1
HOLDING: Final = 2  # a drawn card to place
CHOOSING: Final = 3  # an ability to use
DECIDING: Final = 4  # a King's second step
OVER: Final = 5

_LOCKED: Final = "The hand of whoever called Cambia is locked. Choose other cards, or skip."


@final
class Cambia(Match[Action, Event]):
    """One game, changed in place."""

    def __init__(
        self,
        settings: Settings,
        players: Sequence[str],
        layout: Layout,
        first: Seat,
        totals: dict[str, int],
        begins: Millis,
    ) -> None:
        rules = settings.houseRules
        self.settings = settings
        self.players = list(players)
        self.layout = layout
        self.snaps = Snaps(rules.snapRace, rules.allowOpponentSnapping)
        self.clock = Clock(rules, len(players), begins)
        self.first = first
        self.totals = totals
        self.stage = LOOKING
        self.turn = 0
        self.current = first
        self.from_discards = False
        self.special = ""
        self.looked = (NO_CARD, NO_CARD)
        self.caller = NO_SEAT
        self.result: GameEnded | None = None

    # What may be done

    def legal(self, seat: Seat) -> Sequence[Action]:
        """Every action of the turn, then every snap, right or wrong."""
        if self.stage in (LOOKING, OVER):
            return []
        if self.snaps.debt_of(seat) is not None:
            return [SnapMove(self.layout.ids[card]) for card in self.layout.hands[seat]]
        actions: list[Action] = []
        if seat == self.current:
            actions.extend(self._turn_choices(seat))
        actions.extend(self.snaps.choices(self.layout, seat, self._locked()))
        return actions

    def _turn_choices(self, seat: Seat) -> Sequence[Action]:
        layout = self.layout
        if self.stage == CHOOSING:
            return specials.choices(layout, seat, self.special, self._locked())
        if self.stage == DECIDING:
            return specials.king_choices(layout, self.looked[0], self.looked[1])
        actions: list[Action] = []
        if self.stage == TO_DRAW:
            actions.append(DrawStockpile())
            if self.settings.houseRules.allowDrawFromDiscardPile:
                actions.append(DrawDiscard())
            if self.caller == NO_SEAT:
                actions.append(CallCambia())
        else:
            actions.append(DiscardDrawn(layout.ids[layout.drawn]))
            for idx, card in enumerate(layout.hands[seat]):
                actions.append(Replace(layout.ids[card], idx))
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
        if isinstance(action, SnapMove):
            return self._snap_move(seat, action)
        if self.snaps.debt_of(seat) is not None:
            raise Illegal("owes-card", "First hand over a card for the one you snapped.")
        if isinstance(action, Snap):
            return self._snap(seat, action, rng, now)
        if seat != self.current:
            raise Illegal("not-your-turn", "It is not your turn.")
        if isinstance(action, Special):
            return self._special(seat, action, rng, now)
        if self.stage in (CHOOSING, DECIDING):
            raise Illegal("special-pending", "Use your card's ability first, or skip it.")
        if isinstance(action, DiscardDrawn):
            return self._discard_drawn(seat, action, rng, now)
        if isinstance(action, Replace):
            return self._replace(seat, action, rng, now)
        if self.stage == HOLDING:
            raise Illegal("already-drawn", "You have drawn: discard the card or replace one.")
        if isinstance(action, DrawStockpile):
            return self._draw(seat, rng)
        if isinstance(action, DrawDiscard):
            return self._draw_discard(seat)
        if self.caller != NO_SEAT:
            raise Illegal("already-called", "Cambia has been called.")
        self.caller = seat
        return [CambiaCalled(seat), *self._next_turn(rng, now)]

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
        events.append(self._drew(seat, STOCKPILE))
        return events + layout.refill(1, rng)

    def _draw_discard(self, seat: Seat) -> list[Event]:
        if not self.settings.houseRules.allowDrawFromDiscardPile:
            raise Illegal("house-rule", "Here the discard pile is not drawn from.")
        # Between turns the pile is never empty: every turn that takes a card lays one.
        self.layout.drawn = self.layout.discards.pop()
        self.from_discards = True
        self.stage = HOLDING
        return [self._drew(seat, DISCARDPILE)]

    def _drew(self, seat: Seat, source: Source) -> Drew:
        layout = self.layout
        name, face = layout.ids[layout.drawn], layout.faces[layout.drawn]
        return Drew(seat, name, face, source, len(layout.stockpile), len(layout.discards))

    def _discard_drawn(
        self, seat: Seat, action: DiscardDrawn, rng: Rng, now: Millis
    ) -> list[Event]:
        if self.stage != HOLDING:
            raise Illegal("not-drawn", "Draw a card first.")
        drawn = self.layout.drawn
        if action.card != self.layout.ids[drawn]:
            raise Illegal("not-drawn", "That is not the card you drew.")
        events: list[Event] = [self._lay_drawn(seat, False)]
        return events + self._fire(seat, drawn, not self.from_discards, rng, now)

    def _lay_drawn(self, seat: Seat, timed_out: bool) -> Discarded:
        card = self.layout.drawn
        self.layout.drawn = NO_CARD
        self.layout.discard(card)
        self.snaps.used.discard(card)
        name, face = self.layout.ids[card], self.layout.faces[card]
        return Discarded(seat, name, face, timed_out=timed_out)

    def _replace(self, seat: Seat, action: Replace, rng: Rng, now: Millis) -> list[Event]:
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
            old = self._names(seat).find(action.card, action.owner or "", place)
            if layout.owners[old] != seat:
                raise Illegal("not-yours", "You can only replace a card of your own.")
        idx = layout.lift(old)
        layout.put(drawn, seat, idx)
        layout.drawn = NO_CARD
        layout.discard(old)
        self.snaps.used.discard(old)
        events: list[Event] = [
            Discarded(seat, layout.ids[old], layout.faces[old], idx, layout.ids[drawn])
        ]
        abilities = self.settings.houseRules.allowReplaceAbilities
        return events + self._fire(seat, old, abilities, rng, now)

    def _names(self, seat: Seat) -> specials.Names:
        return specials.Names(self.layout, self.players, seat)

    # Abilities

    def _fire(self, seat: Seat, card: int, allowed: bool, rng: Rng, now: Millis) -> list[Event]:
        """Offer the discarded card's ability, or go on to the next turn."""
        face = self.layout.faces[card]
        special = ability_of(face) if allowed else ""
        if not specials.fires(self.layout, seat, special, self._locked()):
            return self._next_turn(rng, now)
        self.stage = CHOOSING
        self.special = special
        self.clock.start(seat, now)
        return [SpecialChoice(seat, self.layout.ids[card], face, special, now, self.clock.deadline)]

    def _special(self, seat: Seat, action: Special, rng: Rng, now: Millis) -> list[Event]:
        if self.stage not in (CHOOSING, DECIDING):
            raise Illegal("no-special", "There is no ability to use.")
        expected = SWAP_PEEK_SWAP if self.stage == DECIDING else self.special
        if action.special == SKIP:
            skipped: list[Event] = [SpecialSkipped(seat)]
            return skipped + self._next_turn(rng, now)
        if action.special not in (expected, self.special):
            raise Illegal("wrong-special", f"What you can do now is {expected}, or skip.")
        try:
            return self._use(seat, action, rng, now)
        except Illegal as no:
            if no.code not in specials.RETRY:
                raise
            return [self._refuse(seat, action, no.sentence, now)]

    def _use(self, seat: Seat, action: Special, rng: Rng, now: Millis) -> list[Event]:
        """Use the ability as `action` says, or raise `Illegal`."""
        layout, names, special = self.layout, self._names(seat), action.special
        event: Event
        if special == SWAP_PEEK:
            one, other = names.pair(action)
            if self.stage == DECIDING:
                return [self._look_again(seat, one, other, now)]
            return self._king_look(seat, one, other, rng, now)
        if special == SWAP_PEEK_SWAP:
            one, other = self.looked
            specials.settled_pair(layout, names, action, one, other)
            event = specials.swap(layout, seat, special, one, other)
        elif special == SWAP_BLIND:
            one, other = names.pair(action)
            if specials.names_locked(layout, one, other, self._locked()):
                # The timer runs on, or a turn could be held for ever by naming such cards.
                return [self._refuse(seat, action, _LOCKED, now)]
            event = specials.swap(layout, seat, special, one, other)
        else:
            event = specials.peek(layout, seat, action, names.first(action))
        return [event, *self._next_turn(rng, now)]

    def _king_look(self, seat: Seat, one: int, other: int, rng: Rng, now: Millis) -> list[Event]:
        """The King's first step. A locked card may be looked at, and that is all."""
        layout = self.layout
        layout.show(one, seat)
        layout.show(other, seat)
        ends = specials.names_locked(layout, one, other, self._locked())
        self.stage = DECIDING
        self.looked = (one, other)
        self.clock.start(seat, now)
        return [self._looked(seat, one, other, now), *(self._next_turn(rng, now) if ends else [])]

    def _look_again(self, seat: Seat, one: int, other: int, now: Millis) -> KingLooked:
        """The two cards once more, for somebody who reloaded in between; the timer runs on."""
        if {one, other} != set(self.looked):
            raise Illegal(
                "already-looked", "You have looked at two cards: swap those two, or skip."
            )
        return self._looked(seat, one, other, now)

    def _looked(self, seat: Seat, one: int, other: int, now: Millis) -> KingLooked:
        first, second = self.layout.face_up(one), self.layout.face_up(other)
        return KingLooked(seat, first, second, now, self.clock.deadline)

    def _refuse(self, seat: Seat, action: Special, sentence: str, now: Millis) -> SpecialRefused:
        """Told to its player alone, who may choose again; nothing has changed."""
        names, layout = self._names(seat), self.layout
        special, deadline = action.special, self.clock.deadline
        if special == SWAP_PEEK_SWAP:
            # It may have been sent without naming the two cards that were looked at.
            one, other = (names.as_named(layout.ids[card], "", -1) for card in self.looked)
            return SpecialRefused(seat, special, one, other, sentence, now, deadline)
        first = names.as_named(action.card1, action.owner1, action.idx1)
        second = None
        if special in (SWAP_BLIND, SWAP_PEEK):
            second = names.as_named(action.card2, action.owner2, action.idx2)
        return SpecialRefused(seat, special, first, second, sentence, now, deadline)

    # Snaps

    def _snap(self, seat: Seat, action: Snap, rng: Rng, now: Millis) -> list[Event]:
        layout = self.layout
        card = self._names(seat).find(action.card, action.owner, action.idx)
        self.snaps.check(layout, seat, card, self._locked(), now)
        shown = layout.face_up(card)
        if not self.snaps.is_right(layout, card):
            layout.show_all(card)
            self.snaps.fail(seat, now)
            failed: list[Event] = [SnapFailed(seat, shown)]
            return failed + penalise(layout, seat, self.settings.houseRules.penaltyDrawCount, rng)
        self.snaps.lay(layout, seat, card)
        if shown.owner == seat or not layout.hands[seat]:
            return [SnapWon(seat, shown)]
        debt = Debt(seat, shown.owner, shown.idx, self.clock.debt_deadline(now))
        self.snaps.debts.append(debt)
        return [SnapWon(seat, shown, debt.deadline)]

    def _snap_move(self, seat: Seat, action: SnapMove) -> list[Event]:
        debt = self.snaps.debt_of(seat)
        if debt is None:
            raise Illegal("owes-nothing", "You owe nobody a card.")
        card = self._names(seat).find(action.card, action.owner, action.idx)
        if self.layout.owners[card] != seat:
            raise Illegal("not-yours", "Hand over a card of your own.")
        return [self.snaps.pay(self.layout, debt, card, False)]

    # Turns and time

    def _next_turn(self, rng: Rng, now: Millis) -> list[Event]:
        """On to the next player; the game ends when that is the caller."""
        following = (self.current + 1) % len(self.players)
        if following == self.caller:
            return self._end(scoring.CAMBIA, rng)
        return [self._begin_turn(following, now)]

    def _begin_turn(self, seat: Seat, now: Millis) -> TurnBegan:
        self.turn += 1
        self.current = seat
        self.stage = TO_DRAW
        self.special = ""
        self.looked = (NO_CARD, NO_CARD)
        self.clock.start(seat, now)
        return TurnBegan(seat, self.turn, now, self.clock.deadline)

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
                events += [PlayStarted(), self._begin_turn(self.first, now)]
            else:
                events += self._time_out(rng, now)

    def _time_out(self, rng: Rng, now: Millis) -> list[Event]:
        """Skip the ability, or discard the drawn card without it, or draw one for that."""
        seat = self.current
        events = self.clock.miss(seat)
        if self.stage in (CHOOSING, DECIDING):
            events.append(SpecialSkipped(seat, True))
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
            woke = any(isinstance(event, AutoPlayChanged) for event in events)
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
        totals = [self.totals[player] for player in self.players] if circuit else None
        result = scoring.settle(self.layout, self.settings, caller, self.clock.absent, totals, how)
        if result.totals is not None:
            self.totals.update(zip(self.players, result.totals, strict=True))
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
    layout = Layout(ids, faces, len(players), HAND)
    first = 0
    totals = scoring.carried_totals(settings, players, {}, None)
    if previous is not None:
        first = (previous.first + 1) % len(players)
        totals = scoring.carried_totals(settings, players, previous.totals, previous.result)
    match = Cambia(settings, players, layout, first, totals, now + PRE_GAME)
    top = layout.top()
    events: list[Event] = [
        Dealt(
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
        events.append(InitialCards(seat, [layout.face_up(card) for card in looked_at]))
    return match, events
