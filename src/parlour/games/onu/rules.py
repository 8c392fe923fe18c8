"""ONU at a table: the core's rules with sentences for refusals, events, and time.

Rules only: no clock, no sockets, no JSON. `core.py` says what may be done and what comes of it,
`moves.py` has the actions and events and says who may see what. "Spec" in the docstrings is the
project's page on ONU.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from parlour.choices import Choices
from parlour.games.onu import moves
from parlour.games.onu.cards import (
    COLOURS,
    SPECIAL,
    Card,
    classic_deck,
    colour_of,
    compact_deck,
    described,
)
from parlour.games.onu.choices import choices_of
from parlour.games.onu.core import (
    ASKED,
    DRAW,
    DRAW_AND_PASS,
    DREW,
    EDITION,
    GIVEN_UP,
    PASSED,
    PLAYED,
    RECORD,
    RESHUFFLED,
    SKIPPED,
    WON,
    Core,
    play_of,
)
from parlour.games.onu.moves import Action, Event
from parlour.games.onu.settings import Settings, unhurried
from parlour.kit import Illegal, Match, Millis, Outcome, Seat, Setup
from parlour.rng import Rng

ANIMATION: Final[Millis] = 600
"""At pace 1, from a card's animation to the state with the card moved..."""
PAUSE: Final[Millis] = 2_000
"""...from there to the draws and the prompt..."""
AFTER_DRAW: Final[Millis] = 1_000
"""...and from a draw to the prompt."""

RE_PROMPT: Final[Millis] = 1_000
"""From a bad answer to the next prompt."""

MOST_RE_PROMPTS: Final = 5


class Onu(Match[Action, Event]):
    """One match, changed in place.

    A gone player's seat is kept and played by the timeout (spec, Rules), so nothing happens when
    somebody goes or comes back.
    """

    def __init__(self, settings: Settings, core: Core) -> None:
        self.settings = settings
        self.core = core
        # By number, the card objects that were shuffled. Events show these objects, not the core's
        # plain integers, so that tests can follow where a card came from.
        self.cards: dict[int, Card] = {}
        # Whether an answer is awaited; if not, the next prompt is due.
        self.open = False
        self.due_at: Millis = 0
        self.fumbles = 0
        self.ended: moves.Ended | None = None

    # Actions

    def legal(self, seat: Seat) -> list[Action]:
        """Every play, a wild once for each colour; and drawing, which is always allowed."""
        if not self._awaits(seat):
            return []
        count: int = self.core.legal()
        return [self._action(self.core.choices[at]) for at in range(count)]

    def choices(self, seat: Seat) -> Choices:
        core = self.core
        can_draw = core.deck_size > 0 or (core.stack_size > 1 and not core.closed)
        return choices_of(self.legal(seat), can_draw)

    def apply(self, seat: Seat, action: Action, rng: Rng, now: Millis) -> list[Event]:
        self._check_turn(seat)
        if isinstance(action, moves.Draw):
            return self._step(DRAW, moves.ASKED_FOR, rng, now)
        self._check_play(seat, action)
        # Only a wild's colour counts, and it has been checked.
        colour = action.colour if 0 <= action.colour < COLOURS else 0
        return self._step(play_of(action.index, colour), "", rng, now)

    def _awaits(self, seat: Seat) -> bool:
        return self.ended is None and self.open and seat == self.core.turn

    def _check_turn(self, seat: Seat) -> None:
        """Spec, Rules: only the awaited player may act, and only while a prompt is open."""
        if self.ended is not None:
            raise Illegal("match-over", "The game is over.")
        if seat != self.core.turn:
            raise Illegal("not-your-turn", "It is not your turn.")
        if not self.open:
            raise Illegal("not-asked", "Wait until you are asked again.")

    def _check_play(self, seat: Seat, play: moves.Play) -> None:
        held: int = self.core.held[seat]
        if not 0 <= play.index < held:
            raise Illegal("no-such-card", f"You hold {held} cards, numbered from 0.")
        card = self.core.card(seat, play.index)
        if not self.core.fits(card):
            top = described(self.core.top(), self.core.colour)
            raise Illegal("does-not-fit", f"A {described(card)} does not go on a {top}.")
        if colour_of(card) == SPECIAL and not 0 <= play.colour < COLOURS:
            raise Illegal("choose-a-colour", "Choose a colour from 0 to 3 for a wild card.")

    def _action(self, choice: int) -> Action:
        if choice == DRAW:
            return moves.Draw()
        index, colour = divmod(choice, COLOURS)
        wild = colour_of(self.core.card(self.core.turn, index)) == SPECIAL
        return moves.Play(index, colour) if wild else moves.Play(index)

    def outcome(self) -> Outcome | None:
        if self.ended is None:
            return None
        winner = self.ended.winner
        return Outcome(() if winner is None else (winner,), self.ended.how)

    # Time, mistakes, and a table given up

    def due(self) -> Millis | None:
        return self.due_at if self.ended is None else None

    def tick(self, rng: Rng, now: Millis) -> list[Event]:
        """Spec, Rules: no answer in `turnTimeout` is a draw and a pass."""
        if self.ended is not None or now < self.due_at:
            return []
        if self.open:
            return self._step(DRAW_AND_PASS, moves.TIMEOUT, rng, now)
        return [self._prompt(0, False, now, 0)]

    def skip(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        """Spec, Rules: an absent player's turn times out, too, but sooner."""
        return self._step(DRAW_AND_PASS, moves.TIMEOUT, rng, now) if self._awaits(seat) else []

    def fumble(self, seat: Seat, rng: Rng, now: Millis) -> list[Event]:
        """Spec, Rules: a new prompt after a second, at most five times; then draw and pass."""
        self._check_turn(seat)
        if self.fumbles == MOST_RE_PROMPTS:
            return self._step(DRAW_AND_PASS, moves.MISTAKES, rng, now)
        self.fumbles += 1
        self.open = False
        self.due_at = now + RE_PROMPT
        return [moves.Fumbled(seat, self.fumbles, self.due_at)]

    def abandon(self, rng: Rng, now: Millis) -> list[Event]:
        """Spec, Pace: a game that is given up is won by nobody."""
        if self.ended is not None:
            return []
        self.ended = moves.Ended(None, "abandoned")
        return [self.ended]

    def _prompt(self, effect: int, first: bool, now: Millis, shown_for: Millis) -> moves.Prompted:
        """Ask the player in turn. Their time begins once everything before it has been shown."""
        if first:
            self.fumbles = 0
        wait = int(shown_for * self.settings.pace) + self.settings.turnTimeout * 1000
        self.open = True
        self.due_at = now + wait
        return moves.Prompted(self.core.turn, effect, first, self.due_at)

    # From the core's records to events

    def _step(self, action: i64, why: str, rng: Rng, now: Millis) -> list[Event]:
        """One step of the core, with the shuffles it needs, told as events."""
        core = self.core
        shuffled: list[Card] = []
        core.step(action)
        while core.waits_for_shuffle():
            shuffled = self._shuffled(rng)
            core.reshuffle(vec[i64](shuffled))
        events: list[Event] = []
        shown_for = 0
        for at in range(0, core.happened, RECORD):
            what, who, value = core.records[at], core.records[at + 1], core.records[at + 2]
            if what == PLAYED:
                index = action // COLOURS
                card = self.cards[value]
                events.append(moves.Played(who, index, card, core.colour, core.direction))
                shown_for += ANIMATION + PAUSE
            elif what == SKIPPED:
                events.append(moves.Skipped(who))
            elif what == DREW:
                # A player who draws in another player's step was made to draw.
                _hand_over(events, who, self.cards[value], why if action < 0 else moves.FORCED)
            elif what == RESHUFFLED:
                events.append(moves.Reshuffled(shuffled))
            elif what == PASSED:
                events.append(moves.Passed(who, _why_passed(why, value)))
            elif what == ASKED:
                if action < 0:
                    shown_for += AFTER_DRAW
                events.append(self._prompt(value, core.draws == 0, now, shown_for))
            elif what == WON:
                self._end(moves.Ended(who, "empty-hand"), events)
            elif what == GIVEN_UP:
                self._end(moves.Ended(None, "endless"), events)
        return events

    def _shuffled(self, rng: Rng) -> list[Card]:
        """The stack below its top, in a new order."""
        core = self.core
        buried = [self.cards[core.stack[at]] for at in range(core.stack_size - 1)]
        rng.shuffle(buried)
        self._remember(buried)
        return buried

    def _remember(self, shuffled: list[Card]) -> None:
        for card in shuffled:
            self.cards[int(card)] = card

    def _end(self, ended: moves.Ended, events: list[Event]) -> None:
        self.ended = ended
        events.append(ended)


def _hand_over(events: list[Event], seat: Seat, card: Card, why: str) -> None:
    """Cards drawn one after the other are one event."""
    last = events[-1] if events else None
    if isinstance(last, moves.Drew) and last.seat == seat:
        last.cards.append(card)
    else:
        events.append(moves.Drew(seat, [card], why))


def _why_passed(why: str, drawn: int) -> str:
    if why != moves.ASKED_FOR:
        return why
    return moves.LIMIT if drawn else moves.NOTHING_TO_DRAW


def deal(setup: Setup[Settings], rng: Rng, now: Millis) -> tuple[Onu, list[Event]]:
    """Spec, Rules: seven cards each, a start card that is no wild; the first seated begins.

    The start card is picked first, then the rest is shuffled. So it does not depend on the cards
    nobody sees, as it would if wilds on top of the deck were passed over.
    """
    settings: Settings = unhurried(setup.settings) if setup.unhurried else setup.settings
    cards = classic_deck() if settings.deck == "classic" else compact_deck()
    starts = [card for card in cards if colour_of(card) != SPECIAL]
    start = starts[rng.below(len(starts))]
    cards.remove(start)
    rng.shuffle(cards)
    core = Core(len(setup.players), settings.maxDraws, setup.edition or EDITION)
    core.deal(start, vec[i64](cards))
    match = Onu(settings, core)
    match._remember([start, *cards])
    hands = [
        [match.cards[core.card(seat, at)] for at in range(core.held[seat])]
        for seat in range(core.seats)
    ]
    deck = cards[: core.deck_size]
    dealt = moves.Dealt(list(setup.players), hands, start, deck, settings)
    return match, [dealt, match._prompt(0, True, now, 0)]
