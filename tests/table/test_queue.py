"""The queue for a seat: who watches waits, and sits down in order when a seat comes free."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.table import SOLO, STANDING, Lobby, Table
from parlour.table import events as tell
from parlour.table import inputs as do
from parlour.table.queue import MOST_QUEUED, OFFER, QUEUE_GRACE
from tests import highcard

FIXED = replace(highcard.GAME, lobby=Lobby(), min_seats=2, max_seats=2)
OPEN_SEATS = replace(highcard.GAME, lobby=STANDING, min_seats=2, max_seats=3)


def table_of(game: Game, *visitors: str) -> Table:
    opening = do.Open(id="t", code="123456", game="high", seed="5e" * 32, settings={}, opener="a")
    table = Table(game, opening, 0)
    for visitor in visitors:
        table.receive(do.Join(visitor, visitor, True), 0)
    return table


def seated(table: Table) -> list[str | None]:
    return [player.visitor for player in table.roster.players]


def waiting(table: Table) -> list[str]:
    return [waiter.visitor for waiter in table.roster.queue]


def refused(table: Table, entry: do.Input, now: int = 0) -> str:
    with pytest.raises(Illegal) as no:
        table.receive(entry, now)
    return no.value.code


def test_the_first_in_line_gets_the_seat_that_comes_free() -> None:
    table = table_of(FIXED, "a", "b")
    assert table.receive(do.Queue("c", "Cleo"), 1) == [tell.QueueChanged()]
    table.receive(do.Queue("d", "Dan"), 2)
    assert waiting(table) == ["c", "d"]
    table.receive(do.Leave(1), 3)
    assert seated(table) == ["a", "c"]
    assert waiting(table) == ["d"]
    newcomer = table.roster.players[1]
    assert newcomer.name == "Cleo"
    # They watch still: the seat is kept until their page has come to it.
    assert not newcomer.present
    assert newcomer.until == 3 + OFFER
    table.receive(do.Back(newcomer.place), 4)
    assert newcomer.present
    assert newcomer.until is None


def test_who_waited_sits_down_as_who_they_came_as() -> None:
    table = table_of(FIXED, "a", "b")
    table.receive(do.Queue("c", "Cleo", wire="new", address="here", language="fr"), 1)
    waiter = table.roster.queue[0]
    assert (waiter.wire, waiter.address, waiter.language) == ("new", "here", "fr")
    table.receive(do.Leave(1), 3)
    player = table.roster.players[1]
    assert (player.wire, player.address, player.language) == ("new", "here", "fr")
    assert player.resumable


def test_all_are_told_in_order_when_several_seats_come_free() -> None:
    table = table_of(replace(FIXED, max_seats=3), "a", "b", "c")
    for visitor in "def":
        table.receive(do.Queue(visitor, visitor), 1)
    table.roster.banned.append("e")
    table.receive(do.Start(0), 2)
    table.receive(do.Leave(1), 3)
    table.receive(do.Leave(2), 3)
    told = table.receive(do.Leave(0), 4)
    seatings = [tell.Sat, tell.LobbyChanged, tell.QueueChanged, tell.WentAway]
    after = [type(event) for event in told][-9:]
    assert after == [*seatings, tell.QueueChanged, *seatings]
    assert seated(table) == ["d", "f"]
    assert table.roster.players[0].until == table.roster.players[1].until == 4 + OFFER


def test_a_seat_nobody_comes_to_goes_to_the_next_in_line() -> None:
    table = table_of(FIXED, "a", "b")
    table.receive(do.Queue("c", "Cleo"), 1)
    table.receive(do.Queue("d", "Dan"), 2)
    table.receive(do.Leave(1), 3)
    assert table.due() == 3 + OFFER
    table.receive(do.Tick(), 3 + OFFER)
    assert seated(table) == ["a", "d"]
    assert waiting(table) == []


def test_a_free_seat_is_taken_at_once() -> None:
    table = table_of(FIXED, "a")
    happened = table.receive(do.Queue("c", "Cleo"), 1)
    assert tell.Sat(1) in happened
    assert seated(table) == ["a", "c"]


def test_where_seats_are_fixed_the_queue_waits_for_the_end_of_the_match() -> None:
    table = table_of(replace(FIXED, max_seats=3), "a", "b")
    table.receive(do.Start(0), 1)
    table.receive(do.Queue("c", "Cleo"), 2)
    assert seated(table) == ["a", "b"]
    table.receive(do.Leave(0), 3)
    happened = table.receive(do.Leave(1), 4)
    assert any(type(event) is tell.Finished for event in happened)
    # Both have gone, and the table stays open for who waited.
    assert seated(table) == ["c"]
    assert not table.closed


def test_where_seats_are_open_it_does_not() -> None:
    table = table_of(OPEN_SEATS, "a", "b", "c")
    for place in range(3):
        table.receive(do.Ready(place, True), 0)
    assert table.due() is not None
    table.receive(do.Tick(), table.due() or 0)
    assert table.roster.running
    table.receive(do.Queue("d", "Dan"), 10)
    assert waiting(table) == ["d"]
    table.receive(do.Leave(2), 11)
    assert table.roster.running
    assert seated(table) == ["a", "b", "d"]
    assert table.roster.players[2].seat == 3
    # Nor does the game wait for somebody who does not come.
    assert table.roster.players[2].until == 11 + OFFER
    table.receive(do.Queue("e", "Eve"), 12)
    table.receive(do.Tick(), 11 + OFFER)
    assert seated(table) == ["a", "b", "e"]


def test_who_has_gone_is_passed_over_and_forgotten_after_a_while() -> None:
    table = table_of(FIXED, "a", "b")
    table.receive(do.Queue("c", "Cleo"), 1)
    table.receive(do.Queue("d", "Dan"), 2)
    table.receive(do.QueueAway("c"), 3)
    table.receive(do.Leave(1), 4)
    assert seated(table) == ["a", "d"]
    assert waiting(table) == ["c"]
    assert table.due() == 4 + OFFER
    table.receive(do.Back(2), 5)
    assert table.due() == 3 + QUEUE_GRACE
    table.receive(do.Queue("e", "Eve"), 6)
    assert table.receive(do.Tick(), 3 + QUEUE_GRACE) == [tell.QueueChanged()]
    # Who is there waits on.
    assert waiting(table) == ["e"]
    assert table.due() is None


def test_who_comes_back_in_time_is_where_they_were() -> None:
    table = table_of(FIXED, "a", "b")
    for visitor in "cde":
        table.receive(do.Queue(visitor, visitor), 1)
    table.receive(do.QueueAway("c"), 2)
    table.receive(do.Queue("c", "c"), 3)
    assert waiting(table) == ["c", "d", "e"]
    table.receive(do.Leave(1), 4)
    assert seated(table) == ["a", "c"]


def test_after_a_restart_everybody_has_time_to_come_back() -> None:
    table = table_of(FIXED, "a", "b")
    table.receive(do.Queue("c", "Cleo"), 1)
    table.receive(do.Wake(), 2)
    assert [waiter.until for waiter in table.roster.queue] == [2 + QUEUE_GRACE]


def test_one_may_think_better_of_it() -> None:
    table = table_of(FIXED, "a", "b")
    table.receive(do.Queue("c", "Cleo"), 1)
    assert table.receive(do.Unqueue("c"), 2) == [tell.QueueChanged()]
    assert waiting(table) == []
    assert refused(table, do.Unqueue("c")) == "not-waiting"
    assert refused(table, do.QueueAway("c")) == "not-waiting"


def test_who_may_not_sit_down_may_not_wait_either() -> None:
    table = table_of(FIXED, "a", "b")
    assert refused(table, do.Queue("a", "Ada")) == "already-here"
    assert refused(table, do.Queue("c", "\x07")) == "bad-name"
    table.roster.banned.append("c")
    assert refused(table, do.Queue("c", "Cleo")) == "banned"
    table.receive(do.Lock(do.HOUSE, True), 1)
    assert refused(table, do.Queue("d", "Dan")) == "locked"
    alone = table_of(replace(highcard.GAME, lobby=SOLO, min_seats=1, max_seats=1), "a")
    assert refused(alone, do.Queue("d", "Dan")) == "no-queue"


def test_who_is_put_out_meanwhile_is_not_seated() -> None:
    table = table_of(FIXED, "a", "b")
    table.receive(do.Queue("c", "Cleo"), 1)
    table.receive(do.Queue("d", "Dan"), 1)
    table.roster.banned.append("c")
    table.receive(do.Leave(1), 2)
    assert seated(table) == ["a", "d"]
    assert waiting(table) == []


def test_where_nobody_sits_any_more_and_nobody_waits_the_table_closes() -> None:
    table = table_of(FIXED, "a", "b")
    table.receive(do.Queue("c", "Cleo"), 1)
    table.receive(do.QueueAway("c"), 2)
    for place in (0, 1):
        table.receive(do.Leave(place), 3)
    assert not table.closed
    assert table.receive(do.Unqueue("c"), 4) == [tell.QueueChanged(), tell.Closed()]


def test_the_queue_is_bounded() -> None:
    table = table_of(FIXED, "a", "b")
    for number in range(MOST_QUEUED):
        table.receive(do.Queue(f"v{number}", "Somebody"), 1)
    assert refused(table, do.Queue("late", "Late")) == "queue-full"


def test_existing_clients_are_told_of_the_queue_by_no_event_of_theirs() -> None:
    table = table_of(FIXED, "a", "b")
    for entry in (do.Queue("c", "Cleo"), do.QueueAway("c"), do.Unqueue("c")):
        assert table.receive(entry, 1) == [tell.QueueChanged()]
    assert tell.QueueChanged not in tell.LOBBY_EVENTS


VISITORS = st.sampled_from("abcdef")
STEPS = st.lists(
    st.one_of(
        st.builds(lambda v: do.Join(v, v, True), VISITORS),
        st.builds(lambda v: do.Queue(v, v), VISITORS),
        st.builds(do.Unqueue, VISITORS),
        st.builds(do.QueueAway, VISITORS),
        st.builds(do.Leave, st.integers(0, 8)),
        st.builds(do.Away, st.integers(0, 8)),
        st.builds(do.Back, st.integers(0, 8)),
        st.builds(do.Start, st.integers(0, 8)),
        st.just(do.Wake()),
        st.just(do.Tick()),
    ),
    max_size=40,
)


@given(st.sampled_from([FIXED, OPEN_SEATS]), STEPS)
def test_nobody_waits_beside_a_free_seat_and_nobody_is_in_two_places(
    game: Game, steps: list[Any]
) -> None:
    table = table_of(game, "a", "b")
    now = 0
    for entry in steps:
        now += 1_000
        if type(entry) is do.Tick:
            now = max(now, table.due() or now)
        try:
            table.receive(do.decode(do.encode(entry)), now)
        except Illegal:
            continue
        if table.closed:
            return
        roster = table.roster
        here = seated(table) + waiting(table)
        assert len(here) == len(set(here))
        assert len(roster.players) <= roster.max_seats
        free = len(roster.players) < roster.max_seats
        if free and (game.lobby.seating.open or not roster.running):
            assert all(waiter.until is not None for waiter in roster.queue)
