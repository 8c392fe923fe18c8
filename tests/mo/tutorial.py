"""The boards of the page's tutorial, as the server itself would tell them.

`python -m tests.mo.tutorial` writes them anew; `test_tutorial.py` sees that they are true.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from parlour.cards import deck
from parlour.games.mo.board import Board
from parlour.games.mo.rules import Solitaire
from parlour.games.mo.wire import MoCodec
from tests.mo.test_positions import MIDGAME, MIDGAME_DOWN, SETUP
from tests.mo.tools import board_of, play

FILE = Path(__file__).parents[2] / "web/src/games/mo/tutorial.json"

LESSONS = {
    "setup": (board_of(SETUP, "KC QD JS 3C 8H * AS 6D"), ["a3 e3 c5 c3 d3 c2 b3"]),
    "midgame": (
        board_of(MIDGAME, "6C 9H 4H 2H", MIDGAME_DOWN),
        ["b2 c4 b1", "b2 c4 a2", "b2 c4 e3"],
    ),
}
"""The worked positions of the rules, each with the lines of play that a learner may follow."""


def whole(board: Board) -> Board:
    """The board with the rest of the deck below its draw pile: no card is ever lost."""
    there = board.draw + b"".join(board.piles)
    board.draw += bytes(card for card in deck(1) if card not in there)
    return board


def told(game: Solitaire) -> dict[str, Any]:
    """The `board` message of a game as it stands."""
    nobody = cast(Any, None)
    (message,) = MoCodec().encode(game.tableau(), nobody, None)
    return cast(dict[str, Any], json.loads(message))


def boards() -> dict[str, dict[str, Any]]:
    """Every board of the tutorial, by its lesson and the moves that led to it."""
    found: dict[str, dict[str, Any]] = {}
    for lesson, (start, lines) in LESSONS.items():
        for line in lines:
            game = Solitaire(lesson, "classic", whole(start.copy()))
            found[lesson] = told(game)
            moves = line.split()
            for at, to in enumerate(moves):
                play(game, to)
                found[" ".join([lesson, *moves[: at + 1]])] = told(game)
    return found


def written() -> str:
    """One line for each board, so that a change of one is a change of one line."""
    lines = [f"{json.dumps(key)}: {json.dumps(board)}" for key, board in boards().items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(written())
