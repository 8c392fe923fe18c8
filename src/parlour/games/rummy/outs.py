"""The bot's arithmetic: how a hand would go down, and which cards it may hope for.

Faces are bits of a number here: bit 0 is the ace of hearts, as in `room_on`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from parlour.cards import Face
from parlour.games.rummy.melds import (
    Card,
    MeldRules,
    arrange,
    melds_in,
    room_on,
    thirds,
    value_of,
)

# After so many steps the search for the best melds of a hand takes the best so far.
_COVERS_TRIED: Final = 400


@dataclass(slots=True)
class HandPlan:
    """How a hand would go down: as melds, and laid off on the table. Deadwood is what is left."""

    melds: list[list[Card]]
    deadwood: list[Card]


def plan_hand(hand: list[Card], layable: set[str], keep_one: bool, rules: MeldRules) -> HandPlan:
    """The disjoint melds that leave the fewest cards over, then the fewest points.

    `layable` are the ids of the cards that melds on the table take.
    """
    found = melds_in(hand, rules)
    place = {card.id: 1 << at for at, card in enumerate(hand)}
    masks = [sum([place[card.id] for card in meld]) for meld in found]
    values = [value_of(card.face, rules) for card in hand]
    dead = (1 << len(hand)) - 1
    for card_id in layable:
        dead &= ~place[card_id]
    most = len(hand) - 1 if keep_one else len(hand)
    best: list[int] = []
    best_dead = dead
    best_worth = _worth(dead, values)
    budget = _COVERS_TRIED
    waiting: list[tuple[int, int, list[int]]] = [(0, 0, [])]
    while waiting and budget > 0:
        budget -= 1
        first, used, chosen = waiting.pop()
        left = dead & ~used
        if left.bit_count() <= best_dead.bit_count():
            worth = _worth(left, values)
            if worth < best_worth:
                best, best_dead, best_worth = chosen, left, worth
        # Backwards, because what is appended last is tried first: melds without jokers.
        for at in range(len(found) - 1, first - 1, -1):
            mask = used | masks[at]
            if not used & masks[at] and mask.bit_count() <= most:
                waiting.append((at + 1, mask, [*chosen, at]))
    return HandPlan(
        [found[at] for at in best],
        [card for at, card in enumerate(hand) if best_dead >> at & 1],
    )


def _worth(dead: int, values: list[int]) -> int:
    """The weight of cards left over: their number first, then their points."""
    points = 0
    for at in range(len(values)):
        if dead >> at & 1:
            points += 1000 + values[at]
    return points


def laid_off(
    hand: list[Card], melds: list[list[Card]], room: list[int], rules: MeldRules
) -> set[str]:
    """The ids of the cards of a hand that melds on the table take, one after the other."""
    fitting: set[str] = set()
    if not melds:
        return fitting
    melds, room = melds[:], room[:]
    before = -1
    while before < len(fitting):
        before = len(fitting)
        for card in hand:
            if card.id in fitting:
                continue
            for number in range(len(room)):
                if room[number] >> card.face & 1:
                    grown = arrange([*melds[number], card], rules)
                    if grown is not None:
                        melds[number], room[number] = grown, room_on(grown, rules)
                        fitting.add(card.id)
                        break
    return fitting


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


def prospects(rules: MeldRules, face: Face, live: list[int]) -> int:
    """The number of pairs of live cards that make a meld with this one."""
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
