"""The worth of a position of MO, as far as one look can tell.

The worth of a position does not depend on the order of the draw pile, only on what is in
it: so it may guide a player who does not know the order as well as one who does. The
numbers were found by letting thousands of deals be played with them; docs/mo-strategy.md
says how, and what each is good for.
"""

from __future__ import annotations

from bisect import insort
from typing import Final

from parlour.cards import ACE, JACK, KING, QUEEN, RED_JOKER, Face, face
from parlour.games.mo.board import AIMED, BESIDE, INNERS, LANES, OUTERS, SUIT, VALUE, Board, takes

DEFEATED: Final = 8.2
"""A defeated royal."""
PLOY_LEFT: Final = 2.65
"""An ace or a joker still in the draw pile."""
HEIGHT: Final = -3.6
"""A ten on top of an inner pile; lower cards weigh by the cube of their value."""
OPEN_CENTRE: Final = -0.6
READY: Final = {JACK: 7.3, QUEEN: 6.3, KING: 6.5}
"""A living royal that falls to the next card on the far pile."""
PAIR: Final = {JACK: 6.2, QUEEN: 4.2, KING: 4.2}
"""Near and middle both match the royal, but are too weak."""
LACK: Final = -0.39
"""Each point by which such a pair is too weak."""
HALF_PAIR: Final = {JACK: 0.0, QUEEN: 1.6, KING: 1.2}
"""Only one of the two matches."""
IN_THE_WAY: Final = -0.05
"""Each point of a top that does not match: the higher, the fewer cards can cover it."""
KINGS_ARMOUR: Final = -1.2
"""Each point of armour on a living king."""
SUIT_WAITS: Final = 1.0
COLOUR_WAITS: Final = 0.9
"""A pair of one suit or colour before an outer pile still free, while all royals are to come."""
KING_EXPECTED: Final = 1.2
"""Such a pair of the suit of a king to come, that would defeat him."""
STRANDED: Final = (-1.04, -0.24, -0.13)
"""Each number in the draw pile that none, only one, only two of the inner piles would take."""

SURE: Final = 1e6
"""More than any position is worth that is not won."""

# Tables, so that a look is mostly looking up. Each lane has one, by what lies at its end;
# near * 55 + middle is the place of its two tops in it.

_EMPTY: Final = 54
"""Stands for the top of an empty pile."""
_CARDS: Final = 55
_VALUES: Final = bytes(VALUE) + bytes(256 - len(VALUE))
_HEIGHTS: Final = [HEIGHT * (VALUE[card] / 10) ** 3 for card in range(54)] + [OPEN_CENTRE]
_KINGS: Final = [face(suit, KING) for suit in range(4)]
_NEAR: Final = [lane[0] for lane in LANES]
_MIDDLE: Final = [lane[1] for lane in LANES]
_ACROSS: Final = [[o for o in range(OUTERS) if _MIDDLE[o] == i] for i in range(INNERS)]
"""For each inner pile the lanes it is the middle of."""
_OVER: Final = [0.0] * (_CARDS * _CARDS)
"""The table of a lane whose royal is defeated."""


def _before_royal(royal: Face, health: int) -> list[float]:
    """The table of a lane with a living royal."""
    rank = VALUE[royal]
    armour = KINGS_ARMOUR * (health - KING) if rank == KING else 0.0
    full = [READY[rank] if s >= health else PAIR[rank] + LACK * (health - s) for s in range(27)]
    like = [takes(royal, card) for card in range(_CARDS)]
    clash = [0.0 if rank == JACK else IN_THE_WAY * _VALUES[card] for card in range(_CARDS)]
    half = [HALF_PAIR[rank] + clash[card] for card in range(_CARDS)]
    table: list[float] = []
    for near in range(_CARDS):
        for middle in range(_CARDS):
            if like[near] and like[middle]:
                worth = full[_VALUES[near] + _VALUES[middle]]
            elif like[near]:
                worth = half[middle]
            elif like[middle]:
                worth = half[near]
            else:
                worth = clash[near] + clash[middle]
            table.append(armour + worth)
    return table


def _before_free(royals: int, kings: list[bool]) -> list[float]:
    """The table of a lane without a royal, with so many to come and these kings among them."""
    share = royals / OUTERS
    table: list[float] = []
    for near in range(_CARDS):
        for middle in range(_CARDS):
            worth = 0.0
            if near < RED_JOKER and middle < RED_JOKER:
                suit = SUIT[near]
                if suit == SUIT[middle]:
                    worth = SUIT_WAITS * share
                    if kings[suit] and VALUE[near] + VALUE[middle] >= KING:
                        worth += KING_EXPECTED
                elif suit >> 1 == SUIT[middle] >> 1:
                    worth = COLOUR_WAITS * share
            table.append(worth)
    return table


_TABLES: Final[dict[int, list[float]]] = {}
"""Every table asked for so far: there are a few hundred, of which a game needs a few dozen."""


def _royal_table(royal: Face, health: int) -> list[float]:
    key = royal * 32 + health
    table = _TABLES.get(key)
    if table is None:
        table = _TABLES[key] = _before_royal(royal, health)
    return table


def _free_table(rest: bytes, values: bytes) -> list[float]:
    royals = values.count(JACK) + values.count(QUEEN) + values.count(KING)
    kings = [king in rest for king in _KINGS]
    key = -1 - royals
    for suit in range(4):
        key -= kings[suit] << (4 + suit)
    table = _TABLES.get(key)
    if table is None:
        table = _TABLES[key] = _before_free(royals, kings)
    return table


def _numbers_below(values: bytes) -> list[int]:
    """For each value how many number cards of less are among `values`."""
    below = [0, 0, 0]
    total = 0
    for value in range(2, 11):
        total += values.count(value)
        below.append(total)
    return below


def _stranded(low: list[int], below: list[int]) -> float:
    """The cost of cards to come that fit few piles; `low` begins with the three lowest tops."""
    none = below[low[0]]
    one = below[low[1]]
    return STRANDED[0] * none + STRANDED[1] * (one - none) + STRANDED[2] * (below[low[2]] - one)


def weigh(board: Board) -> list[tuple[float, int]]:
    """Every pile the next card may go to, and what the position it makes there is worth."""
    card = board.draw[0]
    rest = board.draw[1:]
    values = rest.translate(_VALUES)
    tops = [pile[0] if pile else _EMPTY for pile in board.piles[:INNERS]]
    tables = _tables(board, _free_table(rest, values))
    lanes: list[float] = []
    for o in range(OUTERS):
        lanes.append(tables[o][tops[_NEAR[o]] * _CARDS + tops[_MIDDLE[o]]])
    low = sorted([_VALUES[top] for top in tops])
    below = _numbers_below(values)
    stranded = _stranded(low, below)
    defeated = board.defeated.bit_count()
    worth = sum(lanes, stranded) + sum([_HEIGHTS[top] for top in tops], 0.0)
    worth += DEFEATED * defeated + PLOY_LEFT * (values.count(0) + values.count(ACE))
    value = VALUE[card]
    row = card * _CARDS
    found: list[tuple[float, int]] = []
    for pile in board.valid():
        if pile >= INNERS:
            found.append((worth + _outer_gain(board, pile - INNERS, card, tops, lanes), pile))
            continue
        top = tops[pile]
        gain = _HEIGHTS[card] - _HEIGHTS[top]
        fallen = 0
        for o in AIMED[pile]:
            if board.ready(o):
                gain += DEFEATED - lanes[o]
                fallen += 1
        if defeated + fallen == OUTERS:
            found.append((SURE, pile))
            continue
        for o in BESIDE[pile]:
            gain += tables[o][row + tops[_MIDDLE[o]]] - lanes[o]
        for o in _ACROSS[pile]:
            gain += tables[o][tops[_NEAR[o]] * _CARDS + card] - lanes[o]
        if value <= ACE:
            back = board.piles[pile].translate(_VALUES)
            gain += PLOY_LEFT * (back.count(0) + back.count(ACE)) - stranded
            gain += _stranded(_exchanged(low, _VALUES[top], value), _numbers_below(values + back))
        elif _VALUES[top] <= low[2]:
            gain += _stranded(_exchanged(low, _VALUES[top], value), below) - stranded
        found.append((worth + gain, pile))
    return found


def _exchanged(low: list[int], out: int, in_: int) -> list[int]:
    """The sorted tops once one value has covered another."""
    other = low[:]
    other.remove(out)
    insort(other, in_)
    return other


def _tables(board: Board, free: list[float]) -> list[list[float]]:
    """Each lane's table."""
    tables: list[list[float]] = []
    for o in range(OUTERS):
        royal = board.royals[o]
        if royal < 0:
            tables.append(free)
        elif board.defeated >> o & 1:
            tables.append(_OVER)
        else:
            tables.append(_royal_table(royal, board.totals[o]))
    return tables


def _outer_gain(board: Board, outer: int, card: Face, tops: list[int], lanes: list[float]) -> float:
    """The change when a royal or armour goes to an outer pile: the worth of its one lane."""
    royal = card if VALUE[card] > 10 else board.royals[outer]
    if royal < 0:
        return 0.0
    table = _royal_table(royal, board.totals[outer] + VALUE[card])
    return table[tops[_NEAR[outer]] * _CARDS + tops[_MIDDLE[outer]]] - lanes[outer]
