"""Matches that add up: everybody's points, the rounds one by one, and a target."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.mo import GAME as MO
from parlour.kit import Illegal, Outcome
from parlour.protocol import extras
from parlour.table import Lobby, Player, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.series import MOST_ROUNDS, MOST_STANDINGS, Series, WonBy, best_first
from tests import highcard

GAME = replace(highcard.GAME, lobby=Lobby(most_points=100), min_seats=2, max_seats=2)
"""Everybody gains as many points as they have taken tricks."""


def opened(game: object = GAME) -> Table:
    opening = do.Open(id="t", code="123456", game="high", seed="5e" * 32, settings={}, opener="a")
    table = Table(game, opening, 0)  # type: ignore[arg-type]
    for visitor in ("a", "b"):
        table.receive(do.Join(visitor, visitor.upper(), True), 0)
    return table


def play(table: Table, now: int = 0) -> None:
    """One whole match, everybody laying whatever is legal first."""
    table.receive(do.Start(table.roster.players[0].place), now)
    while table.roster.running:
        match = table.match
        assert match is not None
        for player in list(table.roster.players):
            legal = [] if player.seat is None else match.legal(player.seat)
            if legal:
                table.receive(do.Act(player.place, legal[0]), now)


def test_rounds_add_up_until_somebody_has_reached_the_target() -> None:
    table = opened()
    assert table.receive(do.Target(0, 15), 0) == [tell.TargetSet()]
    series = table.roster.series
    points: dict[str, int] = {}
    while not series.winners:
        play(table)
        points = {standing.name: standing.points for standing in series.standings}
        assert table.match is not None
        outcome = table.match.outcome()
        assert outcome is not None
        assert list(series.rounds[-1].gains.values()) == list(outcome.scores.values())
        assert sum(sum(r.gains.values()) for r in series.rounds) == sum(points.values())
        assert bool(series.winners) == (max(points.values()) >= 15)
    assert series.winners == tuple(name for name in points if points[name] == max(points.values()))
    # The next round begins another match for the same target.
    table.receive(do.Start(0), 1)
    assert table.roster.series == Series(target=15)


def test_without_a_target_it_goes_on_and_on() -> None:
    table = opened()
    for number in range(1, 6):
        play(table)
        assert [each.number for each in table.roster.series.rounds] == [*range(1, number + 1)]
    assert table.roster.series.winners == ()


def test_who_comes_back_has_the_points_they_had() -> None:
    table = opened()
    play(table)
    before = {standing.visitor: standing.points for standing in table.roster.series.standings}
    table.receive(do.Leave(1), 1)
    table.receive(do.Join("b", "Bea", True), 2)
    play(table)
    after = {standing.visitor: standing for standing in table.roster.series.standings}
    assert len(after) == 2
    assert after["b"].name == "Bea"
    assert after["b"].id == table.roster.players[1].id
    gained = table.roster.series.rounds[-1].gains["Bea"]
    assert after["b"].points == before["b"] + gained


def test_a_target_is_set_between_rounds_by_who_may_and_where_rounds_add_up() -> None:
    table = opened()
    for wrong in (-1, 101):
        with pytest.raises(Illegal, match="up to 100"):
            table.receive(do.Target(0, wrong), 0)
    table.receive(do.Target(0, 100), 0)
    table.receive(do.Start(0), 0)
    with pytest.raises(Illegal, match="a round is running"):
        table.receive(do.Target(0, 60), 0)
    other = opened(replace(GAME, lobby=Lobby()))
    with pytest.raises(Illegal, match="do not add up"):
        other.receive(do.Target(0, 60), 0)


def test_where_points_do_not_add_up_wins_are_counted() -> None:
    table = opened(replace(GAME, lobby=Lobby()))
    won: Counter[str] = Counter()
    for number in range(1, 6):
        play(table)
        won.update(table.roster.series.rounds[-1].winners)
        series = table.roster.series
        assert {each.name: each.points for each in series.standings if each.points} == won
        assert all(each.points == each.won for each in series.standings)
        assert sum(won.values()) >= number
        assert len(series.rounds) == number
    assert series.winners == ()


def test_a_game_for_one_has_no_scores() -> None:
    opening = do.Open(id="t", code="123456", game="mo", seed="5e" * 32, settings={}, opener="a")
    table = Table(MO, opening, 0)
    table.receive(do.Join("a", "Ann", True), 0)
    happened = table.receive(do.Leave(0), 0)
    assert any(isinstance(event, tell.Finished) for event in happened)
    assert table.roster.series == Series()


def test_where_the_fewest_points_win_they_do_once_somebody_has_reached_the_target() -> None:
    table = opened(replace(GAME, lobby=replace(GAME.lobby, won_by="fewest")))
    table.receive(do.Target(0, 15), 0)
    series = table.roster.series
    while not series.winners:
        play(table)
        points = {standing.name: standing.points for standing in series.standings}
        assert bool(series.winners) == (max(points.values()) >= 15)
    fewest = min(points.values())
    assert series.winners == tuple(name for name in points if points[name] == fewest)
    told = json.loads(extras.table(table.roster, table.game.lobby, "a", 0))["scores"]
    assert told["won_by"] == "fewest"
    assert [each["points"] for each in told["standings"]] == sorted(points.values())


def players(*names: str) -> list[Player]:
    return [Player(n, f"id {name}", name, f"visitor {name}") for n, name in enumerate(names)]


def test_neither_leaving_early_nor_coming_late_wins_by_the_fewest_points() -> None:
    series = Series(target=20)
    series.count(1, players("Ann", "Bob", "Cid"), Outcome((), "", {0: 9, 1: 6, 2: 1}), "fewest")
    series.count(2, players("Ann", "Bob", "Dee"), Outcome((), "", {0: 9, 1: 2, 2: 4}), "fewest")
    assert series.winners == ()
    series.count(3, players("Ann", "Bob", "Dee"), Outcome((), "", {0: 3, 1: 4, 2: 0}), "fewest")
    points = {standing.name: standing.points for standing in series.standings}
    assert points == {"Ann": 21, "Bob": 12, "Cid": 1, "Dee": 13}
    assert series.winners == ("Bob",)


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 99)), max_size=130),
    st.sampled_from(["most", "fewest"]),
)
def test_what_is_remembered_is_bounded(rounds: list[tuple[int, int, int]], won_by: WonBy) -> None:
    series = Series()
    for number, (one, other, points) in enumerate(rounds, 1):
        seating = [
            Player(place, f"id {place}", f"name {place}", f"visitor {place}")
            for place in ({one, other} if one != other else {one, one + 100})
        ]
        best = best_first(series.standings, won_by)
        series.count(number, seating, Outcome((0,), "", {0: points}), won_by)
        assert len(series.rounds) == min(number, MOST_ROUNDS)
        assert len(series.standings) <= MOST_STANDINGS
        left = {standing.visitor for standing in series.standings}
        assert left >= {player.visitor for player in seating}
        assert left >= {standing.visitor for standing in best[: MOST_STANDINGS - 2]}
