"""What ONU's tests share: cards and positions as text, matches as strategies, marked cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i64

from parlour.games.onu import cards as c
from parlour.games.onu.core import EDITION, ROOM, Core
from parlour.games.onu.moves import Action, Event
from parlour.games.onu.rules import Onu, deal
from parlour.games.onu.settings import Settings
from parlour.kit import Illegal, Setup
from parlour.rng import FastRng, Rng

SEEDS = st.integers(0, 2**32)
SEATS = st.integers(2, 7)
SETTINGS = st.builds(
    Settings,
    deck=st.sampled_from(["compact", "classic"]),
    maxDraws=st.sampled_from([0, 0, 1, 2, 5]),
    turnTimeout=st.sampled_from([1, 60]),
    pace=st.sampled_from([0.0, 1.0]),
)

_BY_NAME: dict[str, list[c.Card]] = {}
for _card in c.classic_deck():
    _BY_NAME.setdefault(c.described(_card), []).append(_card)


def cards(text: str) -> list[c.Card]:
    """ "red 7, wild, red 7": cards of the classic deck, the second of a face another copy."""
    used: dict[str, int] = {}
    found: list[c.Card] = []
    for name in (word.strip() for word in text.split(",")):
        if name:
            found.append(_BY_NAME[name][used.get(name, 0)])
            used[name] = used.get(name, 0) + 1
    return found


def card(text: str) -> c.Card:
    return cards(text)[0]


def position(
    *hands: str,
    top: str,
    colour: int | None = None,
    deck: str = "",
    buried: str = "",
    settings: Settings | None = None,
    edition: int = EDITION,
) -> Onu:
    """A match at its first prompt; the deck is drawn from its end, `buried` is below `top`."""
    settings = settings or Settings(pace=0)
    core = Core(len(hands), settings.maxDraws, edition)
    for seat, hand in enumerate(hands):
        for at, held in enumerate(cards(hand)):
            core.hands[seat * ROOM + at] = held
            core.held[seat] = at + 1
    core.deck = vec[i64](cards(deck))
    core.deck_size = len(core.deck)
    for at, laid in enumerate([*cards(buried), card(top)]):
        core.stack[at] = laid
        core.stack_size = at + 1
    core.colour = c.colour_of(card(top)) if colour is None else colour
    match = Onu(settings, core)
    match._remember(list(c.classic_deck()))
    match._prompt(0, True, 0, 0)
    return match


def hand(match: Onu, seat: int) -> list[str]:
    core = match.core
    return [c.described(core.card(seat, at)) for at in range(core.held[seat])]


def places(match: Onu) -> list[int]:
    """Every card of the match, once for each place it lies in."""
    core = match.core
    found = [int(core.deck[at]) for at in range(core.deck_size)]
    found += [int(core.stack[at]) for at in range(core.stack_size)]
    for seat in range(core.seats):
        found += [int(core.card(seat, at)) for at in range(core.held[seat])]
    return found


def fingerprint(match: Onu) -> Any:
    """All of a match that can change, in what compares."""
    core = match.core
    numbers = {
        name: value for name, value in vars(core).items() if not isinstance(value, type(core.deck))
    }
    # The last step's records are told already, and choices are listed anew each time.
    numbers.pop("happened")
    piles = (list(core.deck[: core.deck_size]), list(core.stack[: core.stack_size]))
    hands = [[core.card(s, at) for at in range(core.held[s])] for s in range(core.seats)]
    house = (match.open, match.due_at, match.fumbles, repr(match.ended))
    return numbers, piles, hands, house


def new_match(
    settings: Settings, seats: int, rng: Rng, now: int = 0, edition: int = 0
) -> tuple[Onu, list[Event]]:
    players = [f"player-{seat}" for seat in range(seats)]
    return deal(Setup(settings, players, edition=edition), rng, now)


Input = tuple[str, int, Any, int]
"""What is done to a match: kind, seat, action, moment."""


def do(match: Onu, given: Input, rng: Rng) -> list[Event]:
    kind, seat, action, now = given
    if kind == "tick":
        return match.tick(rng, now)
    if kind == "fumble":
        return match.fumble(seat, rng, now)
    return match.apply(seat, action, rng, now)


def wander(
    match: Onu, whims: Rng, chance: Rng, steps: int, disturbed: bool = True
) -> Iterator[tuple[Input, list[Event]]]:
    """Random play, with people who sleep and people who err; each step with what came of it."""
    now = 0
    for _ in range(steps):
        if match.ended is not None:
            return
        now += whims.below(2_000)
        seat = match.core.turn
        legal = match.legal(seat)
        due = match.due()
        assert due is not None
        if not legal or (disturbed and whims.below(12) == 0):
            now = max(now, due)
            given: Input = ("tick", seat, None, now)
        elif disturbed and whims.below(10) == 0:
            given = ("fumble", seat, None, now)
        else:
            # Half of the time what is listed first, so that hands get smaller, too.
            at = 0 if whims.below(2) else whims.below(len(legal))
            given = ("act", seat, legal[at], now)
        yield given, do(match, given, chance)


class Marked(int):
    """A card that remembers which place of which shuffle it came from, and equals its number."""

    origin: tuple[int, int]


class MarkingRng(Rng):
    """Chance whose shuffles mark the cards, and deal some of them elsewhere.

    `swaps[n]` says for places of shuffle n from which place they take their card.
    """

    def __init__(self, seed: int, swaps: dict[int, dict[int, int]] | None = None) -> None:
        self._rng = FastRng(seed)
        self.swaps = swaps or {}
        self.sizes: list[int] = []

    def bits(self, count: int) -> int:
        return self._rng.bits(count)

    def shuffle(self, cards: Any) -> None:
        self._rng.shuffle(cards)
        number = len(self.sizes)
        self.sizes.append(len(cards))
        swap = self.swaps.get(number, {})
        dealt = [int(cards[swap.get(at, at)]) for at in range(len(cards))]
        for at, number_of_card in enumerate(dealt):
            marked = Marked(number_of_card)
            marked.origin = (number, at)
            cards[at] = marked


def refused(match: Onu, seat: int, action: Action) -> str:
    """The code of the refusal, which must leave no trace."""
    before = fingerprint(match)
    try:
        match.apply(seat, action, FastRng(0), 0)
    except Illegal as no:
        assert no.sentence.endswith(".")
        assert fingerprint(match) == before
        return no.code
    raise AssertionError("it was not refused")


def kinds(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]
