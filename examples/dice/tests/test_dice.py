"""Liar's Dice in the battery that every game must pass, and what only its own rules know."""

from __future__ import annotations

import pytest

from parlour.battery import Battery, Trial
from parlour.kit import Illegal, Outcome, Seat, Setup
from parlour.rng import FastRng
from parlour.turns import Turn
from parlour_dice import GAME
from parlour_dice.rules import Bid, Challenge, Event, LiarsDice, Lost, Raised, Rolled, Shown, deal
from parlour_dice.settings import Settings

RNG = FastRng(1)


def _dice(match: LiarsDice) -> list[tuple[int, int, int]]:
    """With their places, because two may show the same."""
    rows = [*match.dice, match.lost]
    return [(row, place, die) for row, dice in enumerate(rows) for place, die in enumerate(dice)]


def _knows(match: LiarsDice, seat: Seat | None) -> list[int]:
    return match.lost + ([] if seat is None else match.dice[seat])


def _reveals(event: Event) -> list[list[int]]:
    """All dice are shown, and rolled again at once."""
    return event.dice if isinstance(event, Shown) else []


class TestDice(Battery):
    trial = Trial(game=GAME, cards=_dice, knows=_knows, reveals=_reveals, bot_games=12)


def rolled(*dice: list[int], settings: Settings | None = None) -> LiarsDice:
    match = LiarsDice(settings or Settings(), len(dice), first=0)
    match.dice = [*dice]
    return match


def refusal(match: LiarsDice, action: Bid | Challenge) -> str:
    with pytest.raises(Illegal) as refused:
        match.apply(match.turn, action, RNG, 0)
    return refused.value.code


def test_a_bid_is_more_dice_or_as_many_of_a_higher_number() -> None:
    match = rolled([2, 2], [3, 4])
    assert refusal(match, Challenge()) == "no-bid"
    assert refusal(match, Bid(5, 2)) == "no-such-count"
    assert refusal(match, Bid(2, 1)) == "no-such-number"
    assert match.apply(0, Bid(2, 4), RNG, 0) == [Raised(0, 2, 4), Turn(1)]
    assert refusal(match, Bid(2, 4)) == refusal(match, Bid(1, 6)) == "too-low"
    assert match.legal(1) == [
        Challenge(),
        *(Bid(2, number) for number in (5, 6)),
        *(Bid(count, number) for count in (3, 4) for number in range(2, 7)),
    ]
    match.apply(1, Bid(4, 6), RNG, 0)
    assert match.legal(0) == [Challenge()]


@pytest.mark.parametrize(("wild", "loser"), [(True, 1), (False, 0)])
def test_ones_count_for_every_number_if_they_are_wild(wild: bool, loser: int) -> None:
    match = rolled([1, 5, 5], [1, 2, 3], settings=Settings(wild=wild))
    match.apply(0, Bid(3, 5), RNG, 0)
    shown, lost, *rest = match.apply(1, Challenge(), RNG, 0)
    assert shown == Shown(1, 0, [[1, 5, 5], [1, 2, 3]], 4 if wild else 2)
    assert lost == Lost(loser, 2)
    assert [type(event) for event in rest] == [Rolled, Rolled, Turn]
    assert match.turn == loser
    assert sorted(map(len, match.dice)) == [2, 3]


def test_the_last_player_with_dice_wins() -> None:
    match = rolled([6], [5], [2])
    match.apply(0, Bid(1, 6), RNG, 0)
    assert match.apply(1, Challenge(), RNG, 0)[1] == Lost(1, 0)
    assert match.turn == 2, "who is out begins no round"
    match.dice = [[6], [], [2]]
    match.apply(2, Bid(2, 2), RNG, 0)
    assert match.apply(0, Challenge(), RNG, 0)[-1] == Lost(2, 0)
    assert match.outcome() == Outcome((0,), "last")


def test_a_player_who_is_away_believes_nothing_and_begins_low() -> None:
    match, _ = deal(Setup(Settings(), ["a", "b"]), RNG, 0)
    assert match.gone(0, RNG, 0) == [Raised(0, 1, 2), Turn(1)]
    assert [type(event) for event in match.apply(1, Bid(9, 6), RNG, 0)][:3] == [Raised, Turn, Shown]
