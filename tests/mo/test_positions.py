"""The worked positions of the rules, and the corners of each rule in both profiles."""

from __future__ import annotations

import pytest

from parlour.games.mo.board import PILES, Board
from parlour.games.mo.rules import Solitaire, Undo
from tests.mo.tools import board_of, chance, face_of, play

SETUP = "b2 5H c2 2H d2 4C b3 10C d3 6H b4 3H c4 7C d4 5C"
MIDGAME = (
    "b2 6S c2 7C d2 10D b3 5S c3 8D d3 8H b4 8C c4 AC d4 9C "
    "b1 KS a2 QS e2 3D,JD e3 KH b5 JC c1 QC d1 KC a4 QD e4 JH c5 JS d5 QH"
)
MIDGAME_DOWN = "c1 d1 a4 e4 c5 d5"


def valid(board: Board) -> list[str]:
    return [PILES[pile] for pile in board.valid()]


def game_of(board: Board) -> Solitaire:
    return Solitaire("worked", "printed" if board.printed else "classic", board)


def test_the_setups_royals_have_one_place_each() -> None:
    game = game_of(board_of(SETUP, "KC QD JS 2C"))
    for to in ("a3", "e3", "c5"):
        assert game.tableau().valid == [to]
        play(game, to)


@pytest.mark.parametrize(("to", "fallen"), [("b2", {"e2", "b5"}), ("b3", set()), ("c4", set())])
def test_the_six_of_clubs_fits_three_piles_and_defeats_two_from_one(
    to: str, fallen: set[str]
) -> None:
    game = game_of(board_of(MIDGAME, "6C 2H", MIDGAME_DOWN))
    assert game.tableau().valid == ["b2", "b3", "c4"]
    before = set(game.tableau().defeated)
    play(game, to)
    assert set(game.tableau().defeated) - before == fallen


# Royals

TWO_TENS = "b2 10H c2 10H d2 2S b3 3S d3 4S b4 5S c4 6S d4 7S"


def test_ties_and_both_sides_of_a_corner_are_the_players_choice() -> None:
    assert valid(board_of(TWO_TENS, "KH")) == ["b1", "c1", "a2"]


def test_a_taken_pile_is_no_place_even_with_its_royal_down() -> None:
    board = board_of(TWO_TENS + " b1 JH a2 QH", "KH", down="b1")
    assert valid(board) == ["c1"]


def test_colour_comes_before_height_and_height_before_nothing() -> None:
    assert valid(board_of("b2 9S c2 3D d2 10C", "KH")) == ["c1"]
    assert valid(board_of("b2 9S c2 3S d2 10C", "KH")) == ["d1", "e2"]


@pytest.mark.parametrize(("profile", "places"), [("classic", ["b1", "a2"]), ("printed", ["c1"])])
def test_a_joker_is_like_a_royal_only_in_the_printed_game(profile: str, places: list[str]) -> None:
    assert valid(board_of("b2 2D c2 * d2 10C", "KH", profile=profile)) == places


def test_a_joker_is_a_place_when_no_other_is_left() -> None:
    assert valid(board_of("b2 2D c2 * b1 JH a2 QH", "KH")) == ["c1"]


def test_a_real_suit_match_beats_the_joker_of_the_printed_game() -> None:
    assert valid(board_of("b2 2H c2 * d2 10C", "KH", profile="printed")) == ["b1", "a2"]


# Numbers, aces, jokers

LOW = "b2 5H c2 2H d2 4C b3 10C d3 6H b4 2S c4 7C d4 5C"


def test_a_number_goes_on_equal_or_lower_and_on_the_empty_centre() -> None:
    assert valid(board_of(LOW, "5S")) == ["b2", "c2", "d2", "c3", "b4", "d4"]


def test_an_ace_goes_anywhere_inside_and_sends_the_pile_to_the_bottom_top_first() -> None:
    game = game_of(board_of("b2 5H,3C,2D c2 2H d2 4C b3 10C d3 6H b4 2S c4 7C d4 5C", "AS 9H"))
    assert len(game.tableau().valid) == 9
    play(game, "b2")
    assert game.board.draw == bytes(face_of(card) for card in ("9H", "5H", "3C", "2D"))
    assert game.tableau().peek("b2") == [face_of("AS")]


@pytest.mark.parametrize(("profile", "places"), [("classic", ["c2", "b4"]), ("printed", ["c3"])])
def test_only_the_printed_joker_counts_an_empty_centre_lowest(
    profile: str, places: list[str]
) -> None:
    assert valid(board_of(LOW, "*", profile=profile)) == places


def test_the_classic_joker_goes_on_an_ace_before_a_two() -> None:
    assert valid(board_of(LOW + " c3 AH", "*")) == ["c3"]


def test_the_printed_joker_may_cover_the_other_joker() -> None:
    board = board_of(LOW + " c3 9H", "*", profile="printed")
    board.piles[0] = bytes((53,))
    assert valid(board) == ["b2"]


# Armour

HIGH = "b2 5H c2 5D d2 5C b3 10C c3 9C d3 6H b4 8S c4 7C d4 5S"


def test_classic_armour_goes_to_any_living_royal_that_stays_below_21() -> None:
    royals = " a2 KH b1 3S,3H,JC c1 4H,KC d1 JS e3 QD"
    assert valid(board_of(HIGH + royals, "4C", down="d1")) == ["a2", "e3"]
    assert valid(board_of(HIGH + royals, "3C", down="d1")) == ["b1", "c1", "a2", "e3"]


def test_classic_armour_without_a_living_royal_is_lost() -> None:
    board = board_of(HIGH + " a2 KH", "4C", down="a2")
    assert valid(board) == []
    assert board.end() == "no-place"


def test_printed_armour_goes_to_the_most_similar_living_royal() -> None:
    royals = " a2 KH b1 JC c1 QS d1 QD"
    assert valid(board_of(HIGH + royals, "4H", profile="printed")) == ["a2"]
    assert valid(board_of(HIGH + royals, "4D", profile="printed")) == ["d1"]
    assert valid(board_of(HIGH + royals, "4S", profile="printed")) == ["c1"]
    assert valid(board_of(HIGH + " a2 KH d1 KD c1 QD", "4S", profile="printed")) == ["c1"]
    assert valid(board_of(HIGH + " a2 KH d1 KD", "4S", profile="printed")) == ["d1", "a2"]


def test_a_printed_total_above_20_is_lost() -> None:
    game = game_of(board_of(HIGH + " a2 4H,KH", "4D 5H", profile="printed"))
    play(game, "a2")
    assert (game.tableau().status, game.tableau().reason) == ("lost", "too-strong")


def test_printed_armour_without_a_living_royal_waits_for_one() -> None:
    game = game_of(board_of(HIGH + " b4 8S", "3S 4S JS 10D", profile="printed"))
    assert game.tableau().valid == ["a4", "b5"]
    play(game, "a4")
    assert game.tableau().valid == ["a4", "b5"], "armour alone takes no pile"
    play(game, "a4")
    assert game.tableau().valid == ["a4", "b5"]
    play(game, "a4")
    assert game.board.totals[PILES.index("a4") - 9] == 18


# Attacks and ends


def lane_board(royal: str, near: str, middle: str) -> Board:
    return board_of(f"a2 {royal} b2 {near} c2 {middle} d2 2C b3 2D b4 2H", "9C 9D")


@pytest.mark.parametrize(
    ("royal", "near", "middle", "falls"),
    [
        ("JH", "10S", "AD", True),
        ("JH", "8S", "2D", False),
        ("QH", "10D", "2H", True),
        ("QH", "10D", "9S", False),
        ("QH", "9D", "2H", False),
        ("KH", "10H", "3H", True),
        ("KH", "10H", "9D", False),
        ("KH", "9H", "3H", False),
        ("2C,JH", "10S", "2D", False),
        ("2C,JH", "10S", "3D", True),
    ],
)
def test_jacks_need_the_sum_queens_their_colour_kings_their_suit(
    royal: str, near: str, middle: str, falls: bool
) -> None:
    game = game_of(lane_board(royal, near, middle))
    play(game, "d2")
    assert game.tableau().defeated == (["a2"] if falls else [])


def test_the_placed_card_does_not_count_and_only_the_far_pile_fires() -> None:
    board = board_of("a2 JH b2 2S c2 9D d2 2C b3 2D b4 2H", "9C 10C")
    game = game_of(board)
    play(game, "b2")
    assert game.tableau().defeated == [], "9 and 9 now, but nothing was put on d2"
    play(game, "d2")
    assert game.tableau().defeated == ["a2"]


def test_twelve_down_is_won_even_with_the_last_card() -> None:
    board = board_of(MIDGAME + " a3 KD", "6C", MIDGAME_DOWN + " a3 b1 a2 e3")
    game = game_of(board)
    play(game, "b2")
    assert (game.tableau().status, game.tableau().reason) == ("won", "won")
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winners == (0,)


def test_an_empty_draw_pile_is_lost() -> None:
    game = game_of(board_of(SETUP, "KC"))
    play(game, "a3")
    assert (game.tableau().status, game.tableau().reason) == ("lost", "out-of-cards")


def test_the_same_position_for_the_third_time_is_lost() -> None:
    """Two aces that take turns on one pile: everything else stays."""
    game = game_of(board_of("b2 AH c2 2H d2 4C b3 10C d3 6H b4 3H c4 7C d4 5C", "AS"))
    for _ in range(4):
        assert game.tableau().status == "playing"
        play(game, "b2")
    # As dealt, after two moves, and after four.
    assert (game.tableau().status, game.tableau().reason) == ("lost", "repeated")
    game.apply(0, Undo(), chance(), 0)
    assert game.tableau().status == "playing"


def test_the_two_jokers_of_the_printed_game_look_the_same() -> None:
    """So a position that differs in which joker lies where is no other position."""
    board = board_of(
        "b2 9H c2 9S d2 9C b3 10C c3 9D d3 8H b4 8C c4 * d4 8S", "*", profile="printed"
    )
    board.draw = bytes((53,))
    game = game_of(board)
    for _ in range(2):
        assert game.tableau().valid == ["c4"]
        play(game, "c4")
    assert game.tableau().reason == "repeated"
