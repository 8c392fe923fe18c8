"""MO's rules against the plain reference, and what must hold in every game."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cards import deck
from parlour.games.mo.board import DRAW, INNER, NUMBER, OUTER, PILES, Board
from parlour.games.mo.rules import (
    Event,
    New,
    Play,
    Redo,
    Solitaire,
    Undo,
    check_seed,
    deal,
    fresh_seed,
    opening,
    shuffled,
    view,
)
from parlour.games.mo.settings import Settings
from parlour.kit import Illegal, Setup
from parlour.rng import FastRng
from tests.mo.reference import Reference
from tests.mo.tools import chance, new_game, plain, play, profiles, seeds, wander


def cards_of(board: Board) -> list[int]:
    return sorted([*board.draw, *b"".join(board.piles)])


def same(game: Solitaire, slow: Reference) -> None:
    board = game.board
    for name, pile in zip(PILES, board.piles, strict=False):
        assert [plain(card) for card in pile] == slow.piles[name], name
    assert [plain(card) for card in board.draw] == slow.draw
    assert set(game.tableau().defeated) == slow.face_down
    assert game.tableau().valid == slow.valid()
    assert game.tableau().reason == slow.reason


@given(seeds, profiles, st.integers(0, 2**32))
def test_a_random_game_is_the_references_game_move_by_move(
    seed: str, profile: str, luck: int
) -> None:
    game = new_game(seed, profile)
    slow = Reference(profile, [plain(card) for card in shuffled(seed, profile)])
    rng = FastRng(luck)
    same(game, slow)
    while valid := slow.valid():
        to = valid[rng.below(len(valid))]
        twin = game.board.copy()
        recycled, defeated = twin.play(NUMBER[to])
        game.apply(0, Play(to), rng, 0)
        assert game.board == twin
        slow_recycled, fallen = slow.play(to)
        assert [plain(card) for card in recycled] == slow_recycled
        assert sorted(OUTER[outer] for outer in defeated) == sorted(fallen)
        same(game, slow)
    assert slow.reason, "a game ends"


@given(seeds, profiles, st.integers(0, 2**32))
def test_no_card_is_ever_lost(seed: str, profile: str, luck: int) -> None:
    game = new_game(seed, profile)
    whole = deck(2 if profile == "printed" else 1)
    rng = FastRng(luck)
    while not game.tableau().reason:
        assert cards_of(game.board) == whole
        wander(game, rng, 1)
    assert cards_of(game.board) == whole


@given(seeds, profiles)
def test_a_deal_leaves_the_centre_empty_and_royals_on_top_in_the_order_met(
    seed: str, profile: str
) -> None:
    cards = shuffled(seed, profile)
    board = opening(seed, profile)
    numbers = [card for card in cards if plain(card)[0] <= 10]
    assert [pile[0] for pile in board.piles if pile] == numbers[:8]
    assert board.piles[INNER.index("c3")] == b""
    met = cards[: cards.index(numbers[7])]
    royals = [card for card in met if plain(card)[0] > 10]
    assert list(board.draw[: len(royals)]) == royals
    rest = cards[len(royals) + 8 :]
    assert list(board.draw[len(royals) :]) == rest


def test_a_seed_deals_the_same_cards_for_good() -> None:
    """Seeds are shared and daily deals compared: this list may never change."""
    assert shuffled("parlour", "classic")[:12] == PARLOUR_CLASSIC
    assert shuffled("parlour", "printed")[:12] == PARLOUR_PRINTED


PARLOUR_CLASSIC = [22, 0, 29, 11, 38, 35, 1, 19, 51, 40, 50, 49]
PARLOUR_PRINTED = [22, 0, 51, 11, 39, 35, 1, 19, 52, 48, 36, 46]


def test_a_shuffle_favours_no_card() -> None:
    firsts = Counter(shuffled(f"fair-{i}", "classic")[0] for i in range(5300))
    assert set(firsts) == set(range(53))
    # 100 expected of each; six standard deviations either way.
    assert all(40 < count < 160 for count in firsts.values())


@given(st.integers())
def test_a_fresh_seed_is_a_seed(luck: int) -> None:
    check_seed(fresh_seed(FastRng(luck)))


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 80), st.sampled_from(PILES))
def test_a_rejected_play_leaves_no_trace(
    seed: str, profile: str, luck: int, moves: int, to: str
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    if to in game.tableau().valid:
        return
    before = game.tableau()
    with pytest.raises(Illegal):
        play(game, to)
    assert game.tableau() == before


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (Play("c9"), "no-such-pile"),
        (Play(DRAW), "not-valid"),
        (Play("b2", 1), "stale"),
        (Play("b2", -1), "stale"),
        (Undo(), "nothing-to-undo"),
        (Redo(), "nothing-to-redo"),
        (New("a seed"), "bad-seed"),
        (New(""), "bad-seed"),
        (New("x" * 33), "bad-seed"),
        (New("fine", "chess"), "no-such-profile"),
    ],
)
def test_what_cannot_be_is_refused_by_its_code(action: Play | Undo | Redo | New, code: str) -> None:
    game = new_game("parlour", "classic")
    before = game.tableau()
    with pytest.raises(Illegal) as refused:
        game.apply(0, action, chance(), 0)
    assert refused.value.code == code
    assert game.tableau() == before


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 40), st.integers(-2, 2))
def test_a_play_that_expects_other_moves_than_were_made_is_refused(
    seed: str, profile: str, luck: int, moves: int, off: int
) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    before = game.tableau()
    if not before.valid:
        return
    action = Play(before.valid[0], before.moves + off)
    if off:
        with pytest.raises(Illegal) as refused:
            game.apply(0, action, chance(), 0)
        assert refused.value.code == "stale"
        assert game.tableau() == before
    else:
        game.apply(0, action, chance(), 0)
        assert game.tableau().moves == before.moves + 1


def test_nobody_else_plays_my_game() -> None:
    game = new_game("parlour", "classic")
    assert game.legal(1) == []
    with pytest.raises(Illegal, match="somebody else's"):
        game.apply(1, Play(game.tableau().valid[0]), chance(), 0)


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 80))
def test_everything_legal_applies(seed: str, profile: str, luck: int, moves: int) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    for action in game.legal(0):
        twin = game.copy()
        twin.apply(0, action, chance(), 0)
        assert twin.tableau() != game.tableau()


def act(game: Solitaire, choices: list[int]) -> list[Event]:
    """Act as chosen (plays, undos and redos), and give back what the player is shown."""
    shown: list[Event] = []
    for choice in choices:
        actions = game.legal(0)
        for event in game.apply(0, actions[choice % len(actions)], chance(), 0):
            seen = view(event, 0)
            assert seen is not None
            assert view(event, None) is seen, "a spectator gets the very same object"
            shown.append(seen)
    return shown


@given(seeds, profiles, st.integers(0, 2**32), st.lists(st.integers(0, 99), max_size=60))
def test_what_is_shown_does_not_depend_on_what_nobody_can_know(
    seed: str, profile: str, luck: int, choices: list[int]
) -> None:
    """Re-deal the cards never turned up, act the same: the same is shown."""
    first = opening(seed, profile)
    one = Solitaire(seed, profile, first)
    shown = act(one, choices)
    seen = len(first.draw) - one.tableau().unturned
    unseen = list(first.draw[seen:])
    FastRng(luck).shuffle(unseen)
    redealt = first.copy()
    redealt.draw = first.draw[:seen] + bytes(unseen)
    other = Solitaire(seed, profile, redealt)
    same_deal = Solitaire(seed, profile, first)
    assert view(other.tableau(), 0) == view(same_deal.tableau(), 0)
    assert act(other, choices) == shown


@given(seeds, profiles, st.lists(st.integers(0, 99), max_size=60))
def test_everything_but_the_cards_never_turned_up_is_shown(
    seed: str, profile: str, choices: list[int]
) -> None:
    game = new_game(seed, profile)
    turned = {game.board.draw[0]}
    for choice in choices:
        actions = game.legal(0)
        (event,) = game.apply(0, actions[choice % len(actions)], chance(), 0)
        real, veiled = event.board, view(event, 0).board
        assert veiled.piles == real.piles
        turned.update(real.draw[:1])
        for card, mark in zip(real.draw, veiled.draw, strict=True):
            on_grid_before = card in b"".join(opening(seed, profile).piles)
            assert (mark == card) == (card in turned or on_grid_before)


def test_a_new_deal_keeps_the_profile_unless_told() -> None:
    game, _ = deal(Setup(Settings(profile="printed", seed="parlour"), ["me"]), chance(), 0)
    (event,) = game.apply(0, New(), chance(), 0)
    assert (event.moves, event.seed) == (0, game.seed)
    check_seed(game.seed)
    assert game.profile == "printed"
    game.apply(0, New("daily-2031-05-09", "classic"), chance(), 0)
    assert (game.profile, game.seed) == ("classic", "daily-2031-05-09")
    assert game.board == opening("daily-2031-05-09", "classic")


def test_an_abandoned_game_has_no_winner() -> None:
    game = new_game("parlour", "classic")
    assert game.outcome() is None
    game.abandon(chance(), 0)
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winners == ()


@given(seeds, profiles, st.integers(0, 2**32), st.integers(0, 80))
def test_a_packed_board_unpacks_to_itself(seed: str, profile: str, luck: int, moves: int) -> None:
    game = new_game(seed, profile)
    wander(game, FastRng(luck), moves)
    again = Board.unpack(game.board.pack())
    assert again == game.board
    assert (again.royals, again.totals) == (game.board.royals, game.board.totals)


def test_only_inner_piles_are_for_peeking() -> None:
    tableau = new_game("parlour", "classic").tableau().veiled()
    assert tableau.peek("b2") == [tableau.board.piles[0][0]]
    assert tableau.peek("c3") == []
    for name in (DRAW, "a2", "z9"):
        with pytest.raises(Illegal):
            tableau.peek(name)


def test_the_board_has_the_names_of_the_document() -> None:
    assert len(INNER) == 9
    assert len(OUTER) == 12
    assert len(set(PILES)) == 22
