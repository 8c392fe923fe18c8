"""Circuit mode: games in a row with totals, until somebody reaches the target."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.cambia.actions import CallCambia, DiscardDrawn, DrawStockpile
from parlour.games.cambia.events import Dealt, GameEnded
from parlour.games.cambia.rules import Cambia, deal
from parlour.games.cambia.settings import Circuit, CircuitRules, HouseRules, Settings
from parlour.kit import Setup
from parlour.rng import FastRng
from tests.cambia.tools import StackedRng, Table, only, stacked

LOW = "AH AS 2H 2S"  # 6
HIGH = "9H 9S 2D 2C"  # 22


def circuit(**rules: Any) -> Circuit:
    return Circuit(enabled=True, mode="circuit_4p", rules=CircuitRules(**rules))


def game(
    circuit_: Circuit,
    previous: Cambia | None = None,
    hands: tuple[str, str] = (LOW, HIGH),
    gone: int | None = None,
    **house: Any,
) -> tuple[Table, GameEnded]:
    """One game in which seat 0 calls at once and nobody changes a card."""
    rules = Settings(houseRules=HouseRules(**house), circuit=circuit_)
    order = stacked(hands, "5C", "6D 6S 6H 6C")
    table = Table(rules, 2, StackedRng(order), previous).begin()
    if table.match.current != 0:
        table.do(1, DrawStockpile())
        table.do(1, DiscardDrawn(table.drawn))
    table.do(0, CallCambia())
    if gone is not None:
        table.gone(gone)
    while table.match.outcome() is None:
        if gone == 1:
            table.wait(1_000)
        else:
            table.do(1, DrawStockpile())
            table.do(1, DiscardDrawn(table.drawn))
    return table, only(table.told[None], GameEnded)


def test_outside_a_circuit_nothing_is_added_up() -> None:
    table, result = game(Circuit())
    assert (result.totals, result.circuit_over, result.champions) == (None, False, [])
    assert only(table.told[None], Dealt).totals is None
    assert table.match.totals == {}


def test_the_winner_s_bonus_is_part_of_the_score() -> None:
    _, result = game(circuit())
    assert result.scores == [5, 22]
    assert result.bonus_applied
    assert not result.penalty_applied
    assert result.totals == [5, 22]
    assert result.winners == [0]


@pytest.mark.parametrize("penalty", [0, 1, 5])
def test_a_false_call_costs_what_the_circuit_says(penalty: int) -> None:
    _, result = game(circuit(falseCambiaPenalty=penalty), hands=(HIGH, LOW))
    assert result.scores == [22 + penalty, 5]
    assert result.penalty_applied == (penalty > 0)


def test_totals_are_carried_from_game_to_game_by_player() -> None:
    first, _ = game(circuit())
    second, result = game(circuit(), first.match)
    assert only(second.told[None], Dealt).totals == [5, 22]
    assert result.totals == [10, 44]
    assert not result.circuit_over


def test_reaching_the_target_ends_the_circuit_and_the_lowest_total_wins() -> None:
    first, _ = game(circuit(targetScore=44))
    second, result = game(circuit(targetScore=44), first.match)
    assert result.totals == [10, 44]
    assert result.circuit_over
    assert result.champions == [0]
    third, _ = game(circuit(targetScore=44), second.match)
    assert only(third.told[None], Dealt).totals == [0, 0], "the next circuit begins anew"


def test_equal_totals_share_the_circuit() -> None:
    first, _ = game(circuit(targetScore=25, winBonus=0, falseCambiaPenalty=0))
    _, result = game(
        circuit(targetScore=25, winBonus=0, falseCambiaPenalty=0), first.match, (HIGH, LOW)
    )
    assert result.totals == [28, 28]
    assert result.champions == [0, 1]


def test_a_circuit_goes_on_until_somebody_reaches_the_target() -> None:
    _, result = game(circuit(targetScore=23))
    assert (result.totals, result.circuit_over, result.champions) == ([5, 22], False, [])
    _, result = game(circuit(targetScore=22))
    assert (result.totals, result.circuit_over, result.champions) == ([5, 22], True, [0])


def test_a_circuit_s_penalty_is_not_a_single_game_s() -> None:
    off = Circuit(enabled=False, rules=CircuitRules(falseCambiaPenalty=7, winBonus=-3))
    _, result = game(off, hands=(HIGH, LOW))
    assert (result.scores, result.penalty_applied, result.bonus_applied) == ([23, 6], True, False)
    assert (result.totals, result.circuit_over, result.champions) == (None, False, [])


@pytest.mark.parametrize("away", [0, 1, 2])
def test_who_is_gone_holds_up_nobody_else_s_total(away: int) -> None:
    rules = Settings(circuit=circuit())
    order = stacked((LOW, HIGH, "3H 3S 3D 3C"), "5C", "6D 6S 6H 6C")
    table = Table(rules, 3, StackedRng(order)).begin()
    table.gone(away)
    table.do(0, CallCambia())
    result = only(table.wait(60_000), GameEnded)
    if away == 0:
        # Whoever called is gone, has no score and pays nothing; the next best wins.
        assert (result.scores, result.totals) == ([None, 22, 11], [0, 22, 11])
    else:
        expected = [5, 22, 12]
        expected[away] = 0
        assert result.totals == expected


@pytest.mark.parametrize("freeze", [True, False])
def test_the_total_of_a_player_who_is_gone_is_frozen(freeze: bool) -> None:
    _, result = game(circuit(freezeUserOnDisconnect=freeze), gone=1)
    assert result.scores == [5, None]
    assert result.totals == [5, 0 if freeze else 22]


def test_an_abandoned_game_changes_no_total() -> None:
    first, _ = game(circuit())
    rules = Settings(circuit=circuit())
    table = Table(rules, 2, StackedRng(None), first.match).begin()
    result = only(table.match.abandon(table.rng, table.now), GameEnded)
    assert result.totals == [5, 22]
    assert table.match.totals == {"p0": 5, "p1": 22}


def test_a_newcomer_starts_level_with_whoever_has_the_most() -> None:
    first, _ = game(circuit())
    rules = Settings(circuit=circuit())
    match, events = deal(Setup(rules, ["p1", "new", "p0"], previous=first.match), FastRng(1), 0)
    assert only(events, Dealt).totals == [22, 22, 5]
    again, events = deal(Setup(rules, ["p0", "p1"], previous=first.match), FastRng(1), 0)
    assert only(events, Dealt).totals == [5, 22]
    assert match.totals != again.totals


def test_who_sat_a_game_out_finds_their_total_again() -> None:
    first, _ = game(circuit())
    rules = Settings(circuit=circuit())
    second, _ = deal(Setup(rules, ["p0", "new"], previous=first.match), FastRng(1), 0)
    second.abandon(FastRng(1), 0)
    _, events = deal(Setup(rules, ["p0", "p1"], previous=second), FastRng(1), 0)
    assert only(events, Dealt).totals == [5, 22]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=6), st.integers(2, 8))
@settings(deadline=None, max_examples=30)
def test_totals_are_the_sums_of_the_scores(seeds: list[int], seats: int) -> None:
    rules = Settings(houseRules=HouseRules(turnTimerSec=1), circuit=circuit(targetScore=10_000))
    totals = [0] * seats
    previous: Cambia | None = None
    for seed in seeds:
        table = Table(rules, seats, FastRng(seed), previous).begin()
        table.do(table.match.current, CallCambia())
        result = only(table.wait(60_000), GameEnded)
        for seat, score in enumerate(result.scores):
            assert score is not None
            totals[seat] += score
        assert result.totals == totals
        previous = table.match
