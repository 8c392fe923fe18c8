"""A server that is not alone: one node of a house on many machines.

It takes over tables whose nodes are gone, and hands its own over before it stops.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Final

from parlour.bus.cluster import ADDRESSES, ClusterBus
from parlour.bus.nats import NatsCarrier
from parlour.house import House
from parlour.lifecycle import Lifecycle
from parlour.server.config import Config
from parlour.store import StoreTrouble
from parlour.store.ownership import claim_nothing
from parlour.store.postgres import PostgresStore
from parlour.table import Game

log = logging.getLogger("parlour.server")

LOOK_EVERY: Final = 0.25
"""Seconds between two looks for tables that nobody runs."""


class Company:
    """What a node shares with the others: the record, and the bus."""

    def __init__(
        self,
        config: Config,
        games: Sequence[Game],
        on_sync: Callable[[float, int], None],
        lifecycle: Lifecycle,
    ) -> None:
        assert config.store is not None
        assert config.bus is not None
        self.runs_tables = config.role != "gateway"
        address = 1 + secrets.randbelow(ADDRESSES - 1)
        self._carrier = NatsCarrier(config.bus)
        self.store = PostgresStore(
            config.store,
            on_sync,
            lifecycle,
            claim=claim_nothing,
            address=address,
            runs_tables=self.runs_tables,
            lease=config.lease,
        )
        self.bus = ClusterBus(
            address, self._carrier, self.store, games, runs_tables=self.runs_tables
        )
        self._lifecycle = lifecycle
        self._looking: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        """Whether the others can be reached."""
        return self._carrier.connected

    async def start(self, house: House) -> None:
        await self.bus.start()
        if self.runs_tables:
            self._looking = asyncio.get_running_loop().create_task(self._look(house))

    async def _look(self, house: House) -> None:
        while self._lifecycle.open:
            try:
                rows = await self.store.take_over()
                if rows:
                    log.warning("%d tables are taken over from a node that is gone", len(rows))
                    await house.adopt(rows)
                    continue
            except StoreTrouble as wrong:
                log.warning("tables that nobody runs can't be looked for: %s", wrong)
            except Exception:
                log.exception("tables can't be taken over")
            await asyncio.sleep(LOOK_EVERY)

    async def hand_over(self, house: House) -> None:
        """Let other nodes have our tables, one after the other; without others, keep them."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        if self._lifecycle.lost or not await self.store.retire():
            return
        for live in house.index:
            table = live.roster.id
            house.release(table)
            self.bus.hold(table)
            await self.store.give_up(table)
            self.bus.release(table)

    async def stop(self) -> None:
        await self.bus.stop()
