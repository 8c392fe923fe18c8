"""What is told, to whom, in which order (spec: "What existing clients rely on")."""

from __future__ import annotations

import itertools

from parlour.games.quips.actions import Discard, Play, Upgrade
from parlour.games.quips.events import (
    GAME_END,
    JUDGING,
    PLAYING,
    HandChanged,
    PlayersChanged,
    PlayShown,
    PointsChanged,
    StateChanged,
)
from parlour.kit import PutOut
from tests.quips.tools import StackedRng, Table, black, kinds, mixed_cards, pack, plain_cards


def test_a_game_begins() -> None:
    table = Table(3)
    for seat in range(3):
        assert kinds(table.story, seat) == [
            "Dealt",
            "PointsChanged",
            "HandChanged",
            "PlayShown",
            "PlayersChanged",
            "StateChanged",
        ]
    assert kinds(table.story, None) == ["Dealt", "PlayersChanged", "StateChanged"]
    assert PointsChanged(1, 0) in table.story
    assert PlayShown(1, []) in table.story


def test_a_round_begins_with_empty_plays_for_all_and_hands_where_they_changed() -> None:
    table = Table(4)
    table.play_all()
    table.judge(1)
    events = table.wait(5)
    walk = ["PlayShown", "PlayersChanged", "StateChanged"]
    assert [kinds(events, seat) for seat in range(4)] == [walk] * 4
    # With extra cards, hands change, but for the new judge's.
    drawing = Table(4, content=pack([*plain_cards(200, ()), black(0, 2, 1)]))
    drawing.play_all()
    drawing.judge(1)
    events = drawing.wait(5)
    assert kinds(events, 2) == ["PlayShown", "HandChanged", "PlayersChanged", "StateChanged"]
    assert kinds(events, 1) == walk


def test_a_play_is_told_to_its_player_and_its_being_made_to_all() -> None:
    table = Table(4)
    events = table.play(2)
    assert kinds(events, 2) == ["HandChanged", "PlayShown", "StateChanged"]
    assert kinds(events, 1) == kinds(events, None) == ["StateChanged"]


def test_a_verdict() -> None:
    table = Table(4)
    table.play_all()
    events = table.judge(3)
    assert kinds(events, 3) == ["PlayersChanged", "PointsChanged", "StateChanged"]
    assert kinds(events, 1) == ["PlayersChanged", "StateChanged"]


def test_an_upgrade() -> None:
    rng = StackedRng("b_0", *(f"w_{n}" for n in range(60)))
    table = Table(3, rng, pack(mixed_cards()), max_players=4)
    table.do(1, Play([next(slot for slot, card in table.pictures[1].hand if card == "w_11")]))
    table.play_all()
    table.judge(1)
    slot = next(slot for slot, card in table.pictures[1].hand if card == "w_12")
    events = table.do(1, Upgrade(slot))
    assert kinds(events, 1) == ["PointsChanged", "HandChanged", "PlayersChanged"]
    assert kinds(events, 2) == ["PlayersChanged"]


def test_a_discard_is_nobody_elses_business() -> None:
    table = Table(4)
    events = table.do(1, Discard(0))
    assert kinds(events, 1) == ["HandChanged"]
    assert kinds(events, 2) == kinds(events, None) == []


def test_somebody_joins_in_mid_round_and_is_pending_at_once() -> None:
    table = Table(3)
    events = table.join()
    assert table.state.pending == [1, 2, 3]
    assert kinds(events, 0) == kinds(events, None) == ["PlayersChanged", "StateChanged"]
    assert kinds(events, 3) == [
        "PointsChanged",
        "HandChanged",
        "PlayShown",
        "PlayersChanged",
        "StateChanged",
    ]


def test_the_end_comes_whole_after_the_final_players() -> None:
    table = Table(4, max_rounds=1)
    table.play_all()
    events = table.judge(3)
    final = [event for event in events if isinstance(event, PlayersChanged)][-1]
    assert [entry.score for entry in final.players] == [0, 0, 0, 1]
    events = table.wait(5)
    assert kinds(events, 3) == ["StateChanged"]
    assert isinstance(events[0], StateChanged)
    assert events[0].stage == GAME_END
    assert events[0].results is not None
    assert kinds(table.wait(30), 3) == ["Over"]
    picture = table.pictures[3]
    assert (picture.state, picture.hand, picture.played, picture.points) == (None, [], [], 0)


def test_somebody_is_put_out_before_the_others_hear_of_it() -> None:
    table = Table(4, idle_kick_time_seconds=60)
    for seat in (1, 2):
        table.play(seat)
    table.wait(100)
    assert table.state.stage == JUDGING
    events = table.wait(60)
    assert isinstance(events[0], PutOut)
    assert kinds(events, 0) == ["PutOut", "PlayersChanged"]


def test_a_hand_is_told_only_when_it_changed() -> None:
    """It is rebuilt under somebody who is typing."""
    table = Table(4, content=pack(mixed_cards()), max_players=4, max_rounds=20, max_points=90)
    for _ in range(12):
        table.round()
    for seat in range(4):
        hands = [e for e in table.told[seat] if isinstance(e, HandChanged)]
        assert all(a != b for a, b in itertools.pairwise(hands))
        points = [e.points for e in table.told[seat] if isinstance(e, PointsChanged)]
        assert all(a != b for a, b in itertools.pairwise(points))
    told = [e for e in table.told[None] if isinstance(e, StateChanged)]
    assert all(a != b for a, b in itertools.pairwise(told))


def test_players_come_before_the_state_that_goes_with_them() -> None:
    table = Table(4)
    table.join()
    table.leave(0)
    table.wait(100)
    story = table.told[None]
    known: set[int] = set()
    for event in story:
        if isinstance(event, PlayersChanged):
            known = {entry.seat for entry in event.players}
        elif isinstance(event, StateChanged) and event.stage == PLAYING:
            assert {event.judge, *event.pending} <= known
