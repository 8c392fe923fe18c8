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
RANK_BITS: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""A bit for each suit's card of the lowest rank."""

# Spec, Order of events: hearts, clubs, diamonds, spades, jokers.
_PLACE_OF_SUIT: Final = [0, 2, 1, 3, 4]

_MOST_LISTED: Final = 60


@dataclass(slots=True)
class Card:
    """A card of the round: its id, and what it shows. Neither can be derived from the other."""

    id: str
    face: Face


@final
class MeldRules:
    """The settings that decide what a meld is. Never changed: all of a round share one."""

    __slots__ = ("duplicate_suits", "lowest", "mixed_suits", "most", "rank", "settings", "weight")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        ace_high = settings.ace_rank == "high"
        self.mixed_suits: bool = settings.allow_run_mixed_suit
        self.duplicate_suits: bool = settings.allow_set_duplicate_suit
        # A run of thirteen is as long as runs get; sets of several decks may be longer.
        self.most: int = settings.limit_meld_size or 1000
        self.lowest: int = 2 if ace_high else 1
        # Rank by face, the ace where these rules put it; jokers have none.
        self.rank: list[int] = [
            14 if ace_high and face % 13 == 0 else face % 13 + 1 for face in range(52)
        ] + [0, 0]
        # Spec, Order of events: hands are sorted by suit, then rank.
        self.weight: list[int] = [
            _PLACE_OF_SUIT[face // 13] * 16 + self.rank[face] for face in range(54)
        ]

    def __reduce__(self) -> tuple[object, tuple[Settings]]:
        """For pickling, also if mypyc has compiled this class."""
        return meld_rules, (self.settings,)


@lru_cache(maxsize=64)
def meld_rules(settings: Settings) -> MeldRules:
    """The rules of melds under these settings; cached, because every player's picture asks."""
    return MeldRules(settings)


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
    spots: list[list[Card]] = [[], [], [], []]
    jokers: list[Card] = []
    rank = 0
    for card in cards:
        if card.face >= 52:
            jokers.append(card)
        elif rank not in (0, rules.rank[card.face]):
            return None
        else:
            rank = rules.rank[card.face]
            spots[_PLACE_OF_SUIT[card.face // 13]].append(card)
    if not rules.duplicate_suits:
        if len(cards) > 4 or max([len(spot) for spot in spots]) > 1:
            return None
        for spot in spots:
            if jokers and not spot:
                spot.append(jokers.pop(0))
    return [*spots[0], *spots[1], *spots[2], *spots[3], *jokers]


def as_run(cards: list[Card], rules: MeldRules) -> list[Card] | None:
    """Spec, Rules: 3 or more consecutive of one suit (`allow_run_mixed_suit`: of any), no wrap.

    Jokers fill the gaps, then lengthen the run upwards, then downwards.
    """
    count = len(cards)
    if count > 13:
        return None
    by_rank: dict[int, Card] = {}
    suits: set[int] = set()
    jokers: list[Card] = []
    for card in cards:
        if card.face >= 52:
            jokers.append(card)
        else:
            by_rank[rules.rank[card.face]] = card
            suits.add(card.face // 13)
    if not by_rank:
        return cards[:]
    if len(by_rank) + len(jokers) < count or (len(suits) > 1 and not rules.mixed_suits):
        return None
    low, high = min(by_rank), max(by_rank)
    spare = count - (high - low + 1)
    if spare < 0:
        return None
    first = low - max(spare - (rules.lowest + 12 - high), 0)
    return [
        by_rank[rank] if rank in by_rank else jokers.pop(0) for rank in range(first, first + count)
    ]


def run_faces(suit: int, rank: int, rules: MeldRules) -> int:
    """The faces of this rank that a run of this suit takes: a bit for each."""
    if rules.mixed_suits:
        return RANK_BITS << (rank - 1) % 13
    return 1 << suit * 13 + (rank - 1) % 13


def thirds(rules: MeldRules, one: Face, other: Face) -> int:
    """The faces that make a set or a run with these two; jokers aside."""
    faces = 0
    if one % 13 == other % 13:
        if rules.duplicate_suits:
            return RANK_BITS << one % 13
        if one != other:
            return RANK_BITS << one % 13 & ~(1 << one) & ~(1 << other)
        return 0
    if one // 13 != other // 13 and not rules.mixed_suits:
        return 0
    low = min(rules.rank[one], rules.rank[other])
    apart = max(rules.rank[one], rules.rank[other]) - low
    if apart > 2:
        return 0
    for rank in (low - 1, low + 2) if apart == 1 else (low + 1,):
        if rules.lowest <= rank <= rules.lowest + 12:
            faces |= run_faces(one // 13, rank, rules)
    return faces


def room_on(meld: list[Card], rules: MeldRules) -> int:
    """Which single cards the meld takes: a bit for each face.

    The same answer as arranging the meld with each face in turn, without trying them.
    """
    count = len(meld)
    if count >= rules.most:
        return 0
    faces = [card.face for card in meld if card.face < 52]
    if not faces:
        return ALL_FACES if rules.duplicate_suits or count < 13 else 0
    ranks = {rules.rank[face] for face in faces}
    suits = {face // 13 for face in faces}
    room = 0
    # As a set.
    if len(ranks) == 1 and (rules.duplicate_suits or count < 4):
        room = JOKER_FACES | RANK_BITS << faces[0] % 13
        if not rules.duplicate_suits:
            for face in faces:
                room &= ~(1 << face)
    # As a run.
    if count < 13 and len(ranks) == len(faces) and (len(suits) == 1 or rules.mixed_suits):
        room |= JOKER_FACES
        lowest = max(rules.lowest, max(ranks) - count)
        highest = min(rules.lowest + 12, min(ranks) + count)
        for rank in range(lowest, highest + 1):
            if rank not in ranks:
                room |= run_faces(faces[0] // 13, rank, rules)
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
