"""What can be done, as the rules list it, and turning plays over."""

from __future__ import annotations

import itertools

import pytest

from parlour.games.quips.actions import Action, Discard, Judge, Play, Turn, Upgrade, VoteSkip
from parlour.games.quips.events import GAME_END, JUDGING, PLAYING
from parlour.games.quips.moves import ANY_TEXT
from parlour.kit import Seat
from tests.quips.tools import (
    StackedRng,
    Table,
    all_of,
    black,
    kinds,
    pack,
    plain_cards,
    refused,
    tiered,
    white,
)


def of_kind(table: Table, seat: Seat, kind: type[Action]) -> list[Action]:
    return [action for action in table.match.legal(seat) if isinstance(action, kind)]


def test_all_that_a_player_can_do_is_listed() -> None:
    content = pack([*plain_cards(100, ()), black(0, 2)])
    table = Table(3, content=content, hand_size=5, blank_cards=2, discards=1)
    slots = [slot for slot, _ in table.pictures[1].hand]
    pairs = [*itertools.pairwise(slots), (slots[-1], slots[0])]
    assert table.match.legal(1) == [
        *(Play([*pair]) for pair in pairs),
        Play([ANY_TEXT, ANY_TEXT]),
        *(Discard(slot) for slot in slots),
        VoteSkip(True),
    ]
    # The judge plays nothing.
    kinds_of_judge = {type(action) for action in table.match.legal(0)}
    assert kinds_of_judge == {Discard, VoteSkip}


def test_blank_cards_are_offered_as_long_as_there_are_enough() -> None:
    table = Table(3, content=pack([*plain_cards(100, ()), black(0, 2)]), blank_cards=1)
    assert Play([ANY_TEXT, ANY_TEXT]) not in table.match.legal(1)


def test_discards_are_offered_as_long_as_there_are_any() -> None:
    table = Table(3, discards=1)
    (first, *_) = of_kind(table, 1, Discard)
    table.do(1, first)
    assert of_kind(table, 1, Discard) == []
    assert len(of_kind(table, 2, Discard)) == 10


def test_a_vote_is_offered_the_other_way_round_and_to_people_alone() -> None:
    table = Table(5, computers=[4])
    assert of_kind(table, 1, VoteSkip) == [VoteSkip(True)]
    table.do(1, VoteSkip(True))
    assert of_kind(table, 1, VoteSkip) == [VoteSkip(False)]
    assert of_kind(table, 4, VoteSkip) == []
    table.play_all()
    assert of_kind(table, 2, VoteSkip) == [VoteSkip(True)]
    table.judge(2)
    assert of_kind(table, 2, VoteSkip) == []
    assert of_kind(Table(3, allow_skips=False), 1, VoteSkip) == []


def test_the_judge_alone_judges_and_turns_over_what_is_face_down() -> None:
    table = Table(4)
    assert of_kind(table, 0, Judge) == of_kind(table, 0, Turn) == []
    table.play_all()
    assert of_kind(table, 0, Judge) == [Judge(0), Judge(1), Judge(2)]
    assert of_kind(table, 0, Turn) == [Turn(0), Turn(1), Turn(2)]
    # And what anybody can do besides.
    assert len(of_kind(table, 0, Discard)) == 10
    assert of_kind(table, 1, Judge) == of_kind(table, 1, Turn) == []
    table.do(0, Turn(1))
    assert of_kind(table, 0, Turn) == [Turn(0), Turn(2)]
    assert len(of_kind(table, 0, Judge)) == 3


@pytest.mark.parametrize("cost", [1, 2])
def test_an_upgrade_is_offered_to_who_can_just_pay_for_it(cost: int) -> None:
    cards = [*tiered(500, (cost,)), *(white(n) for n in range(60)), black(0)]
    table = Table(3, rng=StackedRng("w_500"), content=pack(cards), round_end_timeout=0)
    holder = next(s for s in range(3) if "w_500" in table.hand(s))
    for _ in range(2 * 3):
        if table.board.players[holder].points == cost:
            break
        assert of_kind(table, holder, Upgrade) == []
        _keep(table, holder)
    (offered,) = of_kind(table, holder, Upgrade)
    table.do(holder, offered)
    assert table.board.players[holder].points == 0


def _keep(table: Table, winner: Seat) -> None:
    """A round that somebody wins who keeps the card with the upgrade, if they play."""
    for seat in table.board.pending():
        slot = next(s for s, card in table.pictures[seat].hand if card != "w_500")
        table.do(seat, Play([slot]))
    table.judge(winner if winner in table.board.order else table.board.order[0])
    table.wait(0)


def test_nothing_is_listed_for_who_is_not_there_or_when_it_is_over() -> None:
    table = Table(4)
    table.leave(2)
    assert table.match.legal(2) == table.match.legal(4) == table.match.legal(-1) == []
    assert refused(table, 4, VoteSkip(True)) == "not-seated"
    table.leave(1)
    assert table.match.over is not None
    assert table.match.legal(0) == []


def test_once_it_is_decided_nothing_is_left_to_do() -> None:
    table = Table(3, max_rounds=1, round_end_timeout=0)
    table.round()
    assert table.state.stage == GAME_END
    assert [table.match.legal(seat) for seat in range(3)] == [[], [], []]


# Turning plays over


def test_what_is_turned_over_is_told_to_all_and_changes_nothing_else() -> None:
    table = Table(4)
    table.play_all()
    before = table.state
    for index in (2, 0):
        events = table.do(0, Turn(index))
        assert [kinds(events, viewer) for viewer in (None, 0, 1)] == [["Turned"]] * 3
    assert table.state is before
    assert [picture.turned for picture in table.pictures.values()] == [[2, 0]] * 5


def test_who_may_turn_what_over() -> None:
    table = Table(4)
    assert refused(table, 0, Turn(0)) == "not-judging"
    table.play_all()
    assert refused(table, 1, Turn(0)) == "not-judge"
    assert refused(table, 0, Turn(3)) == refused(table, 0, Turn(-1)) == "no-such-play"
    table.do(0, Turn(2))
    assert refused(table, 0, Turn(2)) == "already-turned"


def test_to_turn_a_play_over_is_a_sign_of_life() -> None:
    table = Table(3, afk_time_seconds=30)
    table.play_all()
    reading = 30 + 7 * 2
    table.wait(reading - 1)
    table.do(0, Turn(0))
    table.wait(reading - 1)
    assert table.idle() == []
    table.wait(1)
    assert table.idle() == [0]


def test_what_was_turned_over_is_forgotten_with_its_round() -> None:
    table = Table(4, round_end_timeout=0)
    table.play_all()
    table.do(0, Turn(1))
    table.judge(1)
    assert table.pictures[None].turned == [1]
    table.wait(0)
    assert (table.state.stage, table.pictures[None].turned) == (PLAYING, [])


def test_a_skip_forgets_what_was_turned_over() -> None:
    table = Table(3)
    table.play_all()
    table.do(0, Turn(1))
    for seat in (1, 2):
        table.do(seat, VoteSkip(True))
    assert (table.state.stage, table.pictures[1].turned) == (PLAYING, [])


def test_another_judge_begins_anew() -> None:
    table = Table(5)
    table.play_all()
    table.do(0, Turn(3))
    table.leave(0)
    assert (table.state.stage, table.state.judge) == (JUDGING, 1)
    assert len(table.state.plays) == 3
    assert table.pictures[2].turned == []
    table.do(1, Turn(2))
    assert table.pictures[2].turned == [2]


# A copy


def test_a_copy_goes_its_own_way() -> None:
    table = Table(4, content=pack(plain_cards(60)))
    table.play(1)
    before = all_of(table.match)
    twin = table.match.copy()
    assert all_of(twin) == before
    for seat in (2, 3):
        slots = [held.slot for held in twin.board.players[seat].hand]
        twin.apply(seat, Play([*slots[: twin.board.pick]]), table.rng, table.now)
    twin.apply(0, Turn(0), table.rng, table.now)
    twin.apply(0, Judge(0), table.rng, table.now)
    twin.leave(1, table.rng, table.now)
    twin.leave(2, table.rng, table.now)
    assert twin.over is not None
    assert all_of(table.match) == before
    assert table.match.over is None
    assert twin.copy().over == twin.over
