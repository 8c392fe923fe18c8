"""A gateway's connections while their tables change nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from parlour.bus import Here, Item, JoinRequest, Moved, Rejoined, RejoinRequest, Welcome
from parlour.bus.connections import COME_BACK, PATIENCE, Connections
from parlour.bus.items import End, Frame, Gone
from parlour.bus.operations import REJOIN
from parlour.kit import Illegal
from parlour.protocol import At, Operation, Seek

OLD, NEW = 11, 12


class Around:
    """A bus and a directory, played by the test."""

    address = 1

    def __init__(self) -> None:
        self.asked: list[RejoinRequest] = []
        self.refusal: Illegal | None = None
        self.seats: Connections | None = None
        self.version, self.places = 7, [0]
        """What a node answers: up to where they are told then, and whose inputs that has."""
        self.sent: list[tuple[int, int, bytes]] = []
        self.closed: list[tuple[int, int]] = []
        self.left: list[tuple[int, int]] = []
        self.owner: int | None = NEW
        self.tasks: list[asyncio.Task[None]] = []
        self.meanwhile = lambda: None

    async def ask(self, node: int, operation: Operation[Any, Any], *arguments: Any) -> Any:
        assert (node, operation) == (NEW, REJOIN)
        request: RejoinRequest = arguments[0]
        self.asked.append(request)
        if self.refusal is not None:
            raise self.refusal
        for member in request.members:
            connection, done = member.request.connection, member.place in self.places
            assert self.seats is not None
            self.seats.rejoined(Here(connection, request.table, self.version, done), NEW)
        self.meanwhile()
        return Rejoined()

    def put(self, node: int, item: Item) -> None:
        match item:
            case Frame(connection, frame):
                self.sent.append((node, connection, frame))
            case Gone(connection):
                self.left.append((node, connection))
            case End(connections, code):
                assert node == self.address
                self.closed += [(connection, code) for connection in connections]
            case _:
                raise AssertionError(item)

    def spawn(self, work: Any) -> None:
        self.tasks.append(asyncio.ensure_future(work))

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        return dict.fromkeys(tables, self.owner)

    async def look(self, seats: Connections) -> None:
        await seats.look(self)
        await asyncio.gather(*self.tasks)
        self.tasks.clear()


def joined(
    seats: Connections, connection: int, place: int, version: int = 3, node: int = OLD
) -> None:
    request = JoinRequest(
        connection=connection,
        game="high",
        wire="high",
        visitor=f"visitor {connection}",
        name="Ada",
        seek=Seek(where=At("t")),
    )
    seats.take(request, Welcome("t", "123456", place, version), node)


@pytest.fixture
def around() -> Around:
    return Around()


@pytest.fixture
def seats(around: Around) -> Connections:
    seats = around.seats = Connections(around)
    joined(seats, 1, place=4)
    joined(seats, 2, place=5)
    return seats


async def test_what_a_new_node_told_others_does_not_count_before_ours_have_rejoined(
    around: Around, seats: Connections
) -> None:
    seats.told("t", 5, OLD)
    # It has taken over before we know that the old one is gone, and again before we rejoin.
    seats.told("t", 6, NEW)
    seats.lost_node(OLD, [])
    seats.told("t", 7, NEW)
    await around.look(seats)
    assert [request.version for request in around.asked] == [5]
    assert [m.place for m in around.asked[0].members] == [4, 5]


@pytest.mark.parametrize(("meanwhile", "then"), [(6, 7), (9, 9)])
async def test_what_a_new_node_tells_after_they_have_rejoined_counts(
    around: Around, seats: Connections, meanwhile: int, then: int
) -> None:
    """It may be told before the answer comes that they have."""
    seats.lost_node(OLD, [])
    around.meanwhile = lambda: seats.told("t", meanwhile, NEW)
    await around.look(seats)
    seats.lost_table("t", NEW)
    await around.look(seats)
    assert around.asked[1].version == then


async def test_versions_of_a_log_that_was_rewritten_count_no_more(
    around: Around, seats: Connections
) -> None:
    joined(seats, 1, place=4, version=1800)
    seats.told("t", 1999, OLD)
    seats.told("t", 34, OLD)
    seats.told("t", 35, OLD)
    seats.lost_node(OLD, [])
    await around.look(seats)
    assert rejoined(around) == [(35, [5, 4])]


async def test_what_was_sent_and_not_confirmed_is_sent_again_unless_it_may_be_done(
    around: Around, seats: Connections
) -> None:
    unconfirmed = [Frame(1, b"one"), Frame(2, b"two"), Frame(1, b"three"), Frame(9, b"nobody")]
    seats.lost_node(OLD, unconfirmed)
    assert seats.node_of(1, b"four") is None
    assert seats.node_of(2, b"five") is None
    around.places = [5]
    await around.look(seats)
    assert around.sent == [
        (NEW, 1, b"one"),
        (NEW, 1, b"three"),
        (NEW, 1, b"four"),
        (NEW, 2, b"five"),
    ]
    assert seats.node_of(1, b"six") == NEW


async def test_a_table_that_nobody_runs_is_looked_for_and_then_given_up(
    around: Around, seats: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("parlour.bus.connections.time.monotonic", lambda: now)
    seats.lost_node(OLD, [])
    around.owner = None
    await around.look(seats)
    assert around.closed == []
    around.owner, around.refusal = NEW, Illegal("no-such-table", "Not yet.")
    await around.look(seats)
    assert around.closed == []
    now += PATIENCE + 1
    await around.look(seats)
    assert around.closed == [(1, COME_BACK), (2, COME_BACK)]


async def test_what_is_sent_while_a_connection_moves_goes_to_where_it_has_moved(
    around: Around, seats: Connections
) -> None:
    assert seats.hold(1)
    assert seats.node_of(1, b"early") is None
    request = JoinRequest(
        connection=1, game="high", wire="high", visitor="v", name="Ada", seek=Seek(where=At("u"))
    )
    seats.take(request, Welcome("u", "654321", 0, 1), NEW)
    seats.let_go(1)
    assert around.sent == [(NEW, 1, b"early")]
    assert seats.node_of(1, b"late") == NEW
    assert seats.leave(2) == OLD
    assert seats.leave(2) is None


async def test_a_connection_that_moved_within_its_node_rejoins_where_it_went(
    around: Around, seats: Connections
) -> None:
    seats.moved(Moved(1, "u", "654321", 0, 9), OLD)
    seats.moved(Moved(2, "u", "654321", 1, 9), NEW)  # of a node that does not run its table
    seats.lost_node(OLD, [])
    await around.look(seats)
    assert {r.table: [m.place for m in r.members] for r in around.asked} == {"u": [0], "t": [5]}


async def test_what_is_sent_to_a_table_that_is_being_given_up_waits_for_its_next_node(
    around: Around, seats: Connections
) -> None:
    seats.hold_table("t")
    assert seats.node_of(1, b"move") is None
    # What was under way is still told by the old node, and counts.
    seats.told("t", 6, OLD)
    seats.lost_table("t", OLD)
    await around.look(seats)
    assert around.asked[0].version == 6
    assert around.sent == [(NEW, 1, b"move")]


def rejoined(around: Around) -> list[tuple[int, list[int | None]]]:
    """Who was told up to where, in the order in which they rejoined."""
    return [(request.version, [m.place for m in request.members]) for request in around.asked]


async def test_who_finds_a_table_at_its_new_node_hides_nothing_from_those_still_waiting(
    around: Around, seats: Connections
) -> None:
    seats.told("t", 5, OLD)
    # Nobody here knows yet that the table has moved; a newcomer is sent to where it is.
    joined(seats, 3, place=6, version=9, node=NEW)
    assert seats.node_of(3, b"move") == NEW
    seats.lost_node(OLD, [])
    joined(seats, 4, place=7, version=11, node=NEW)
    await around.look(seats)
    assert rejoined(around) == [(5, [4, 5])]
    assert seats.node_of(1, b"move") == NEW


async def test_those_who_were_told_more_are_told_nothing_again(
    around: Around, seats: Connections
) -> None:
    """The table moves twice before some of its connections have found it once."""
    newer = 13
    seats.told("t", 5, OLD)
    joined(seats, 3, place=6, version=9, node=newer)
    seats.told("t", 10, newer)
    seats.lost_node(OLD, [])
    seats.lost_node(newer, [])
    await around.look(seats)
    assert rejoined(around) == [(5, [4, 5]), (10, [6])]


async def test_what_is_told_before_the_welcome_is_known_counts(around: Around) -> None:
    seats = around.seats = Connections(around)
    with seats.joining():
        seats.told("t", 4, OLD)
        seats.told("u", 9, OLD)
        joined(seats, 1, place=4)
    seats.lost_node(OLD, [])
    await around.look(seats)
    assert rejoined(around) == [(4, [4])]


async def test_a_connection_that_ends_while_it_rejoins_is_missed(
    around: Around, seats: Connections
) -> None:
    seats.lost_node(OLD, [])
    assert seats.leave(1) is None
    # It had been asked for before.
    seats.rejoined(Here(1, "t", 7, False), NEW)
    assert around.left == [(NEW, 1)]
    await around.look(seats)
    assert rejoined(around) == [(3, [5])]


async def test_what_was_told_on_rejoining_counts_though_no_answer_came(
    around: Around, seats: Connections
) -> None:
    """The next node is gone, too, before it could say that all is done."""
    newest = 14
    seats.lost_node(OLD, [Frame(1, b"done"), Frame(2, b"not done")])
    seats.rejoined(Here(1, "t", 9, True), newest)
    seats.told("t", 10, newest)
    seats.lost_node(newest, [])
    await around.look(seats)
    assert rejoined(around) == [(3, [5]), (10, [4])]
    assert [frame for _, _, frame in around.sent] == [b"not done"]


@pytest.mark.parametrize("late", [False, True])
async def test_what_a_node_did_not_take_any_more_goes_to_the_next(
    around: Around, seats: Connections, late: bool
) -> None:
    """It is certainly not done, whatever else of theirs is."""
    around.places = [4]
    if not late:
        seats.bounced(1, b"move", OLD)
        assert seats.node_of(1, b"more") is None
    seats.lost_table("t", OLD)
    await around.look(seats)
    if late:
        seats.bounced(1, b"move", OLD)
        assert seats.node_of(1, b"more") == NEW
    assert [frame for _, _, frame in around.sent] == ([b"move"] if late else [b"move", b"more"])
