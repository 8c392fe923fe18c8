"""One end of the bus, when a node at another end is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import pytest

from parlour.bus import (
    Here,
    JoinRequest,
    Letter,
    Rejoined,
    RejoinRequest,
    Welcome,
    cluster,
    first_connection,
)
from parlour.bus.cluster import ClusterBus
from parlour.bus.items import VERSIONS, Frame
from parlour.bus.operations import REJOIN
from parlour.kit import Illegal
from parlour.protocol import At, Operation, Seek
from tests.bus.network import Network
from tests.support import soon

HERE, THERE = 11, 12


class Carrier:
    """Carries nothing anywhere."""

    async def start(self, address: int, arrived: Callable[[bytes], None]) -> None: ...

    def carry(self, address: int, data: bytes) -> None: ...

    async def stop(self) -> None: ...


class Owner:
    """Takes every frame, and keeps what is to be said once that is kept."""

    def __init__(self) -> None:
        self.waiting: list[Letter] = []

    def submit_frame(self, connection: int, frame: bytes) -> bool:
        return True

    def say(self, letters: Sequence[Letter]) -> None:
        self.waiting += letters


class Service:
    def node_joined(self, node: int) -> None: ...

    def node_left(self, node: int) -> None: ...


def test_what_a_node_waited_for_is_told_to_nobody_when_it_is_gone() -> None:
    bus, owner = ClusterBus(HERE, Carrier(), cast(Any, None), [], key=bytes(32)), Owner()
    bus.attach_owner(cast(Any, owner))
    bus.nodes.attach(cast(Any, Service()))
    bus._receive(THERE, 1, 1, [Frame(5, b"move")])
    assert len(owner.waiting) == 1
    bus._lost(THERE)
    bus.tell(owner.waiting)


class Away(Owner):
    """Runs a table, and takes up whoever comes back to it."""

    def __init__(self, bus: ClusterBus) -> None:
        super().__init__()
        self.bus = bus
        self.heard: list[bytes] = []
        bus.attach_owner(cast(Any, self))

    async def join(self, request: JoinRequest) -> Welcome:
        return Welcome("t", "123456", 0, 3)

    async def call(self, operation: Operation[Any, Any], request: RejoinRequest) -> Rejoined:
        assert operation is REJOIN
        for member in request.members:
            here = Here(request.table, 4, False)
            self.bus.tell([([member.request.connection], here)], request.table, 4)
        return Rejoined()

    def submit_frame(self, connection: int, frame: bytes) -> bool:
        self.heard.append(frame)
        return True


class Gateway:
    """Holds connections, and what they were told."""

    def __init__(self) -> None:
        self.told: list[bytes] = []

    def deliver(self, connections: Sequence[int], data: bytes) -> None:
        self.told.append(data)


class Directory:
    """All nodes are there, and one of them runs every table."""

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        return {node: (bytes([node]) * 32, list(VERSIONS)) for node in (HERE, THERE)}

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        return dict.fromkeys(tables, THERE)


async def test_what_a_connection_sends_goes_on_once_its_table_has_taken_it_up_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "LOOK_EVERY", 0.001)
    network = Network()
    here, there = (
        ClusterBus(node, network, cast(Any, Directory()), [], key=bytes([node]) * 32)
        for node in (HERE, THERE)
    )
    owner = Away(there)
    here.attach_owner(cast(Any, Owner()))
    gateway = Gateway()
    connection = first_connection(here.attach_gateway(cast(Any, gateway))) + 1
    for bus in (here, there):
        bus.nodes.attach(cast(Any, Service()))
        await bus.start()
    request = JoinRequest(
        connection=connection,
        game="high",
        wire="high",
        visitor="visitor",
        name="Ada",
        seek=Seek(where=At("t")),
    )
    assert await here.join(request) == Welcome("t", "123456", 0, 3)
    there.release("t")
    there.tell([([connection], b"given up")])
    await soon(lambda: gateway.told == [b"given up"])
    here.submit(connection, cast(Any, None), b"move")
    await soon(lambda: owner.heard == [b"move"])
    for bus in (here, there):
        await bus.stop()


class FailingDirectory:
    """A record that can't be asked, now and then."""

    def __init__(self) -> None:
        self.fails: str | None = None
        self.looks = 0

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        self.looks += 1
        self._answer("nodes")
        return {11: (bytes(32), [2])}

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        self._answer("owners")
        return {}

    def _answer(self, method: str) -> None:
        if self.fails == method:
            self.fails = None
            raise Illegal("try-again", "Not now.")


@pytest.mark.parametrize("method", ["nodes", "owners"])
async def test_who_is_gone_is_found_out_again_after_the_record_was_away(
    method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cluster, "LOOK_EVERY", 0.001)
    directory = FailingDirectory()
    bus = ClusterBus(HERE, Carrier(), cast(Any, directory), [], key=bytes(32))
    # A table of somebody here whose node is gone: its owner is asked for at every look.
    monkeypatch.setattr(bus._seats, "look", lambda directory: directory.owners(["t"]))
    await bus.start()
    directory.fails = method
    await soon(lambda: directory.fails is None)
    looks = directory.looks
    await soon(lambda: directory.looks > looks + 2)
    await bus.stop()
    assert caplog.messages == ["who is there can't be found out: Not now."]
