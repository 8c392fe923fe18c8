"""A computer player for Super Rummy: melds at once, counts outs, remembers who took what.

It folds the events its seat is shown into its own picture of the table and never touches
the match. Like most people it does not memorise the order of the discards through a redeck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parlour.cards import Face
from parlour.games.rummy.melds import Card, House, melds_in, room_on, value_of
from parlour.games.rummy.rules import (
    DRAW,
    TO_DISCARDS,
    TO_HAND,
    Action,
    Discard,
    Draw,
    Event,
    Lay,
    Meld,
    Moved,
    Redecked,
    Started,
    Turned,
)
from parlour.games.rummy.settings import Settings
from parlour.kit import Millis, Plan, Seat
from parlour.rng import Rng

_QUICKEST: Final = 600
_SLOWEST: Final = 1800

# How far the search for the best melds of a hand goes before it takes what it has.
_COVERS_TRIED: Final = 400

# What counts when a card is to go, in points of hand value: one more live card that would
# make a meld of what stays; a card the next player seems to collect.
_HOPE: Final = 20
_NEXT_DOOR: Final = 6

# After so many times round the table without a card laid, points matter no more.
_TIRESOME: Final = 3

# One bit for each suit's card of the lowest rank.
_RANK_BITS: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39


class Memory:
    """The table as one seat has seen it."""

    def __init__(self, seat: Seat, started: Started) -> None:
        settings = started.settings
        self.seat = seat
        self.settings: Settings = settings
        self.house = House(
            settings.allow_run_mixed_suit,
            settings.allow_set_duplicate_suit,
            settings.limit_meld_size,
            settings.ace_rank == "high",
        )
        self.hand: list[Card] = []
        self.discards: list[Card] = []
        self.melds: list[list[Card]] = []
        self.room: list[int] = []
        self.held: list[int] = [0] * len(started.players)
        # What others took from the discard pile and have not shown since.
        self.picked: list[list[Card]] = [[] for _ in started.players]
        self.turn: Seat = -1
        # Turns begun since a card was last laid.
        self.quiet = 0
        self.deck_top: Card | None = None
        # After a redeck the next card to the pile comes from the deck, not from a hand.
        self.turning_up = False
        # By face, the cards that went into the latest deck; before a redeck, all of them.
        jokers: int = settings.deck_count if settings.enable_jokers else 0
        self.copies: list[int] = [settings.deck_count] * 52 + [jokers] * 2
        self.stock: list[int] = self.copies[:]

    def see(self, event: Event) -> None:
        if isinstance(event, Moved):
            if event.destination == TO_HAND:
                self._to_hand(event)
            elif event.destination == TO_DISCARDS:
                self._to_discards(event.cards[0])
            else:
                self._to_meld(event)
        elif isinstance(event, Turned):
            self.turn = event.seat
            self.deck_top = event.deck_top
            if event.state == DRAW:
                self.quiet += 1
        elif isinstance(event, Redecked):
            self.stock = [0] * 54
            for card in self.discards:
                self.stock[card.face] += 1
            self.discards = []
            self.turning_up = True

    def _to_hand(self, event: Moved) -> None:
        card = event.cards[0]
        self.held[event.seat] += 1
        if event.seat == self.seat:
            self.hand.insert(event.position, card)
        if self.discards and self.discards[-1].id == card.id:
            taken = self.discards.pop()
            if event.seat != self.seat:
                self.picked[event.seat].append(taken)

    def _to_discards(self, card: Card) -> None:
        if not self.turning_up:
            self._leaves_hand(card)
        self.turning_up = False
        self.discards.append(card)

    def _to_meld(self, event: Moved) -> None:
        self.quiet = 0
        number = event.meld_number
        if number == len(self.melds):
            self.melds.append([])
            self.room.append(0)
        before = self.melds[number]
        ids = {card.id for card in before}
        for card in event.cards:
            if card.id not in ids:
                self._leaves_hand(card)
        if len(event.cards) == 1:
            self.melds[number] = [
                *before[: event.position],
                event.cards[0],
                *before[event.position :],
            ]
        else:
            self.melds[number] = event.cards
        self.room[number] = room_on(self.melds[number], self.house)

    def _leaves_hand(self, card: Card) -> None:
        """Only the player in turn moves cards, until the round is over and it matters no more.

        Before the first turn they come from the deck.
        """
        if self.turn < 0:
            return
        self.held[self.turn] -= 1
        if self.turn == self.seat:
            self.hand = [own for own in self.hand if own.id != card.id]
        else:
            known = self.picked[self.turn]
            self.picked[self.turn] = [each for each in known if each.id != card.id]

    def live(self) -> list[int]:
        """By face, how many copies may still come: not in sight, and not held since a redeck."""
        left = self.copies[:]
        for pile in (self.hand, self.discards, *self.melds, *self.picked):
            for card in pile:
                left[card.face] -= 1
        return [min(pair) for pair in zip(left, self.stock, strict=True)]


class RummyBot:
    """Spec, Bots: finishes its turns legally in every position, and plays a fair game."""

    def __init__(self, seat: Seat, rng: Rng) -> None:
        self.seat = seat
        self._rng = rng
        self._memory: Memory | None = None
        self._at: Millis | None = None

    def see(self, event: Event) -> None:
        self._at = None
        if isinstance(event, Started):
            self._memory = Memory(self.seat, event)
        elif self._memory is not None:
            self._memory.see(event)

    def plan(self, legal: Sequence[Action], now: Millis) -> Plan[Action] | None:
        if not legal or self._memory is None:
            return None
        if self._at is None:
            # Asked again without news, it does not begin to think anew.
            self._at = now + _QUICKEST + self._rng.below(_SLOWEST - _QUICKEST + 1)
        table = self._memory
        drawing = isinstance(legal[0], Draw)
        action = _draw(table, legal) if drawing else _play(table, legal)
        return Plan(self._at, action)


# Drawing


def _draw(table: Memory, legal: Sequence[Action]) -> Action:
    """The discard when it goes down this turn, or beats the deck card it may look at."""
    if len(legal) == 1 or not table.discards:
        return legal[0]
    top = table.discards[-1]
    wanted = _use(table, top)
    offered = 0 if table.deck_top is None else _use(table, table.deck_top)
    if wanted > offered:
        return Draw(top.id)
    return legal[0]


def _use(table: Memory, card: Card) -> int:
    """How many cards more than without it would go down this turn; 0: it is of no use now."""
    if card.face >= 52:
        return 100
    keep_one = table.settings.require_end_discard
    down = _best_melds([*table.hand, card], keep_one, table.house)
    gain = _cards_in(down) - _cards_in(_best_melds(table.hand, keep_one, table.house))
    if gain > 0:
        return gain
    return 1 if any(room >> card.face & 1 for room in table.room) else 0


def _cards_in(melds: list[list[Card]]) -> int:
    return sum(len(meld) for meld in melds)


# Playing


def _play(table: Memory, legal: Sequence[Action]) -> Action:
    melds = _best_melds(table.hand, table.settings.require_end_discard, table.house)
    if melds:
        return Meld([card.id for card in melds[0]])
    lay = _lay(table)
    if lay is not None:
        return lay
    return _discard(table, legal)


def _best_melds(hand: list[Card], keep_one: bool, house: House) -> list[list[Card]]:
    """The disjoint melds that rid the hand of most cards, then of most points."""
    found = melds_in(hand, house)
    if not found:
        return []
    place = {card.id: 1 << i for i, card in enumerate(hand)}
    masks = [sum(place[card.id] for card in meld) for meld in found]
    # A joker is worth keeping for a better meld, but not worth staying for.
    worth = [
        sum(20 + value_of(card.face, house) if card.face < 52 else 8 for card in meld)
        for meld in found
    ]
    most = len(hand) - 1 if keep_one else len(hand)
    best: list[int] = []
    best_worth = 0
    budget = _COVERS_TRIED
    waiting: list[tuple[int, int, int, list[int]]] = [(0, 0, 0, [])]
    while waiting and budget > 0:
        budget -= 1
        first, used, total, chosen = waiting.pop()
        if total > best_worth:
            best, best_worth = chosen, total
        # Backwards, because the last one put down is taken up first: without jokers, then.
        for i in range(len(found) - 1, first - 1, -1):
            mask = used | masks[i]
            if not used & masks[i] and mask.bit_count() <= most:
                waiting.append((i + 1, mask, total + worth[i], [*chosen, i]))
    return [found[i] for i in best]


def _lay(table: Memory) -> Lay | None:
    """Natural cards wherever they fit; jokers when that ends the round, or others soon will."""
    spare = len(table.hand) - (1 if table.settings.require_end_discard else 0)
    if spare < 1:
        return None
    naturals = [card for card in table.hand if card.face < 52]
    cards = sorted(naturals, key=lambda card: -value_of(card.face, table.house))
    if len(naturals) <= 1 or _hurried(table):
        cards += [card for card in table.hand if card.face >= 52]
    for card in cards:
        for number, room in enumerate(table.room):
            if room >> card.face & 1:
                return Lay([card.id], number)
    return None


def _hurried(table: Memory) -> bool:
    """Somebody else may be out before the next turn comes round."""
    return any(held <= 2 for seat, held in enumerate(table.held) if seat != table.seat)


# Discarding


def _discard(table: Memory, legal: Sequence[Action]) -> Action:
    """The card whose loss leaves the most live cards to hope for, then the dearest.

    Dear is what costs points when somebody else goes out, and what is of no use next door.
    """
    allowed = {action.card_id for action in legal if isinstance(action, Discard)}
    live = table.live()
    pairs = _pairs(table)
    tired = table.quiet > _TIRESOME * len(table.held)
    dear = 0 if tired else 3 if _hurried(table) else 1
    best: Action = legal[-1]
    most: int | None = None
    for card in table.hand:
        if card.id not in allowed:
            continue  # just taken from the pile
        hopes = 0
        for one, other, faces in pairs:
            if card is not one and card is not other:
                hopes |= faces
        merit = (
            _HOPE * _count(hopes, live)
            + dear * value_of(card.face, table.house)
            - _danger(table, card)
            - (1000 if card.face >= 52 else 0)
        )
        if tired:
            merit -= _prospects(table.house, card.face, live)
        if most is None or merit > most:
            best, most = Discard(card.id), merit
    return best


def _pairs(table: Memory) -> list[tuple[Card, Card, int]]:
    """Any two cards of the hand that a third would make a meld, with the faces that would."""
    house = table.house
    hand = [card for card in table.hand if card.face < 52]
    pairs: list[tuple[Card, Card, int]] = []
    for i, one in enumerate(hand):
        for other in hand[i + 1 :]:
            faces = _thirds(house, one.face, other.face)
            if faces:
                pairs.append((one, other, faces))
    return pairs


def _thirds(house: House, one: Face, other: Face) -> int:
    """The faces, as bits, that make a set or a run with these two; jokers aside."""
    faces = 0
    if one % 13 == other % 13:
        if house.duplicate_suits:
            return _RANK_BITS << one % 13
        if one != other:
            return _RANK_BITS << one % 13 & ~(1 << one) & ~(1 << other)
        return 0
    if one // 13 != other // 13 and not house.mixed_suits:
        return 0
    low = min(house.rank[one], house.rank[other])
    apart = max(house.rank[one], house.rank[other]) - low
    if apart > 2:
        return 0
    for rank in (low - 1, low + 2) if apart == 1 else (low + 1,):
        if house.lowest <= rank <= house.lowest + 12:
            if house.mixed_suits:
                faces |= _RANK_BITS << (rank - 1) % 13
            else:
                faces |= 1 << one // 13 * 13 + (rank - 1) % 13
    return faces


def _prospects(house: House, face: Face, live: list[int]) -> int:
    """How many ways there are to come by two live cards that make a meld with this one."""
    if face >= 52:
        return 0
    return sum(
        count * _count(_thirds(house, face, other), live)
        for other, count in enumerate(live[:52])
        if count
    )


def _count(faces: int, live: list[int]) -> int:
    total = 0
    while faces:
        low = faces & -faces
        total += live[low.bit_length() - 1]
        faces ^= low
    return total


def _danger(table: Memory, card: Card) -> int:
    """What the next player took from the pile tells what they collect."""
    after = (table.seat + 1) % len(table.held)
    danger = 0
    for known in table.picked[after]:
        if card.face < 52 and known.face < 52 and _thirds(table.house, known.face, card.face):
            danger += _NEXT_DOOR
    # Where it fits on the table, whoever comes next gets rid of it at once.
    if any(room >> card.face & 1 for room in table.room):
        danger += _NEXT_DOOR
    return danger
