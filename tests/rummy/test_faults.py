"""Faults seen in the original server, as far as they are the rules' and the bot's to avoid.

Each is told here as what must hold instead (Spec, Faults seen in the original server).
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.rummy.bot import RummyBot
from parlour.games.rummy.moves import Action, Discard, Draw, Lay, Meld, view
from parlour.games.rummy.picture import RummyPicture
from parlour.games.rummy.rules import Rummy, deal
from parlour.games.rummy.settings import Settings
from parlour.kit import Illegal, Setup
from parlour.rng import FastRng
from tests.rummy import ANY_SETTINGS, SEATS, SEEDS, position, snapshot, texts, told

RNG = FastRng(1)


def bot_plays_a_turn(match: Rummy) -> list[Action]:
    """Let the bot in turn act until the turn is another's or the round is over."""
    seat = match.turn
    bot = RummyBot(RummyPicture(seat), FastRng(7))
    for event in told(match):
        bot.show(view(event, seat))
    done: list[Action] = []
    while match.ended is None and match.turn == seat:
        plan = bot.plan(match.legal(seat), 0)
        assert plan is not None
        done.append(plan.action)
        for event in match.apply(seat, plan.action, FastRng(9), 0):
            bot.show(view(event, seat))
    return done


@pytest.mark.parametrize("number", [-1, -2, 2, 1000, -1000])
def test_a_negative_or_missing_meld_number_corrupts_no_meld(number: int) -> None:
    match = position(
        ["8H 4H KC", "3D"], deck="KS", discards="QC", melds=["9C 9D 9S", "5H 6H 7H"], drawn=True
    )
    before = snapshot(match)
    for several in (["8H"], ["8H", "4H"]):
        with pytest.raises(Illegal) as caught:
            match.apply(0, Lay(several, number), RNG, 0)
        assert caught.value.code == "no-such-meld"
        assert snapshot(match) == before


@pytest.mark.parametrize("require_end_discard", [False, True])
def test_nobody_is_stuck_with_only_the_forbidden_card(require_end_discard: bool) -> None:
    """All else is melded, and what is left came from the discard pile this turn."""
    options = Settings(require_end_discard=require_end_discard)
    match = position(["5H 6H 7H", "3D 4S"], deck="KS", discards="QC", settings=options)
    match.apply(0, Draw("QC"), RNG, 0)
    match.apply(0, Meld(["5H", "6H", "7H"]), RNG, 0)
    assert texts(match.hands[0]) == "QC"
    assert match.legal(0) == [Discard("QC")]
    match.apply(0, Discard("QC"), RNG, 0)
    assert match.ended is not None
    assert match.ended.winner == 0


@pytest.mark.parametrize("require_end_discard", [False, True])
def test_a_bot_left_with_only_the_forbidden_card_goes_out_with_it(
    require_end_discard: bool,
) -> None:
    options = Settings(require_end_discard=require_end_discard)
    match = position(["QC", "3D 4S"], deck="KS", settings=options, drawn=True, taken="QC")
    assert bot_plays_a_turn(match) == [Discard("QC")]


@settings(max_examples=80, deadline=None)
@given(ANY_SETTINGS, SEATS, SEEDS)
def test_require_end_discard_never_leaves_a_player_without_a_way_to_end_the_turn(
    options: Settings, seats: int, seed: int
) -> None:
    """Whoever melds and lays whenever they can still has a discard at the end of it."""
    rng = FastRng(seed)
    match, _ = deal(Setup(options, ["a", "b", "c", "d"][:seats]), rng, 0)
    for _ in range(400):
        if match.ended is not None:
            return
        legal = match.legal(match.turn)
        if match.drawn:
            assert any(isinstance(action, Discard) for action in legal)
        match.apply(match.turn, legal[0], rng, 0)


@pytest.mark.parametrize("deck_exhaust", ["flip_discard", "shuffle_discard"])
def test_a_redeck_of_two_cards_leaves_one_to_draw_and_bots_play_on(deck_exhaust: str) -> None:
    options = Settings(deck_exhaust=deck_exhaust)  # type: ignore[arg-type]
    match = position(["2H 9C 4D", "3D 4S KH"], discards="7C", settings=options, drawn=True)
    match.apply(0, Discard("9C"), RNG, 0)
    assert (len(match.deck), len(match.discards)) == (1, 1)
    for _ in range(6):
        assert bot_plays_a_turn(match)


def test_a_bot_on_an_empty_deck_after_a_one_card_redeck_takes_the_discard() -> None:
    match = position(["2H 9C 4D", "3D 4S KH"], discards="", drawn=True)
    match.apply(0, Discard("9C"), RNG, 0)
    assert (match.deck, texts(match.discards)) == ([], "9C")
    done = bot_plays_a_turn(match)
    assert done[0] == Draw("9C")
    assert isinstance(done[-1], Discard)
    assert done[-1] != Discard("9C")


def test_a_bot_with_an_empty_discard_pile_takes_the_deck_card() -> None:
    match = position(["2H 9C 4D", "3D 4S KH"], deck="6S 7S", discards="")
    assert bot_plays_a_turn(match)[0] == Draw("7S")


@given(st.integers(0, 40), SEEDS)
@settings(max_examples=40, deadline=None)
def test_after_an_aborted_round_the_next_one_can_be_dealt_and_played(
    actions: int, seed: int
) -> None:
    rng = FastRng(seed)
    match, _ = deal(Setup(Settings(), ["a", "b"]), rng, 0)
    for _ in range(actions):
        if match.ended is None:
            legal = match.legal(match.turn)
            match.apply(match.turn, legal[rng.below(len(legal))], rng, 0)
    match.gone(0, rng, 0)
    assert match.ended is not None
    again, _ = deal(Setup(Settings(first_turn="prev_winner"), ["b", "c"], previous=match), rng, 0)
    assert again.ended is None
    assert again.active == [True, True]
    assert again.legal(again.turn)
