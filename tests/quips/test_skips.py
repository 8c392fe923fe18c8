"""Voting a black card away (spec, Rules: "Skip")."""

from __future__ import annotations

import pytest

from parlour.games.quips.actions import Play, VoteSkip
from parlour.games.quips.events import JUDGING, PLAYING, Skipped
from tests.quips.tools import Table, black, kinds, pack, plain_cards, refused


def skipped(table: Table) -> list[Skipped]:
    return [event for event in table.story if isinstance(event, Skipped)]


def vote(table: Table, *seats: int) -> None:
    for seat in seats:
        table.do(seat, VoteSkip(True))


def test_more_than_half_of_all_people_skip_a_card() -> None:
    table = Table(4)
    old = table.state.black
    vote(table, 1, 2)
    assert skipped(table) == []
    vote(table, 0)  # the judge has a vote
    assert skipped(table) == [Skipped(old, table.state.black)]
    assert old != table.state.black
    assert (table.state.round, table.state.judge, table.state.stage) == (1, 0, PLAYING)
    assert not any(entry.voted_skip for entry in table.pictures[None].players)


def test_votes_are_told_and_can_be_taken_back() -> None:
    table = Table(4)
    events = table.do(1, VoteSkip(True))
    assert kinds(events, None) == ["PlayersChanged"]
    assert table.do(1, VoteSkip(True)) == []
    vote(table, 2)
    table.do(1, VoteSkip(False))
    vote(table, 3)
    assert skipped(table) == []


def test_plays_go_back_to_hands_and_everybody_plays_again() -> None:
    table = Table(4, blank_cards=1)
    hand = table.hand(1)
    table.play(1)
    table.do(2, Play(["mine"]))
    vote(table, 0, 1)
    events = table.do(2, VoteSkip(True))
    walk = ["PlayShown", "HandChanged", "PlayersChanged", "StateChanged", "Skipped"]
    assert kinds(events, 1) == kinds(events, 2) == walk
    assert kinds(events, 3) == [step for step in walk if step != "HandChanged"]
    assert table.hand(1)[:10] == hand
    assert table.pictures[2].blanks == 1
    assert table.state.pending == [1, 2, 3]
    table.play_all()
    assert table.state.stage == JUDGING


def test_a_card_can_be_skipped_while_it_is_judged() -> None:
    table = Table(4)
    table.play_all()
    vote(table, 0, 1, 2)
    assert len(skipped(table)) == 1
    assert (table.state.stage, table.state.plays) == (PLAYING, [])
    assert table.state.pending == [1, 2, 3]


def test_a_play_whose_author_left_goes_to_the_discards() -> None:
    table = Table(5)
    table.play_all()
    table.leave(4)
    vote(table, 0, 1, 2)
    assert len(skipped(table)) == 1  # conservation is checked at every step
    assert table.board.players[4].play == []


def test_the_clocks_begin_anew() -> None:
    table = Table(4)
    table.wait(80)
    vote(table, 0, 1, 2)
    table.wait(99)
    assert table.idle() == []


def test_no_skipping_fills_a_hand_beyond_its_share() -> None:
    cards = [*plain_cards(60, ()), black(0, 1, 5), black(1, 1, 5)]
    table = Table(3, content=pack(cards), max_players=4)
    for _ in range(5):
        vote(table, 0, 1)
    assert [len(table.hand(seat)) for seat in range(3)] == [10, 15, 15]
    table.join()
    assert len(table.hand(3)) == 15


def test_the_only_black_card_comes_again() -> None:
    table = Table(3, content=pack([*plain_cards(100, ()), black(0)]))
    vote(table, 0, 1)
    assert skipped(table) == [Skipped("b_0", "b_0")]


# Who counts


def test_bots_the_idle_and_the_gone_do_not_count() -> None:
    table = Table(6, computers=[5])
    for seat in (1, 2, 3):
        table.play(seat)
    assert refused(table, 5, VoteSkip(True)) == "no-vote"
    vote(table, 0, 1)  # two of five people
    table.gone(3)  # two of four
    assert skipped(table) == []
    table.wait(100)  # seat 4 idles: two of three
    assert table.idle() == [4]
    assert len(skipped(table)) == 1


def test_leaving_may_tip_the_scales() -> None:
    table = Table(5)
    vote(table, 0, 1)
    assert skipped(table) == []
    table.leave(4)
    assert skipped(table) == []  # two of four are not more than half
    table.leave(3)
    assert len(skipped(table)) == 1


def test_votes_do_not_outlive_their_round() -> None:
    table = Table(4)
    vote(table, 1, 2)
    table.round()
    assert not any(entry.voted_skip for entry in table.pictures[None].players)


@pytest.mark.parametrize("on", [True, False])
def test_where_skips_are_off_a_vote_is_refused(on: bool) -> None:
    table = Table(4, allow_skips=False)
    assert refused(table, 1, VoteSkip(on)) == "no-skips"
    assert VoteSkip(True) not in table.match.legal(1)


def test_there_is_nothing_to_skip_after_the_verdict() -> None:
    table = Table(4)
    table.play_all()
    table.judge(1)
    assert refused(table, 1, VoteSkip(True)) == "not-playing"


def test_a_lost_line_can_decide_a_vote_though_there_is_no_other_black_card() -> None:
    table = Table(4, content=pack([*plain_cards(200, ()), black(0)]))
    for seat in (1, 2):
        table.do(seat, VoteSkip(True))
    table.play(3)
    events = table.gone(0)
    assert kinds(events, None)[-1] == "Skipped"
    assert (table.state.pending, table.state.black) == ([1, 2, 3], "b_0")


def test_extra_cards_are_dealt_once_a_round_however_often_a_card_is_skipped() -> None:
    draws = (1, 2, 0, 2, 3, 1)
    content = pack(plain_cards(400, [(2, draw) for draw in draws]))
    table = Table(4, content=content)
    most = 0
    for _ in range(60):
        most = max(most, table.match.shelf.blacks[table.state.black].draw)
        assert [len(table.hand(seat)) for seat in range(4)] == [10, *[10 + most] * 3]
        vote(table, 0, 1, 2)
    assert most == 3
    table.round()
    draw = table.match.shelf.blacks[table.state.black].draw
    assert len(table.hand(0)) == 10 + draw


def test_by_the_first_edition_a_skip_deals_them_again() -> None:
    table = Table(4, content=pack(plain_cards(400, [(1, 2)] * 3)), edition=1)
    vote(table, 0, 1, 2)
    assert [len(table.hand(seat)) for seat in range(4)] == [10, 14, 14, 14]
    assert table.match.copy().edition == 1


def test_who_judged_the_skipped_card_gets_the_extra_cards_of_the_next() -> None:
    table = Table(5, content=pack(plain_cards(400, [(1, 2)] * 3)))
    table.leave(0)
    assert len(table.hand(table.state.judge)) == 12
    vote(table, 1, 2, 3)
    assert [len(table.hand(seat)) for seat in range(1, 5)] == [12] * 4
