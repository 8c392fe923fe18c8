"""One end of the bus, when a node at another end is gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from parlour.bus import Letter
from parlour.bus.cluster import ClusterBus
from parlour.bus.items import Frame

THERE = 12


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
    def node_left(self, node: int) -> None: ...


def test_what_a_node_waited_for_is_told_to_nobody_when_it_is_gone() -> None:
    bus, owner = ClusterBus(11, Carrier(), cast(Any, None), []), Owner()
    bus.attach_owner(cast(Any, owner))
    bus.nodes.attach(cast(Any, Service()))
    bus._receive(THERE, 1, 1, [Frame(5, b"move")])
    assert len(owner.waiting) == 1
    bus._lost(THERE)
    bus.tell(owner.waiting)
