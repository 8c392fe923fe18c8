"""A simulated NATS: it may lose, repeat and delay packets, and be away for some nodes.

It has the interface of `parlour.bus.nats.NatsCarrier`, and is tested together with that one
(`tests/simulation/test_carriers.py`). Packets between two nodes keep their order unless one is sent
again late; those of different nodes overtake each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from random import Random
from typing import ClassVar

from parlour.bus.nats import NatsTrouble
from simulation.machine import HERE, Machine


class SimulatedNats:
    """The server: who listens on which address."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.listeners: dict[int, tuple[Callable[[bytes], None], Context]] = {}
        self.loss = 0.0
        """Of all packets, how many are lost; the same for those that come twice or late."""
        self.twice = 0.0
        self.late = 0.0
        self.away: set[str] = set()
        """The places of nodes that are cut off."""
        self._last: dict[tuple[int, int], float] = {}

    def cut_off(self, machine: Machine | None) -> bool:
        return machine is not None and machine.place in self.away

    def carry(self, sender: int, address: int, data: bytes) -> None:
        loop, rng = asyncio.get_running_loop(), self.rng
        if rng.random() < self.loss:
            return
        at = loop.time() + rng.uniform(0.0003, 0.003)
        if rng.random() < self.late:
            at += rng.uniform(0.01, 3)
        else:
            at = max(at, self._last.get((sender, address), 0.0) + 1e-6)
            self._last[sender, address] = at
        self._deliver_at(at, address, data)
        if rng.random() < self.twice:
            self._deliver_at(at + rng.uniform(0, 2), address, data)

    def _deliver_at(self, at: float, address: int, data: bytes) -> None:
        there = self.listeners.get(address)
        if there is not None:
            loop = asyncio.get_running_loop()
            loop.call_at(at, self._arrive, address, data, context=there[1])

    def _arrive(self, address: int, data: bytes) -> None:
        there = self.listeners.get(address)
        if there is not None and not self.cut_off(there[1].get(HERE)):
            there[0](data)


class SimulatedCarrier:
    """A node's connection, in place of `NatsCarrier`."""

    server: ClassVar[SimulatedNats]

    def __init__(self, url: str) -> None:
        self._address = 0

    @property
    def connected(self) -> bool:
        return not self.server.cut_off(HERE.get())

    async def start(self, address: int, arrived: Callable[[bytes], None]) -> None:
        await asyncio.sleep(self.server.rng.uniform(0.001, 0.01))
        if not self.connected:
            raise NatsTrouble("NATS can't be used: it does not answer.")
        self._address = address
        self.server.listeners[address] = arrived, copy_context()

    def carry(self, address: int, data: bytes) -> None:
        if self.connected:
            self.server.carry(self._address, address, data)

    async def stop(self) -> None:
        await asyncio.sleep(0.001)
        self.server.listeners.pop(self._address, None)
