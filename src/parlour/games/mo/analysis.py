"""Facts about a position of MO that need no search: lanes, lost causes, the unseen.

Everything here works on the board as its player knows it, hidden cards and all.
"""

from __future__ import annotations

from typing import Final

from parlour.cards import ACE, JACK, KING, QUEEN, RANKS, RED_JOKER, SUITS, Face, deck
from parlour.games.mo.board import HIDDEN, INNERS, LANES, OUTER, PILES, SUIT, VALUE, Board, takes
from parlour.games.mo.lane import LaneInfo

COLOURS: Final = ("red", "black")
_SPOKEN: Final = {ACE: "ace", JACK: "jack", QUEEN: "queen", KING: "king"}


def name_of(card: Face) -> str:
    """As it is spoken of: "10 of hearts", "king of clubs"."""
    if card >= RED_JOKER:
        return "joker"
    return f"{_SPOKEN.get(VALUE[card], RANKS[VALUE[card]])} of {SUITS[SUIT[card]]}"


def lanes(board: Board) -> list[LaneInfo]:
    """One entry for each living royal, in the order of the outer piles."""
    found: list[LaneInfo] = []
    for o in board.living():
        royal, health = board.royals[o], board.totals[o]
        near, middle, far = [PILES[inner] for inner in LANES[o]]
        missing = health
        wrong: list[str] = []
        for inner in LANES[o][:2]:
            pile = board.piles[inner]
            if pile and takes(royal, pile[0]):
                missing -= VALUE[pile[0]]
            else:
                wrong.append(PILES[inner])
        missing = max(missing, 0)
        ready = not missing and not wrong
        suits = _suits(royal)
        which = "" if suits == "any" else f", {suits}"
        if ready:
            needs = f"falls to a card on {far}"
        elif wrong:
            needs = f"needs {health} from {near} and {middle}{which}"
        else:
            needs = f"needs {missing} more{which}"
        lane = LaneInfo(OUTER[o], near, middle, far, health, suits, missing, wrong, ready, needs)
        found.append(lane)
    return found


def _suits(royal: Face) -> str:
    """Which cards count against it."""
    rank = VALUE[royal]
    if rank == JACK:
        return "any"
    return COLOURS[SUIT[royal] >> 1] if rank == QUEEN else SUITS[SUIT[royal]]


def unseen(board: Board) -> list[Face]:
    """The cards that lie hidden in the draw pile, in deck order: which, not where."""
    seen = board.draw + b"".join(board.piles)
    return [card for card in deck(2 if board.printed else 1) if card not in seen]


def hopeless(board: Board) -> str:
    """Why this can't be won any more, as a sentence; "" as long as it may be.

    A royal is beyond reach when no two cards that match it and can still come to lie on
    top of inner piles add up to what it counts. Armour never comes back; what is covered
    inside comes back only while an ace or a joker is in the draw pile.
    """
    draw = board.draw
    if HIDDEN in draw:
        draw = draw.replace(bytes((HIDDEN,)), b"") + bytes(unseen(board))
    inside = b"".join(board.piles[:INNERS])
    if not any(VALUE[card] <= ACE for card in draw):
        inside = bytes([pile[0] for pile in board.piles[:INNERS] if pile])
    # The two highest cards of each suit that may yet be a pair; jokers are 0.
    high = [0] * 5
    second = [0] * 5
    to_come: list[Face] = []
    for card in draw + inside:
        value = VALUE[card]
        suit = SUIT[card]
        if value > 10:
            to_come.append(card)
        elif value > high[suit]:
            second[suit] = high[suit]
            high[suit] = value
        elif value > second[suit]:
            second[suit] = value
    for o in board.living():
        royal = board.royals[o]
        if _best_pair(royal, high, second) < board.totals[o]:
            return _beyond_reach(royal, f"on {OUTER[o]} counts {board.totals[o]}")
    for royal in to_come:
        if _best_pair(royal, high, second) < VALUE[royal]:
            return _beyond_reach(royal, "is still to come")
    return ""


def _best_pair(royal: Face, high: list[int], second: list[int]) -> int:
    suit = SUIT[royal]
    rank = VALUE[royal]
    if rank == KING:
        return high[suit] + second[suit] if second[suit] else 0
    first, last = (0, 4) if rank == JACK else (suit & 2, (suit & 2) + 2)
    best = sorted(high[first:last] + second[first:last])
    return best[-1] + best[-2] if best[-2] else 0


def _beyond_reach(royal: Face, where: str) -> str:
    return f"The {name_of(royal)} {where}: no two cards that could still attack it are enough."
