"""Who judges, and what happens when a judge can't go on (spec, Rules: "Judge")."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.games.quips.actions import Judge, Play, VoteSkip
from parlour.games.quips.events import GAME_END, JUDGING, PLAYING, ROUND_END
from tests.quips.tools import Table, black, kinds, pack, plain_cards, refused, states


def judges(table: Table, rounds: int) -> list[int]:
    seen = [table.state.judge]
    for _ in range(rounds):
        table.round()
        seen.append(table.state.judge)
    return seen


def test_everybody_judges_in_join_order() -> None:
    assert judges(Table(4), 5) == [0, 1, 2, 3, 0, 1]


def test_somebody_leaving_does_not_move_the_judge() -> None:
    table = Table(5)
    table.round()
    table.round()
    assert table.state.judge == 2
    table.leave(0)
    assert table.state.judge == 2
    assert judges(table, 3) == [2, 3, 4, 1]


def test_who_joins_judges_last() -> None:
    table = Table(3)
    table.join()
    assert judges(table, 4) == [0, 1, 2, 3, 0]


@pytest.mark.parametrize(("bot_czars", "order"), [(False, [0, 2, 0, 2]), (True, [0, 1, 2, 3])])
def test_bots_judge_only_where_they_may(bot_czars: bool, order: list[int]) -> None:
    table = Table(4, computers=[1, 3], bot_czars=bot_czars)
    assert judges(table, 3) == order


def test_one_person_among_bots_judges_every_round() -> None:
    table = Table(4, computers=[0, 1, 3])
    assert judges(table, 3) == [2, 2, 2, 2]


def test_bots_alone_judge_each_other() -> None:
    assert judges(Table(3, computers=[0, 1, 2]), 3) == [0, 1, 2, 0]


def test_the_idle_and_the_gone_are_passed_over() -> None:
    table = Table(5, max_rounds=9, idle_kick_time_seconds=3600)
    for seat in (2, 3, 4):
        table.play(seat)
    table.wait(100)
    assert table.idle() == [1]
    table.gone(2)
    table.judge(4)
    table.wait(5)
    assert table.state.judge == 3
    table.back(2)
    table.play_all()
    table.judge(4)
    table.wait(5)
    assert table.state.judge == 4


def test_winner_czar() -> None:
    table = Table(4, winner_czar=True)
    for winner in (2, 1, 3):
        table.round(winner)
        assert table.state.judge == winner


def test_winner_czar_passes_over_a_winner_who_can_not_judge() -> None:
    table = Table(4, winner_czar=True, computers=[2])
    table.round(winner=2)
    assert table.state.judge == 3
    table.play_all()
    table.judge(1)
    table.leave(1)
    table.join()
    table.wait(5)
    assert table.state.judge == 3


def test_perma_czar_stays_until_they_can_not() -> None:
    table = Table(5, perma_czar=True)
    assert judges(table, 2) == [0, 0, 0]
    table.leave(0)
    assert judges(table, 2) == [1, 1, 1]


def test_the_next_game_goes_on_with_the_next_judge() -> None:
    table = Table(4, max_rounds=2)
    assert judges(table, 1) == [0, 1]
    table.round()
    again = Table(previous=table.match, players=["p0", "p2", "p1", "p3"])
    assert again.state.judge == 3  # after p1, who judged last
    assert Table(previous=table.match, players=["a", "b", "c"]).state.judge == 0


# Taking over


def test_a_judge_who_leaves_is_replaced_at_once_and_the_play_withdrawn() -> None:
    table = Table(5)
    hand = table.hand(1)
    table.play(1)
    table.play(2)
    events = table.leave(0)
    assert table.state.judge == 1
    assert table.state.pending == [3, 4]
    assert kinds(events, 1) == ["HandChanged", "PlayShown", "PlayersChanged", "StateChanged"]
    assert table.pictures[1].played == []
    assert table.hand(1)[:10] == hand
    assert len(table.hand(1)) == 11  # the card drawn after the play stays
    assert refused(table, 1, Play([0])) == "judge-plays-not"
    table.play(3)
    table.play(4)
    assert len(table.state.plays) == 3


def test_the_withdrawn_blank_can_be_written_on_again() -> None:
    table = Table(4, blank_cards=1)
    table.do(1, Play(["mine"]))
    assert table.pictures[1].blanks == 0
    table.leave(0)
    assert table.pictures[1].blanks == 1


def test_taking_over_in_judging_leaves_the_stage_for_a_moment() -> None:
    """`plays` never shrinks while a stage lasts."""
    table = Table(4)
    table.play_all()
    seen = table.state.plays
    own = table.pictures[1].played
    events = table.leave(0)
    assert [state.stage for state in states(events)] == [PLAYING, JUDGING]
    assert states(events)[0].plays == []
    assert table.state.judge == 1
    assert table.state.plays == [play for play in seen if play != own]
    table.do(1, Judge(0))
    assert table.state.stage == ROUND_END


def test_taking_over_with_nothing_played_changes_the_judge_alone() -> None:
    table = Table(5)
    for seat in (2, 3, 4):
        table.play(seat)
    table.wait(100)
    assert table.idle() == [1]
    table.stir(1)
    plays = table.state.plays
    events = table.leave(0)
    assert [state.stage for state in states(events)] == [JUDGING]
    assert (table.state.judge, table.state.plays) == (1, plays)


def test_a_judge_who_idles_is_replaced() -> None:
    table = Table(4)
    table.play_all()
    table.wait(90 + 3 * 7 - 0.001)
    assert table.state.judge == 0
    table.wait(0.001)
    assert (table.state.judge, table.idle()) == (1, [0])


def only_play_is_the_new_judges(**settings: Any) -> Table:
    table = Table(4, max_points=99, **settings)
    table.play(1)
    table.wait(100)
    assert table.idle() == [2, 3]
    assert table.state.stage == JUDGING
    return table


def test_without_a_play_left_to_judge_a_new_round_starts() -> None:
    table = only_play_is_the_new_judges()
    old = table.state.black
    table.leave(0)
    assert (table.state.stage, table.state.round, table.state.judge) == (PLAYING, 2, 1)
    assert table.state.black != old
    assert table.state.pending == [2, 3]
    assert table.pictures[1].played == []


def test_also_where_there_is_no_other_black_card() -> None:
    table = only_play_is_the_new_judges(content=pack([*plain_cards(200, ()), black(0)]))
    table.leave(0)
    assert (table.state.stage, table.state.round, table.state.black) == (PLAYING, 2, "b_0")


def test_or_the_game_ends_where_it_was_the_last() -> None:
    table = only_play_is_the_new_judges(max_rounds=1)
    table.leave(0)
    assert table.state.stage == GAME_END


def test_and_no_vote_brings_a_decided_game_back() -> None:
    table = only_play_is_the_new_judges(max_rounds=1)
    table.do(1, VoteSkip(True))  # one of the two who are awake
    table.leave(0)
    assert table.state.stage == GAME_END


def test_an_idle_judge_stays_where_nobody_else_could_and_goes_on_when_awake() -> None:
    table = Table(4, computers=[1, 2, 3])
    table.play_all()
    table.wait(150)
    assert (table.state.judge, table.idle()) == (0, [0])
    table.stir(0)
    assert table.idle() == []
    table.judge(1)
    assert table.state.stage == ROUND_END


def test_whoever_wakes_first_takes_over_from_an_idle_judge() -> None:
    table = Table(5, computers=[3, 4])
    for seat in (3, 4):
        table.play(seat)
    table.wait(100)
    assert table.idle() == [1, 2]
    table.wait(90 + 14)
    assert (table.state.judge, table.idle()) == (0, [0, 1, 2])
    table.stir(2)
    assert table.state.judge == 2


def test_a_judge_who_leaves_after_the_verdict_keeps_the_number() -> None:
    table = Table(4)
    table.play_all()
    table.judge(2)
    table.leave(0)
    assert (table.state.stage, table.state.judge) == (ROUND_END, 0)
    table.wait(5)
    assert table.state.judge == 1


def test_the_judge_draws_no_extra_cards() -> None:
    table = Table(4, content=pack([*plain_cards(200, ()), black(0, 1, 3)]))
    assert [len(table.hand(seat)) for seat in range(4)] == [10, 13, 13, 13]
