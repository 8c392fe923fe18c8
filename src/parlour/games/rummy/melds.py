"""Super Rummy's melds: what makes a set or a run, and how its cards lie.

A meld is its cards, nothing more: whether it is a set or a run is read off them, so a
joker stands in for whatever keeps the whole valid. With one natural card or none both
readings can hold; then it lies as a set while it can, and a later lay may make it a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, final

from parlour.cards import JOKERS, Face
from parlour.games.rummy.settings import Settings

HIDDEN: Final = -1
"""The face of a card the viewer may not see."""

JOKER_FACES: Final = 3 << 52
ALL_FACES: Final = (1 << 54) - 1

# Spec, Order of events: hearts, clubs, diamonds, spades, jokers.
_PLACE_OF_SUIT: Final = [0, 2, 1, 3, 4]

_MOST_LISTED: Final = 60


@final
@dataclass(slots=True)
class Card:
    """A card of the round: the id says which, the face what, and neither tells the other."""

    id: str
    face: Face


@final
class MeldRules:
    """The settings that decide what a meld is. Never changed: all of a round share one."""

    __slots__ = ("duplicate_suits", "lowest", "mixed_suits", "most", "rank", "weight")

    def __init__(
        self, mixed_suits: bool, duplicate_suits: bool, limit: int | None, ace_high: bool
    ) -> None:
        self.mixed_suits = mixed_suits
        self.duplicate_suits = duplicate_suits
        # A run of thirteen is as long as runs get; sets of several decks may be longer.
        self.most: int = limit if limit is not None else 1000
        self.lowest: int = 2 if ace_high else 1
        # Rank by face, the ace where these rules put it; jokers have none.
        self.rank: list[int] = [
            14 if ace_high and face % 13 == 0 else face % 13 + 1 for face in range(52)
        ] + [0, 0]
        # Spec, Order of events: hands are sorted by suit, then rank.
        self.weight: list[int] = [
            _PLACE_OF_SUIT[face // 13] * 16 + self.rank[face] for face in range(54)
        ]


@lru_cache(maxsize=64)
def meld_rules(settings: Settings) -> MeldRules:
    """What the settings of a round say about melds. Every player's picture asks for the same."""
    return MeldRules(
        settings.allow_run_mixed_suit,
        settings.allow_set_duplicate_suit,
        settings.limit_meld_size,
        settings.ace_rank == "high",
    )


def value_of(face: Face, rules: MeldRules) -> int:
    """Spec, Rules: A 1 (11 when high), 2-10 as printed, J Q K 10, joker 15."""
    rank = rules.rank[face]
    if rank == 0:
        return 15
    if rank == 14:
        return 11
    return min(rank, 10)


def place_in_hand(hand: list[Card], face: Face, rules: MeldRules) -> int:
    """Where a card goes into a sorted hand; behind its equals."""
    weight = rules.weight[face]
    at = len(hand)
    while at > 0 and rules.weight[hand[at - 1].face] > weight:
        at -= 1
    return at


def arrange(cards: list[Card], rules: MeldRules) -> list[Card] | None:
    """The cards as a meld lies on the table, or None if they are not one.

    Spec, Order of events: runs by rank, sets by suit; jokers lie where they stand in.
    """
    if len(cards) < 3 or len(cards) > rules.most:
        return None
    lying = as_set(cards, rules)
    return lying if lying is not None else as_run(cards, rules)


def as_set(cards: list[Card], rules: MeldRules) -> list[Card] | None:
    """Spec, Rules: 3 or more of one rank, no suit twice (unless `allow_set_duplicate_suit`)."""
    jokers: list[Card] = []
    rank = 0
    for card in cards:
        if card.face >= 52:
            jokers.append(card)
        elif rank == 0:
            rank = rules.rank[card.face]
        elif rules.rank[card.face] != rank:
            return None
    if rules.duplicate_suits:
        lying: list[Card] = []
        for suit in (0, 2, 1, 3):
            lying += [card for card in cards if card.face // 13 == suit]
        return lying + jokers
    if len(cards) > 4:
        return None
    spots: list[Card | None] = [None, None, None, None]
    for card in cards:
        if card.face < 52:
            place = _PLACE_OF_SUIT[card.face // 13]
            if spots[place] is not None:
                return None
            spots[place] = card
    lying = []
    used = 0
    for spot in spots:
        if spot is not None:
            lying.append(spot)
        elif used < len(jokers):
            lying.append(jokers[used])
            used += 1
    return lying


def as_run(cards: list[Card], rules: MeldRules) -> list[Card] | None:
    """Spec, Rules: 3 or more consecutive of one suit (`allow_run_mixed_suit`: of any), no wrap.

    Jokers fill the gaps, then lengthen the run upwards, then downwards.
    """
    count = len(cards)
    if count > 13:
        return None
    spots: list[Card | None] = [None] * 15
    jokers: list[Card] = []
    suit = -1
    low, high = 15, 0
    for card in cards:
        if card.face >= 52:
            jokers.append(card)
            continue
        rank = rules.rank[card.face]
        if spots[rank] is not None:
            return None
        spots[rank] = card
        if suit == -1:
            suit = card.face // 13
        elif suit != card.face // 13 and not rules.mixed_suits:
            return None
        low = min(low, rank)
        high = max(high, rank)
    if high == 0:
        return cards[:]
    spare = count - (high - low + 1)
    if spare < 0:
        return None
    upwards = min(spare, rules.lowest + 12 - high)
    first = low - (spare - upwards)
    lying: list[Card] = []
    used = 0
    for rank in range(first, first + count):
        spot = spots[rank]
        if spot is None:
            spot = jokers[used]
            used += 1
        lying.append(spot)
    return lying


def room_on(meld: list[Card], rules: MeldRules) -> int:
    """Which single cards the meld takes: a bit for each face.

    The same answer as arranging the meld with each face in turn, without trying them.
    """
    count = len(meld)
    if count >= rules.most:
        return 0
    rank, suits, suit = 0, 0, -1
    low, high, naturals = 15, 0, 0
    one_rank, one_suit, ranks = True, True, 0
    for card in meld:
        if card.face >= 52:
            continue
        naturals += 1
        own = rules.rank[card.face]
        if naturals > 1:
            one_rank = one_rank and own == rank
            one_suit = one_suit and card.face // 13 == suit
        rank, suit = own, card.face // 13
        suits |= 1 << suit
        ranks |= 1 << own
        low = min(low, own)
        high = max(high, own)
    room = 0
    # As a set.
    if one_rank and (rules.duplicate_suits or count < 4):
        if naturals == 0:
            return ALL_FACES
        room |= JOKER_FACES
        for each in range(4):
            if rules.duplicate_suits or not suits >> each & 1:
                room |= 1 << (each * 13 + (rank - 1) % 13)
    # As a run. Two naturals of one rank never are one.
    if count < 13 and (naturals <= 1 or not one_rank) and (one_suit or rules.mixed_suits):
        if naturals == 0:
            return ALL_FACES
        room |= JOKER_FACES
        for own in range(max(rules.lowest, high - count), min(rules.lowest + 12, low + count) + 1):
            if not ranks >> own & 1:
                for each in range(4):
                    if each == suit or rules.mixed_suits:
                        room |= 1 << (each * 13 + (own - 1) % 13)
    return room


def melds_in(hand: list[Card], rules: MeldRules) -> list[list[Card]]:
    """Melds a hand holds: every short one, the longest ones, those without jokers first.

    Not every choice among equal cards: the rest is reached by laying on these. The list is
    bounded, whatever the hand (four decks, jokers and mixed runs included).
    """
    jokers = [card for card in hand if card.face >= 52]
    plain: list[list[Card]] = []
    wild: list[list[Card]] = []
    # Most hands hold few melds, or none: look only where three cards can come together.
    needed = 3 - min(len(jokers), 2)
    of_rank, of_suit = [0] * 15, [0] * 5
    for card in hand:
        of_rank[rules.rank[card.face]] += 1
        of_suit[card.face // 13] += 1
    for rank in range(rules.lowest, rules.lowest + 13):
        if of_rank[rank] >= needed:
            _list_sets(_one_rank(hand, rank, rules), jokers, rules, plain, wild)
    if rules.mixed_suits:
        _list_runs(_lane(hand, JOKERS, rules), jokers, rules, plain, wild)
    else:
        for suit in (0, 2, 1, 3):
            if of_suit[suit] >= needed:
                _list_runs(_lane(hand, suit, rules), jokers, rules, plain, wild)
    if len(jokers) >= 3:
        wild.append(jokers[:3])
    return (plain + wild)[:_MOST_LISTED]


def _one_rank(hand: list[Card], rank: int, rules: MeldRules) -> list[Card]:
    """The hand's cards of one rank; of each suit only one where sets forbid it twice."""
    group: list[Card] = []
    suits = 0
    for card in hand:
        if rules.rank[card.face] == rank:
            bit = 1 << (card.face // 13)
            if rules.duplicate_suits or not suits & bit:
                suits |= bit
                group.append(card)
    return group


def _list_sets(
    group: list[Card],
    jokers: list[Card],
    rules: MeldRules,
    plain: list[list[Card]],
    wild: list[list[Card]],
) -> None:
    size = len(group)
    if size >= 4 and rules.most >= 4:
        plain.append(group[: rules.most])
    if size == 4:
        plain += [group[:i] + group[i + 1 :] for i in range(4)]
    else:
        plain += [group[i : i + 3] for i in range(size - 2)]
    if jokers:
        wild += [
            [group[i], group[j], jokers[0]]
            for i in range(min(size, 4))
            for j in range(i + 1, min(size, 4))
        ]
    if len(jokers) >= 2:
        wild.append([group[0], jokers[0], jokers[1]])


def _lane(hand: list[Card], suit: int, rules: MeldRules) -> list[Card | None]:
    """By rank, the card a run of this suit (JOKERS: of any suit) would use."""
    lane: list[Card | None] = [None] * 16
    for card in hand:
        if card.face < 52 and (suit == JOKERS or card.face // 13 == suit):
            lane[rules.rank[card.face]] = card
    return lane


def _list_runs(
    lane: list[Card | None],
    jokers: list[Card],
    rules: MeldRules,
    plain: list[list[Card]],
    wild: list[list[Card]],
) -> None:
    """Runs that begin and end with a natural card: up to five long, or as long as can be."""
    for first in range(1, 15):
        if lane[first] is None:
            continue
        naturals: list[Card] = []
        gaps = 0
        for last in range(first, 15):
            card = lane[last]
            if card is None:
                gaps += 1
                if gaps > len(jokers):
                    break
                continue
            naturals.append(card)
            size = last - first + 1
            if size > rules.most:
                break
            if size == 2 and jokers:
                wild.append([*naturals, jokers[0]])
            elif size >= 3 and gaps == 0 and (size <= 5 or lane[last + 1] is None):
                plain.append(naturals[:])
            elif size >= 3 and gaps > 0 and size <= 5:
                wild.append(naturals + jokers[:gaps])
