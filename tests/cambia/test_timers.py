"""Deadlines, in virtual time: the pre-game, turns, abilities, and players who are not there."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
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
    ClockReset,
    Discarded,
    KingLooked,
    PlayStarted,
    PresenceChanged,
    SpecialChoice,
    SpecialSkipped,
    TurnBegan,
)
from parlour.games.cambia.settings import HouseRules, Settings
from parlour.rng import FastRng
from tests.cambia import tools
from tests.cambia.tools import START, Table, face_of, kinds, only, played, refused, scripts, seated

HANDS = ("AH 2H 3H 4H", "AS 2S 3S 4S")
TURN = 15_000


def fresh(**rules: Any) -> Table:
    return Table(Settings(houseRules=HouseRules(**rules)), 2, FastRng(3))


def test_the_pre_game_lasts_ten_seconds_and_then_the_first_turn_begins() -> None:
    table = fresh()
    assert table.match.due() == START + 10_000
    assert table.wait(9_999) == []
    events = table.wait(1)
    since = START + 10_000
    assert events == [PlayStarted(), TurnBegan(0, 1, since, since + TURN)]
    assert table.match.due() == since + TURN


def test_nobody_acts_in_the_pre_game() -> None:
    table = fresh()
    assert [table.match.legal(seat) for seat in range(2)] == [[], []]
    for action in (DrawStockpile(), CallCambia(), Snap(table.card(0, 0))):
        assert refused(table, 0, action) == "pre-game"


def test_nothing_happens_before_it_is_due() -> None:
    table = seated(*HANDS, top="5C")
    before = tools.fingerprint(table.match)
    assert table.match.tick(table.rng, table.now + TURN - 1) == []
    assert tools.fingerprint(table.match) == before


def test_a_turn_that_times_out_draws_and_discards_without_ability() -> None:
    table = seated(*HANDS, top="5C", stockpile="KD")
    events = table.wait(TURN)
    assert kinds(events) == ["Drew", "Discarded", "TurnBegan"]
    assert only(events, Discarded).timed_out
    assert table.top == face_of("KD")
    assert only(events, TurnBegan).seat == 1


def test_a_drawn_card_that_times_out_is_discarded_without_ability() -> None:
    table = seated(*HANDS, top="5C", stockpile="7D")
    table.wait(5_000)
    table.do(0, DrawStockpile())
    assert table.match.due() == table.now + TURN - 5_000, "drawing does not reset the timer"
    events = table.wait(TURN - 5_000)
    assert kinds(events) == ["Discarded", "TurnBegan"]
    assert table.top == face_of("7D")


def test_an_ability_resets_the_timer_and_is_skipped_when_it_runs_out() -> None:
    table = seated(*HANDS, top="5C", stockpile="7D")
    table.wait(14_000)
    table.do(0, DrawStockpile())
    choice = only(table.do(0, DiscardDrawn(table.drawn)), SpecialChoice)
    assert choice.deadline == table.now + TURN == table.match.due()
    events = table.wait(TURN)
    assert kinds(events) == ["SpecialSkipped", "TurnBegan"]
    assert only(events, SpecialSkipped).timed_out


def test_a_king_s_reveal_resets_the_timer_and_its_swap_is_skipped_when_it_runs_out() -> None:
    table = seated(*HANDS, top="5C", stockpile="KD")
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    table.wait(14_000)
    one, other = table.card(0, 0), table.card(1, 0)
    looked = only(table.do(0, Special("swap_peek", one, other)), KingLooked)
    assert looked.deadline == table.now + TURN
    assert kinds(table.wait(TURN)) == ["SpecialSkipped", "TurnBegan"]
    assert table.card(0, 0) == one


def test_without_a_timer_a_turn_waits_for_its_player() -> None:
    table = seated(*HANDS, top="5C", stockpile="7D", turnTimerSec=0)
    assert table.match.due() is None
    assert table.wait(10**9) == []
    table.do(0, DrawStockpile())
    choice = only(table.do(0, DiscardDrawn(table.drawn)), SpecialChoice)
    assert choice.deadline is None
    began = only(table.do(0, Special("skip")), TurnBegan)
    assert (began.seat, began.deadline) == (1, None)


def test_a_late_tick_plays_one_turn_and_gives_the_next_player_full_time() -> None:
    table = seated(*HANDS, top="5C")
    table.now += 3_600_000
    assert only(table.tick(), TurnBegan).deadline == table.now + TURN


# Players who are not there


def miss_turns(table: Table, seat: int, count: int) -> list[str]:
    """`seat` sleeps through `count` turns, the others discard what they draw."""
    seen: list[str] = []
    while count:
        current = table.match.current
        if current == seat:
            due = table.match.due()
            assert due is not None
            seen += kinds(table.wait(due - table.now))
            count -= 1
        else:
            table.do(current, DrawStockpile())
            table.do(current, Replace(table.card(current, 0), 0))
    return seen


def test_three_timeouts_in_a_row_and_the_timer_plays_the_seat() -> None:
    table = seated(*HANDS, top="5C")
    assert "AutoPlayChanged True" not in miss_turns(table, 0, 2)
    assert "AutoPlayChanged True" in miss_turns(table, 0, 1)
    table.do(1, DrawStockpile())
    table.do(1, Replace(table.card(1, 0), 0))
    due = table.match.due()
    assert due is not None
    assert due < table.now + TURN, "nobody waits for a player who is not there"


def test_any_action_of_its_owner_ends_the_timer_s_play() -> None:
    table = seated(*HANDS, top="5C")
    miss_turns(table, 0, 3)
    table.do(1, DrawStockpile())
    table.do(1, Replace(table.card(1, 0), 0))
    events = table.do(0, DrawStockpile())
    assert kinds(events) == ["AutoPlayChanged False", "Drew", "ClockReset"]
    assert table.match.due() == table.now + TURN
    table.do(0, Replace(table.card(0, 0), 0))
    assert "AutoPlayChanged True" not in miss_turns(table, 0, 2), "the count begins anew"


def test_an_illegal_action_does_not_end_the_timer_s_play() -> None:
    table = seated(*HANDS, top="5C")
    miss_turns(table, 0, 3)
    assert refused(table, 0, DrawStockpile()) == "not-your-turn"
    assert table.match.clock.timer_plays == [True, False]


def test_timeouts_with_an_action_between_them_are_not_in_a_row() -> None:
    table = seated(*HANDS, top="5C")
    for _ in range(4):
        # The action itself would take the seat back, so the timer must not even have had it.
        assert "AutoPlayChanged True" not in miss_turns(table, 0, 2)
        table.do(1, DrawStockpile())
        table.do(1, Replace(table.card(1, 0), 0))
        table.do(0, DrawStockpile())
        table.do(0, Replace(table.card(0, 0), 0))


def test_a_count_of_zero_never_takes_a_seat_over() -> None:
    table = seated(*HANDS, top="5C", autoKickTurnCount=0)
    assert "AutoPlayChanged True" not in miss_turns(table, 0, 6)


def test_without_a_timer_a_turn_waits_for_who_is_gone_only_so_long() -> None:
    table = seated(*HANDS, top="5C", stockpile="7D", turnTimerSec=0)
    assert kinds(table.gone(0)) == ["PresenceChanged False", "ClockReset"]
    assert table.match.due() == table.now + 15_000, "a reload is soon over"
    table.wait(500)
    assert kinds(table.back(0)) == ["PresenceChanged True", "ClockReset"]
    assert table.match.due() is None
    table.gone(0)
    assert kinds(table.wait(15_000))[:3] == ["Drew", "Discarded", "TurnBegan"]


def test_going_and_coming_back_gains_no_time() -> None:
    table = seated(*HANDS, top="5C", stockpile="7D")
    due = table.match.due()
    for _ in range(3):
        table.wait(4_000)
        assert kinds(table.gone(0)) == ["PresenceChanged False"]
        assert kinds(table.back(0)) == ["PresenceChanged True"]
        assert table.match.due() == due
    table.gone(0)
    assert kinds(table.wait(3_000))[:3] == ["Drew", "Discarded", "TurnBegan"]


def test_a_turn_that_ran_out_while_the_house_was_shut_has_all_of_its_time() -> None:
    table = seated(*HANDS, top="5C")
    table.now += 60_000
    events = table.gone(0)
    assert kinds(events) == ["PresenceChanged False", "ClockReset"]
    assert only(events, ClockReset).deadline == table.now + TURN


def test_a_player_who_stays_away_has_the_timer_play_after_the_usual_missed_turns() -> None:
    table = seated(*HANDS, top="5C")
    table.gone(0)
    miss_turns(table, 0, 3)
    assert table.match.clock.timer_plays[0]


def test_coming_back_wakes_a_seat_the_timer_played() -> None:
    table = seated(*HANDS, top="5C")
    miss_turns(table, 0, 3)
    assert kinds(table.back(0)) == ["AutoPlayChanged False"]


def test_who_comes_back_to_a_turn_the_timer_plays_has_all_of_its_time() -> None:
    table = seated(*HANDS, top="5C")
    table.gone(0)
    miss_turns(table, 0, 3)
    table.wait(TURN)
    assert table.match.current == 0
    assert table.match.due() == table.now + 1_000
    events = table.back(0)
    assert kinds(events) == ["PresenceChanged True", "AutoPlayChanged False", "ClockReset"]
    assert only(events, ClockReset).deadline == table.now + TURN


def test_a_timer_of_a_second_runs_on_too() -> None:
    table = seated(*HANDS, top="5C", turnTimerSec=1)
    table.wait(999)
    assert kinds(table.gone(0) + table.back(0)) == ["PresenceChanged False", "PresenceChanged True"]
    assert table.match.due() == table.now + 1


def test_a_turn_with_no_time_left_is_set_anew() -> None:
    """At its very deadline: whoever goes before the tick came has not been played for yet."""
    table = seated(*HANDS, top="5C")
    table.now += TURN
    assert table.gone(0) == [PresenceChanged(0, False), ClockReset(0, table.now, table.now + TURN)]


def test_a_snap_out_of_turn_wakes_a_seat_and_leaves_the_other_s_clock_alone() -> None:
    table = seated("AH 2H 3H 4H", "5S 2S 3S 4S", top="6C", stockpile="6D 6S 6H 5D 5H 5C")
    miss_turns(table, 1, 3)
    assert table.match.clock.timer_plays == [False, True]
    table.do(0, DrawStockpile())
    five = table.card(1, 0)
    while table.top != face_of("5C"):
        table.wait(1_000)
    due = table.match.clock.deadline
    assert kinds(table.do(1, Snap(five))) == ["AutoPlayChanged False", "SnapWon"]
    assert table.match.clock.deadline == due


def test_nothing_is_reset_in_a_game_that_is_over() -> None:
    table = seated(*HANDS, top="5C", stockpile="6C")
    table.do(0, CallCambia())
    table.do(1, DrawStockpile())
    table.do(1, DiscardDrawn(table.drawn))
    assert table.match.outcome() is not None
    assert kinds(table.gone(1) + table.back(1)) == ["PresenceChanged False", "PresenceChanged True"]
    assert table.match.due() is None


def test_going_twice_or_coming_back_without_having_gone_is_nothing() -> None:
    table = seated(*HANDS, top="5C")
    assert table.back(1) == []
    assert kinds(table.gone(1)) == ["PresenceChanged False"]
    assert table.gone(1) == []
    assert kinds(table.back(1)) == ["PresenceChanged True"]


def test_players_may_go_and_come_back_in_the_pre_game() -> None:
    table = fresh()
    assert kinds(table.gone(0)) == ["PresenceChanged False"]
    assert table.match.due() == START + 10_000
    assert kinds(table.wait(10_000)) == ["PlayStarted", "TurnBegan"]
    assert table.match.due() == table.now + TURN


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), scripts)
@settings(deadline=None, max_examples=40)
def test_after_a_tick_nothing_is_due_any_more(
    rules: Settings, seats: int, seed: int, script: Any
) -> None:
    table = played(rules, seats, seed, script)
    for late in (0, 10, 60_000):
        due = table.match.due()
        if due is None:
            return
        table.now = max(table.now, due + late)
        turn = table.match.turn
        rested = min(table.match.snaps.rests.values(), default=None)
        events = table.tick()
        assert events or rested == due
        assert table.match.turn <= turn + 1, "one tick never advances two turns"
        left = table.match.due()
        assert left is None or left > table.now
