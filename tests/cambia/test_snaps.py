"""Snaps: right, wrong, raced, and of other people's cards."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.cambia.actions import (
    CallCambia,
    DiscardDrawn,
    DrawDiscard,
    DrawStockpile,
    Replace,
    Snap,
    SnapMove,
    Special,
)
from parlour.games.cambia.events import (
    NO_OWNER,
    CardAt,
    Event,
    GameEnded,
    Reshuffled,
    SnapFailed,
    SnapMoved,
    SnapPenalty,
    SnapWon,
    SpecialRefused,
    view,
)
from parlour.games.cambia.settings import HouseRules, Settings
from parlour.kit import Illegal
from parlour.rng import FastRng
from tests.cambia import tools
from tests.cambia.tools import Table, face_of, fingerprint, kinds, only, refused, seated

FIVES = ("5H 2H 3H 4H", "5S 2S 3S 4S", "5D 2D 3D 4D")


def test_a_card_of_the_top_rank_leaves_the_hand_which_closes_up() -> None:
    table = seated(*FIVES, top="5C")
    name = table.card(1, 0)
    events = table.do(1, Snap(name))
    won = only(events, SnapWon)
    assert (won.card.card, won.card.owner, won.card.idx) == (name, 1, 0)
    assert won.card.face == face_of("5S") == table.top
    assert won.deadline is None
    assert table.faces(1) == [face_of(c) for c in ("2S", "3S", "4S")]
    assert kinds(events) == ["SnapWon"], "a snap neither passes the turn nor fires an ability"
    assert table.match.current == 0


def test_the_colour_of_a_king_does_not_matter() -> None:
    table = seated("KH 2H 3H 4H", "AS 2S 3S 4S", top="KS")
    assert kinds(table.do(0, Snap(table.card(0, 0)))) == ["SnapWon"]


def test_jokers_snap_on_jokers() -> None:
    table = seated("OR 2H 3H 4H", "AS 2S 3S 4S", top="OB")
    assert kinds(table.do(0, Snap(table.card(0, 0)))) == ["SnapWon"]


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_a_wrong_snap_shows_the_card_and_costs_blind_cards(count: int) -> None:
    table = seated(*FIVES, top="5C", penaltyDrawCount=count)
    left = len(table.match.layout.stockpile)
    name = table.card(2, 1)
    events = table.do(2, Snap(name))
    failed = only(events, SnapFailed)
    assert (failed.card.card, failed.card.face, failed.card.idx) == (name, face_of("2D"), 1)
    assert kinds(events) == ["SnapFailed"] + ["SnapPenalty"] * count
    penalties = [event for event in events if isinstance(event, SnapPenalty)]
    assert [p.card.card for p in penalties] == [table.card(2, 4 + n) for n in range(count)]
    assert [p.card.idx for p in penalties] == [4 + n for n in range(count)]
    assert [(p.count, p.total) for p in penalties] == [(n + 1, count) for n in range(count)]
    assert [p.stockpile for p in penalties] == [left - 1 - n for n in range(count)]
    assert table.card(2, 1) == name


def test_a_penalty_card_is_shown_to_nobody() -> None:
    table = seated(*FIVES, top="5C")
    for penalty in table.do(2, Snap(table.card(2, 1)))[1:]:
        assert isinstance(penalty, SnapPenalty)
        for viewer in (0, 1, 2, None):
            seen = view(penalty, viewer)
            assert isinstance(seen, SnapPenalty)
            assert seen.card.face == -1


def test_only_own_cards_in_a_hand_can_be_snapped() -> None:
    table = seated(*FIVES, top="5C")
    name = table.card(1, 0)
    assert refused(table, 0, Snap(name)) == "not-yours"
    assert refused(table, 0, Snap("no such card")) == "no-such-card"
    table.do(1, Snap(name))
    assert refused(table, 1, Snap(name)) == "no-such-card"
    table.do(0, DrawStockpile())
    assert refused(table, 0, Snap(table.drawn)) == "no-such-card"


@pytest.mark.parametrize("penalty", [0, 2])
def test_after_a_wrong_snap_a_player_may_not_snap_for_a_while(penalty: int) -> None:
    table = seated(*FIVES, top="5C", penaltyDrawCount=penalty, turnTimerSec=0)
    wrong, right = Snap(table.card(1, 1)), Snap(table.card(1, 0))
    assert kinds(table.do(1, wrong))[0] == "SnapFailed"
    for snap in (wrong, right):
        assert refused(table, 1, snap) == "snap-rest"
    assert not any(isinstance(action, Snap) for action in table.match.legal(1))
    assert kinds(table.do(2, Snap(table.card(2, 0)))) == ["SnapWon"], "the others may"
    assert table.wait(1_999) == []
    assert refused(table, 1, right) == "snap-rest"
    table.wait(1)
    assert right in table.match.legal(1)
    assert kinds(table.do(1, right)) == ["SnapWon"]


def test_each_wrong_snap_in_a_row_doubles_the_wait_and_a_right_one_forgets_them() -> None:
    table = seated(*FIVES, top="5C", penaltyDrawCount=0, turnTimerSec=0)
    waits = []
    for _ in range(8):
        table.do(1, Snap(table.card(1, 1)))
        due = table.match.due()
        assert due is not None
        waits.append(due - table.now)
        table.wait(waits[-1])
    assert waits == [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]
    table.do(1, Snap(table.card(1, 0)))
    table.do(1, Snap(table.card(1, 1)))
    assert table.match.due() == table.now + 2_000


@given(st.lists(st.integers(0, 3_000), max_size=200), st.integers(0, 6))
@settings(deadline=None, max_examples=40)
def test_nobody_can_flood_the_others_with_wrong_snaps(pauses: list[int], penalty: int) -> None:
    table = seated(*FIVES, top="5C", penaltyDrawCount=penalty, turnTimerSec=0)
    began, failed = table.now, 0
    for pause in pauses:
        table.wait(pause)
        try:
            failed += kinds(table.do(1, Snap(table.card(1, 1)))).count("SnapFailed")
        except Illegal as no:
            assert no.code == "snap-rest"
    minutes = (table.now - began) / 60_000
    assert failed <= 6 + minutes


def test_when_the_wait_is_over_it_ends_also_where_nobody_heard_of_it() -> None:
    """A snap may come before the tick that is due with it."""
    table = seated(*FIVES, top="5C", penaltyDrawCount=0, turnTimerSec=0)
    table.do(1, Snap(table.card(1, 1)))
    table.now += 2_000
    assert kinds(table.do(1, Snap(table.card(1, 0)))) == ["SnapWon"]
    assert table.match.due() is None


def test_nothing_is_due_any_more_when_the_game_is_over() -> None:
    table = seated(*FIVES, top="5C", penaltyDrawCount=0, turnTimerSec=0)
    table.do(1, Snap(table.card(1, 1)))
    table.match.abandon(table.rng, table.now)
    assert table.match.due() is None


def test_what_is_listed_does_not_tell_right_from_wrong() -> None:
    table = seated(*FIVES, top="5C")
    for seat in (1, 2):
        assert table.match.legal(seat) == [Snap(table.card(seat, idx)) for idx in range(4)]


def test_a_locked_caller_neither_snaps_nor_is_snapped() -> None:
    table = seated(*FIVES, top="5C", allowOpponentSnapping=True)
    table.do(0, CallCambia())
    assert refused(table, 0, Snap(table.card(0, 0))) == "locked"
    assert refused(table, 1, Snap(table.card(0, 0))) == "locked"
    assert table.match.legal(0) == []


# Races


def test_without_a_race_a_later_snap_is_judged_against_the_new_top() -> None:
    for order in permutations(range(3)):
        table = seated(*FIVES, top="5C")
        for seat in order:
            assert kinds(table.do(seat, Snap(table.card(seat, 0)))) == ["SnapWon"]


def test_in_a_race_only_the_first_snap_on_a_discard_counts() -> None:
    for order in permutations(range(3)):
        table = seated(*FIVES, top="5C", snapRace=True)
        first, *late = order
        assert kinds(table.do(first, Snap(table.card(first, 0)))) == ["SnapWon"]
        for seat in late:
            events = table.do(seat, Snap(table.card(seat, 0)))
            assert kinds(events) == ["SnapFailed", "SnapPenalty", "SnapPenalty"]


def test_the_next_discard_is_a_new_race() -> None:
    table = seated(*FIVES, top="5C", stockpile="2C", snapRace=True)
    table.do(1, Snap(table.card(1, 0)))
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    assert kinds(table.do(0, Snap(table.card(0, 1)))) == ["SnapWon"]


def test_a_race_stays_decided_when_the_snapped_card_is_taken_from_the_pile() -> None:
    table = seated(*FIVES, top="5C", snapRace=True, allowDrawFromDiscardPile=True)
    table.do(1, Snap(table.card(1, 0)))
    table.do(0, DrawDiscard())
    assert table.top == face_of("5C")
    assert kinds(table.do(2, Snap(table.card(2, 0))))[0] == "SnapFailed"


def test_a_card_snapped_in_one_race_can_be_snapped_on_when_it_is_discarded_again() -> None:
    table = seated(*FIVES, top="5C", snapRace=True, allowDrawFromDiscardPile=True)
    table.do(1, Snap(table.card(1, 0)))
    table.do(0, DrawDiscard())
    table.do(0, DiscardDrawn(table.drawn))
    assert kinds(table.do(2, Snap(table.card(2, 0)))) == ["SnapWon"]


def test_a_card_snapped_in_one_race_can_be_snapped_on_when_it_is_replaced_out_of_a_hand() -> None:
    table = seated(*FIVES, top="5C", snapRace=True, allowDrawFromDiscardPile=True)
    table.do(1, Snap(table.card(1, 0)))
    table.do(0, DrawDiscard())
    table.do(0, Replace(table.card(0, 1), 1))
    for seat in (1, 2):
        table.do(seat, DrawStockpile())
        table.do(seat, Replace(table.card(seat, 2), 2))
    table.do(0, DrawStockpile())
    table.do(0, Replace(table.card(0, 1), 1))
    assert table.top == face_of("5S")
    assert kinds(table.do(2, Snap(table.card(2, 0)))) == ["SnapWon"]


def test_a_copy_of_a_game_knows_the_same_race() -> None:
    table = seated(*FIVES, top="5C", snapRace=True)
    table.do(1, Snap(table.card(1, 0)))
    twin = table.match.copy()
    late = Snap(table.card(2, 0))
    assert kinds(twin.apply(2, late, FastRng(1), table.now))[0] == "SnapFailed"


def test_a_wrong_snap_is_told_in_full() -> None:
    """By its place alone the card is one's own."""
    table = seated(*FIVES, top="5C")
    stockpile = [table.match.layout.ids[card] for card in table.match.layout.stockpile]
    events = table.do(1, Snap("", idx=3))
    assert events == [
        SnapFailed(1, CardAt(table.card(1, 3), 1, 3, face_of("4S"))),
        SnapPenalty(1, CardAt(stockpile[-1], 1, 4), 1, 2, len(stockpile) - 1),
        SnapPenalty(1, CardAt(stockpile[-2], 1, 5), 2, 2, len(stockpile) - 2),
    ]


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_penalties_reshuffle_as_draws_do(left: int) -> None:
    """A card is taken before the pile under it is made new; only an empty one is made first."""
    table = seated(*FIVES, top="5C", penaltyDrawCount=2, snapRace=True)
    layout = table.match.layout
    for seat in (0, 1, 2, 0):
        table.do(seat, DrawStockpile())
        table.do(seat, Replace(table.card(seat, 1), 1))
    # Everything but `left` cards goes to one player.
    given_away = layout.stockpile[left:]
    del layout.stockpile[left:]
    for card in given_away:
        layout.put(card, 0, len(layout.hands[0]))
    for picture in table.pictures.values():
        picture.stockpile = left
        picture.players[0].hand = [layout.ids[card] for card in layout.hands[0]]
    under = len(layout.discards) - 1
    old = {layout.ids[card] for card in layout.discards[:-1]}
    events = table.do(1, Snap(table.card(1, 3)))[1:]
    penalty, reshuffle = "SnapPenalty", "Reshuffled"
    assert (
        kinds(events)
        == {
            0: [reshuffle, penalty, penalty],
            1: [penalty, reshuffle, penalty],
            2: [penalty, reshuffle, penalty],
            3: [penalty, penalty, reshuffle],
        }[left]
    )
    assert not old & set(layout.ids), "what was reshuffled has new names"
    penalties = [event for event in events if isinstance(event, SnapPenalty)]
    assert [event.card for event in penalties] == [
        CardAt(table.card(1, 4), 1, 4),
        CardAt(table.card(1, 5), 1, 5),
    ]
    whole = only(events, Reshuffled).stockpile
    assert whole == under + {0: 0, 1: 0, 2: 1, 3: 1}[left]
    # By their new names they are found, and can be snapped.
    table.match.snaps.rests.clear()
    assert only(table.do(1, Snap(table.card(1, 5))), SnapFailed).card.idx == 5


# Other people's cards


def opponents(**rules: Any) -> Table:
    return seated(
        "5H 2H 3H 4H",
        "2S 5S 3S 4S",
        "AD 2D 3D 4D",
        top="5C",
        stockpile="9C 9D",
        allowOpponentSnapping=True,
        **rules,
    )


def test_snapping_another_s_card_obliges_to_hand_one_over_into_the_gap() -> None:
    table = opponents()
    won = only(table.do(2, Snap(table.card(1, 1))), SnapWon)
    assert won.deadline == table.now + 15_000 == table.match.due()
    assert table.match.legal(2) == [SnapMove(table.card(2, idx)) for idx in range(4)]
    assert refused(table, 2, Snap(table.card(0, 0))) == "owes-card"
    assert refused(table, 2, SnapMove(table.card(1, 0))) == "not-yours"
    assert refused(table, 1, SnapMove(table.card(1, 0))) == "owes-nothing"
    given_card = table.card(2, 3)
    events = table.do(2, SnapMove(given_card))
    assert events == [SnapMoved(2, CardAt(given_card, 1, 1), 3, timed_out=False)]
    assert table.faces(1) == [face_of(c) for c in ("2S", "4D", "3S", "4S")]
    assert table.faces(2) == [face_of(c) for c in ("AD", "2D", "3D")]


@pytest.mark.parametrize("owner", ["", "p2"])
def test_a_card_owed_may_be_named_by_its_place(owner: str) -> None:
    table = opponents()
    table.do(2, Snap(table.card(1, 1)))
    assert refused(table, 2, SnapMove("", "p1", 0)) == "not-yours"
    card = table.card(2, 0)
    assert only(table.do(2, SnapMove("", owner, 0)), SnapMoved).card == CardAt(card, 1, 1)


def test_cards_owed_by_the_same_moment_are_handed_over_in_the_order_of_the_snaps() -> None:
    table = seated(*FIVES, top="5C", allowOpponentSnapping=True)
    table.wait(1_000)
    table.do(2, Snap(table.card(1, 0)))
    table.do(1, Snap(table.card(0, 0)))
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    moved = [event for event in table.wait(15_000) if isinstance(event, SnapMoved)]
    assert [(event.seat, event.timed_out) for event in moved] == [(2, True), (1, True)]


def test_a_card_owed_comes_before_the_turn() -> None:
    table = opponents()
    table.do(0, Snap(table.card(1, 1)))
    assert refused(table, 0, DrawStockpile()) == "owes-card"
    assert refused(table, 0, CallCambia()) == "owes-card"
    table.do(0, SnapMove(table.card(0, 0)))
    table.do(0, DrawStockpile())


@pytest.mark.parametrize("timer", [0, 15])
def test_a_card_owed_is_handed_over_by_chance_when_time_runs_out(timer: int) -> None:
    table = opponents(turnTimerSec=timer)
    table.wait(1_000)
    table.do(2, Snap(table.card(1, 1)))
    table.do(0, DrawStockpile())
    table.do(0, Replace(table.card(0, 0), 0))
    assert table.match.due() == table.now + 15_000
    moved = only(table.wait(15_000), SnapMoved)
    assert moved.timed_out
    assert len(table.faces(2)) == 3
    assert len(table.faces(1)) == 4


def test_a_wrong_snap_of_another_s_card_is_penalised_and_leaves_it_where_it_was() -> None:
    table = opponents()
    events = table.do(2, Snap(table.card(1, 0)))
    assert kinds(events) == ["SnapFailed", "SnapPenalty", "SnapPenalty"]
    assert len(table.faces(2)) == 6
    assert len(table.faces(1)) == 4


def one_ace_left() -> Table:
    """Seat 0 has snapped three fives away and discarded an ace; an ace is all they have."""
    table = seated(
        "5H 5D 5S AH",
        "AS 2S 3S 4S",
        "AC 2C 3C 4C",
        top="5C",
        stockpile="AD",
        allowOpponentSnapping=True,
    )
    for _ in range(3):
        table.do(0, Snap(table.card(0, 0)))
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    return table


def test_whoever_has_no_card_left_owes_none() -> None:
    table = one_ace_left()
    table.do(0, Snap(table.card(0, 0)))
    assert table.faces(0) == []
    assert only(table.do(0, Snap(table.card(1, 0))), SnapWon).deadline is None
    assert len(table.faces(1)) == 3


def test_a_debtor_whose_last_card_is_snapped_away_owes_nothing_any_more() -> None:
    table = one_ace_left()
    assert only(table.do(0, Snap(table.card(1, 0))), SnapWon).deadline is not None
    assert only(table.do(2, Snap(table.card(0, 0))), SnapWon).deadline is not None
    assert [debt.debtor for debt in table.match.snaps.debts] == [2]
    table.do(2, SnapMove(table.card(2, 1)))
    assert table.faces(0) == [face_of("2C")]


def test_a_debtor_empty_handed_at_once_still_pays_who_is_owed_first() -> None:
    table = one_ace_left()
    table.do(0, Snap(table.card(1, 0)))
    table.do(0, SnapMove(table.card(0, 0)))
    assert table.faces(0) == []
    assert table.faces(1)[0] == face_of("AH")
    assert table.match.due() == table.match.clock.deadline


def test_a_card_owed_goes_to_the_end_of_a_row_that_has_become_too_short() -> None:
    table = seated(
        "5H 2H 3H 4H",
        "2S 3S 5S 5D",
        "AD 2D 3D 4D",
        top="5C",
        allowOpponentSnapping=True,
    )
    table.do(2, Snap(table.card(1, 3)))
    table.do(1, Snap(table.card(1, 2)))
    table.do(2, SnapMove(table.card(2, 0)))
    assert table.faces(1) == [face_of(c) for c in ("2S", "3S", "AD")]


def last_turn(card: str, snaps_at: str = "5H") -> Table:
    """Seat 0 has called and seat 2 has the last turn, in which it has drawn `card`.

    When `snaps_at` is discarded, or when the turn begins, seat 1 snaps seat 2's first card.
    """
    table = seated(
        "AH 2H 3H 4H",
        "2S 3S 4S 8S",
        f"{snaps_at[0]}D 2D 3D 4D",
        top="6C",
        stockpile=f"5H {card}",
        allowOpponentSnapping=True,
    )
    table.do(0, CallCambia())
    table.do(1, DrawStockpile())
    table.do(1, DiscardDrawn(table.drawn))
    table.wait(1_000)
    if snaps_at == "5H":
        table.do(1, Snap(table.card(2, 0)))
    table.do(2, DrawStockpile())
    return table


def in_use(card: str, snaps_at: str = "5H") -> Table:
    """The same, and now the ability of the card drawn is to be used."""
    table = last_turn(card, snaps_at)
    table.do(2, DiscardDrawn(table.drawn))
    if snaps_at == card:
        table.wait(1_000)
        table.do(1, Snap(table.card(2, 0)))
    return table


def by_timer(table: Table) -> list[Event]:
    """The turn's time runs out before the debt's."""
    debt = table.match.snaps.next_debt()
    deadline = table.match.clock.deadline
    assert debt is not None
    assert deadline is not None
    assert deadline < debt.deadline
    return table.wait(deadline - table.now)


ROADS: dict[str, Callable[[], list[Event]]] = {
    "a discard": lambda: (table := last_turn("6H")).do(2, DiscardDrawn(table.drawn)),
    "a replacement": lambda: (table := last_turn("6H")).do(2, Replace(table.card(2, 0), 0)),
    "a turn that timed out": lambda: by_timer(last_turn("6H")),
    "an ability skipped": lambda: in_use("7C").do(2, Special("skip")),
    "an ability that timed out": lambda: by_timer(in_use("7C", "7C")),
    "a peek": lambda: (table := in_use("7C")).do(2, Special("peek_self", table.card(2, 0))),
    "a swap": lambda: (table := in_use("JC")).do(
        2, Special("swap_blind", table.card(2, 0), table.card(1, 0))
    ),
    "a look at a locked card": lambda: (table := in_use("KC")).do(
        2, Special("swap_peek", table.card(2, 0), table.card(0, 0))
    ),
}


@pytest.mark.parametrize("road", ROADS)
def test_a_card_owed_is_handed_over_before_the_count(road: str) -> None:
    events = ROADS[road]()
    assert kinds(events)[-2:] == ["SnapMoved", "GameEnded"]
    assert only(events, SnapMoved).timed_out
    ended = only(events, GameEnded)
    assert ([len(hand) for hand in ended.hands], ended.how) == ([4, 3, 4], "cambia")


@pytest.mark.parametrize("how", ["stockpile", "abandoned"])
def test_a_card_owed_is_handed_over_also_where_nobody_called(how: str) -> None:
    table = seated(*FIVES, top="5C", allowOpponentSnapping=True, penaltyDrawCount=6)
    table.wait(1_000)
    table.do(1, Snap(table.card(2, 0)))
    if how == "abandoned":
        events = table.match.abandon(table.rng, table.now)
    else:
        while table.match.layout.can_draw():
            table.match.snaps.rests.clear()
            table.do(0, Snap(table.card(0, 1)))
        events = table.do(0, DrawStockpile())
    assert kinds(events) == ["SnapMoved", "GameEnded"]
    ended = only(events, GameEnded)
    assert ([len(hand) for hand in ended.hands[1:]], ended.how) == ([3, 4], how)
    assert table.match.due() is None


def test_a_king_s_card_snapped_away_meanwhile_can_only_be_let_go() -> None:
    table = seated("KH 2H 3H 4H", "AS 2S 3S 4S", top="5C", stockpile="KS")
    table.do(0, DrawStockpile())
    table.do(0, DiscardDrawn(table.drawn))
    table.do(0, Special("swap_peek", table.card(0, 0), table.card(1, 0)))
    table.do(0, Snap(table.card(0, 0)))
    before = fingerprint(table.match)
    failed = only(table.do(0, Special("swap_peek_swap")), SpecialRefused)
    assert (failed.card1.owner, failed.card2 and failed.card2.owner) == (NO_OWNER, 1)
    assert fingerprint(table.match) == before
    assert table.match.legal(0)[0] == Special("skip")
    assert kinds(table.do(0, Special("skip"))) == ["SpecialSkipped", "TurnBegan"]


# Every interleaving

snaps_by = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=25)


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), snaps_by)
@settings(deadline=None, max_examples=60)
def test_messages_of_one_instant_have_one_order_and_each_is_right_wrong_or_refused(
    seed: int, race: bool, others: bool, snaps: list[tuple[int, int]]
) -> None:
    rules = HouseRules(snapRace=race, allowOpponentSnapping=others, penaltyDrawCount=1)
    table = Table(Settings(houseRules=rules), 4, FastRng(seed)).begin()
    right = 0
    for seat, pick in snaps:
        legal = table.match.legal(seat)
        if not legal:
            continue
        action = legal[pick % len(legal)]
        first = kinds(table.do(seat, action))[0]
        if isinstance(action, Snap):
            assert first in ("SnapWon", "SnapFailed")
            right += first == "SnapWon"
    if race:
        drawn = [e for e in table.told[None] if type(e).__name__ == "Discarded"]
        assert right <= 1 + len(drawn)


@given(tools.settings, st.integers(2, 8), st.integers(0, 10**6), tools.snappy_scripts)
@settings(deadline=None, max_examples=40)
def test_every_debt_has_a_deadline_and_a_debtor_with_a_card(
    rules: Settings, seats: int, seed: int, script: Any
) -> None:
    rules = tools.with_house_rules(rules, allowOpponentSnapping=True, penaltyDrawCount=1)
    table = tools.played(rules, seats, seed, [])
    for step in script:
        if table.match.outcome() is not None:
            assert not table.match.snaps.debts
            return
        tools.take(table, step)
        due = table.match.due()
        for debt in table.match.snaps.debts:
            assert table.match.layout.hands[debt.debtor]
            assert due is not None
            assert due <= debt.deadline
        debtors = [debt.debtor for debt in table.match.snaps.debts]
        assert len(debtors) == len(set(debtors))
