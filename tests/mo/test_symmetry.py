"""The board has the symmetries of a square, and the suits those of their colours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parlour.games.mo.board import INNERS, NUMBER, OUTERS, PILES, SUIT, VALUE, Board, lay_out
from parlour.games.mo.rules import opening
from parlour.rng import FastRng
from tests.mo.tools import profiles, seeds

Places = list[int]
"""For each of the 21 grid piles, which pile it becomes."""

Faces = list[int]
"""For each of the 54 cards, which card it becomes."""


def turned(quarters: int, mirrored: bool) -> Places:
    """One of the eight symmetries: so many quarter turns, after a mirror or not."""
    places: Places = []
    for name in PILES[: INNERS + OUTERS]:
        column, row = "abcde".index(name[0]) - 2, int(name[1]) - 3
        if mirrored:
            column = -column
        for _ in range(quarters):
            column, row = -row, column
        places.append(NUMBER["abcde"[column + 2] + str(row + 3)])
    return places


def recoloured(reds: bool, blacks: bool, colours: bool) -> Faces:
    """A swap of suits that keeps colours together: within red, within black, red for black."""
    suits = [0, 1, 2, 3]
    if reds:
        suits[0], suits[1] = suits[1], suits[0]
    if blacks:
        suits[2], suits[3] = suits[3], suits[2]
    if colours:
        suits = [(suit + 2) % 4 for suit in suits]
    return [suits[SUIT[card]] * 13 + VALUE[card] - 1 for card in range(52)] + [52, 53]


squares = st.builds(turned, st.integers(0, 3), st.booleans())
swaps = st.builds(recoloured, st.booleans(), st.booleans(), st.booleans())


def moved(board: Board, places: Places, faces: Faces) -> Board:
    piles = [b""] * (INNERS + OUTERS)
    defeated = 0
    for pile, to in enumerate(places):
        piles[to] = bytes(faces[card] for card in board.piles[pile])
        if pile >= INNERS and board.defeated >> (pile - INNERS) & 1:
            defeated |= 1 << (to - INNERS)
    return lay_out(board.printed, piles, bytes(faces[card] for card in board.draw), defeated)


def test_there_are_eight_symmetries_and_eight_swaps() -> None:
    flags = (False, True)
    assert len({tuple(turned(q, m)) for q in range(4) for m in flags}) == 8
    assert len({tuple(recoloured(r, b, c)) for r in flags for b in flags for c in flags}) == 8


@given(seeds, profiles, st.integers(0, 2**32), squares, swaps)
def test_valid_piles_defeats_and_ends_commute_with_every_symmetry(
    seed: str, profile: str, luck: int, places: Places, faces: Faces
) -> None:
    board = opening(seed, profile)
    rng = FastRng(luck)
    twin = moved(board, places, faces)
    # A board knows no repetition: aces may take turns for long.
    for _ in range(150):
        valid = board.valid()
        assert sorted(places[pile] for pile in valid) == twin.valid()
        assert board.end() == twin.end()
        if board.end():
            break
        to = valid[rng.below(len(valid))]
        recycled, defeated = board.play(to)
        twins_recycled, twins_defeated = twin.play(places[to])
        assert bytes(faces[card] for card in recycled) == twins_recycled
        assert sorted(places[INNERS + o] for o in defeated) == sorted(
            INNERS + o for o in twins_defeated
        )
        assert twin == moved(board, places, faces)
