"""The table after a change, as a whole: MO's one kind of event.

The `board` message, the terminal and the hint are made from a tableau that `rules.view` has
let through, so none of them can show more than the player knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal

from parlour.cards import Face
from parlour.games.mo.board import HIDDEN, INNER, INNERS, NUMBER, OUTERS, PILES, WON, Board
from parlour.kit import Illegal
from parlour.marks import Whole

TIMES_A_POSITION_MAY_STAND: Final = 2


@dataclass(slots=True)
class Tableau(Whole):
    """One moment of a game. `reason` is "" while play goes on, else how it ended.

    `unturned` is how many cards of the dealt draw pile nobody has seen yet; `dealt` how many
    of it are left. They come first in the draw pile, and the unseen ones last among them;
    behind them lie the cards that aces and jokers sent back, which anybody could follow.
    `looks` are those of all positions from the deal to now, so that a search knows which have
    stood as often as they may. It is empty while a card is unturned: until all dealt cards
    have been played, each position has fewer of them than the one before, and none comes again.
    """

    seed: str
    profile: str
    board: Board
    dealt: int
    unturned: int
    moves: int
    can_undo: bool
    can_redo: bool
    reason: str
    looks: list[bytes]
    _veiled: Tableau | None = field(default=None, init=False, repr=False, compare=False)

    def veiled(self) -> Tableau:
        """The same without the faces nobody has seen; made once for all viewers."""
        if self._veiled is None:
            board = self.board
            if self.unturned:
                seen = self.dealt - self.unturned
                draw = board.draw
                board = board.copy()
                board.draw = draw[:seen] + bytes((HIDDEN,)) * self.unturned + draw[self.dealt :]
            self._veiled = replace(self, board=board)
        return self._veiled

    @property
    def status(self) -> Literal["playing", "won", "lost"]:
        if not self.reason:
            return "playing"
        return "won" if self.reason == WON else "lost"

    @property
    def valid(self) -> list[str]:
        """The piles the next card may go to; none once it is over."""
        if self.reason:
            return []
        return [PILES[pile] for pile in self.board.valid()]

    @property
    def defeated(self) -> list[str]:
        """The outer piles that lie face down."""
        return [PILES[INNERS + o] for o in range(OUTERS) if self.board.defeated >> o & 1]

    @property
    def next(self) -> Face | None:
        """The revealed top of the draw pile."""
        return self.board.draw[0] if self.board.draw else None

    def peek(self, name: str) -> list[Face]:
        """A look through an inner pile (protocol: "peek"), or `Illegal`."""
        if name not in INNER:
            raise Illegal("no-peek", "You can look through the nine inner piles only.")
        return list(self.board.piles[NUMBER[name]])


@dataclass(slots=True)
class Line:
    """The piles that win, one after the other, from the position after so many `moves` on."""

    moves: int
    piles: list[int]
