"""People who join and leave in mid-game (spec, Rules and "What existing clients rely on")."""

from __future__ import annotations

import pytest

from parlour.games.quips.actions import Judge, Play
from parlour.games.quips.events import GAME_END, JUDGING, PLAYING, ROUND_END
from parlour.kit import Illegal
from tests.quips.tools import Table, black, kinds, pack, plain_cards, refused


def test_who_joins_gets_a_hand_with_extra_cards_where_they_can_still_play() -> None:
    content = pack([*plain_cards(200, ()), black(0, 2, 1)])
    table = Table(3, content=content)
    table.join()
    assert len(table.hand(3)) == 11
    assert (table.pictures[3].blanks, table.pictures[3].discards) == (2, 5)
    table.play_all()
    table.join()
    assert len(table.hand(4)) == 10
    assert table.state.pending == []
    assert refused(table, 4, Play([0, 1])) == "not-playing"
    table.judge(1)
    table.join()
    table.wait(5)
    assert table.state.pending == [0, 2, 3, 4, 5]


def test_there_is_room_for_max_players() -> None:
    table = Table(3, max_players=4)
    table.join()
    with pytest.raises(Illegal) as no:
        table.match.join("p4", False, table.rng, table.now)
    assert no.value.code == "table-full"
    assert len(table.board.players) == 4
    table.leave(2)
    table.join()
    assert table.board.here() == [0, 1, 3, 4]


def test_seats_keep_their_numbers() -> None:
    table = Table(5)
    table.leave(1)
    assert table.board.here() == [0, 2, 3, 4]
    table.join()
    assert table.board.here() == [0, 2, 3, 4, 5]
    assert refused(table, 1, Play([0])) == "not-seated"
    for call in (table.leave, table.gone, table.back, table.stir):
        assert call(1) == []
    assert table.match.legal(1) == []


def test_the_hand_of_a_leaver_goes_to_the_discards() -> None:
    table = Table(4)
    hand = table.hand(2)
    table.leave(2)
    assert set(table.match.supply.whites.discards) == set(hand)


def test_a_play_that_nobody_saw_leaves_with_its_author() -> None:
    table = Table(5)
    table.play(4)
    table.leave(4)
    table.play_all()
    assert len(table.state.plays) == 3


def test_the_last_one_awaited_leaves_and_judging_begins() -> None:
    table = Table(5)
    for seat in (1, 2, 3):
        table.play(seat)
    events = table.leave(4)
    assert table.state.stage == JUDGING
    assert kinds(events, 0) == ["PlayersChanged", "StateChanged"]


def test_plays_stay_when_their_authors_leave() -> None:
    table = Table(5)
    table.play_all()
    plays = table.state.plays
    winner = table.board.order[2]
    table.leave(winner)
    assert table.state.plays == plays
    table.do(0, Judge(2))
    assert (table.state.winning_player, table.state.plays) == (winner, plays)
    other = table.board.order[0]
    table.leave(other)
    assert (table.state.stage, table.state.plays) == (ROUND_END, plays)
    assert all(entry.score == 0 for entry in table.pictures[None].players)
    table.wait(5)
    assert table.state.stage == PLAYING


def test_a_leaver_neither_wins_nor_ends_the_game() -> None:
    table = Table(5, max_points=1)
    table.play_all()
    winner = table.board.order[2]
    table.leave(winner)
    table.do(0, Judge(2))
    table.wait(5)
    assert table.state.stage == PLAYING
    table.round()
    assert table.state.stage == GAME_END
    assert table.state.results is not None
    assert winner not in table.state.results.winners


@pytest.mark.parametrize("stage", [PLAYING, JUDGING, ROUND_END])
def test_falling_below_the_minimum_ends_the_game_at_once(stage: str) -> None:
    table = Table(3)
    if stage != PLAYING:
        table.play_all()
    if stage == ROUND_END:
        table.judge(1)
    assert table.state.stage == stage
    events = table.leave(2)
    assert kinds(events, 0) == ["Over"]
    outcome = table.match.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.winners) == ("too-few", ())
    assert table.pictures[0].state is None


def test_but_not_once_it_is_decided() -> None:
    table = Table(3, max_rounds=1)
    table.round(winner=1)
    table.leave(2)
    table.leave(0)
    assert table.match.outcome() is None
    table.wait(30)
    outcome = table.match.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.winners) == ("played", (1,))


def test_bots_count_for_the_minimum() -> None:
    table = Table(3, computers=[1, 2])
    assert table.state.stage == PLAYING
    table.join(computer=True)
    assert table.pictures[None].entry(3).computer  # type: ignore[union-attr]
    table.leave(1)
    assert table.match.outcome() is None


def test_an_abandoned_game_has_no_winner() -> None:
    table = Table(3)
    events = table._tell(table.match.abandon(table.rng, table.now))
    assert kinds(events, None) == ["Over"]
    outcome = table.match.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.winners) == ("abandoned", ())
    assert table.match.abandon(table.rng, table.now) == []


def test_nor_has_one_that_is_abandoned_after_its_end() -> None:
    table = Table(3, max_rounds=1, round_end_timeout=0)
    table.round()
    assert table.state.stage == GAME_END
    table._tell(table.match.abandon(table.rng, table.now))
    outcome = table.match.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.winners) == ("abandoned", ())


def test_nothing_comes_of_who_is_not_there_any_more() -> None:
    table = Table(4)
    table.leave(3)
    for happens in (table.leave, table.gone, table.back, table.stir):
        assert happens(3) == []
    assert not table.match.asleep(3)
    table.leave(2)
    assert table.match.over is not None
    assert table.match.due() is None
    for happens in (table.leave, table.gone, table.back, table.stir):
        assert happens(1) == []


def test_a_newcomer_is_who_they_are() -> None:
    table = Table(4)
    table.join(computer=True)
    table.join()
    assert [p.id for p in table.board.players[4:]] == ["p4", "p5"]
    assert [p.computer for p in table.board.players[4:]] == [True, False]
