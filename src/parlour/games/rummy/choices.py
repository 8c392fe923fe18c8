"""Super Rummy's melds and lays as choices: every list of cards that may be laid down.

`legal` names only some of them, which is enough for bots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Final

from parlour.cards import Face, is_joker
from parlour.choices import Choice, Domain, One, Some, Value
from parlour.games.rummy.melds import Card, MeldRules, arrange, room_on, thirds

MOST_LISTED: Final = 200
"""Lists that one seat is told. A hand of four decks with jokers and mixed runs can hold more: these
may be tried all the same (`Some.whole`)."""


def lays(
    hand: list[Card], melds: Sequence[list[Card]], free: int, rules: MeldRules
) -> Iterator[Choice]:
    """New melds from this hand, and lays on those on the table. `free` cards may leave the hand."""
    left = MOST_LISTED
    meld = _lists(hand, [], free, rules, left)
    if meld is not None:
        left -= len(meld.sets or ())
        yield Choice("meld", {"card_ids": meld})
    for number, lying in enumerate(melds):
        lay = _lists(hand, lying, free, rules, left)
        if lay is not None:
            left -= len(lay.sets or ())
            fields: dict[str, Domain] = {"card_ids": lay, "meld_number": One([number])}
            yield Choice("lay", fields)


def _lists(
    hand: list[Card], lying: list[Card], free: int, rules: MeldRules, most: int
) -> Some | None:
    """The lists of cards that are a meld together with those lying; None: there are none."""
    least, longest = max(3 - len(lying), 1), min(free, rules.most - len(lying))
    rule = "cards that fit a meld" if lying else "a set or a run"
    found = list(islice(_fitting(hand, lying, least, longest, rules), most + 1))
    if not found:
        return None
    if len(found) > most:
        ids: list[Value] = [card.id for card in hand]
        told = [list(one) for one in found[:most]]
        return Some(ids, least, longest, rule=rule, sets=told, whole=False)
    used = sorted({at for one in found for at in one})
    sets = [[used.index(at) for at in one] for one in found]
    return Some([hand[at].id for at in used], len(sets[0]), len(sets[-1]), rule=rule, sets=sets)


def _fitting(
    hand: list[Card], lying: list[Card], least: int, longest: int, rules: MeldRules
) -> Iterator[tuple[int, ...]]:
    """The positions in the hand of cards that fit together, the shortest lists first.

    A meld of more than three cards is always a shorter meld and one card that fits on it.
    """
    found = _longer({()}, hand, lying, rules) if lying else _threes(hand, rules)
    for _ in range(least, longest + 1):
        yield from sorted(found)
        found = _longer(found, hand, lying, rules)


def _longer(
    found: set[tuple[int, ...]], hand: list[Card], lying: list[Card], rules: MeldRules
) -> set[tuple[int, ...]]:
    """These lists, each with one card more that fits."""
    longer: set[tuple[int, ...]] = set()
    for one in found:
        room = room_on([*lying, *(hand[at] for at in one)], rules)
        for at, card in enumerate(hand):
            if room >> card.face & 1 and at not in one:
                longer.add(tuple(sorted((*one, at))))
    return longer


def _threes(hand: list[Card], rules: MeldRules) -> set[tuple[int, ...]]:
    """The melds of three cards. Most hands hold few, so pairs that can't be in one go first."""
    places = range(len(hand))
    pairs = {
        (one, other)
        for one, other in combinations(places, 2)
        if _can_meld(hand[one].face, hand[other].face, rules)
    }
    return {
        three
        for three in combinations(places, 3)
        if pairs.issuperset(combinations(three, 2))
        and arrange([hand[at] for at in three], rules) is not None
    }


def _can_meld(one: Face, other: Face, rules: MeldRules) -> bool:
    """Whether two cards can be in one meld of three."""
    return is_joker(one) or is_joker(other) or thirds(rules, one, other) != 0
