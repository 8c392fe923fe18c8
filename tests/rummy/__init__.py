"""Super Rummy's tests: positions set up by hand, tables followed from their events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from parlour.cards import face
from parlour.games.rummy.melds import Card, place_in_hand, room_on
from parlour.games.rummy.moves import (
    TO_DISCARDS,
    TO_HAND,
    TO_MELD,
    Action,
    Event,
    Moved,
    Redecked,
    Started,
    Turned,
)
from parlour.games.rummy.rules import Rummy
from parlour.games.rummy.settings import Settings, in_force
from parlour.kit import Seat
from parlour.rng import FastRng, Rng

ANY_SETTINGS = st.builds(
    Settings,
    deck_count=st.sampled_from([1, 2, 4]),
    enable_jokers=st.booleans(),
    hand_size=st.sampled_from([0, 7, 8, 9, 10, 11, 12]),
    first_turn=st.sampled_from(["next_player", "prev_winner", "random"]),
    allow_draw_choice=st.booleans(),
    allow_run_mixed_suit=st.booleans(),
    allow_set_duplicate_suit=st.booleans(),
    limit_meld_size=st.sampled_from([3, 4, None]),
    ace_rank=st.sampled_from(["low", "high"]),
    deck_exhaust=st.sampled_from(["flip_discard", "shuffle_discard", "end_round"]),
    require_end_discard=st.booleans(),
    lay_at_end=st.booleans(),
)
SEEDS = st.integers(0, 2**32)
SEATS = st.integers(2, 4)

_RANKS = "A23456789TJQK"
_SUITS = "HDCS"


def code_of(text: str) -> int:
    """A face from its two letters: "TH" is the ten of hearts, "W1" and "W2" are the jokers."""
    if text[0] == "W":
        return 51 + int(text[1])
    return face(_SUITS.index(text[1]), _RANKS.index(text[0]) + 1)


def text_of(code: int) -> str:
    if code >= 52:
        return f"W{code - 51}"
    return _RANKS[code % 13] + _SUITS[code // 13]


def cards(text: str) -> list[Card]:
    """Cards named by what they show. The id of a second copy ends in an apostrophe."""
    made: list[Card] = []
    for word in text.split():
        made.append(Card(word, code_of(word.rstrip("'"))))
    return made


def texts(pile: Sequence[Card]) -> str:
    return " ".join(text_of(card.face) for card in pile)


def position(
    hands: Sequence[str],
    deck: str = "",
    discards: str = "",
    melds: Sequence[str] = (),
    *,
    settings: Settings | None = None,
    drawn: bool = False,
    taken: str | None = None,
) -> Rummy:
    """A round in the middle, seat 0 in turn. Piles run from bottom to top."""
    settings = in_force(settings or Settings(), len(hands))
    match = Rummy(settings, [f"player{seat}" for seat in range(len(hands))], 0)
    match.patience = 1000
    for seat, text in enumerate(hands):
        for card in cards(text):
            hand = match.hands[seat]
            hand.insert(place_in_hand(hand, card.face, match.rules), card)
    match.deck = cards(deck)
    match.discards = cards(discards)
    match.melds = [cards(text) for text in melds]
    match.room = [room_on(meld, match.rules) for meld in match.melds]
    match.drawn = drawn
    match.taken = taken
    return match


def told(match: Rummy) -> list[Event]:
    """The events that lead somebody who has just come to this position."""
    events: list[Event] = []
    for seat, hand in enumerate(match.hands):
        events += [
            Moved([card], TO_HAND, seat, position=at, right_end=at) for at, card in enumerate(hand)
        ]
    for number, meld in enumerate(match.melds):
        events.append(Moved(meld, TO_MELD, meld_number=number))
    events += [Moved([card], TO_DISCARDS) for card in match.discards]
    # What moves first lies on top of the deck.
    moved = [card.id for event in events if isinstance(event, Moved) for card in event.cards]
    deck = [card.id for card in match.deck] + moved[::-1]
    start = Started(match.players, deck, match.settings)
    return [start, *events, Turned(match.turn, "play" if match.drawn else "draw")]


def everywhere(match: Rummy) -> list[Card]:
    """Every card of the round, wherever it is."""
    piles = [match.deck, match.discards, *match.hands, *match.melds]
    return [card for pile in piles for card in pile]


def snapshot(match: Rummy) -> list[Any]:
    """All of the state, as values that later changes do not touch."""

    def pile(these: Sequence[Card]) -> list[tuple[str, int]]:
        return [(card.id, card.face) for card in these]

    return [
        match.settings,
        list(match.players),
        match.starter,
        pile(match.deck),
        pile(match.discards),
        [pile(hand) for hand in match.hands],
        [pile(meld) for meld in match.melds],
        list(match.room),
        list(match.active),
        match.turn,
        match.drawn,
        match.taken,
        list(match.laid),
        match.laid_now,
        match.quiet,
        match.patience,
        match.ended,
    ]


class CountingRng(Rng):
    """Chance that knows how often it was asked."""

    def __init__(self, seed: int) -> None:
        self._rng = FastRng(seed)
        self.asked = 0

    def bits(self, count: int) -> int:
        self.asked += 1
        return self._rng.bits(count)


class Client:
    """A table kept by somebody who knows nothing but the moves, the way existing clients do."""

    def __init__(self) -> None:
        self.deck: list[str] = []
        self.discards: list[str] = []
        self.hands: dict[Seat, list[str]] = {}
        self.melds: list[list[str]] = []
        self.faces: dict[str, int] = {}
        self.turn: tuple[Seat, str] | None = None

    def see(self, event: Event) -> None:
        if isinstance(event, Started):
            self.deck = list(event.card_ids)
            self.hands = {seat: [] for seat in range(len(event.players))}
        elif isinstance(event, Redecked):
            self.discards = []
            self.deck = list(event.new_card_ids)
        elif isinstance(event, Turned):
            self.turn = (event.seat, event.state)
        elif isinstance(event, Moved):
            for card in reversed(event.cards):
                self._move(card, event)

    def _move(self, card: Card, event: Moved) -> None:
        for pile in (self.deck, self.discards, *self.hands.values(), *self.melds):
            if card.id in pile:
                pile.remove(card.id)
        if card.face >= 0:
            self.faces[card.id] = card.face
        if event.destination == TO_HAND:
            self.hands[event.seat].insert(event.position, card.id)
        elif event.destination == TO_DISCARDS:
            self.discards.append(card.id)
        elif event.meld_number < len(self.melds):
            self.melds[event.meld_number].insert(event.position, card.id)
        else:
            self.melds.append([card.id])


def pick(match: Rummy, rng: Rng) -> Action:
    """Some legal action; rather one that brings the round on."""
    legal = match.legal(match.turn)
    first = legal[0]
    return first if rng.below(3) == 0 else legal[rng.below(len(legal))]
