"""MO's hint is honest, its solver's lines win, and its analysis claims nothing untrue."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.arena.mo import play_deal
from parlour.games.mo import search
from parlour.games.mo.analysis import hopeless, lanes, name_of, unseen
from parlour.games.mo.board import HIDDEN, INNERS, OUTERS, PILES, VALUE, Board, takes
from parlour.games.mo.rules import New, Solitaire, Undo, opening
from parlour.games.mo.search import (
    choose,
    greedy,
    hint,
    known,
    play_out,
    prospects,
    rest_of,
    sampled,
)
from parlour.games.mo.solver import LONGEST, Solution, solve
from parlour.games.mo.tableau import Tableau
from parlour.games.mo.why import at_once
from parlour.games.mo.worth import SURE, weigh
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.mo.tools import board_of, chance, face_of, new_game, play, profiles, seeds, wander

FEW = 300
"""Positions for a hint that need not be a good one."""


def shown(game: Solitaire) -> Tableau:
    return game.tableau().veiled()


# Worth


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
def test_worth_weighs_exactly_the_valid_piles(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    if not game.tableau().reason:
        assert [pile for _, pile in weigh(game.board)] == game.board.valid()


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
def test_worth_does_not_depend_on_the_order_of_the_draw_pile(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    if game.tableau().reason:
        return
    other = game.board.copy()
    rest = list(other.draw[1:])
    FastRng(luck).shuffle(rest)
    other.draw = other.draw[:1] + bytes(rest)
    assert weigh(other) == weigh(game.board)


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
def test_a_positions_worth_is_the_same_however_it_was_reached(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    """`weigh` adds up differences; a position that two moves lead to shows whether they fit.

    The worth of what a move makes, less what the best next move adds, must not depend on the
    pile played to; so here each child is weighed again from its own side.
    """
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    if game.tableau().reason:
        return
    worths: dict[bytes, float] = {}
    for first, one in weigh(game.board):
        child = game.board.copy()
        child.play(one)
        if child.end() or first == SURE:
            continue
        for second, two in weigh(child):
            last = child.copy()
            last.play(two)
            packed = last.pack()
            if packed in worths and second != SURE:
                assert worths[packed] == pytest.approx(second)
            worths[packed] = second


def test_a_winning_move_is_worth_more_than_anything() -> None:
    board = board_of(
        "b2 6S c2 7C d2 10D b3 5S c3 8D d3 8H b4 8C c4 AC d4 9C b1 KS a2 QS e2 3D,JD e3 KH b5 JC "
        "c1 QC d1 KC a4 QD e4 JH c5 JS d5 QH a3 KD",
        "6C 2H",
        down="c1 d1 a4 e4 c5 d5 a3 b1 a2 e3",
    )
    assert max(weigh(board)) == (SURE, PILES.index("b2"))


# Honesty


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 40))
@settings(max_examples=25)
def test_a_hint_does_not_depend_on_cards_its_player_cannot_know(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    tableau = game.tableau()
    if tableau.reason:
        return
    seen = tableau.dealt - tableau.unturned
    unknown = list(tableau.board.draw[seen : tableau.dealt])
    FastRng(luck).shuffle(unknown)
    other = game.tableau()
    other.board = tableau.board.copy()
    other.board.draw = (
        tableau.board.draw[:seen] + bytes(unknown) + tableau.board.draw[tableau.dealt :]
    )
    assert hint(other.veiled(), None, FEW) == hint(tableau.veiled(), None, FEW)


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
def test_a_sample_fills_exactly_the_hidden_places_with_the_unseen_cards(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    known = shown(game).board
    full = sampled(known, FastRng(luck))
    pairs = list(zip(known.draw, full.draw, strict=True))
    assert all(a == b for a, b in pairs if a != HIDDEN)
    assert sorted(b for a, b in pairs if a == HIDDEN) == unseen(known)
    assert full.piles == known.piles
    assert unseen(full) == []


def test_samples_differ() -> None:
    known = shown(new_game("parlour", "classic")).board
    rng = FastRng(1)
    assert len({sampled(known, rng).draw for _ in range(20)}) == 20


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
@settings(max_examples=25)
def test_a_hint_is_a_valid_pile_with_a_sentence_and_always_the_same(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    tableau = shown(game)
    if tableau.reason:
        with pytest.raises(Illegal):
            hint(tableau)
        return
    found, line = hint(tableau, None, FEW)
    assert found.to in tableau.valid
    assert found.why.endswith(".")
    search._did_best.cache_clear()
    assert hint(tableau, None, FEW) == (found, line)


def test_whoever_asks_for_the_same_hint_again_is_not_thought_about_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tableau = shown(new_game("asked-again", "classic"))
    found = hint(tableau, None, FEW)
    monkeypatch.setattr(search, "prospects", lambda *_: pytest.fail("it thinks again"))
    assert hint(tableau, None, FEW) == found


def one_jack_left(far: str) -> Board:
    """A 2 comes that can't defeat it, and then a 9 that can, on an 8 but not on a 10."""
    royals = "b1 JD c1 JC d1 JS e2 QH a3 QD e3 QC a4 QS e4 KH b5 KD c5 KC d5 KS"
    grid = f"a2 JH b2 10S c2 AD d2 {far} b3 2D b4 2H c3 9C d3 3C c4 3S d4 3D {royals}"
    return board_of(grid, "2C 9D", down=" ".join(royals.split()[::2]))


@pytest.mark.parametrize(
    ("far", "says"),
    [
        ("8H", "Every card is known now, and 2 more can win it."),
        (
            "10H",
            "Every card is known now. No way to win was found in the 72 positions "
            "looked at; there may still be one.",
        ),
    ],
)
def test_a_hint_claims_only_what_was_found(far: str, says: str) -> None:
    found, line = hint(Solitaire("h", "classic", one_jack_left(far)).tableau())
    assert found.why.endswith(says)
    assert (line is not None) == ("can win it" in says)


def to_where_all_is_known(seed: str) -> Solitaire:
    """A deal played by worth alone until no card is unknown and there is a choice."""
    game = new_game(seed, "classic")
    while known(shown(game).board) is None or len(shown(game).valid) == 1:
        play(game, PILES[max(weigh(sampled(shown(game).board, chance())))[1]])
    return game


def test_whoever_follows_a_line_said_to_win_is_told_the_rest_of_it_and_wins() -> None:
    """Solved anew at every hint, this deal was lost by repetition."""
    game = to_where_all_is_known("plan-18")
    found, line = hint(shown(game))
    assert found.why.endswith("and 24 more can win it.")
    for left in range(24, 0, -1):
        found, line = hint(shown(game), line)
        if len(shown(game).valid) > 1:
            assert found.why.endswith(f"and {left} more can win it.")
        play(game, found.to)
    assert game.tableau().status == "won"


def test_a_line_the_player_has_left_is_not_kept_to_and_one_come_back_to_is() -> None:
    game = to_where_all_is_known("plan-18")
    found, line = hint(shown(game))
    assert line is not None
    other = next(pile for pile in shown(game).valid if pile != found.to)
    play(game, other)
    assert rest_of(line, shown(game)) == []
    game.apply(0, Undo(), chance(), 0)
    assert rest_of(line, shown(game)) == line.piles
    game.apply(0, Undo(), chance(), 0)
    assert rest_of(line, shown(game)) == []
    game.apply(0, New("plan-18", "classic"), chance(), 0)
    assert rest_of(line, shown(game)) == []


def test_the_solver_goes_through_no_position_that_has_stood_as_often_as_it_may() -> None:
    whole = known(shown(to_where_all_is_known("plan-18")).board)
    assert whole is not None
    worn: set[bytes] = set()
    for times in range(3):
        line = solve(whole, (16,), worn=worn).line
        assert line, times
        after = whole.copy()
        for pile in line[:-1]:
            after.play(pile)
            assert after.look() not in worn
        worn.add(after.look())


@pytest.mark.parametrize("far", ["8H", "10H"])
def test_a_choice_avoids_the_position_that_would_stand_for_the_third_time(far: str) -> None:
    board = one_jack_left(far)
    first = board.copy()
    first.play(choose(board, Counter())[0])
    again = board.copy()
    again.play(choose(board, Counter({first.look(): 2}))[0])
    assert again.look() != first.look()


def test_a_line_is_left_when_it_would_repeat_a_position_for_the_third_time() -> None:
    tableau = shown(to_where_all_is_known("plan-18"))
    _, line = hint(tableau)
    assert line is not None
    after = tableau.board.copy()
    after.play(line.piles[0])
    tableau.looks = [after.look()]
    assert rest_of(line, tableau) == line.piles
    tableau.looks *= 2
    assert rest_of(line, tableau) == []


def test_a_hint_where_cards_are_unseen_compares_and_foretells_nothing() -> None:
    """How often the samples were won says little of how often whoever follows hints wins."""
    tableau = shown(new_game("parlour-2", "classic"))
    why = hint(tableau)[0].why
    assert why.endswith(
        f" Of the {len(tableau.valid)} piles this did best with the unseen cards dealt at random."
    )
    assert " out of " not in why


@pytest.mark.parametrize("piles", [2, 9])
def test_a_choice_between_few_piles_is_looked_into_as_closely_as_one_between_many(
    piles: int,
) -> None:
    game = new_game("parlour", "classic")
    while len(game.board.valid()) != piles:
        play(game, PILES[max(weigh(game.board))[1]])
    found = prospects(shown(game).board, FastRng(1))
    assert len(found) == piles
    assert found[0].tries >= found[-1].tries
    assert sum(move.tries for move in found) > 100


def test_a_hint_after_undo_uses_what_the_player_has_seen() -> None:
    game = new_game("parlour", "classic")
    before = shown(game).board.draw.count(HIDDEN)
    wander(game, FastRng(3), 10)
    for _ in range(10):
        game.apply(0, Undo(), chance(), 0)
    assert shown(game).board.draw.count(HIDDEN) == before - 10


def test_a_hint_sees_the_defeat_at_hand() -> None:
    board = board_of("a2 JH b2 10S c2 AD d2 2C b3 2D b4 2H c3 2S d3 3C c4 3S d4 3D", "9C 9D 9S")
    found, _ = hint(Solitaire("h", "classic", board).tableau(), None, FEW)
    assert found.to == "d2"
    assert found.why.startswith("It defeats the jack of hearts.")


AROUND = "b2 10H c2 10D d2 9C b3 9D d3 9S b4 8C c4 8H d4 8S"


@pytest.mark.parametrize(
    ("grid", "draw", "to", "says"),
    [
        (f"{AROUND} c3 7C a2 KD", "AS 2H", "c3", "It brings the 7 of clubs back"),
        (f"{AROUND} c3 7C,2D a2 KD", "AS 2H", "c3", "It brings 2 cards back"),
        (f"{AROUND} a2 KD", "AS 2H", "c3", "It clears nothing away"),
        (f"{AROUND} c3 7C a2 JD", "AS 2H", "d2", "It defeats the jack of diamonds."),
        (f"{AROUND} c3 7C c1 9H,JD", "9H 2H", "c3", "It strengthens the lane of the jack"),
        ("b2 2H c2 9D d2 2C a2 QH", "8D 2H", "b2", "With it the queen of hearts on a2 falls"),
        (f"{AROUND} c3 7C", "JD 2H", "c1", "The jack of diamonds is best met here"),
        (f"{AROUND} c3 7C a2 JD", "2H 2S", "a2", "The jack of diamonds can best be given it"),
        (f"{AROUND} c3 7C", "2H 2S", "b1", "No royal is in play"),
        (f"{AROUND}", "2H 2S", "c3", "It spoils the least"),
    ],
)
def test_a_reason_says_what_the_move_does_at_once(grid: str, draw: str, to: str, says: str) -> None:
    board = board_of(grid, draw, profile="printed")
    assert at_once(board, PILES.index(to)).startswith(says)


# The solver


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_a_solution_wins_when_it_is_played(number: int) -> None:
    game = new_game(f"solve-{number}", "classic")
    line = solve(game.board, (8,)).line
    if line is None:
        return
    for pile in line:
        play(game, PILES[pile])
    assert game.tableau().status == "won"


def test_the_solver_gives_up_at_its_limit() -> None:
    """A layer is finished once begun: at most nine moves for each position of the beam."""
    board = opening("parlour", "classic")
    assert solve(board, limit=0) == Solution(None, 0)
    found = solve(board, (4,), limit=100)
    assert found.line is None
    assert 100 <= found.positions < 100 + 4 * 9


def test_solving_changes_nothing() -> None:
    board = opening("parlour", "classic")
    before = board.pack()
    solve(board, (4,))
    prospects(board, FastRng(1), FEW)
    choose(board, Counter(), FEW)
    assert board.pack() == before


def test_the_solver_wins_nearly_all_deals_and_the_beginner_hardly_any() -> None:
    """The arena measures 200; a few keep it from breaking unseen."""
    wins = [play_deal("solver", "classic", f"check-{number}").won for number in range(12)]
    assert sum(wins) >= 11
    beginner = [play_deal("greedy", "classic", f"check-{number}").won for number in range(60)]
    assert sum(beginner) < 6


@pytest.mark.slow
def test_the_honest_player_wins_most_deals() -> None:
    wins = [play_deal("honest", "classic", f"check-{number}").won for number in range(4)]
    assert sum(wins) >= 3


def test_playing_out_ends_even_where_aces_could_take_turns_for_ever() -> None:
    board = board_of("b2 AH c2 9H d2 9C b3 10C c3 AC d3 9D b4 9S c4 8C d4 10D", "AS")
    assert 0 < play_out(board) <= LONGEST * INNERS


def test_the_beginner_takes_the_most_defeats_and_else_the_closest_fit() -> None:
    board = board_of("a2 JH b2 10S c2 AD d2 2C b3 2D b4 8H c3 2S d3 3C c4 3S d4 3D", "9C 9D")
    assert PILES[greedy(board)] == "d2"
    board.defeated = 1 << (PILES.index("a2") - INNERS)
    assert PILES[greedy(board)] == "b4"


# Analysis


@given(seeds, profiles, st.integers(0, 2**32))
def test_once_hopeless_a_game_stays_so_and_is_never_won(seed: str, profile: str, luck: int) -> None:
    game = new_game(seed, profile)
    rng = FastRng(luck)
    lost = False
    while not game.tableau().reason:
        wander(game, rng, 1)
        now = bool(hopeless(game.board))
        assert now or not lost
        lost = now
    assert not (lost and game.tableau().status == "won")


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
def test_hidden_cards_give_no_less_hope_than_they_hold(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    """Which cards are unseen is known, only not where: so both see the same hope."""
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    assert hopeless(shown(game).board) == hopeless(game.board)


def test_a_winning_line_is_never_called_hopeless() -> None:
    for number in range(6):
        board = opening(f"hope-{number}", "classic")
        for pile in solve(board).line or []:
            assert hopeless(board) == ""
            board.play(pile)


NUMBERS = "b2 5H c2 2H d2 4C b3 10C d3 6H b4 3H c4 7C d4 5C"


@pytest.mark.parametrize(
    ("outer", "lost"),
    [
        ("a2 6D,KH", False),
        ("a2 7D,KH", True),
        ("a2 9D,JH", False),
        ("a2 8D,QH", False),
        ("a2 6D,KH b1 9H,JC", True),
    ],
)
def test_a_king_above_19_and_a_pair_locked_away_as_armour_are_beyond_reach(
    outer: str, lost: bool
) -> None:
    board = board_of(f"{NUMBERS} {outer}", "")
    seen = set(b"".join(board.piles))
    board.draw = bytes(card for card in range(53) if card not in seen)
    assert bool(hopeless(board)) == lost


def test_a_covered_card_is_locked_away_once_no_ace_or_joker_is_to_come() -> None:
    covered = "b2 5H,9H c2 2H d2 4C b3 10C c3 10H d3 6H b4 3H c4 7C d4 5C a2 6D,KH"
    assert hopeless(board_of(covered, "4H AS")) == ""
    assert hopeless(board_of(covered, "4H 5S")).startswith("The king of hearts on a2 counts 19")
    assert hopeless(board_of("b2 5H c2 2C d2 4C b3 3C", "KH 2S")).startswith("The king of hearts")


def test_a_lane_says_what_it_lacks() -> None:
    board = board_of(
        "a2 KH b1 QD c1 3S,JC e3 KS b2 5H c2 5H d2 4C b3 9D c3 8S d3 6S b4 3H", "9C", down=""
    )
    said = {lane.pile: (lane.needs, lane.ready) for lane in lanes(board)}
    assert said == {
        "a2": ("needs 3 more, hearts", False),
        "b1": ("falls to a card on b4", True),
        "c1": ("needs 1 more", False),
        "e3": ("falls to a card on b3", True),
    }


def test_a_lane_with_a_wrong_top_says_which_cards_it_wants() -> None:
    (lane,) = lanes(board_of("a2 KH b2 5H c2 5C", "9C"))
    assert lane.needs == "needs 13 from b2 and c2, hearts"
    assert (lane.wrong, lane.missing, lane.near, lane.middle, lane.far) == (
        ["c2"],
        8,
        "b2",
        "c2",
        "d2",
    )


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 60))
def test_a_lane_is_called_ready_exactly_when_the_far_pile_would_defeat_its_royal(
    seed: str, profile: str, luck: int, moves: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    ready = {lane.pile for lane in lanes(game.board) if lane.ready}
    assert ready == {PILES[INNERS + o] for o in range(OUTERS) if game.board.ready(o)}


def test_cards_have_names() -> None:
    assert name_of(face_of("10H")) == "10 of hearts"
    assert name_of(face_of("AC")) == "ace of clubs"
    assert name_of(face_of("*")) == "joker"
    assert not takes(face_of("JH"), face_of("*"))
    assert VALUE[face_of("*")] == 0


def test_a_board_is_equal_to_its_like_only() -> None:
    one = opening("parlour", "classic")
    assert one == opening("parlour", "classic")
    assert hash(one) == hash(one.copy())
    assert one != opening("parlour", "printed")
    assert one != "a board"
    assert isinstance(one, Board)
