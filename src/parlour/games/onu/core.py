"""The rules of ONU as a core of integers: one match, `legal`, `step`, and records of what happened.

`rules.py` makes sentences and events around it; simulations can run it alone. Interpreted it runs
anywhere; compiled by mypyc its vectors are packed arrays. Nothing is allocated between two
shuffles: that is why the whole match is one class over integers, and this module is long.

Chance comes in from outside: `deal` is given the order of the deck. When the deck runs out in
the middle of a step, `step` stops and `waits_for_shuffle` is true until `reshuffle` is given the
new order; then the step goes on where it stopped.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

from librt.vecs import vec
from mypy_extensions import i64

from parlour.games.onu.cards import (
    CLASSIC_SIZE,
    COLOUR_AT,
    COLOURS,
    NONE,
    PICK_2,
    REVERSE,
    SKIP_TURN,
    SPECIAL,
    SYMBOL_BITS,
    WILD_PICK_4,
    colour_of,
    effect_of,
)

HAND_SIZE: Final[i64] = 7

# Actions. To play a card is its index in the hand and two bits for the colour, which is the one
# chosen for a wild; other cards are listed under their own, and played whatever it says.
COLOUR_BITS: Final[i64] = 3
INDEX_AT: Final[i64] = 2
DRAW: Final[i64] = -1
DRAW_AND_PASS: Final[i64] = -2
"""The turn of a player who does not answer."""

NOBODY: Final[i64] = -1

# "Right" is +1.
RIGHT: Final[i64] = 1

# A match could go on for ever: when all other cards are in hands, the last wilds and pick cards go
# round, each drawn again by the next player. After STANDSTILL rounds in a row with at most
# HARDLY_ANY cards outside the hands the deck is closed: played cards stay in the stack, and hands
# only get smaller. When everybody has passed in a row, the deck opens again; if nothing was played
# since it closed, the match is given up. It is also given up after MOST_ROUNDS.
STANDSTILL: Final[i64] = 5
HARDLY_ANY: Final[i64] = 3
MOST_ROUNDS: Final[i64] = 1000

# The edition of these rules. In the first a match was given up after a longer standstill.
EDITION: Final = 2
_FIRST_EDITION: Final[i64] = 1
_FIRST_STANDSTILL: Final[i64] = 30

# Records: three numbers each, of which the first is one of these.
PLAYED: Final[i64] = 1  # seat, card
SKIPPED: Final[i64] = 2  # seat
DREW: Final[i64] = 3  # seat, card
RESHUFFLED: Final[i64] = 4  # -, how many cards
PASSED: Final[i64] = 5  # seat, how many cards it drew in this turn
ASKED: Final[i64] = 6  # seat, the effect it is told of
WON: Final[i64] = 7  # seat
GIVEN_UP: Final[i64] = 8

RECORD: Final[i64] = 3
_MOST_RECORDS: Final[i64] = 16

# Where seat 0's hand begins in `hands` is 0, where seat 1's begins is this, and so on.
ROOM: Final[i64] = CLASSIC_SIZE


def play_of(index: i64, colour: i64) -> i64:
    """The action that plays the card at `index`."""
    return index << INDEX_AT | colour


def zeros(size: i64) -> vec[i64]:
    return vec[i64]([0] * size)


@final
class Core:
    """One match, changed in place."""

    SCRATCH: ClassVar = ("records", "happened", "choices")
    """Results of the last `step` and `legal`: no part of the match's state."""

    def __init__(self, seats: i64, max_draws: i64, edition: i64 = EDITION) -> None:
        self.seats = seats
        # How many cards may be drawn in a turn, the last of which ends it; 0: any number.
        self.max_draws = max_draws
        self.edition = edition
        self.hands = zeros(seats * ROOM)
        self.held = zeros(seats)
        self.deck = zeros(0)
        self.deck_size: i64 = 0
        self.stack = zeros(CLASSIC_SIZE)
        self.stack_size: i64 = 0
        # The colour in force: the top card's, or the one chosen for it.
        self.colour: i64 = SPECIAL
        self.direction: i64 = RIGHT
        self.turn: i64 = 0
        # The effect of the card before, as the player in turn is told it: TurnEffect.
        self.effect: i64 = NONE
        # Cards the player in turn has yet to be given, and how many they asked for in this turn.
        self.owed: i64 = 0
        self.draws: i64 = 0
        self.turn_ends = False
        # Turns begun since the first, and how many in a row with hardly a card left.
        self.turns: i64 = 0
        self.stalled: i64 = 0
        # Whether the deck is closed, and how many turns in a row were passed since then.
        self.closed = False
        self.passes: i64 = 0
        self.over = False
        self.winner: i64 = NOBODY
        self.records = zeros(_MOST_RECORDS * RECORD)
        self.happened: i64 = 0
        # The actions that `legal` and `plays` list: the draw, and up to four for every card.
        self.choices = zeros(1 + CLASSIC_SIZE * COLOURS)

    def deal(self, start: i64, order: vec[i64]) -> None:
        """Seven cards each from the end of `order`; `start`, never a wild, opens the stack.

        The start card's effect is not applied.
        """
        self.stack[0] = start
        self.stack_size = 1
        self.colour = colour_of(start)
        self.deck = order[:]
        self.deck_size = len(order)
        self.direction = RIGHT
        self.turn = self.owed = self.draws = self.happened = 0
        self.turns = self.stalled = self.passes = 0
        self.effect = NONE
        self.turn_ends = self.closed = self.over = False
        self.winner = NOBODY
        for seat in range(self.seats):
            self.held[seat] = 0
        for _ in range(HAND_SIZE):
            for seat in range(self.seats):
                self._give(seat)

    # Legal actions

    def top(self) -> i64:
        return self.stack[self.stack_size - 1]

    def card(self, seat: i64, index: i64) -> i64:
        return self.hands[seat * ROOM + index]

    def fits(self, card: i64) -> bool:
        """Any wild; the same colour; the same number or the same effect."""
        colour = colour_of(card)
        if colour == SPECIAL or colour == self.colour:  # noqa: PLR1714 (two numbers compare faster)
            return True
        return card & SYMBOL_BITS == self.top() & SYMBOL_BITS

    def plays(self) -> i64:
        """List the plays of the player in turn in `choices`; how many there are."""
        # A game spends most of its time here, so the test of `fits` is written out, on bits.
        hands, choices, in_force = self.hands, self.choices, self.colour
        symbol = self.stack[self.stack_size - 1] & SYMBOL_BITS
        turn = self.turn
        first = turn * ROOM
        count: i64 = 0
        for index in range(self.held[turn]):
            card = hands[first + index]
            colour = card >> COLOUR_AT
            if colour == SPECIAL:
                for chosen in range(COLOURS):
                    choices[count] = index << INDEX_AT | chosen
                    count += 1
            elif colour == in_force or card & SYMBOL_BITS == symbol:
                choices[count] = index << INDEX_AT | colour
                count += 1
        return count

    def legal(self) -> i64:
        """The same with drawing, which is always allowed, at the end."""
        count = self.plays()
        self.choices[count] = DRAW
        return count + 1

    # Steps

    def step(self, action: i64) -> None:
        """Do a legal action, or `DRAW_AND_PASS`; `records[:happened]` says what came of it."""
        self.happened = 0
        if action >= 0:
            self._play(action >> INDEX_AT, action & COLOUR_BITS)
        else:
            self._ask_for_card(action == DRAW_AND_PASS)

    def waits_for_shuffle(self) -> bool:
        """Somebody is owed a card, the deck is empty, and there is a stack to make one of."""
        return self.owed > 0

    def reshuffle(self, order: vec[i64]) -> None:
        """The stack below its top, in this order, is the deck; go on with the step."""
        self.stack[0] = self.top()
        self.stack_size = 1
        self.deck = order[:]
        self.deck_size = len(order)
        self._note(RESHUFFLED, NOBODY, self.deck_size)
        self._give_what_is_owed()

    def _play(self, index: i64, chosen: i64) -> None:
        seat = self.turn
        card = self._leave_hand(seat, index)
        self.stack[self.stack_size] = card
        self.stack_size += 1
        colour = card >> COLOUR_AT
        self.colour = chosen if colour == SPECIAL else colour
        self._note(PLAYED, seat, card)
        self.passes = 0
        if self.held[seat] == 0:
            # The last card's effect does not happen.
            self.over = True
            self.winner = seat
            self._note(WON, seat, 0)
        else:
            self._take_effect(effect_of(card))

    def _take_effect(self, effect: i64) -> None:
        if effect == REVERSE:
            # With two players the other one is next in either direction.
            self.direction = -self.direction
        elif effect == SKIP_TURN:
            self.turn = self.next_seat()
            self._note(SKIPPED, self.turn, 0)
            effect = NONE
        self._begin_turn(effect)

    def next_seat(self) -> i64:
        seat = self.turn + self.direction
        if seat == self.seats:
            return 0
        return seat if seat >= 0 else self.seats - 1

    def _begin_turn(self, effect: i64) -> None:
        """The next player draws what the last card demands, and then plays normally."""
        self.turns += 1
        if self._stands_still() or self.turns == MOST_ROUNDS * self.seats:
            self.over = True
            self._note(GIVEN_UP, NOBODY, 0)
            return
        self.turn = self.next_seat()
        self.effect = effect
        self.draws = 0
        self.turn_ends = False
        if effect == PICK_2:
            self.owed = 2
        elif effect == WILD_PICK_4:
            self.owed = 4
        if self.owed > 0:
            self._give_what_is_owed()
        else:
            self._note(ASKED, self.turn, effect)

    def _stands_still(self) -> bool:
        """Close the deck, or open it again; True: neither helped, so the match is given up."""
        if self.deck_size + self.stack_size > HARDLY_ANY and not self.closed:
            self.stalled = 0
            return False
        self.stalled += 1
        if self.edition == _FIRST_EDITION:
            return self.stalled == _FIRST_STANDSTILL * self.seats
        if not self.closed:
            self.closed = self.stalled == STANDSTILL * self.seats
        elif self.passes == self.seats:
            if self.stack_size == 1:
                return True
            self.closed = False
            self.stalled = self.passes = 0
        return False

    def _ask_for_card(self, and_pass: bool) -> None:
        """One card, and the same player is asked again, unless it was the last they may draw."""
        self.effect = NONE
        self.draws += 1
        self.turn_ends = and_pass or self.draws == self.max_draws
        self.owed = 1
        self._give_what_is_owed()

    def _give_what_is_owed(self) -> None:
        while self.owed > 0:
            if self.deck_size > 0:
                self._note(DREW, self.turn, self._give(self.turn))
                self.owed -= 1
            elif self.stack_size > 1 and not self.closed:
                return  # `reshuffle` goes on from here
            else:
                self._nothing_to_draw()
        if self.turn_ends:
            self._pass_on()
        else:
            self._note(ASKED, self.turn, self.effect)

    def _nothing_to_draw(self) -> None:
        """A player who asked for a card passes; one who was made to draw now plays."""
        self.owed = 0
        if self.draws > 0:
            self.draws -= 1
            self.turn_ends = True

    def _pass_on(self) -> None:
        self._note(PASSED, self.turn, self.draws)
        if self.closed:
            self.passes += 1
        self._begin_turn(NONE)

    # Cards on their way

    def _give(self, seat: i64) -> i64:
        """The top card of the deck goes to the end of the hand."""
        self.deck_size -= 1
        card = self.deck[self.deck_size]
        self.hands[seat * ROOM + self.held[seat]] = card
        self.held[seat] += 1
        return card

    def _leave_hand(self, seat: i64, index: i64) -> i64:
        """Take a card out of a hand; the others keep their order."""
        hands = self.hands
        place = seat * ROOM + index
        card = hands[place]
        left = self.held[seat] - 1
        self.held[seat] = left
        for after in range(place, seat * ROOM + left):
            hands[after] = hands[after + 1]
        return card

    def _note(self, what: i64, seat: i64, value: i64) -> None:
        records, at = self.records, self.happened
        records[at] = what
        records[at + 1] = seat
        records[at + 2] = value
        self.happened = at + RECORD

    # Vectors can be neither copied by `deepcopy` nor pickled: the state goes as lists.

    def __deepcopy__(self, memo: dict[int, object]) -> Core:
        return _restored(*self._state())

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _restored, self._state()

    def _state(self) -> tuple[list[object], list[list[int]]]:
        """Numbers and vectors, without `SCRATCH`."""
        numbers: list[object] = [getattr(self, name) for name in _NUMBERS]
        return numbers, [list(getattr(self, name)) for name in _VECTORS]


_VECTORS: Final = ("hands", "held", "deck", "stack")
_NUMBERS: Final = (
    *("seats", "max_draws", "edition", "deck_size", "stack_size", "colour", "direction", "turn"),
    *("effect", "owed", "draws", "turn_ends", "turns", "stalled", "closed", "passes", "over"),
    "winner",
)


def _restored(numbers: list[object], vectors: list[list[int]]) -> Core:
    core = Core(2, 0)
    for name, number in zip(_NUMBERS, numbers, strict=True):
        setattr(core, name, number)
    for name, values in zip(_VECTORS, vectors, strict=True):
        setattr(core, name, vec[i64](values))
    return core
