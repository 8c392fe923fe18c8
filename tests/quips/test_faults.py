"""Faults seen in the original, each a regression test (spec: the last section)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from parlour.games.quips.actions import Discard, Judge, Play, Upgrade, VoteSkip
from parlour.games.quips.events import JUDGING, PLAYING, ROUND_END, StateChanged
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.quips.tools import (
    Table,
    black,
    mixed_cards,
    pack,
    plain_cards,
    refused,
    tiered,
    whites_of,
)


def test_duplicate_ids_in_a_play_wedge_nobody() -> None:
    table = Table(4, content=pack([*plain_cards(100, ()), black(0, 2)]))
    picture = table.pictures[1]
    slot, card = picture.hand[0]
    with pytest.raises(Illegal, match="not twice"):
        picture.name([card, card])
    assert refused(table, 1, Play([slot, slot])) == "card-twice"
    table.play(1)
    table.play(2)
    table.play(3)
    assert table.state.stage == JUDGING


def test_the_judge_does_not_move_when_somebody_leaves() -> None:
    for leaver in (0, 1, 3, 4, 5):
        table = Table(6)
        table.round()
        table.round()
        assert table.state.judge == 2
        table.leave(leaver)
        assert table.state.judge == 2
        table.round()
        assert table.state.judge == (4 if leaver == 3 else 3)


def test_neither_an_idle_player_nor_a_bot_judges() -> None:
    table = Table(6, computers=[1], max_points=50, max_rounds=50)
    for seat in (1, 3, 4, 5):
        table.play(seat)
    table.wait(100)
    assert table.idle() == [2]
    judges = []
    for _ in range(8):
        judges.append(table.state.judge)
        for seat in table.board.here():
            if seat != 2:
                table.stir(seat)
        if table.state.stage == PLAYING:
            table.play_all()
        table.do(table.state.judge, Judge(0))
        table.wait(5)
    assert set(judges) == {0, 3, 4, 5}


def test_cards_neither_leak_nor_vanish() -> None:
    """Through plays, blanks, upgrades, discards, skips, leaving and joining; see `Table.check`."""
    table = Table(
        5, FastRng(4), pack(mixed_cards()), max_players=6, hand_size=7, max_points=99, max_rounds=99
    )
    all_cards = whites_of(table.match)
    rnd = Random(4)
    done: Counter[str] = Counter()
    for _ in range(600):
        seat = rnd.choice(table.board.here())
        legal = [a for a in table.match.legal(seat) if not isinstance(a, VoteSkip)]
        dice = rnd.random()
        if dice < 0.02 and len(table.board.here()) > 3:
            table.leave(seat)
            done["leave"] += 1
        elif dice < 0.04 and len(table.board.here()) < 6:
            table.join()
            done["join"] += 1
        elif dice < 0.06 and table.state.stage in (PLAYING, JUDGING):
            table.do(seat, VoteSkip(True))
        elif legal:
            upgrades = [action for action in legal if isinstance(action, Upgrade)]
            action = rnd.choice(upgrades or legal)
            blank = isinstance(action, Play) and isinstance(action.cards[0], str)
            table.do(seat, action)
            done["blank" if blank else type(action).__name__] += 1
        elif table.state.stage == ROUND_END:
            table.wait(5)
    assert whites_of(table.match) == all_cards
    assert max(all_cards.values()) == 1
    assert min(done[what] for what in ("leave", "join", "blank", "Upgrade", "Discard")) > 0


def test_an_upgraded_card_goes_back_as_what_it_was() -> None:
    cards = [card for n in range(40) for card in tiered(n, (1, 1))]
    table = Table(3, FastRng(1), pack([*cards, black(0, 2)]), max_players=3)
    table.round(winner=1)
    slot, name = table.pictures[1].hand[0]
    table.do(1, Upgrade(slot))
    table.do(1, Upgrade(slot))
    assert table.pictures[1].hand[0] == (slot, f"{name}_2")
    table.do(1, Discard(slot))
    assert name in table.match.supply.whites.discards
    assert f"{name}_2" not in table.match.supply.whites.discards


def test_counters_do_not_run_while_nobody_waits() -> None:
    table = Table(4)
    table.play(1)
    table.wait(99)
    table.play(2)
    table.play(3)
    # The judge was not awaited so far; those who have played are not any more.
    table.wait(90 + 7 * 3 - 1)
    assert (table.state.stage, table.idle()) == (JUDGING, [])
    table.do(0, Judge(0))
    table.wait(5 + 99)
    assert (table.state.stage, table.idle()) == (PLAYING, [])


def test_no_division_by_zero_in_trophies() -> None:
    requirements = [
        {"type": "card_proportion", "custom": True, "min": 0.0},
        {"type": "win_proportion", "min": 0.0},
    ]
    trophies = [
        {
            "id": "t_zero",
            "name": {"en": "Zero"},
            "desc": {"en": "For tests."},
            "trophy_class": "zero",
            "trophy_grade": 1,
            "requirements": requirements,
        }
    ]
    table = Table(4, content=pack(plain_cards(), trophies), max_rounds=1)
    table.play(1)
    table.play(2)
    table.join()
    table.leave(3)
    table.play(4)
    table.judge(1)
    table.join()
    table.wait(5)
    assert table.state.results is not None
    # The judge and whoever came too late played nothing.
    assert [seat for seat, _ in table.state.results.trophies] == [1, 2, 4]


def test_spectators_are_told_of_a_judge_and_a_winner_who_are_somebody() -> None:
    """A spectator's own id is −1, and it would think itself the judge."""
    table = Table(5, max_points=3)
    table.play_all()
    table.leave(table.board.order[1])
    table.do(0, Judge(1))
    table.leave(0)
    table.wait(5)
    table.wait(400)
    for event in table.told[None]:
        if isinstance(event, StateChanged) and event.stage in (PLAYING, JUDGING, ROUND_END):
            assert event.judge >= 0
            assert event.judge not in event.pending
            assert (event.winning_player >= 0) == (event.stage == ROUND_END)


# Surprising messages, all harmless


def test_a_double_click_changes_nothing() -> None:
    table = Table(4)
    table.play(1)
    assert refused(table, 1, Play([])) == "already-played"
    table.do(2, Discard(4))
    assert refused(table, 2, Discard(4)) == "not-in-hand"
    table.play_all()
    table.do(0, Judge(1))
    assert refused(table, 0, Judge(1)) == "not-judging"
    assert refused(table, 0, Judge(0)) == "not-judging"
