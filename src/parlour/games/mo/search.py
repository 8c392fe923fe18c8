"""MO's honest search: what to play when the order of the cards is not known.

It deals the cards its player can't know at random, many times, and plays each sample out
by worth alone; it never looks at the real order. Once no card is unknown, the solver takes
over. Budgets are in positions looked at, not in time: the same question always gets the
same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, final
from zlib import crc32

from parlour.games.mo.analysis import hopeless, name_of, unseen
from parlour.games.mo.board import AIMED, HIDDEN, INNERS, OUTERS, PILES, VALUE, Board
from parlour.games.mo.solver import LONGEST, solve
from parlour.games.mo.tableau import Tableau
from parlour.games.mo.why import at_once
from parlour.games.mo.worth import SURE, weigh
from parlour.kit import Illegal
from parlour.rng import FastRng, Rng

ALL_DEFEATED: Final = (1 << OUTERS) - 1

WIDTHS: Final = (4, 16, 64)
"""Of the solver's beams, where a hint asks it."""
POSITIONS: Final = 16_000
ROUNDS: Final = (12, 12, 12)
"""How often each move is sampled before the worse half of the moves is dropped."""


@final
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
    if len(moves) < 2 or found[0][0] == SURE:
        return moves
    dropped: list[Prospect] = []
    # Where nothing is hidden all samples are the same one.
    for samples in ROUNDS if HIDDEN in board.draw else (1,):
        for _ in range(samples):
            deal = sampled(board, rng)
            for move in moves:
                end = deal.copy()
                end.play(move.pile)
                positions -= play_out(end)
                move.tries += 1
                move.wins += end.defeated == ALL_DEFEATED
                move.defeated += end.defeated.bit_count()
            if positions < 0:
                break
        moves.sort(key=lambda move: move.rate, reverse=True)
        half = (len(moves) + 1) // 2
        dropped = moves[half:] + dropped
        moves = moves[:half]
        if positions < 0 or len(moves) < 2:
            break
    return moves + dropped


@final
@dataclass(slots=True)
class Choice:
    """A pile for the next card, and what speaks for it.

    `tries` is how many samples it was tried in, `wins` how many of them it won. `line` is a
    way to win from here, where every card is known and one was found.
    """

    pile: int
    wins: int
    tries: int
    line: list[int]


def choose(board: Board, positions: int = POSITIONS) -> Choice:
    """The honest choice: `board` is what its player knows, with hidden cards `HIDDEN`."""
    rng = FastRng(crc32(board.pack()))
    if board.draw.count(HIDDEN) <= 1:
        # One hidden card is no secret: it is the one that lies nowhere else.
        board = sampled(board, rng)
        line = solve(board, WIDTHS, positions).line
        if line is not None:
            return Choice(line[0], 0, 0, line)
    best = prospects(board, rng, positions)[0]
    return Choice(best.pile, best.wins, best.tries, [])


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


@final
class Player:
    """An honest player, that keeps to a winning line once it has one."""

    def __init__(self, positions: int = POSITIONS) -> None:
        self._positions = positions
        self._line: list[int] = []

    def choose(self, board: Board) -> int:
        """The pile for the next card; `board` is what the player knows of it."""
        valid = board.valid()
        if self._line and self._line[0] in valid:
            return self._line.pop(0)
        if len(valid) == 1:
            return valid[0]
        choice = choose(board, self._positions)
        self._line = choice.line[1:]
        return choice.pile


@final
@dataclass(slots=True)
class Hint:
    """Protocol: "hint". `to` is a pile by its name, `why` a sentence or two."""

    to: str
    why: str


def hint(tableau: Tableau, positions: int = POSITIONS) -> Hint:
    """Where to play the next card. Takes up to a tenth of a second: not for an event loop."""
    if tableau.reason:
        raise Illegal("game-over", "This game is over; undo, or deal a new one.")
    return _hint(tableau.board.pack(), positions)


@lru_cache(maxsize=1000)
def _hint(packed: bytes, positions: int) -> Hint:
    """Cached, so that asking again and again for one position costs the others no time."""
    board = Board.unpack(packed)
    valid = board.valid()
    if len(valid) == 1:
        return Hint(PILES[valid[0]], f"Only this pile takes the {name_of(board.draw[0])}.")
    choice = choose(board, positions)
    why = at_once(board, choice.pile)
    lost = hopeless(board)
    if lost:
        why += f" But this can't be won any more. {lost}"
    elif choice.line:
        why += f" Every card is known now, and {len(choice.line)} more can win it."
    elif board.draw.count(HIDDEN) <= 1:
        found = "it can still be won" if choice.wins else "no way to win was found"
        why += f" Every card is known now, and {found}."
    elif choice.tries:
        # No share of wins: the samples are played out by worth alone, which wins about half of
        # the deals, where whoever follows hints wins nearly all (docs/mo-strategy.md).
        why += f" Of the {len(valid)} piles this did best with the unseen cards dealt at random."
    return Hint(PILES[choice.pile], why)
