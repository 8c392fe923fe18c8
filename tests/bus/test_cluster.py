"""One end of the bus, when a node at another end is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import pytest

from parlour.bus import Letter, cluster
from parlour.bus.cluster import ClusterBus
from parlour.bus.items import Frame
from parlour.kit import Illegal
from tests.support import soon

HERE, THERE = 11, 12


class Carrier:
    """Carries nothing anywhere."""

    async def start(self, address: int, arrived: Callable[[bytes], None]) -> None: ...

    def carry(self, address: int, data: bytes) -> None: ...

    async def stop(self) -> None: ...


class Owner:
    """Takes every frame, and keeps what is to be said once that is kept."""

    connections: Sequence[int] = ()

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
    bus._forget(THERE, bus._peers.drop(THERE))
    bus.tell(owner.waiting)


class FailingDirectory:
    """A record that can't be asked, now and then."""

    quiet = 0.0

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
    monkeypatch.setattr(bus._connections, "look", lambda directory: directory.owners(["t"]))
    await bus.start()
    directory.fails = method
    await soon(lambda: directory.fails is None)
    looks = directory.looks
    await soon(lambda: directory.looks > looks + 2)
    await bus.stop()
    assert caplog.messages == ["cannot list the live nodes: Not now."]
