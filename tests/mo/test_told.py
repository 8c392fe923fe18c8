"""What a game of MO tells, in every field: its events, its line of positions, its end."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.mo.board import HIDDEN, INNERS, NUMBER, PILES, STRONGEST, Board
from parlour.games.mo.rules import (
    LONGEST_SEED,
    New,
    Play,
    Solitaire,
    Undo,
    check_seed,
    deal,
    opening,
    view,
)
from parlour.games.mo.settings import Settings
from parlour.games.mo.tableau import Tableau
from parlour.kit import Illegal, Outcome, Setup
from parlour.rng import FastRng
from tests.mo.tools import board_of, chance, face_of, new_game, play, profiles, seeds, wander

ACES = "b2 AH c2 2H d2 4C b3 10C d3 6H b4 3H c4 7C d4 5C"
"""With an ace to draw, a game that can go on for a while, by sending one card back and forth."""


def game_of(board: Board) -> Solitaire:
    return Solitaire("worked", "printed" if board.printed else "classic", board)


# Deals


@given(seeds, st.sampled_from(("classic", "printed")))
def test_a_table_is_dealt_the_seed_and_the_rules_it_was_opened_with(
    seed: str, profile: Literal["classic", "printed"]
) -> None:
    game, events = deal(Setup(Settings(profile=profile, seed=seed), ["me"]), chance(), 0)
    board = opening(seed, profile)
    size = len(board.draw)
    tableau = Tableau(seed, profile, board, size, size - 1, 0, False, False, "", [])
    assert events == [tableau]
    assert (game.tableau(), game.seed, game.profile) == (tableau, seed, profile)
    # The same by an action, out of the middle of another game.
    wander(game, FastRng(1), 3)
    assert game.apply(0, New(seed, profile), chance(), 0) == [tableau]


def test_without_a_seed_chance_deals() -> None:
    setup = Setup(Settings(), ["me"])
    games = [deal(setup, FastRng(luck), 0)[0] for luck in (1, 1, 2)]
    for game in games:
        check_seed(game.seed)
    assert games[0].tableau() == games[1].tableau()
    assert games[0].seed != games[2].seed
    assert games[0].board == opening(games[0].seed, "classic")


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("", False),
        ("a", True),
        ("-", True),
        ("x" * LONGEST_SEED, True),
        ("x" * (LONGEST_SEED + 1), False),
        ("a_b", False),
        ("ä", False),
    ],
)
def test_a_seed_is_one_to_thirty_two_plain_signs(text: str, ok: bool) -> None:
    with nullcontext() if ok else pytest.raises(Illegal, match="A seed is 1 to 32"):
        check_seed(text)


# Moves


@given(seeds, profiles, st.lists(st.integers(0, 99), max_size=50))
def test_every_event_tells_all_that_lies_there_and_shows_what_was_turned_up(
    seed: str, profile: str, choices: list[int]
) -> None:
    game = new_game(seed, profile)
    size = len(game.board.draw)
    deepest = 0
    for choice in choices:
        before = game.tableau()
        actions = game.legal(0)
        action = actions[choice % len(actions)]
        (event,) = game.apply(0, action, chance(), 0)
        now = game.tableau()
        if isinstance(action, Play):
            assert now.board.piles[NUMBER[action.to]][0] == before.next
            assert set(now.defeated) >= set(before.defeated)
        moves = before.moves + (-1 if isinstance(action, Undo) else 1)
        assert event == now
        deepest = max(deepest, moves)
        # What was dealt is drawn first; the top of the draw pile has always been turned up.
        assert (now.seed, now.profile, now.moves) == (seed, profile, moves)
        assert (now.dealt, now.unturned) == (max(size - moves, 0), max(size - 1 - deepest, 0))
        shown = view(event, 0)
        assert shown == now.veiled() == replace(now, board=shown.board)
        assert shown.board.draw.count(HIDDEN) == now.unturned


@given(seeds, profiles)
def test_a_deal_shows_the_first_card_of_the_draw_pile_alone(seed: str, profile: str) -> None:
    tableau = new_game(seed, profile).tableau()
    shown = view(tableau, 0)
    hidden = tableau.board.copy()
    hidden.draw = tableau.board.draw[:1] + bytes((HIDDEN,)) * (len(tableau.board.draw) - 1)
    assert shown == replace(tableau, board=hidden)


def test_when_the_dealt_cards_are_all_drawn_none_is_hidden() -> None:
    """The cards that aces send back are drawn again, and are no dealt ones any more."""
    game = game_of(board_of(ACES, "AS AD"))
    assert (game.tableau().dealt, game.tableau().unturned) == (2, 1)
    for dealt in (1, 0, 0):
        play(game, "b2")
        tableau = game.tableau()
        assert (tableau.dealt, tableau.unturned) == (dealt, 0)
        assert tableau.veiled() == tableau


def test_the_draw_pile_shows_its_top_and_nothing_when_it_is_empty() -> None:
    game = game_of(board_of(ACES, "KC 4S"))
    assert game.tableau().next == face_of("KC")
    play(game, game.tableau().valid[0])
    assert game.tableau().next == face_of("4S")
    play(game, game.tableau().valid[0])
    assert game.tableau().next is None


# The line of positions


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 30), st.integers(0, 30))
def test_a_game_knows_what_was_made_and_what_was_taken_back(
    seed: str, profile: str, luck: int, moves: int, undos: int
) -> None:
    game = new_game(seed, profile)
    rng = FastRng(luck)
    line: list[str] = []
    boards = [game.board]
    for _ in range(moves):
        plays = [action for action in game.legal(0) if isinstance(action, Play)]
        if not plays:
            break
        action = plays[rng.below(len(plays))]
        game.apply(0, action, rng, 0)
        line.append(action.to)
        boards.append(game.board)
    undos = min(undos, len(line))
    for _ in range(undos):
        game.apply(0, Undo(), rng, 0)
    made = len(line) - undos
    for match in (game, game.copy()):
        assert ([position.to for position in match.line[1:]], match.moves) == (line, made)
        assert [position.board for position in match.line] == boards
        assert match.board == boards[made]


def test_a_position_that_was_taken_back_did_not_stand_there() -> None:
    game = game_of(board_of(ACES, "AS"))
    for _ in range(3):
        play(game, "b2")
        play(game, "b2")
        for _ in range(2):
            game.apply(0, Undo(), chance(), 0)
    play(game, "b2")
    play(game, "b2")
    assert game.tableau().status == "playing", "as dealt, and once more"


# Boards


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 80))
def test_boards_are_equal_where_the_same_cards_lie_in_the_same_places(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    board = game.board
    twin = board.copy()
    assert board == twin
    assert len({board, twin}) == 1
    assert board != board.pack()
    if twin.draw and twin.valid():
        twin.play(twin.valid()[0])
        assert board != twin


@pytest.mark.parametrize("armour", ["", "7S,", "7S,AS,"])
@pytest.mark.parametrize("draw", ["", "2S"])
def test_a_board_without_cards_or_with_a_royal_too_strong_is_spent(armour: str, draw: str) -> None:
    board = board_of(f"b2 5H a2 {armour}KH", draw, profile="printed")
    total = board.totals[PILES.index("a2") - INNERS]
    assert total == {"": 13, "7S,": STRONGEST, "7S,AS,": STRONGEST + 1}[armour]
    assert board.spent() is (not draw or total > STRONGEST)


# The end


def test_a_won_game_counts_all_twelve() -> None:
    midgame = (
        "b2 6S c2 7C d2 10D b3 5S c3 8D d3 8H b4 8C c4 AC d4 9C "
        "b1 KS a2 QS e2 3D,JD e3 KH b5 JC c1 QC d1 KC a4 QD e4 JH c5 JS d5 QH a3 KD"
    )
    game = game_of(board_of(midgame, "6C", "c1 d1 a4 e4 c5 d5 a3 b1 a2 e3"))
    assert game.outcome() is None
    play(game, "b2")
    assert game.outcome() == Outcome((0,), "won", {0: 12})


@pytest.mark.parametrize("down", ["", "a2", "a2 e3"])
def test_a_lost_game_counts_the_royals_that_fell(down: str) -> None:
    game = game_of(board_of(f"{ACES} a2 KH e3 QD", "2C", down))
    play(game, "c2")
    assert game.outcome() == Outcome((), "out-of-cards", {0: len(down.split())})


def test_an_abandoned_game_counts_them_too_and_so_does_its_copy() -> None:
    game = game_of(board_of(f"{ACES} a2 KH", "2C 2S", "a2"))
    assert game.abandon(chance(), 0) == []
    assert game.outcome() == Outcome((), "abandoned", {0: 1})
    assert game.copy().outcome() == game.outcome()
    assert game.retold() is None
