"""What a player has before their eyes: a fold of viewed events, and nothing else.

Everything the page, the terminal, the bot and the hint know of a game comes from here.
"""

from __future__ import annotations

from typing import Final, final

from parlour.cards import Face
from parlour.games.mo.board import (
    DRAW,
    HIDDEN,
    INNERS,
    NUMBER,
    OUTERS,
    PILES,
    Board,
    lay_out,
)
from parlour.games.mo.rules import Dealt, Event, History, Moved, Position, Undone
from parlour.kit import Illegal

CENTRE_IN_GRID: Final = 4


@final
class Picture:
    """The board as its player sees it, with the hidden part of the draw pile `HIDDEN`.

    Before the first `Dealt` there is nothing to see: `see` that first.
    """

    def __init__(self) -> None:
        self.seed = ""
        self.profile = ""
        self._history = History(Position(lay_out(False, [b""] * (INNERS + OUTERS), b"")))
        # The dealt draw pile as far as it was ever turned up: what undo hides from the
        # eyes, the player still knows.
        self._turned: list[Face] = []
        self._dealt = 0

    def see(self, event: Event) -> None:
        """Take one viewed event in."""
        if isinstance(event, Dealt):
            self._deal(event)
        elif isinstance(event, Moved):
            self._move(event)
        elif isinstance(event, Undone):
            self._history.back()
        else:
            self._history.forward()

    def _deal(self, event: Dealt) -> None:
        self.seed = event.seed
        self.profile = event.profile
        tops = [bytes((card,)) for card in event.grid]
        inner = [*tops[:CENTRE_IN_GRID], b"", *tops[CENTRE_IN_GRID:]]
        draw = bytes(event.draw)
        board = lay_out(event.profile == "printed", [*inner, *[b""] * OUTERS], draw)
        self._history = History(Position(board))
        self._turned = [event.draw[0]]
        self._dealt = len(draw)

    def _move(self, event: Moved) -> None:
        board = self.board.copy()
        board.play(NUMBER[event.to])
        if event.revealed is not None and board.draw[0] == HIDDEN:
            if self._dealt - board.draw.count(HIDDEN) == len(self._turned):
                self._turned.append(event.revealed)
            board.draw = bytes((event.revealed,)) + board.draw[1:]
        self._history.push(Position(board, event.reason))

    # What the `board` message says

    @property
    def board(self) -> Board:
        return self._history.now.board

    @property
    def status(self) -> str:
        return self._history.now.status

    @property
    def reason(self) -> str:
        """How it ended; "" while it goes on."""
        return self._history.now.reason

    @property
    def moves(self) -> int:
        return self._history.moves

    @property
    def can_undo(self) -> bool:
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        return self._history.can_redo

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
    def left(self) -> int:
        """How many cards the draw pile has, its top included."""
        return len(self.board.draw)

    @property
    def next(self) -> Face | None:
        """The revealed top of the draw pile."""
        return self.board.draw[0] if self.board.draw else None

    def peek(self, pile: str) -> list[Face]:
        """The cards of a grid pile, top first; of the draw pile only its top."""
        if pile == DRAW:
            return [] if self.next is None else [self.next]
        if pile not in NUMBER:
            raise Illegal("no-such-pile", f"There is no pile called {pile[:8]!r}.")
        return list(self.board.piles[NUMBER[pile]])

    def known(self) -> Board:
        """The board with everything the player can know: also what undo has covered again."""
        board = self.board.copy()
        hidden = board.draw.count(HIDDEN)
        ahead = bytes(self._turned[self._dealt - hidden :])
        if ahead:
            # The dealt cards lie in one run behind the top: they come in the dealt order.
            start = board.draw.index(HIDDEN)
            board.draw = board.draw[:start] + ahead + board.draw[start + len(ahead) :]
        return board
