"""What abilities do, and to whose cards: also to those of whoever has called Cambia."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.cambia.actions import (
    CallCambia,
    DiscardDrawn,
    DrawStockpile,
    Replace,
    Snap,
    Special,
)
from parlour.games.cambia.events import (
    GameEnded,
    KingLooked,
    Peeked,
    SpecialChoice,
    SpecialRefused,
    SpecialSkipped,
    Swapped,
    view,
)
from tests.cambia.tools import (
    OTHER,
    QUIET,
    Table,
    draw_and_discard,
    face_of,
    fingerprint,
    kinds,
    knows,
    only,
    refused,
    seated,
)

# Abilities


@pytest.mark.parametrize("allowed", [False, True])
def test_a_replaced_card_s_ability_fires_only_where_the_house_allows_it(allowed: bool) -> None:
    table = seated("7H 2H 3H 4H", OTHER, top="5C", stockpile="6D", allowReplaceAbilities=allowed)
    table.do(0, DrawStockpile())
    events = table.do(0, Replace(table.card(0, 0), 0))
    assert kinds(events) == ["Discarded", "SpecialChoice" if allowed else "TurnBegan"]


@pytest.mark.parametrize("card", ["7D", "8D"])
def test_seven_and_eight_peek_at_an_own_card(card: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile=card)
    choice = only(draw_and_discard(table, 0), SpecialChoice)
    assert (choice.special, choice.face) == ("peek_self", face_of(card))
    assert refused(table, 0, Special("peek_self", table.card(1, 0))) == "not-yours"
    assert refused(table, 0, Special("peek_self", "?")) == "no-such-card"
    assert refused(table, 0, Special("peek_other", table.card(1, 0))) == "wrong-special"
    assert refused(table, 0, DrawStockpile()) == "special-pending"
    assert refused(table, 1, Special("skip")) == "not-your-turn"
    events = table.do(0, Special("peek_self", table.card(0, 3)))
    peeked = only(events, Peeked)
    assert (peeked.card.owner, peeked.card.idx, peeked.card.face) == (0, 3, face_of("4H"))
    hidden = view(peeked, 1)
    assert isinstance(hidden, Peeked)
    assert (hidden.card.card, hidden.card.idx, hidden.card.face) == (table.card(0, 3), 3, -1)
    assert kinds(events) == ["Peeked", "TurnBegan"]


@pytest.mark.parametrize("card", ["9D", "TD"])
def test_nine_and_ten_peek_at_another_s_card(card: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile=card)
    assert only(draw_and_discard(table, 0), SpecialChoice).special == "peek_other"
    assert refused(table, 0, Special("peek_other", table.card(0, 0))) == "your-own"
    events = table.do(0, Special("peek_other", table.card(1, 2)))
    assert only(events, Peeked).card.face == face_of("3S")


@pytest.mark.parametrize("card", ["JD", "QD"])
def test_jack_and_queen_swap_any_two_cards_blind(card: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile=card)
    assert only(draw_and_discard(table, 0), SpecialChoice).special == "swap_blind"
    mine, theirs = table.card(0, 0), table.card(1, 3)
    assert refused(table, 0, Special("swap_blind", mine, mine)) == "same-card"
    assert refused(table, 0, Special("swap_blind", mine)) == "no-such-card"
    events = table.do(0, Special("swap_blind", mine, theirs))
    swapped = only(events, Swapped)
    assert (swapped.card1.card, swapped.card1.owner, swapped.card1.idx) == (mine, 1, 3)
    assert (swapped.card2.card, swapped.card2.owner, swapped.card2.idx) == (theirs, 0, 0)
    assert table.faces(0) == [face_of(c) for c in ("4S", "2H", "3H", "4H")]
    assert table.faces(1) == [face_of(c) for c in ("AS", "2S", "3S", "AH")]


@pytest.mark.parametrize("seats", [(0, 0), (1, 1), (1, 2)])
def test_a_swap_may_name_two_cards_of_anybody(seats: tuple[int, int]) -> None:
    table = seated(QUIET, OTHER, "AC 2C 3C 4C", top="5C", stockpile="JD")
    draw_and_discard(table, 0)
    one, other = table.card(seats[0], 0), table.card(seats[1], 1)
    table.do(0, Special("swap_blind", one, other))
    assert table.card(seats[0], 0) == other
    assert table.card(seats[1], 1) == one


def test_an_ability_may_be_skipped() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="JD")
    draw_and_discard(table, 0)
    events = table.do(0, Special("skip"))
    assert kinds(events) == ["SpecialSkipped", "TurnBegan"]
    assert not only(events, SpecialSkipped).timed_out


@pytest.mark.parametrize("named", ["in order", "turned round", "not at all"])
def test_a_king_looks_at_two_cards_and_then_swaps_them(named: str) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="KD")
    assert only(draw_and_discard(table, 0), SpecialChoice).special == "swap_peek"
    one, other = table.card(0, 0), table.card(1, 0)
    assert refused(table, 0, Special("swap_peek_swap", one, other)) == "wrong-special"
    assert refused(table, 0, Special("swap_peek", one, one)) == "same-card"
    events = table.do(0, Special("swap_peek", one, other))
    looked = only(events, KingLooked)
    assert (looked.card1.face, looked.card2.face) == (face_of("AH"), face_of("AS"))
    hidden = view(looked, 1)
    assert isinstance(hidden, KingLooked)
    assert (hidden.card1.card, hidden.card1.face, hidden.card2.face) == (one, -1, -1)
    assert kinds(events) == ["KingLooked"]
    third = table.card(0, 1)
    assert refused(table, 0, Special("swap_peek_swap", one, third)) == "not-those-cards"
    names = {"in order": (one, other), "turned round": (other, one), "not at all": ("", "")}
    events = table.do(0, Special("swap_peek_swap", *names[named]))
    assert kinds(events) == ["Swapped", "TurnBegan"]
    assert only(events, Swapped).special == "swap_peek_swap"
    assert table.card(0, 0) == other
    assert table.card(1, 0) == one


def test_a_king_looks_no_further_and_the_same_two_again_gain_no_time() -> None:
    """Who reloads after a King's first step is asked anew and may name the two cards anew."""
    table = seated(QUIET, OTHER, top="5C", stockpile="KD")
    draw_and_discard(table, 0)
    one, other, third = table.card(0, 0), table.card(1, 0), table.card(0, 1)
    deadline = only(table.do(0, Special("swap_peek", one, other)), KingLooked).deadline
    table.now += 1_000
    before = fingerprint(table.match)
    events = table.do(0, Special("swap_peek", other, one))
    again = only(events, KingLooked)
    assert (again.card1.face, again.card2.face) == (face_of("AS"), face_of("AH"))
    assert again.deadline == deadline
    assert kinds(events) == ["KingLooked"]
    events = table.do(0, Special("swap_peek", one, third))
    assert kinds(events) == ["SpecialRefused"]
    assert only(events, SpecialRefused).deadline == deadline
    assert fingerprint(table.match) == before
    assert not knows(table.match.layout, 0, table.match.layout.numbers[table.card(0, 3)])


def test_a_king_s_player_may_leave_the_cards_where_they_are() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="KD")
    draw_and_discard(table, 0)
    table.do(0, Special("swap_peek", table.card(0, 0), table.card(1, 0)))
    assert kinds(table.do(0, Special("skip"))) == ["SpecialSkipped", "TurnBegan"]
    assert table.faces(0)[0] == face_of("AH")


def test_an_ability_without_a_target_is_passed_over() -> None:
    table = seated("5H 5S 5D 2C", OTHER, top="5C", stockpile="2D 6D 7D")
    for _ in range(3):
        table.do(0, Snap(table.card(0, 0)))
    draw_and_discard(table, 0)
    table.do(0, Snap(table.card(0, 0)))
    assert table.faces(0) == []
    draw_and_discard(table, 1)
    table.do(0, DrawStockpile())
    assert table.match.legal(0) == [DiscardDrawn(table.drawn)]
    assert kinds(table.do(0, DiscardDrawn(table.drawn))) == ["Discarded", "TurnBegan"]


# Cambia


def test_after_a_call_everybody_else_has_one_more_turn() -> None:
    table = seated(QUIET, OTHER, "AC 2C 3C 4C", top="5C", stockpile="6D 6S 6H")
    draw_and_discard(table, 0)
    assert kinds(table.do(1, CallCambia())) == ["CambiaCalled", "TurnBegan"]
    assert CallCambia() not in table.match.legal(2)
    assert refused(table, 2, CallCambia()) == "already-called"
    assert kinds(draw_and_discard(table, 2)) == ["Discarded", "TurnBegan"]
    events = draw_and_discard(table, 0)
    assert kinds(events) == ["Discarded", "GameEnded"]
    assert only(events, GameEnded).caller == 1
    assert table.match.due() is None
    assert all(table.match.legal(seat) == [] for seat in range(3))
    assert refused(table, 2, DrawStockpile()) == "game-over"
    assert refused(table, 0, Snap(table.card(0, 0))) == "game-over"


def called(stockpile: str, **rules: Any) -> Table:
    """Seat 0 has called; seat 1 is to draw `stockpile`."""
    table = seated(QUIET, OTHER, "AC 2C 3C 4C", top="5C", stockpile=stockpile, **rules)
    table.do(0, CallCambia())
    return table


def test_a_locked_hand_can_be_peeked_at() -> None:
    table = called("9D")
    draw_and_discard(table, 1)
    assert only(table.do(1, Special("peek_other", table.card(0, 1))), Peeked).card.owner == 0


def test_a_blind_swap_of_a_locked_card_is_refused_privately_and_may_be_retried() -> None:
    table = called("JD")
    draw_and_discard(table, 1)
    before = table.match.copy()
    table.wait(4_000)
    mine, locked = table.card(1, 0), table.card(0, 0)
    assert Special("swap_blind", mine, locked) not in table.match.legal(1)
    events = table.do(1, Special("swap_blind", mine, locked))
    failed = only(events, SpecialRefused)
    assert (failed.card1.card, failed.card2.card) == (mine, locked)
    assert (failed.card2.owner, failed.card2.idx) == (0, 0)
    assert [view(failed, seat) for seat in (0, 2, None)] == [None] * 3
    assert view(failed, 1) is failed
    # Nothing has changed, least of all the timer.
    assert table.match.clock.deadline == table.now + 11_000 == failed.deadline
    assert fingerprint(before) == fingerprint(table.match)
    assert kinds(table.do(1, Special("swap_blind", mine, table.card(2, 0)))) == [
        "Swapped",
        "TurnBegan",
    ]


@given(st.lists(st.integers(0, 5_000), max_size=30))
def test_refused_blind_swaps_hold_up_no_turn(pauses: list[int]) -> None:
    """However often a locked card is named, the special's time runs on."""
    table = called("JD")
    draw_and_discard(table, 1)
    deadline = table.match.clock.deadline
    assert deadline is not None
    for pause in pauses:
        table.wait(min(pause, deadline - 1 - table.now))
        failed = only(
            table.do(1, Special("swap_blind", table.card(1, 0), table.card(0, 0))), SpecialRefused
        )
        assert failed.deadline == table.match.due() == deadline
    assert kinds(table.wait(deadline - table.now)) == ["SpecialSkipped", "TurnBegan"]


def test_a_king_naming_a_locked_card_reveals_it_and_ends_at_once() -> None:
    table = called("KD")
    draw_and_discard(table, 1)
    events = table.do(1, Special("swap_peek", table.card(1, 0), table.card(0, 0)))
    assert kinds(events) == ["KingLooked", "TurnBegan"]
    looked = only(events, KingLooked)
    assert looked.card2.face == face_of("AH")
    assert table.card(0, 0) == looked.card2.card


def test_without_the_lock_the_caller_s_cards_move_like_any_other() -> None:
    table = called("JD", lockCallerHand=False)
    draw_and_discard(table, 1)
    mine, theirs = table.card(1, 0), table.card(0, 0)
    table.do(1, Special("swap_blind", mine, theirs))
    assert table.card(0, 0) == mine
    assert any(isinstance(action, Snap) for action in table.match.legal(0))
