"""The bot's arithmetic: what a hand can meld, and which cards it may hope for.

Faces are bits of a number here: bit 0 is the ace of hearts, as in `room_on`.
"""

from __future__ import annotations

from typing import Final

from parlour.cards import Face
from parlour.games.rummy.melds import Card, MeldRules, melds_in, value_of

# How far the search for the best melds of a hand goes before it takes what it has.
_COVERS_TRIED: Final = 400

# One bit for each suit's card of the lowest rank.
_RANK_BITS: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39


def best_melds(hand: list[Card], keep_one: bool, rules: MeldRules) -> list[list[Card]]:
    """The disjoint melds that rid the hand of most cards, then of most points."""
    found = melds_in(hand, rules)
    if not found:
        return []
    place = {card.id: 1 << i for i, card in enumerate(hand)}
    masks = [sum(place[card.id] for card in meld) for meld in found]
    # A joker is worth keeping for a better meld, but not worth staying for.
    worth = [
        sum(20 + value_of(card.face, rules) if card.face < 52 else 8 for card in meld)
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
        # Backwards, because what is appended last is tried first: melds without jokers.
        for i in range(len(found) - 1, first - 1, -1):
            mask = used | masks[i]
            if not used & masks[i] and mask.bit_count() <= most:
                waiting.append((i + 1, mask, total + worth[i], [*chosen, i]))
    return [found[i] for i in best]


def cards_in(melds: list[list[Card]]) -> int:
    return sum(len(meld) for meld in melds)


def pairs(hand: list[Card], rules: MeldRules) -> list[tuple[Card, Card, int]]:
    """Any two cards of the hand that a third would make a meld, with the faces that would."""
    naturals = [card for card in hand if card.face < 52]
    found: list[tuple[Card, Card, int]] = []
    for i, one in enumerate(naturals):
        for other in naturals[i + 1 :]:
            faces = thirds(rules, one.face, other.face)
            if faces:
                found.append((one, other, faces))
    return found


def thirds(rules: MeldRules, one: Face, other: Face) -> int:
    """The faces that make a set or a run with these two; jokers aside."""
    faces = 0
    if one % 13 == other % 13:
        if rules.duplicate_suits:
            return _RANK_BITS << one % 13
        if one != other:
            return _RANK_BITS << one % 13 & ~(1 << one) & ~(1 << other)
        return 0
    if one // 13 != other // 13 and not rules.mixed_suits:
        return 0
    low = min(rules.rank[one], rules.rank[other])
    apart = max(rules.rank[one], rules.rank[other]) - low
    if apart > 2:
        return 0
    for rank in (low - 1, low + 2) if apart == 1 else (low + 1,):
        if rules.lowest <= rank <= rules.lowest + 12:
            if rules.mixed_suits:
                faces |= _RANK_BITS << (rank - 1) % 13
            else:
                faces |= 1 << one // 13 * 13 + (rank - 1) % 13
    return faces


def prospects(rules: MeldRules, face: Face, live: list[int]) -> int:
    """How many ways there are to come by two live cards that make a meld with this one."""
    if face >= 52:
        return 0
    return sum(
        copies * count(thirds(rules, face, other), live)
        for other, copies in enumerate(live[:52])
        if copies
    )


def count(faces: int, live: list[int]) -> int:
    """How many copies of these faces are live, given how many there are by face."""
    total = 0
    while faces:
        low = faces & -faces
        total += live[low.bit_length() - 1]
        faces ^= low
    return total
