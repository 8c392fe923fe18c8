"""How a game ends and is counted, and how the stockpile is made new."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from parlour.games.cambia.actions import (
    CallCambia,
    DrawStockpile,
    Replace,
    Special,
)
from parlour.games.cambia.events import (
    Drew,
    GameEnded,
    Reshuffled,
)
from parlour.kit import Outcome
from tests.cambia.tools import (
    OTHER,
    QUIET,
    Table,
    draw_and_discard,
    face_of,
    kinds,
    knows,
    only,
    seated,
)

# The end


def ended(*hands: str, caller: int = 0, top: str = "5C", **rules: Any) -> GameEnded:
    """Seat `caller` calls; everybody discards what they draw."""
    table = seated(*hands, top=top, stockpile="6D 6S 6H 6C", **rules)
    for seat in range(caller):
        draw_and_discard(table, seat)
    table.do(caller, CallCambia())
    while table.match.outcome() is None:
        draw_and_discard(table, table.match.current)
    return only(table.told[None], GameEnded)


def test_the_lowest_sum_wins_and_a_caller_who_has_it_pays_nothing() -> None:
    result = ended("AH AS 2H 2S", "9H 9S 2D 2C")
    assert result.scores == [6, 22]
    assert result.winners == [0]
    assert not result.penalty_applied
    assert not result.bonus_applied
    assert result.how == "cambia"


def test_a_caller_who_is_not_lowest_gets_one_more() -> None:
    result = ended("9H 9S 2D 2C", "AH AS 2H 2S")
    assert result.scores == [23, 6]
    assert result.winners == [1]
    assert result.penalty_applied


@pytest.mark.parametrize("forfeit", [True, False])
def test_the_outcome_is_the_count_s(forfeit: bool) -> None:
    """Whoever forfeits has no score in it; a copy of the game ended as the game did."""
    table = seated(QUIET, "AS AD 2S 2D", "9H 9S 2C 3C", top="5C", forfeitOnDisconnect=forfeit)
    table.do(0, CallCambia())
    table.gone(2)
    assert table.match.outcome() is None
    table.wait(60_000)
    scores = {0: 11, 1: 6} if forfeit else {0: 11, 1: 6, 2: 23}
    assert table.match.outcome() == Outcome((1,), "cambia", scores)
    assert table.match.copy().outcome() == table.match.outcome()


def test_the_caller_wins_ties() -> None:
    assert ended("AH AS 2H 2S", "AC AD 2C 2D", caller=1).winners == [1]


def test_a_tie_without_the_caller_is_shared() -> None:
    result = ended("AH AS 2H 2S", "AC AD 2C 2D", "9H 9S 8H 8S", caller=2)
    assert result.winners == [0, 1]
    assert result.scores == [6, 6, 35]


def test_red_kings_and_jokers_are_counted() -> None:
    assert ended("KH KD OR OB", "KS KC AH AS").scores == [-2, 28]


def test_the_hands_lie_open_at_the_end() -> None:
    result = ended(QUIET, OTHER)
    assert [[card.face for card in hand] for hand in result.hands] == [
        [face_of(c) for c in QUIET.split()],
        [face_of(c) for c in OTHER.split()],
    ]


@pytest.mark.parametrize("forfeit", [True, False])
def test_who_is_gone_at_the_end_has_no_score(forfeit: bool) -> None:
    table = seated("9H 9S 9D 9C", QUIET, top="5C", stockpile="6D 6S", forfeitOnDisconnect=forfeit)
    table.do(0, CallCambia())
    table.gone(1)
    result = only(table.wait(15_000), GameEnded)
    assert result.scores == ([36, None] if forfeit else [37, 10])
    assert result.winners == ([0] if forfeit else [1])
    outcome = table.match.outcome()
    assert outcome is not None
    assert outcome.scores == ({0: 36} if forfeit else {0: 37, 1: 10})


def test_who_comes_back_in_time_has_a_score() -> None:
    table = seated("9H 9S 9D 9C", QUIET, top="5C", stockpile="6D 6S")
    table.do(0, CallCambia())
    table.gone(1)
    table.back(1)
    assert only(draw_and_discard(table, 1), GameEnded).winners == [1]


def test_when_everybody_is_gone_nobody_wins() -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6D 6S")
    table.do(0, CallCambia())
    table.gone(0)
    table.gone(1)
    result = only(table.wait(15_000), GameEnded)
    assert (result.scores, result.winners) == ([None, None], [])


def test_an_abandoned_game_ends_without_a_winner() -> None:
    table = seated(QUIET, OTHER, top="5C")
    result = only(table.match.abandon(table.rng, table.now), GameEnded)
    assert (result.scores, result.winners, result.how) == ([None, None], [], "abandoned")
    assert table.match.outcome() is not None
    assert table.match.due() is None
    assert table.match.abandon(table.rng, table.now) == []


# The stockpile


def test_a_draw_that_leaves_one_card_reshuffles_all_discards_but_the_top() -> None:
    table = seated(QUIET, OTHER, top="5C", numJokers=0)
    layout = table.match.layout
    while len(layout.stockpile) > 2:
        draw_and_skip(table)
    under = {layout.ids[c] for c in layout.discards[:-1]}
    faces = Counter(layout.faces[c] for c in layout.discards[:-1])
    top, last = layout.ids[layout.discards[-1]], layout.ids[layout.stockpile[0]]
    events = table.do(table.match.current, DrawStockpile())
    assert kinds(events) == ["Drew", "Reshuffled"]
    assert only(events, Drew).stockpile == 1
    assert only(events, Reshuffled).stockpile == len(under) + 1 == len(layout.stockpile)
    assert [layout.ids[card] for card in layout.discards] == [top]
    # They go under what is left, nobody knows them, and their old ids say nothing.
    assert layout.ids[layout.stockpile[-1]] == last
    assert Counter(layout.faces[c] for c in layout.stockpile[:-1]) == faces
    assert not under & set(layout.ids)
    assert not any(knows(layout, s, c) for s in (0, 1, None) for c in layout.stockpile)


def draw_and_skip(table: Table) -> None:
    seat = table.match.current
    draw_and_discard(table, seat)
    if table.match.current == seat:
        table.do(seat, Special("skip"))


@pytest.mark.parametrize("by", ["the player", "the timer"])
@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (0, ["Reshuffled", "Drew"]),
        (1, ["Drew", "Reshuffled"]),
        (2, ["Drew", "Reshuffled"]),
        (3, ["Drew"]),
    ],
)
def test_a_card_is_drawn_before_the_pile_is_made_new_unless_it_is_empty(
    by: str, left: int, expected: list[str]
) -> None:
    table = seated(QUIET, OTHER, top="5C", stockpile="6C 6D 6H", penaltyDrawCount=1)
    layout = table.match.layout
    for seat in (0, 1):
        draw_and_discard(table, seat)
    while len(layout.stockpile) > 3:
        table.snap_wrong(1)
    # What is left in the stockpile changes hands, and nobody is told.
    for card in layout.stockpile[left:]:
        layout.put(card, 1, len(layout.hands[1]))
    del layout.stockpile[left:]
    for picture in table.pictures.values():
        picture.stockpile = left
        picture.players[1].hand = [layout.ids[card] for card in layout.hands[1]]
    table.match.snaps.rests.clear()
    events = table.do(0, DrawStockpile()) if by == "the player" else table.wait(15_000)
    assert kinds(events)[: len(expected)] == expected
    assert kinds(events).count("Reshuffled") == expected.count("Reshuffled")


def test_with_only_the_top_discard_nothing_is_reshuffled() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=1)
    layout = table.match.layout
    while len(layout.stockpile) > 1:
        assert kinds(table.snap_wrong(1)) == ["SnapFailed", "SnapPenalty"]
    assert kinds(table.do(0, DrawStockpile())) == ["Drew"]
    assert (len(layout.stockpile), len(layout.discards)) == (0, 1)


def test_when_there_is_nothing_to_draw_at_all_the_game_ends() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=6)
    while table.match.layout.can_draw():
        table.snap_wrong(1)
    result = only(table.do(0, DrawStockpile()), GameEnded)
    assert (result.how, result.winners, result.caller) == ("stockpile", [0], None)


def test_the_timer_too_ends_a_game_with_nothing_to_draw() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=6)
    while table.match.layout.can_draw():
        table.snap_wrong(1)
    assert only(table.wait(15_000), GameEnded).how == "stockpile"


def test_an_empty_stockpile_is_filled_from_later_discards_before_the_next_draw() -> None:
    table = seated(QUIET, OTHER, top="5C", penaltyDrawCount=6)
    layout = table.match.layout
    while len(layout.stockpile) > 6:
        table.snap_wrong(1)
    table.do(0, DrawStockpile())
    while layout.stockpile:
        table.snap_wrong(1)
    table.do(0, Replace(table.card(0, 0), 0))
    assert (len(layout.stockpile), len(layout.discards)) == (0, 2)
    assert kinds(table.do(1, DrawStockpile()))[:2] == ["Reshuffled", "Drew"]
