"""MO's solver, for when the order of the cards is known: a beam.

Of all positions that a layer of positions leads to, the worthiest few make the next layer.
Narrow beams are tried before wide ones, since most deals fall to a narrow one.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from parlour.games.mo.board import Board
from parlour.games.mo.worth import SURE, weigh

LONGEST: Final = 160
"""No line is followed further: aces could take turns on one pile for ever."""

WIDTHS: Final = (4, 16, 64, 256, 1024)
NO_LIMIT: Final = 1 << 60


@dataclass(slots=True)
class Solution:
    """A line of piles that wins, or None where none was found; and how much was looked at."""

    line: list[int] | None
    positions: int


def solve(
    board: Board,
    widths: tuple[int, ...] = WIDTHS,
    limit: int = NO_LIMIT,
    worn: Set[bytes] = frozenset(),
) -> Solution:
    """Look for a winning line from here with beams of these widths, in this order.

    After `limit` positions it gives up. No line goes through a position whose look is `worn`: it
    has stood as often as it may.
    """
    positions = 0
    for width in widths:
        found = _beam(board, width, limit - positions, worn)
        positions += found.positions
        if found.line is not None:
            return Solution(found.line, positions)
    return Solution(None, positions)


def _beam(root: Board, width: int, limit: int, worn: Set[bytes]) -> Solution:
    positions = 0
    # Each position with the piles played to on the way to it.
    layer = [(root, b"")]
    # Over all layers: a line that comes back to a position could be lost by repetition.
    seen = {root.look(), *worn}
    for _ in range(LONGEST):
        if positions >= limit:
            break
        pool: list[tuple[float, int, int]] = []
        for at in range(len(layer)):
            for worth, pile in weigh(layer[at][0]):
                pool.append((worth, at, pile))
        pool.sort(reverse=True)
        positions += len(pool)
        below: list[tuple[Board, bytes]] = []
        for worth, at, pile in pool:
            board = layer[at][0].copy()
            board.play(pile)
            line = layer[at][1] + bytes((pile,))
            if worth == SURE:
                return Solution(list(line), positions)
            if board.spent():
                continue
            look = board.look()
            if look not in seen:
                seen.add(look)
                below.append((board, line))
                if len(below) == width:
                    break
        if not below:
            break
        layer = below
    return Solution(None, positions)
