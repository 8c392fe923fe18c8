"""The rules of a round: what every action does, and in which order it is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.rummy.moves import (
    ACTIONS,
    TO_DISCARDS,
    TO_MELD,
    Action,
    Discard,
    Draw,
    Ended,
    Lay,
    Meld,
    Moved,
    Started,
    Turned,
    view,
)
from parlour.games.rummy.rules import Rummy, deal
from parlour.games.rummy.settings import Settings, in_force
from parlour.kit import Outcome, Setup
from parlour.rng import FastRng
from tests.rummy import ANY_SETTINGS, SEATS, SEEDS, everywhere, position, texts
from tests.rummy.rounds import RNG, refused, shape

# The deal


@given(ANY_SETTINGS, SEATS, SEEDS)
def test_the_deal_goes_round_card_by_card_then_one_is_turned_up(
    options: Settings, seats: int, seed: int
) -> None:
    players = ["a", "b", "c", "d"][:seats]
    match, events = deal(Setup(options, players), FastRng(seed), 0)
    size = options.hand_size or (10 if seats == 2 else 7)
    start, dealt, turned_up, turned = events[0], events[1:-2], events[-2], events[-1]
    assert isinstance(start, Started)
    assert start.players == players
    assert start.settings.hand_size == size == in_force(options, seats).hand_size
    top_down = start.card_ids[::-1]
    assert all(len(card) == 32 and int(card, 16) >= 0 for card in top_down)
    assert [event.seat for event in dealt if isinstance(event, Moved)] == [*range(seats)] * size
    order = [*dealt, turned_up]
    assert [event.cards[0].id for event in order if isinstance(event, Moved)] == top_down[
        : seats * size + 1
    ]
    assert isinstance(turned_up, Moved)
    assert turned_up.destination == TO_DISCARDS
    assert isinstance(turned, Turned)
    assert (turned.seat, turned.state) == (0, "draw")
    assert len(match.deck) >= 3


def test_card_ids_are_new_every_round() -> None:
    rng = FastRng(5)
    first, _ = deal(Setup(Settings(), ["a", "b"]), rng, 0)
    second, _ = deal(Setup(Settings(), ["a", "b"], previous=first), rng, 0)
    assert not {card.id for card in everywhere(first)} & {card.id for card in everywhere(second)}


def ended_round(players: list[str], starter: int, winner: int | None) -> Rummy:
    match = Rummy(Settings(), players, starter)
    match.ended = Ended(winner, {}, "out")
    return match


@pytest.mark.parametrize(
    ("first_turn", "before", "players", "starts"),
    [
        ("next_player", ended_round(["a", "b", "c"], 1, 0), ["a", "b", "c"], "c"),
        ("next_player", ended_round(["a", "b", "c"], 2, 0), ["a", "b", "c"], "a"),
        ("next_player", ended_round(["a", "b", "c"], 1, 0), ["c", "b", "a"], "a"),
        ("next_player", ended_round(["a", "b", "c"], 1, 0), ["a", "c"], "c"),
        ("next_player", ended_round(["a", "b"], 1, None), ["x", "y"], "x"),
        ("prev_winner", ended_round(["a", "b", "c"], 0, 2), ["a", "b", "c"], "c"),
        ("prev_winner", ended_round(["a", "b", "c"], 0, 2), ["c", "a"], "c"),
        ("prev_winner", ended_round(["a", "b", "c"], 1, None), ["a", "b", "c"], "b"),
        ("prev_winner", ended_round(["a", "b", "c"], 0, 1), ["a", "c"], "c"),
    ],
)
def test_who_begins_a_later_round(
    first_turn: str, before: Rummy, players: list[str], starts: str
) -> None:
    options = Settings(first_turn=first_turn)  # type: ignore[arg-type]
    match, _ = deal(Setup(options, players, previous=before), FastRng(3), 0)
    assert players[match.turn] == starts


def test_anybody_may_begin_at_random_but_the_first_round_is_the_first_players() -> None:
    options = Settings(first_turn="random")
    before = ended_round(["a", "b", "c"], 0, 0)
    begun = [
        deal(Setup(options, ["a", "b", "c"], previous=before), FastRng(i), 0)[0].turn
        for i in range(40)
    ]
    assert set(begun) == {0, 1, 2}
    assert all(deal(Setup(options, ["a", "b"]), FastRng(i), 0)[0].turn == 0 for i in range(10))


# Drawing


def test_only_the_top_of_deck_or_pile_can_be_drawn_once_and_in_turn() -> None:
    match = position(["2H 9C", "3D 4S"], deck="5H 6H", discards="7C 8C")
    assert refused(match, Draw("5H")) == "not-on-top"
    assert refused(match, Draw("7C")) == "not-on-top"
    assert refused(match, Draw("2H")) == "not-on-top"
    assert refused(match, Draw("6H"), seat=1) == "not-your-turn"
    assert refused(match, Discard("2H")) == "draw-first"
    assert refused(match, Meld(["2H"])) == "draw-first"
    assert match.legal(0) == [Draw("6H"), Draw("8C")]
    match.apply(0, Draw("6H"), RNG, 0)
    assert refused(match, Draw("5H")) == "already-drawn"
    assert refused(match, Draw("8C")) == "already-drawn"


def test_a_card_is_told_at_its_true_place_to_the_owner_and_at_the_right_end_to_others() -> None:
    match = position(["2H 9C", "3D 4S"], deck="5H", discards="7C")
    moved = match.apply(0, Draw("5H"), RNG, 0)[0]
    assert isinstance(moved, Moved)
    assert (moved.position, moved.right_end) == (1, 2)
    assert texts(match.hands[0]) == "2H 5H 9C"


def test_with_draw_choice_the_one_to_draw_sees_the_deck_card_and_may_leave_it() -> None:
    options = Settings(allow_draw_choice=True)
    match = position(["2H 9C", "3D 4S"], deck="5H 6H", discards="7C", settings=options, drawn=True)
    turned = match.apply(0, Discard("9C"), RNG, 0)[-1]
    assert isinstance(turned, Turned)
    assert turned.deck_top is match.deck[-1]
    for viewer in (0, None):
        assert view(turned, viewer) == Turned(1, "draw", None)
    played = match.apply(1, Draw("9C"), RNG, 0)
    assert shape(played) == ["to-player", "turn-1-play"]
    assert texts(match.deck) == "5H 6H"
    assert [event.deck_top for event in played if isinstance(event, Turned)] == [None]


def test_with_draw_choice_there_is_nothing_to_see_in_an_empty_deck() -> None:
    """Of a single discard no deck is made: it is to be taken from the pile."""
    options = Settings(allow_draw_choice=True)
    match = position(["2H 9C", "3D 4S"], settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0)[1:] == [Turned(1, "draw", None)]
    assert match.legal(1) == [Draw("9C")]
    match = position(["2H 9C", "3D 4S"], deck="5H", settings=options, drawn=True)
    assert match.apply(0, Discard("9C"), RNG, 0)[1:] == [Turned(1, "draw", match.deck[0])]


def test_without_draw_choice_nobody_is_told_the_deck_card() -> None:
    _, events = deal(Setup(Settings(), ["a", "b"]), FastRng(2), 0)
    assert events[-1] == Turned(0, "draw", None)


# Melding and laying


def test_a_meld_is_one_sorted_move_numbered_by_the_melds_so_far() -> None:
    match = position(
        ["7H 5H 6H 9C", "3D"], deck="KS", discards="KC", melds=["2H 2C 2D"], drawn=True
    )
    assert match.apply(0, Meld(["7H", "5H", "6H"]), RNG, 0) == [
        Moved(match.melds[1], TO_MELD, meld_number=1, position=0)
    ]
    assert texts(match.melds[1]) == "5H 6H 7H"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (Meld([]), "no-cards"),
        (Meld(["5H", "6H", "KD"]), "not-in-hand"),
        (Meld(["5H", "6H", "3D"]), "not-in-hand"),
        (Meld(["5H", "6H", "6H"]), "card-twice"),
        (Meld(["5H", "6H", "9C"]), "not-a-meld"),
        (Meld(["5H", "6H"]), "not-a-meld"),
        (Lay([], 0), "no-cards"),
        (Lay(["2S"], 1), "no-such-meld"),
        (Lay(["2S"], -1), "no-such-meld"),
        (Lay(["9C"], 0), "does-not-fit"),
        (Lay(["2S", "2S"], 0), "card-twice"),
        (Lay(["3D"], 0), "not-in-hand"),
        (Discard("3D"), "not-in-hand"),
        (Discard(""), "not-in-hand"),
    ],
)
def test_what_the_rules_refuse_they_refuse_with_a_reason(action: Action, code: str) -> None:
    match = position(
        ["5H 6H 7H 9C 2S", "3D"], deck="KS", discards="KC", melds=["2H 2C 2D"], drawn=True
    )
    assert refused(match, action) == code


def test_one_card_laid_is_told_alone_with_its_place() -> None:
    match = position(["4H 8H KC", "3D"], deck="KS", discards="QC", melds=["5H 6H 7H"], drawn=True)
    first = match.apply(0, Lay(["8H"], 0), RNG, 0)
    assert first == [Moved([match.melds[0][3]], TO_MELD, meld_number=0, position=3)]
    second = match.apply(0, Lay(["4H"], 0), RNG, 0)
    assert second == [Moved([match.melds[0][0]], TO_MELD, meld_number=0, position=0)]


def test_several_cards_laid_are_told_as_the_whole_meld() -> None:
    match = position(["4H 8H KC", "3D"], deck="KS", discards="QC", melds=["5H 6H 7H"], drawn=True)
    events = match.apply(0, Lay(["8H", "4H"], 0), RNG, 0)
    assert events == [Moved(match.melds[0], TO_MELD, meld_number=0, position=0)]
    assert texts(match.melds[0]) == "4H 5H 6H 7H 8H"


def test_a_joker_that_makes_way_is_told_with_the_whole_meld() -> None:
    match = position(["6H KC", "3D"], deck="KS", discards="QC", melds=["5H W1 7H"], drawn=True)
    events = match.apply(0, Lay(["6H"], 0), RNG, 0)
    assert events == [Moved(match.melds[0], TO_MELD, meld_number=0, position=0)]
    assert texts(match.melds[0]) == "5H 6H 7H W1"


def test_a_meld_of_one_natural_card_may_turn_from_a_set_into_a_run() -> None:
    match = position(["6H KC", "3D"], deck="KS", discards="QC", melds=["5H W1 W2"], drawn=True)
    match.apply(0, Lay(["6H"], 0), RNG, 0)
    assert texts(match.melds[0]) == "5H 6H W1 W2"


def test_anybody_lays_on_anybodys_meld_without_having_melded() -> None:
    match = position(["8H KC", "3D"], deck="KS", discards="QC", melds=["5H 6H 7H"], drawn=True)
    assert match.laid == [False, False]
    match.apply(0, Lay(["8H"], 0), RNG, 0)
    assert texts(match.melds[0]) == "5H 6H 7H 8H"


# Discarding


def test_the_card_just_taken_from_the_pile_stays_this_turn() -> None:
    match = position(["2H", "3D 4S"], deck="TD 5H 6H", discards="7C 8C")
    match.apply(0, Draw("8C"), RNG, 0)
    assert refused(match, Discard("8C")) == "just-taken"
    assert match.legal(0) == [Discard("2H")]
    match = position(["2H 9C", "3D 4S"], deck="TD 5H 6H", discards="7C 8C")
    match.apply(0, Draw("8C"), RNG, 0)
    assert refused(match, Discard("8C")) == "just-taken"
    assert Discard("8C") not in match.legal(0)
    match.apply(0, Discard("9C"), RNG, 0)
    match.apply(1, Draw("6H"), RNG, 0)
    match.apply(1, Discard("6H"), RNG, 0)
    match.apply(0, Draw("5H"), RNG, 0)
    assert Discard("8C") in match.legal(0)
    match.apply(0, Discard("8C"), RNG, 0)


# People who leave


def test_whoever_is_gone_is_skipped_and_whoever_is_back_plays_on() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], deck="TD 6H 7H 8H", discards="7C", drawn=True)
    assert match.gone(1, RNG, 0) == []
    assert shape(match.apply(0, Discard("9C"), RNG, 0)) == ["to-discard", "turn-2-draw"]
    assert match.back(1, RNG, 0) == []
    match.apply(2, Draw("8H"), RNG, 0)
    match.apply(2, Discard("8H"), RNG, 0)
    match.apply(0, Draw("7H"), RNG, 0)
    assert shape(match.apply(0, Discard("7H"), RNG, 0)) == ["to-discard", "turn-1-draw"]


def test_whoever_goes_in_mid_turn_keeps_the_card_and_the_turn_goes_on() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], deck="TD", discards="6C 7C")
    match.apply(0, Draw("TD"), RNG, 0)
    # That was the last card of the deck, and the turn is over: the discards are turned.
    assert shape(match.gone(0, RNG, 0)) == ["redecked", "to-discard", "turn-1-draw"]
    assert texts(match.hands[0]) == "2H 9C TD"
    assert match.gone(0, RNG, 0) == []


def test_with_fewer_than_two_active_players_the_round_ends_without_a_winner() -> None:
    match = position(["2H 9C", "3D 4S", "5C KH"], deck="TD", discards="6C 7C")
    assert match.gone(1, RNG, 0) == []
    assert match.gone(0, RNG, 0) == [Ended(None, {0: 11, 1: 7, 2: 15}, "abandoned")]
    assert match.gone(2, RNG, 0) == []


def test_an_abandoned_round_ends_without_a_winner_and_nothing_is_laid_off() -> None:
    options = Settings(lay_at_end=True)
    match = position(
        ["8H 9C", "3D 4S"], deck="TD", discards="6C", melds=["5H 6H 7H"], settings=options
    )
    assert match.abandon(RNG, 0) == [Ended(None, {0: 17, 1: 7}, "abandoned")]
    assert match.abandon(RNG, 0) == []
    assert match.outcome() == Outcome((), "abandoned", {0: 0, 1: 0})


# What the table relies on


def test_actions_are_listed_for_the_log_and_made_of_plain_values() -> None:
    assert (Draw, Meld, Lay, Discard) == ACTIONS
    assert Lay(["a", "b"], 1) == Lay(card_ids=["a", "b"], meld_number=1)


@given(st.sampled_from([1, 2, 3, 4]), ANY_SETTINGS)
def test_settings_have_the_twelve_keys_in_the_protocols_order(
    players: int, options: Settings
) -> None:
    assert Settings.__struct_fields__ == (
        "deck_count",
        "enable_jokers",
        "hand_size",
        "first_turn",
        "allow_draw_choice",
        "allow_run_mixed_suit",
        "allow_set_duplicate_suit",
        "limit_meld_size",
        "ace_rank",
        "deck_exhaust",
        "require_end_discard",
        "lay_at_end",
    )
    size = in_force(options, players).hand_size
    assert size == (options.hand_size or (7 if players > 2 else 10))
