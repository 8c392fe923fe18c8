"""Two ends of the bus over a network of this process: what one asks and tells the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, cast

import pytest

from parlour.bus import (
    Farewell,
    Here,
    JoinRequest,
    Letter,
    Moved,
    Refusal,
    Rejoined,
    RejoinRequest,
    Then,
    Welcome,
    cluster,
    first_connection,
    link,
)
from parlour.bus.cluster import ClusterBus
from parlour.bus.items import VERSIONS
from parlour.bus.operations import REJOIN
from parlour.kit import Illegal
from parlour.protocol import At, Operation, Own, Seek
from parlour.protocol import operations as ops
from tests.bus.network import Network
from tests.support import soon, turns_of_the_loop

HERE, THERE = 11, 12
WELCOME = Welcome("t", "123456", 0, 3)
REQUEST = cast(Any, "what a frame says")


class Directory:
    """Knows all nodes, and which of them runs every table."""

    quiet = 0.0

    def __init__(self) -> None:
        self.there = [HERE, THERE]
        self.owner = THERE

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        return {node: (bytes([node]) * 32, list(VERSIONS)) for node in self.there}

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        return dict.fromkeys(tables, self.owner)


class Owner:
    """Runs tables: whatever it is told is done at once."""

    def __init__(self, bus: ClusterBus) -> None:
        self.bus = bus
        self.heard: list[tuple[int, Any]] = []
        self.refused: list[tuple[int, Any]] = []
        self.connections: set[int] = set()
        self.left: list[int] = []
        self.rejoins: list[RejoinRequest] = []
        self.knows = True
        self.joining, self.may_join = asyncio.Event(), asyncio.Event()
        self.may_join.set()
        self.committed = asyncio.Event()
        self.committed.set()
        bus.attach_owner(cast(Any, self))

    async def join(self, request: JoinRequest) -> Welcome | Refusal:
        if not self.may_join.is_set():
            self.joining.set()
            await self.may_join.wait()
        if request.name == "Eve":
            return Refusal("banned", "You were put out of this table.")
        self.connections.add(request.connection)
        return WELCOME

    async def call(self, operation: Operation[Any, Any], *arguments: Any) -> Any:
        if operation is ops.REPLAY:
            raise Illegal("no-such-replay", f"There is no {arguments[0]}.")
        assert operation is REJOIN
        (request,) = arguments
        self.rejoins.append(request)
        for member in request.members:
            connection = member.request.connection
            if connection not in self.connections:
                self.connections.add(connection)
                here = Here(connection, request.table, 4, False)
                self.bus.tell([([connection], here)], request.table, 4)
        await self.committed.wait()
        return Rejoined()

    def submit(self, connection: int, request: Any) -> None:
        self.heard.append((connection, request))

    def submit_frame(self, connection: int, frame: bytes) -> bool:
        (self.heard if self.knows else self.refused).append((connection, frame))
        return self.knows

    def disconnect(self, connection: int) -> None:
        if connection in self.connections:
            self.connections.remove(connection)
            self.left.append(connection)

    def say(self, letters: Sequence[Letter]) -> None:
        self.bus.tell(letters)

    def give_up(self, table: str) -> None:
        """Another node is to run this table, or this one again."""
        self.connections.clear()
        self.bus.release(table)


class Gateway:
    """Holds connections, and what they were told."""

    def __init__(self, bus: ClusterBus) -> None:
        self.first = first_connection(bus.attach_gateway(cast(Any, self))) + 1
        self.told: list[tuple[list[int], Any]] = []

    def deliver(self, connections: Sequence[int], data: bytes) -> None:
        self.told.append((list(connections), data))

    def close_connection(self, connection: int, code: int, reason: str) -> None:
        self.told.append(([connection], (code, reason)))

    async def alive(self, connection: int) -> bool:
        return connection == self.first


class Service:
    """What is at every node and talks to itself."""

    def __init__(self, bus: ClusterBus) -> None:
        self.heard: list[tuple[Any, ...]] = []
        bus.nodes.attach(self)

    def node_joined(self, node: int) -> None:
        self.heard.append(("joined", node))

    def node_left(self, node: int) -> None:
        self.heard.append(("left", node))

    def noted(self, node: int, data: bytes) -> None:
        self.heard.append((data, node))

    async def requested(self, node: int, data: bytes) -> bytes:
        return b"%d asks %b" % (node, data)


class End:
    """One node, with all that is attached to its bus."""

    def __init__(self, address: int, network: Network, directory: Directory) -> None:
        key = bytes([address]) * 32
        self.bus = ClusterBus(address, network, cast(Any, directory), [], key=key)
        self.network, self.directory = network, directory
        self.owner, self.gateway = Owner(self.bus), Gateway(self.bus)
        self.service = Service(self.bus)

    async def join(self, number: int = 0, **asked: Any) -> int:
        """A connection of this node, which has joined the table."""
        request = self.request(number, **asked)
        assert await self.bus.join(request) == WELCOME
        return request.connection

    def request(self, number: int = 0, **asked: Any) -> JoinRequest:
        usual: dict[str, Any] = {"name": "Ada", "seek": Seek(where=At("t"))}
        connection = self.gateway.first + number
        return JoinRequest(
            connection=connection, game="high", wire="high", visitor="v", **usual | asked
        )


@pytest.fixture
async def ends(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[End, End]]:
    """A node with connections, and one with tables."""
    monkeypatch.setattr(cluster, "LOOK_EVERY", 0.001)
    network, directory = Network(), Directory()
    both = End(HERE, network, directory), End(THERE, network, directory)
    for end in both:
        await end.bus.start()
    yield both
    for end in both:
        await end.bus.stop()


async def test_what_a_connection_sends_arrives_at_its_table_in_order(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    one, two = await here.join(), await here.join(1)
    for connection, frame in ((one, b"1"), (two, b"2"), (one, b"3")):
        here.bus.submit(connection, REQUEST, frame)
    await soon(lambda: there.owner.heard == [(one, b"1"), (two, b"2"), (one, b"3")])
    # What was done is confirmed, and not sent again.
    await soon(lambda: not here.bus.nodes.waiting(THERE))


async def test_at_a_table_of_the_same_node_nothing_is_sent(ends: tuple[End, End]) -> None:
    here, there = ends
    here.directory.owner = HERE
    connection = await here.join()
    here.bus.submit(connection, REQUEST, b"move")
    assert here.owner.heard == [(connection, REQUEST)]
    here.bus.tell([([connection], b"moved")], "t", 4)
    assert here.gateway.told == [([connection], b"moved")]
    assert await here.bus.alive(connection)
    here.bus.disconnect(connection)
    assert here.owner.left == [connection]
    assert there.owner.heard == []


async def test_what_an_owner_tells_arrives_in_order_behind_whatever_else_it_says(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    one, two = await here.join(), await here.join(1)
    here.bus.submit(one, REQUEST, b"move")
    await soon(lambda: len(there.owner.heard) == 1)
    called: list[int] = []
    there.bus.tell(
        [
            ([one, two], b"first"),
            ([], Then(lambda: called.append(1))),
            ([two], Farewell(4403, "put out")),
            ([one], b"last"),
        ]
    )
    told = [([one, two], b"first"), ([two], (4403, "put out")), ([one], b"last")]
    await soon(lambda: here.gateway.told == told)
    assert called == [1]


async def test_a_refusal_arrives_with_its_code_and_sentence(ends: tuple[End, End]) -> None:
    here, _ = ends
    refusal = Refusal("banned", "You were put out of this table.")
    assert await here.bus.join(here.request(name="Eve")) == refusal
    with pytest.raises(Illegal, match="There is no t-1") as no:
        await here.bus.call(ops.REPLAY, "t-1", None)
    assert no.value.code == "no-such-replay"


async def test_a_new_table_is_opened_where_it_is_asked_for(ends: tuple[End, End]) -> None:
    here, there = ends
    connection = await here.join(seek=Seek(where=Own()))
    here.bus.submit(connection, REQUEST, b"move")
    assert here.owner.heard == [(connection, REQUEST)]
    assert there.owner.heard == []


async def test_whether_somebody_is_there_is_asked_where_they_are(ends: tuple[End, End]) -> None:
    here, there = ends
    connection = await here.join()
    assert await there.bus.alive(connection)
    assert not await there.bus.alive(connection + 1)


async def test_who_goes_is_missed_once_at_the_node_of_their_table(ends: tuple[End, End]) -> None:
    here, there = ends
    one, two = await here.join(), await here.join(1)
    here.bus.disconnect(one)
    await soon(lambda: there.owner.left == [one])
    # With their node, all others go.
    there.directory.there = [THERE]
    await soon(lambda: len(there.owner.left) > 1)
    assert there.owner.left == [one, two]


async def test_what_a_connection_sends_goes_on_once_its_table_has_taken_it_up_again(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    connection = await here.join()
    there.bus.tell([([connection], b"told")], "t", 3)
    there.owner.give_up("t")
    there.bus.tell([([connection], b"given up")])
    await soon(lambda: ([connection], b"given up") in here.gateway.told)
    here.bus.submit(connection, REQUEST, b"move")
    await soon(lambda: there.owner.heard == [(connection, b"move")])
    (request,) = there.owner.rejoins
    assert (request.table, request.version) == ("t", 3)
    assert [member.request.connection for member in request.members] == [connection]
    # It is attached again: with its node it goes.
    there.directory.there = [THERE]
    await soon(lambda: there.owner.left == [connection])


async def test_a_link_that_breaks_while_a_connection_rejoins_is_survived(
    ends: tuple[End, End], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = ends
    connection = await here.join()
    there.owner.committed.clear()
    # The second time it has rejoined, but the answer waits for its commit.
    for times in (1, 2):
        await soon(lambda: connection in there.owner.connections)
        monkeypatch.setattr(link, "MOST_WAITING", 1)
        here.network.cut = True
        for _ in range(3):
            here.bus.submit(connection, REQUEST, b"lost")
            await turns_of_the_loop(3)
        here.network.cut = False
        await soon(lambda times=times: there.owner.left == [connection] * times)
        monkeypatch.setattr(link, "MOST_WAITING", 100)
    there.owner.committed.set()
    await soon(lambda: connection in there.owner.connections)
    here.bus.submit(connection, REQUEST, b"move")
    await soon(lambda: (connection, b"move") in there.owner.heard)


async def test_the_directory_is_asked_at_once_when_there_is_a_reason(
    ends: tuple[End, End], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = ends
    monkeypatch.setattr(cluster, "LOOK_AT_LEAST", 3600.0)
    assert here.bus._has_to_look(), "a lease has ended, says the directory"
    here.directory.quiet = 3600.0
    await soon(lambda: not here.bus._has_to_look())
    looks: list[int] = []
    here.bus.looked = lambda: looks.append(1)
    # A node gives a table up at which nobody is from here: it may have to go on here.
    there.owner.give_up("t")
    await soon(lambda: looks == [1])
    assert not here.bus._has_to_look()
    # A node that is not known yet has sent something.
    newcomer = End(13, here.network, here.directory)
    here.directory.there.append(13)
    await newcomer.bus.start()
    newcomer.bus.nodes.post(HERE, b"hello")
    await soon(lambda: (b"hello", 13) in here.service.heard)
    await newcomer.bus.stop()


async def test_who_joins_while_their_node_ends_is_missed(ends: tuple[End, End]) -> None:
    here, there = ends
    there.owner.may_join.clear()
    joining = asyncio.create_task(here.join())
    await there.owner.joining.wait()
    there.directory.there = [THERE]
    await soon(lambda: HERE in there.bus._peers.gone)
    there.owner.may_join.set()
    await soon(lambda: there.owner.left != [])
    joining.cancel()


async def test_what_was_told_since_it_was_taken_up_again_counts(ends: tuple[End, End]) -> None:
    here, there = ends
    connection = await here.join()
    for version in (4, 6):
        there.owner.give_up("t")
        await soon(lambda version=version: len(there.owner.rejoins) == version // 2 - 1)
        there.bus.tell([([connection], b"told")], "t", version + 2)
    await soon(lambda: len(here.gateway.told) == 2)
    assert [request.version for request in there.owner.rejoins] == [3, 6]


async def test_what_a_node_does_not_take_is_sent_to_whoever_runs_the_table_next(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    connection = await here.join()
    there.owner.knows = False
    here.bus.submit(connection, REQUEST, b"move")
    await soon(lambda: there.owner.refused == [(connection, b"move")])
    here.directory.owner = HERE
    there.owner.give_up("t")
    await soon(lambda: here.owner.heard == [(connection, b"move")])
    (request,) = here.owner.rejoins
    assert [member.request.connection for member in request.members] == [connection]


async def test_a_connection_that_an_owner_moved_is_looked_for_at_its_new_table(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    connection = await here.join()
    there.bus.tell(
        [([connection], Moved(connection, "u", "654321", 1, 9)), ([connection], b"moved")]
    )
    await soon(lambda: here.gateway.told == [([connection], b"moved")])
    there.owner.give_up("t")
    there.bus.release("u")
    await soon(lambda: len(there.owner.rejoins) == 1)
    (request,) = there.owner.rejoins
    assert (request.table, request.version, request.members[0].place) == ("u", 9, 1)


async def test_who_moves_to_a_table_of_another_node_is_asked_for_by_their_own(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    connection = await here.join()
    answers: list[Welcome | Refusal] = []
    here.directory.owner = HERE
    there.bus.move(here.request(), answers.append)
    await soon(lambda: answers == [WELCOME])
    here.bus.submit(connection, REQUEST, b"move")
    assert here.owner.heard == [(connection, REQUEST)]
    there.bus.move(here.request(name="Eve"), answers.append)
    await soon(lambda: len(answers) == 2)
    assert isinstance(answers[1], Refusal)
    assert answers[1].code == "banned"


async def test_who_closes_while_they_move_is_missed_where_they_went(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    connection = await here.join()
    there.owner.may_join.clear()
    here.bus.move(here.request(), lambda answer: None)
    await there.owner.joining.wait()
    here.bus.disconnect(connection)
    await soon(lambda: there.owner.left == [connection])
    there.owner.may_join.set()
    await soon(lambda: there.owner.left == [connection] * 2)


async def test_services_hear_of_each_other_once_and_of_what_they_post(
    ends: tuple[End, End],
) -> None:
    here, there = ends
    here.bus.nodes.post(THERE, b"hello")
    await soon(lambda: there.service.heard == [("joined", HERE), (b"hello", HERE)])
    await soon(lambda: not here.bus.nodes.waiting(THERE))
    assert await here.bus.nodes.request(THERE, b"the time") == b"11 asks the time"
    assert await here.bus.nodes.request(HERE, b"itself") == b"11 asks itself"
    there.directory.there = [THERE]
    await soon(lambda: there.service.heard[2:] == [("left", HERE)])
    await turns_of_the_loop()
    assert len(there.service.heard) == 3
