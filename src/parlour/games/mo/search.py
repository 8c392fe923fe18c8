"""MO's honest search: what to play when the order of the cards is not known.

It deals the cards its player can't know at random, many times, and plays each sample out
by worth alone; it never looks at the real order. Once no card is unknown, the solver takes
over. Budgets are in positions looked at, not in time: the same question always gets the
same answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from zlib import crc32

from parlour.games.mo.analysis import hopeless, unseen
from parlour.games.mo.board import AIMED, HIDDEN, INNERS, OUTERS, PILES, VALUE, WON, Board
from parlour.games.mo.solver import LONGEST, Solution, solve
from parlour.games.mo.tableau import TIMES_A_POSITION_MAY_STAND, Line, Tableau
from parlour.games.mo.why import Hint, at_once, forced
from parlour.games.mo.worth import weigh
from parlour.rng import FastRng, Rng

ALL_DEFEATED: Final = (1 << OUTERS) - 1

WIDTHS: Final = (4, 16, 64)
"""Of the solver's beams, where a hint asks it."""
POSITIONS: Final = 32_000
MOST_SAMPLES: Final = 100
"""How often a move is sampled at most before the worse half of the moves is dropped."""


@dataclass(slots=True)
class Prospect:
    """A move, and how its samples ended: how many were won, and royals defeated in all."""

    pile: int
    tries: int
    wins: int
    defeated: int

    @property
    def rate(self) -> float:
        """Wins count; among equals, royals."""
        return (self.wins + self.defeated / (1000 * OUTERS)) / max(self.tries, 1)


def sampled(board: Board, rng: Rng) -> Board:
    """The board with its hidden cards dealt at random: any order is as likely as any other."""
    hidden = board.draw.count(HIDDEN)
    twin = board.copy()
    if hidden:
        cards = unseen(board)
        rng.shuffle(cards)
        start = board.draw.index(HIDDEN)
        twin.draw = board.draw[:start] + bytes(cards) + board.draw[start + hidden :]
    return twin


def play_out(board: Board) -> int:
    """Play on by worth alone, changing `board`; how many positions that looked at."""
    looked = 0
    for _ in range(LONGEST):
        if board.spent():
            break
        found = weigh(board)
        if not found:
            break
        looked += len(found)
        board.play(max(found)[1])
        if board.defeated == ALL_DEFEATED:
            break
    return looked


def prospects(board: Board, rng: Rng, positions: int = POSITIONS) -> list[Prospect]:
    """The moves of a position with hidden cards, best first, after sampling them."""
    # Any sample will do here: worth does not depend on the order of the cards.
    found = sorted(weigh(sampled(board, rng)), reverse=True)
    moves = [Prospect(pile, 0, 0, 0) for _, pile in found]
    dropped: list[Prospect] = []
    rounds = (len(moves) - 1).bit_length()
    left = positions
    for after in reversed(range(rounds)):
        # Each round has the same share of the positions.
        share_ends = positions * after // rounds
        for _ in range(MOST_SAMPLES):
            deal = sampled(board, rng)
            for move in moves:
                end = deal.copy()
                end.play(move.pile)
                left -= play_out(end)
                move.tries += 1
                move.wins += end.defeated == ALL_DEFEATED
                move.defeated += end.defeated.bit_count()
            if left <= share_ends:
                break
        moves.sort(key=lambda move: move.rate, reverse=True)
        half = (len(moves) + 1) // 2
        dropped = moves[half:] + dropped
        moves = moves[:half]
    return moves + dropped


def known(board: Board) -> Board | None:
    """The board with every card in its place, or None where its player can't know them all.

    One hidden card is no secret: it is the one that lies nowhere else.
    """
    return sampled(board, FastRng(0)) if board.draw.count(HIDDEN) <= 1 else None


def choose(board: Board, stood: Counter[bytes], positions: int = POSITIONS) -> tuple[int, Solution]:
    """The honest choice of a pile, and what the solver found, where every card is known.

    `board` is what its player knows, with hidden cards `HIDDEN`; `stood` says how often each
    position has been there, by its look.
    """
    whole = known(board)
    if whole is None:
        return _did_best(board.pack(), positions), Solution(None, 0)
    found = solve(whole, WIDTHS, positions, worn_out(stood))
    return _most_royals(whole, stood) if found.line is None else found.line[0], found


@lru_cache(maxsize=1000)
def _did_best(packed: bytes, positions: int) -> int:
    """Cached: asking for one position again and again must not take time from other players."""
    return prospects(Board.unpack(packed), FastRng(crc32(packed)), positions)[0].pile


def worn_out(stood: Counter[bytes]) -> set[bytes]:
    """The looks of the positions that have stood as often as they may: once more is lost."""
    return {look for look, times in stood.items() if times >= TIMES_A_POSITION_MAY_STAND}


def _most_royals(board: Board, stood: Counter[bytes]) -> int:
    """If no winning line was found: the pile that defeats most royals and repeats no position."""
    tries: list[tuple[int, int, float, int]] = []
    for worth, pile in weigh(board):
        end = board.copy()
        end.play(pile)
        times = stood[end.look()]
        play_out(end)
        tries.append((-times, end.defeated.bit_count(), worth, pile))
    return max(tries)[-1]


def greedy(board: Board) -> int:
    """For comparison, the pile a beginner takes: most royals now, else the closest fit."""
    best = (-1, -1)
    found = -1
    for pile in board.valid():
        fallen = 0
        height = 0
        if pile < INNERS:
            fallen = len([o for o in AIMED[pile] if board.ready(o)])
            height = VALUE[board.piles[pile][0]] if board.piles[pile] else 0
        if (fallen, height) > best:
            best = (fallen, height)
            found = pile
    return found


def rest_of(line: Line | None, tableau: Tableau) -> list[int]:
    """The remaining moves of a line found earlier, if they still win from here; else none."""
    whole = known(tableau.board)
    if line is None or whole is None or tableau.moves < line.moves:
        return []
    rest = line.piles[tableau.moves - line.moves :]
    worn = worn_out(Counter(tableau.looks))
    for pile in rest:
        if pile not in whole.valid():
            return []
        whole.play(pile)
        if whole.look() in worn:
            return []
    return rest if whole.end() == WON else []


def hint(
    tableau: Tableau, line: Line | None = None, positions: int = POSITIONS
) -> tuple[Hint, Line | None]:
    """Where to play the next card, and the line that wins from here, once one is known.

    `line` came with an earlier hint: it is followed as long as it wins. Takes up to a quarter of a
    second: not for an event loop.
    """
    board = tableau.board
    only = forced(tableau)
    if only is not None:
        return only, line
    rest = rest_of(line, tableau)
    if rest:
        pile, found = rest[0], Solution(rest, 0)
    else:
        pile, found = choose(board, Counter(tableau.looks), positions)
    why = at_once(board, pile)
    lost = hopeless(board)
    if lost:
        why += f" But this can't be won any more. {lost}"
    elif found.line:
        why += f" Every card is known now, and {len(found.line)} more can win it."
    elif found.positions:
        why += (
            " Every card is known now. No way to win was found in the "
            f"{found.positions:,} positions looked at; there may still be one."
        )
    else:
        # No share of wins: the samples are played out by worth alone, which wins about half of
        # the deals; a player who follows hints wins nearly all (docs/mo-strategy.md).
        count = len(board.valid())
        why += f" Of the {count} piles this did best with the unseen cards dealt at random."
    return Hint(PILES[pile], why), Line(tableau.moves, found.line) if found.line else line
