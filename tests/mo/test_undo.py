"""Undo and redo bring whole positions back, exactly and without limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cards import deck
from parlour.games.mo.board import Board
from parlour.games.mo.rules import Action, New, Play, Redo, Solitaire, Undo
from parlour.games.mo.tableau import Tableau
from parlour.rng import FastRng
from tests.mo.tools import board_of, chance, new_game, play, profiles, seeds, wander

Facts = tuple[Board, str, list[str], int, int]


def facts(tableau: Tableau) -> Facts:
    """What undo and redo must bring back: everything but what the player has learnt."""
    return tableau.board, tableau.reason, tableau.valid, tableau.moves, tableau.dealt


def do(game: Solitaire, action: Action) -> None:
    game.apply(0, action, chance(), 0)


@pytest.mark.slow
@given(seeds, profiles, st.integers(0, 2**32))
def test_at_every_step_all_the_way_back_and_forth_is_exact(
    seed: str, profile: str, luck: int
) -> None:
    game = new_game(seed, profile)
    rng = FastRng(luck)
    line = [facts(game.tableau())]
    packed = [game.board.pack()]
    while not game.tableau().reason:
        wander(game, rng, 1)
        line.append(facts(game.tableau()))
        packed.append(game.board.pack())
        for step in reversed(range(len(line) - 1)):
            do(game, Undo())
            assert facts(game.tableau()) == line[step]
            assert game.tableau().can_undo == (step > 0)
            assert game.tableau().can_redo
        for step in range(1, len(line)):
            do(game, Redo())
            assert facts(game.tableau()) == line[step]
        assert not game.tableau().can_redo
    # Nothing that stands in the line was changed behind its back.
    assert [position.board.pack() for position in game.line] == packed


@given(seeds, profiles, st.integers(0, 2**32), st.lists(st.integers(0, 2), max_size=120))
def test_any_mix_of_moves_undos_and_redos_lands_where_it_should(
    seed: str, profile: str, luck: int, steps: list[int]
) -> None:
    """Against a list of positions with a finger on it."""
    game = new_game(seed, profile)
    rng = FastRng(luck)
    line, finger = [facts(game.tableau())], 0
    for step in steps:
        if step == 0 and game.tableau().valid:
            wander(game, rng, 1)
            line, finger = [*line[: finger + 1], facts(game.tableau())], finger + 1
        elif step == 1 and finger:
            do(game, Undo())
            finger -= 1
        elif step == 2 and finger + 1 < len(line):
            do(game, Redo())
            finger += 1
        assert facts(game.tableau()) == line[finger]
        assert game.tableau().can_undo == (finger > 0)
        assert game.tableau().can_redo == (finger + 1 < len(line))


def test_undo_undo_redo_do_undo_undo_redo_lands_where_it_should() -> None:
    game = new_game("parlour", "classic")
    wander(game, FastRng(1), 6)
    line = [facts(game.tableau())]
    for action in (Undo(), Undo(), Redo()):
        do(game, action)
        line.append(facts(game.tableau()))
    other = [p for p in game.legal(0) if isinstance(p, Play)][-1]
    do(game, other)
    assert not game.tableau().can_redo, "a new move drops the redo line"
    branch = facts(game.tableau())
    for action in (Undo(), Undo(), Redo()):
        do(game, action)
    assert facts(game.tableau()) == line[3]
    do(game, Redo())
    assert facts(game.tableau()) == branch


def test_redo_does_not_revive_a_defeated_royal() -> None:
    board = board_of("a2 JH b2 10S c2 AD d2 2C b3 2D b4 2H", "9C 9D 9S")
    game = Solitaire("undo", "classic", board)
    play(game, "d2")
    assert game.tableau().defeated == ["a2"]
    do(game, Undo())
    assert game.tableau().defeated == []
    do(game, Redo())
    assert game.tableau().defeated == ["a2"]
    play(game, "c3")
    do(game, Undo())
    assert game.tableau().defeated == ["a2"]


def test_a_recycled_pile_comes_back_with_undo() -> None:
    board = board_of("b2 5H,3C,2D c2 2H d2 4C b3 10C d3 6H b4 2S c4 7C d4 5C", "AS 9H")
    game = Solitaire("undo", "classic", board)
    play(game, "b2")
    do(game, Undo())
    assert game.board == board
    do(game, Redo())
    assert len(game.board.draw) == 4


@given(seeds, profiles, st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 60))
def test_a_new_game_after_undo_starts_clean_with_all_cards(
    seed: str, profile: str, luck: int, moves: int, undos: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    for _ in range(min(undos, game.tableau().moves)):
        do(game, Undo())
    do(game, New("another"))
    tableau = game.tableau()
    assert (tableau.moves, tableau.can_undo, tableau.can_redo, tableau.reason) == (
        0,
        False,
        False,
        "",
    )
    assert tableau.board == new_game("another", profile).board
    assert sorted([*tableau.board.draw, *b"".join(tableau.board.piles)]) == deck(
        2 if profile == "printed" else 1
    )


@given(seeds, st.integers(0, 2**32), st.integers(1, 44))
def test_what_a_player_has_seen_stays_seen_after_undo(seed: str, luck: int, moves: int) -> None:
    game = new_game(seed, "classic")
    wander(game, FastRng(luck), moves)
    unturned = game.tableau().unturned
    while game.tableau().can_undo:
        do(game, Undo())
        assert game.tableau().unturned == unturned


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
def test_a_copy_goes_its_own_way(seed: str, profile: str, luck: int, moves: int) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    before = game.tableau()
    twin = game.copy()
    assert twin.tableau() == before
    wander(twin, FastRng(luck), 5)
    do(twin, New())
    assert game.tableau() == before
