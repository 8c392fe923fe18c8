"""Cambia: whose turn it is, and what may be done in it; how a game begins and ends.

Rules only: no clock, no sockets, no JSON. Spec: "Rules"; protocol: "Game/Turns".

One clock runs at a time (`clock.py`): the pre-game's, then the turn's. Cards owed after snaps
have deadlines of their own beside it.

The module is long because one turn goes through all of its methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from parlour.choices import Choices
from parlour.games.cambia import actions as act
from parlour.games.cambia import events as ev
from parlour.games.cambia import scoring
from parlour.games.cambia.actions import Action
from parlour.games.cambia.cards import card_id, full_deck
from parlour.games.cambia.choices import choices_of
from parlour.games.cambia.clock import PRE_GAME, Clock
from parlour.games.cambia.events import Event
from parlour.games.cambia.layout import NO_CARD, Layout
from parlour.games.cambia.settings import Settings, unhurried
from parlour.games.cambia.snaps import Snaps
from parlour.games.cambia.specials import Ability
from parlour.kit import UNHURRIED, Illegal, Match, Millis, Outcome, Seat, Setup
from parlour.rng import Rng

HAND: Final = 4

# The stages of a turn: what it waits for.
LOOKING: Final = 0  # the pre-game
TO_DRAW: Final = 1
HOLDING: Final = 2  # a drawn card to place
CHOOSING: Final = 3  # an ability to use
OVER: Final = 4


@final
class Cambia(Match[Action, Event]):
    """One game, changed in place."""

    def __init__(self, setup: Setup[Settings], rng: Rng, begins: Millis) -> None:
        settings, players, previous = setup.settings, setup.players, setup.previous
        if setup.unhurried:
            settings = unhurried(settings)
        faces = full_deck(len(players), settings.houseRules.numJokers)
        rng.shuffle(faces)
        ids = [card_id(token) for token in rng.tokens(len(faces))]
        self.settings = settings
        self.layout = Layout(ids, faces, players, HAND)
        self.clock = Clock(settings.houseRules, len(players), begins, setup.unhurried)
        self.snaps = Snaps(settings.houseRules, self.layout, self.clock)
        self.ability = Ability(self.layout, self.clock)
        self.first: Seat = 0
        self.totals: dict[str, int] = {}
        if isinstance(previous, Cambia):
            # The first turn goes round the table from game to game.
            self.first = (previous.first + 1) % len(players)
            if previous.result is not None and not previous.result.circuit_over:
                self.totals = previous.totals
        self.totals = scoring.carried_totals(settings, players, self.totals)
        self.stage = LOOKING
        self.turn = 0
        self.current = self.first
        self.from_discards = False
        self.caller: Seat | None = None
        self.result: ev.GameEnded | None = None

    # Legal actions

    def legal(self, seat: Seat) -> Sequence[Action]:
        """Every action of the turn, then every snap, right or wrong."""
        if self.stage in (LOOKING, OVER):
            return []
        if self.snaps.debt_of(seat) is not None:
            return [act.SnapMove(self.layout.ids[card]) for card in self.layout.hands[seat]]
        in_turn = self._turn_choices(seat) if seat == self.current else []
        return [*in_turn, *self.snaps.choices(seat, self._locked())]

    def choices(self, seat: Seat) -> Choices:
        """The legal actions, with words for people."""
        return choices_of(self.legal(seat))

    def _turn_choices(self, seat: Seat) -> Sequence[Action]:
        layout = self.layout
        if self.stage == CHOOSING:
            return self.ability.choices(seat, self._locked())
        actions: list[Action] = []
        if self.stage == TO_DRAW:
            actions.append(act.DrawStockpile())
            if self.settings.houseRules.allowDrawFromDiscardPile:
                actions.append(act.DrawDiscard())
            if self.caller is None:
                actions.append(act.CallCambia())
        else:
            actions.append(act.DiscardDrawn(layout.ids[layout.drawn]))
            for idx, card in enumerate(layout.hands[seat]):
                actions.append(act.Replace(layout.ids[card], idx))
        return actions

    def _locked(self) -> Seat | None:
        """The seat whose hand is locked."""
        return self.caller if self.settings.houseRules.lockCallerHand else None

    def outcome(self) -> Outcome | None:
        if self.result is None:
            return None
        scores = {s: score for s, score in enumerate(self.result.scores) if score is not None}
        return Outcome(tuple(self.result.winners), self.result.how, scores)

    # Actions

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
            if self.turn == turn and self._in_turn(seat):
                events.append(self.clock.reset(seat, now))
        return events

    def _do(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        if isinstance(action, act.SnapMove):
            return [self.snaps.hand_over(seat, action)]
        if self.snaps.debt_of(seat) is not None:
            raise Illegal("owes-card", "First hand over a card for the one you snapped.")
        if isinstance(action, act.Snap):
            return self.snaps.snap(seat, action, self._locked(), rng, now)
        if seat != self.current:
            raise Illegal("not-your-turn", "It is not your turn.")
        if isinstance(action, act.Special):
            return self._special(seat, action, rng, now)
        if self.stage == CHOOSING:
            raise Illegal("special-pending", "Use your card's ability first, or skip it.")
        if self.stage != HOLDING and isinstance(action, (act.DiscardDrawn, act.Replace)):
            raise Illegal("not-drawn", "Draw a card first.")
        if isinstance(action, act.DiscardDrawn):
            return self._discard_drawn(seat, action, rng, now)
        if isinstance(action, act.Replace):
            return self._replace(seat, action, rng, now)
        if self.stage == HOLDING:
            raise Illegal("already-drawn", "You have drawn: discard the card or replace one.")
        if isinstance(action, act.DrawStockpile):
            return self._draw(seat, rng)
        if isinstance(action, act.DrawDiscard):
            return [self._draw_discard(seat)]
        if self.caller is not None:
            raise Illegal("already-called", "Cambia has been called.")
        self.caller = seat
        return [ev.CambiaCalled(seat), *self._next_turn(rng, now)]

    def _draw(self, seat: Seat, rng: Rng) -> list[Event]:
        layout = self.layout
        if not layout.can_draw():
            return self._end("stockpile", rng)
        events = layout.refill(0, rng)
        card = layout.stockpile.pop()
        layout.show(card, seat)
        events.append(self._hold(seat, card, ev.STOCKPILE))
        return events + layout.refill(1, rng)

    def _draw_discard(self, seat: Seat) -> Event:
        if not self.settings.houseRules.allowDrawFromDiscardPile:
            raise Illegal("house-rule", "Here the discard pile is not drawn from.")
        # Between turns the pile is never empty: every turn that takes a card lays one.
        return self._hold(seat, self.layout.discards.pop(), ev.DISCARDPILE)

    def _hold(self, seat: Seat, card: int, source: ev.Source) -> Event:
        layout = self.layout
        layout.drawn = card
        self.from_discards = source == ev.DISCARDPILE
        self.stage = HOLDING
        name, face = layout.ids[card], layout.faces[card]
        return ev.Drew(seat, name, face, source, len(layout.stockpile), len(layout.discards))

    def _discard_drawn(
        self, seat: Seat, action: act.DiscardDrawn, rng: Rng, now: Millis
    ) -> list[Event]:
        drawn = self.layout.drawn
        if action.card != self.layout.ids[drawn]:
            raise Illegal("not-drawn", "That is not the card you drew.")
        discarded = self._lay(seat, drawn)
        return [discarded, *self._fire(seat, drawn, not self.from_discards, rng, now)]

    def _replace(self, seat: Seat, action: act.Replace, rng: Rng, now: Millis) -> list[Event]:
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
        discarded = self._lay(seat, old, idx, layout.ids[drawn])
        abilities = self.settings.houseRules.allowReplaceAbilities
        return [discarded, *self._fire(seat, old, abilities, rng, now)]

    def _lay(
        self, seat: Seat, card: int, idx: int = -1, drawn: str = "", timed_out: bool = False
    ) -> Event:
        """Discard the drawn card, or the one at `idx` whose place it has taken."""
        layout = self.layout
        layout.drawn = NO_CARD
        layout.discard(card)
        self.snaps.used.discard(card)
        return ev.Discarded(seat, layout.ids[card], layout.faces[card], idx, drawn, timed_out)

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

    # Turns and time

    def _next_turn(self, rng: Rng, now: Millis) -> list[Event]:
        """On to the next player; the game ends when that is the caller."""
        following = (self.current + 1) % len(self.layout.players)
        if following == self.caller:
            return self._end("cambia", rng)
        return [self._begin_turn(following, now)]

    def _begin_turn(self, seat: Seat, now: Millis) -> ev.TurnBegan:
        self.turn += 1
        self.current = seat
        self.stage = TO_DRAW
        if self.ability.special is not None:
            self.ability.end()
        self.clock.start(seat, now)
        return ev.TurnBegan(seat, self.turn, now, self.clock.deadline)

    def due(self) -> Millis | None:
        moments = (self.clock.deadline, self.snaps.due())
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
                events.append(self.snaps.collect(debt, rng))
            elif self.stage == LOOKING:
                events += [ev.PlayStarted(), self._begin_turn(self.first, now)]
            else:
                events += self._time_out(rng, now)

    def _time_out(self, rng: Rng, now: Millis) -> list[Event]:
        """Skip the ability; or discard the drawn card, without its ability; or draw and discard."""
        seat = self.current
        events = self.clock.miss(seat)
        if self.stage == CHOOSING:
            events.append(ev.SpecialSkipped(seat, True))
            return events + self._next_turn(rng, now)
        if self.stage == TO_DRAW:
            events += self._draw(seat, rng)
        if self.result is not None:
            return events
        events.append(self._lay(seat, self.layout.drawn, timed_out=True))
        return events + self._next_turn(rng, now)

    def _in_turn(self, seat: Seat) -> bool:
        return seat == self.current and TO_DRAW <= self.stage < OVER

    def gone(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        return self.clock.leave(seat, self._in_turn(seat), now)

    def back(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        return self.clock.come_back(seat, self._in_turn(seat), now)

    # The end

    def _end(self, how: ev.How, rng: Rng) -> list[Event]:
        """Cards owed are handed over first; then everything is turned up and counted."""
        events: list[Event] = []
        while self.snaps.debts:
            events.append(self.snaps.collect(self.snaps.debts[0], rng))
        totals, absent = self.circuit_totals(), self.clock.absent
        result = scoring.settle(self.layout, self.settings, self.caller, absent, totals, how)
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

    def circuit_totals(self) -> list[int] | None:
        """By seat; None outside a circuit."""
        if not self.settings.circuit.enabled:
            return None
        return [self.totals[player] for player in self.layout.players]

    def abandon(self, rng: Rng, now: Millis) -> list[Event]:
        """Nobody is left to play for: no scores, and a circuit's totals stay as they are."""
        return [] if self.stage == OVER else self._end("abandoned", rng)


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Cambia, list[Event]]:
    """Four cards each, one face up, and ten seconds to look at the first of them."""
    begins = now + PRE_GAME * (UNHURRIED if setup.unhurried else 1)
    match = Cambia(setup, rng, begins)
    layout = match.layout
    (top,) = layout.discards
    events: list[Event] = [
        ev.Dealt(
            hands=[[layout.ids[card] for card in hand] for hand in layout.hands],
            top=layout.ids[top],
            face=layout.faces[top],
            stockpile=len(layout.stockpile),
            settings=match.settings,
            totals=match.circuit_totals(),
            deadline=begins,
        )
    ]
    for seat, hand in enumerate(layout.hands):
        looked_at = hand[: match.settings.houseRules.initialViewCount]
        for card in looked_at:
            layout.show(card, seat)
        events.append(ev.InitialCards(seat, [layout.face_up(card) for card in looked_at]))
    return match, events
