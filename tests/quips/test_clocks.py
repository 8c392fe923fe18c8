"""Idling, being put out, and lost lines (spec, Rules: "Idle" and "A player who drops")."""

from __future__ import annotations

import pytest

from parlour.games.quips.actions import Discard, Judge, Play, VoteSkip
from parlour.games.quips.events import GAME_END, JUDGING, PLAYING, ROUND_END, Over, PlayersChanged
from parlour.kit import PutOut
from tests.quips.tools import Table, black, kinds, pack, plain_cards


def with_pick(pick: int) -> dict[str, bytes]:
    return pack([*plain_cards(200, ()), black(0, pick)])


@pytest.mark.parametrize("pick", [1, 2, 3])
def test_players_have_ten_seconds_a_card_besides(pick: int) -> None:
    table = Table(4, content=with_pick(pick), afk_time_seconds=60)
    table.play(1)
    table.wait(60 + 10 * pick - 0.001)
    assert (table.idle(), table.state.stage) == ([], PLAYING)
    table.wait(0.001)
    assert (table.idle(), table.state.stage) == ([2, 3], JUDGING)


@pytest.mark.parametrize("pick", [1, 3])
def test_the_judge_has_seven_seconds_for_each_card_of_each_play(pick: int) -> None:
    table = Table(5, content=with_pick(pick))
    table.wait(50)
    table.play_all()
    table.wait(90 + 7 * pick * 4 - 0.001)
    assert table.idle() == []
    table.wait(0.001)
    assert table.idle() == [0]


def test_counters_do_not_run_while_nobody_waits() -> None:
    table = Table(4, idle_kick_time_seconds=10)
    table.play(1)
    table.wait(99)
    table.play(2)
    table.play(3)
    # The judge waited for the others, not they for the judge; and now they wait for the judge.
    table.wait(90 + 3 * 7 - 0.001)
    assert table.idle() == []
    table.judge(1)
    table.wait(5)
    # A new round: everybody's time begins anew.
    table.wait(99)
    assert table.idle() == []
    table.wait(1)
    assert table.idle() == [0, 2, 3]


def test_the_idle_are_not_waited_for_but_may_still_play() -> None:
    table = Table(5)
    table.play(1)
    table.play(2)
    table.wait(50)
    table.join()
    table.wait(50)
    assert table.idle() == [3, 4]
    # Somebody who came later is still waited for.
    assert (table.state.stage, table.state.pending) == (PLAYING, [3, 4, 5])
    events = table.play(3)
    assert table.idle() == [4]
    assert kinds(events, 3) == ["HandChanged", "PlayShown", "PlayersChanged", "StateChanged"]
    table.play(5)
    assert table.state.stage == JUDGING
    assert len(table.state.plays) == 4


def test_with_everybody_idle_the_round_waits_for_the_first_play() -> None:
    table = Table(4)
    table.wait(100)
    assert (table.idle(), table.state.stage) == ([1, 2, 3], PLAYING)
    table.play(2)
    assert table.state.stage == JUDGING


def test_the_idle_stay_idle_in_the_next_round_until_they_stir() -> None:
    table = Table(4)
    table.play(1)
    table.play(2)
    table.wait(100)
    table.judge(1)
    table.wait(5)
    assert (table.state.judge, table.idle()) == (1, [3])
    assert table.state.pending == [0, 2, 3]
    table.play(0)
    table.play(2)
    assert table.state.stage == JUDGING


@pytest.mark.parametrize(
    "sign", [None, Discard(0), VoteSkip(True), VoteSkip(False)], ids=lambda a: type(a).__name__
)
def test_any_message_ends_idling_and_starts_the_clock_anew(sign: Discard | VoteSkip | None) -> None:
    table = Table(5)
    table.wait(100)
    assert table.idle() == [1, 2, 3, 4]
    events = table.stir(3) if sign is None else table.do(3, sign)
    assert table.idle() == [1, 2, 4]
    assert any(isinstance(event, PlayersChanged) for event in events)
    table.wait(99.999)
    assert table.idle() == [1, 2, 4]
    table.wait(0.001)
    assert table.idle() == [1, 2, 3, 4]


def test_talking_before_the_time_is_up_starts_it_anew() -> None:
    table = Table(4)
    table.wait(60)
    assert table.stir(1) == []
    table.wait(50)
    assert table.idle() == [2, 3]


def test_whoever_idles_too_long_is_put_out() -> None:
    table = Table(5)
    for seat in (1, 2, 3):
        table.play(seat)
    table.wait(100)
    table.judge(1)
    hand = table.hand(4)
    events = table.wait(179.999)
    assert not any(isinstance(event, PutOut) for event in events)
    for seat in table.board.pending():
        if seat != 4:
            table.stir(seat)
    events = table.wait(0.001)
    assert isinstance(events[0], PutOut)
    assert (events[0].seat, events[0].reason) == (4, "reject_afk")
    assert table.board.here() == [0, 1, 2, 3]
    assert set(hand) <= set(table.match.supply.whites.discards)
    assert kinds(events, 0) == ["PutOut", "PlayersChanged", "StateChanged"]


def test_putting_out_may_end_the_game() -> None:
    table = Table(3)
    table.play(1)
    table.wait(100)
    table.judge(1)
    events = table.wait(180)
    assert [type(event) for event in events if isinstance(event, PutOut | Over)] == [PutOut, Over]
    outcome = table.match.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.winners) == ("too-few", ())


def test_bots_never_idle() -> None:
    table = Table(4, computers=[1, 2])
    table.wait(1000)
    assert table.idle() == []
    assert table.board.here() == [0, 1, 2]  # seat 3 was put out


# Lost lines


def test_a_lost_line_changes_nothing_for_a_while() -> None:
    table = Table(4)
    table.play(1)
    score = table.pictures[None].players
    assert table.gone(1) == []
    assert table.gone(2) == []
    assert table.state.pending == [2, 3]
    table.wait(10)
    hand, played = table.hand(2), table.pictures[1].played
    assert table.back(1) == []
    table.back(2)
    assert (table.hand(2), table.pictures[1].played) == (hand, played)
    assert table.pictures[None].players == score
    table.play(2)
    table.play(3)
    assert len(table.state.plays) == 3


def test_somebody_without_a_line_is_waited_for_a_short_time_alone() -> None:
    table = Table(4)
    table.play(1)
    table.wait(30)
    table.gone(2)
    table.play(3)
    table.wait(19.999)
    assert (table.idle(), table.state.stage) == ([], PLAYING)
    table.wait(0.001)
    assert (table.idle(), table.state.stage) == ([2], JUDGING)
    table.back(2)
    assert table.idle() == []


def test_the_short_time_begins_when_they_are_awaited() -> None:
    table = Table(4)
    table.gone(0)
    table.wait(60)
    assert table.idle() == []
    table.play_all()
    table.wait(19.999)
    assert (table.idle(), table.state.judge) == ([], 0)
    table.wait(0.001)
    assert (table.idle(), table.state.judge) == ([0], 1)


def test_a_lost_line_never_gives_more_time() -> None:
    table = Table(4)
    table.wait(95)
    table.gone(2)
    table.wait(5)
    assert table.idle() == [1, 2, 3]


def test_a_seat_that_is_kept_is_not_put_out_for_idling() -> None:
    table = Table(5)
    for seat in (1, 2, 3):
        table.play(seat)
    table.gone(4)
    table.wait(20)
    assert table.idle() == [4]
    table.judge(1)
    for _ in range(10):
        table.wait(60)
        for seat in range(4):
            table.stir(seat)
    assert table.board.here() == [0, 1, 2, 3, 4]
    table.back(4)
    assert 4 not in table.idle()


def test_a_seat_that_is_kept_counts_against_the_minimum() -> None:
    table = Table(3)
    table.gone(1)
    table.gone(2)
    assert table.match.outcome() is None
    table.leave(1)
    assert table.match.outcome() is not None


# Ticks


def test_a_tick_before_anything_is_due_does_nothing() -> None:
    table = Table(4)
    assert table.match.tick(table.rng, table.now) == []
    table.play_all()
    table.judge(1)
    assert table.match.tick(table.rng, table.now + 4_999) == []
    assert table.state.stage == ROUND_END


def test_a_late_tick_makes_up_for_all_that_was_due() -> None:
    table = Table(4, round_end_timeout=0, game_end_timeout=0, max_rounds=1)
    table.play_all()
    table.do(0, Judge(0))
    table.now += 10**6
    events = table._tell(table.match.tick(table.rng, table.now))
    assert kinds(events, None) == ["StateChanged", "Over"]


def test_no_time_at_all_is_time_enough() -> None:
    table = Table(3, round_end_timeout=0, afk_time_seconds=5)
    for _ in range(5):
        table.round()
    assert table.state.round == 6
    assert Play([0]) not in table.match.legal(table.state.judge)


def test_the_time_of_a_newcomer_begins_when_they_join() -> None:
    table = Table(4)
    table.wait(50)
    table.join()
    table.wait(10)
    for seat in (1, 2, 3):
        table.play(seat)
    table.wait(89.999)
    assert table.idle() == []
    table.wait(0.001)
    assert table.idle() == [4]


@pytest.mark.parametrize("idles", [True, False])
def test_the_time_of_a_new_judge_begins_when_they_take_over(idles: bool) -> None:
    table = Table(5)
    table.play_all()
    if idles:
        table.wait(90 + 4 * 7)
        assert table.idle() == [0]
    else:
        table.wait(30)
        table.leave(0)
    assert table.state.judge == 1
    # One play less: the new judge's own.
    table.wait(90 + 3 * 7 - 0.001)
    assert 1 not in table.idle()
    table.wait(0.001)
    assert 1 in table.idle()


def test_the_time_of_who_comes_back_begins_anew() -> None:
    table = Table(4)
    for seat in (1, 2):
        table.play(seat)
    table.gone(3)
    table.wait(15)
    table.back(3)
    table.wait(99.999)
    assert table.idle() == []
    table.wait(0.001)
    assert table.idle() == [3]


def test_who_is_asleep_is_known_until_they_stir() -> None:
    table = Table(4)
    assert not table.match.asleep(2)
    table.wait(100)
    assert table.match.asleep(2)
    table.stir(2)
    assert not table.match.asleep(2)
    assert not table.match.asleep(4)


def test_a_game_that_ends_without_a_judge_ends_in_time() -> None:
    table = Table(4, max_rounds=1, game_end_timeout=7_000)
    table.play(1)
    table.wait(100)
    assert table.state.stage == JUDGING
    table.leave(0)
    assert table.state.stage == GAME_END
    assert table.match.due() == table.now + 7_000
