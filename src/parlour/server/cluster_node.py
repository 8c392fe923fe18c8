"""One node of a server that runs on several machines.

It takes over the tables of nodes that are gone, and hands its own tables over before it stops, or
when an operator drains it (`parlour drain`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from parlour.bus.cluster import ClusterBus
from parlour.bus.items import VERSIONS
from parlour.bus.nats import NatsCarrier, NatsTrouble
from parlour.bus.nodes import ADDRESSES
from parlour.house import House
from parlour.lifecycle import Lifecycle
from parlour.protocol import Game
from parlour.server.config import BadConfig, Config
from parlour.server.gateway import Gateway
from parlour.server.metrics import Metrics
from parlour.store import StoreTrouble
from parlour.store.lease import CLOSE, RUN, NodeInfo
from parlour.store.postgres import PostgresStore

log = logging.getLogger("parlour.server")

AGAIN_AFTER: Final = 0.25
"""Seconds after which a search for tables that no node runs is made again if it failed."""
ONE_STEP: Final = 5.0
"""Seconds in which one table must be handed over: a stopping node does not wait for ever."""


class ClusterNode:
    """The connections of a node to the others: the store and the bus."""

    def __init__(
        self,
        config: Config,
        games: Sequence[Game],
        metrics: Metrics,
        lifecycle: Lifecycle,
    ) -> None:
        assert config.store is not None
        assert config.bus is not None
        info = NodeInfo(
            1 + secrets.randbelow(ADDRESSES - 1),
            config.node_name,
            config.role,
            secrets.token_bytes(32),
            VERSIONS,
        )
        self._carrier = NatsCarrier(config.bus)
        self.store = PostgresStore(
            config.store,
            metrics.on_sync,
            lifecycle,
            info=info,
            lease=config.lease,
        )
        self.bus = ClusterBus(
            info.address,
            self._carrier,
            self.store.directory,
            games,
            key=info.key,
            dropped=lambda why: metrics.bus_dropped.labels(why).inc(),
            runs_tables=info.runs_tables,
        )
        self._runs_tables = info.runs_tables
        self._lifecycle = lifecycle
        self._tending: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        """Set when there may be tables to take over or to hand over."""
        self.bus.looked = self._wake.set
        lifecycle.on_change(self._wake.set)
        self._handing = asyncio.Lock()
        """Held while one table is handed over."""
        self._closing: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        """Whether NATS is connected."""
        return self._carrier.connected

    async def start(self, house: House, gateway: Gateway) -> None:
        try:
            await self.bus.start()
        except NatsTrouble as wrong:
            raise BadConfig(str(wrong)) from None
        self.store.on_order(
            lambda order: self._ordered(order, gateway), lambda: gateway.connections
        )
        if self._runs_tables:
            self._tending = asyncio.get_running_loop().create_task(self._tend(house))

    # -- tables that come and go ------------------------------------------------------

    async def _tend(self, house: House) -> None:
        in_trouble = False
        while self._lifecycle.open:
            self._wake.clear()
            try:
                more = await self._take_or_give(house)
                in_trouble = False
                if not more:
                    await self._wake.wait()
                continue
            except StoreTrouble as wrong:
                if not in_trouble:
                    log.warning("can't search for tables that no node runs: %s", wrong)
                in_trouble = True
            except Exception:
                log.exception("can't take over or hand over tables")
            await asyncio.sleep(AGAIN_AFTER)

    async def _take_or_give(self, house: House) -> bool:
        """One step of either; returns whether there may be more to do at once."""
        # If no other node runs tables, even a drained node keeps running them.
        willing = not self._lifecycle.draining or not await self.store.others_take_tables()
        if willing != self.bus.lookup.runs_tables:
            await self.store.take_tables(willing=willing)
            self.bus.lookup.runs_tables = willing
        if self.store.claiming or (willing and not self.store.directory.quiet):
            rows = await self.store.take_over()
            if rows:
                log.warning("taking over %d tables of a node that is gone", len(rows))
                await house.adopt(rows)
                return True
        return not willing and await self._hand_over_one(house)

    async def _hand_over_one(self, house: House) -> bool:
        """Hand one of our tables to another node; False if none is left."""
        async with self._handing:
            table = next(iter(self.store.owned), None)
            if table is None:
                return False
            house.release(table)
            self.bus.hold(table)
            await self.store.give_up(table)
            self.bus.release(table)
            return True

    async def hand_over(self, house: House) -> None:
        """Hand our tables to other nodes, one by one; if there are none, keep them."""
        if self._tending is not None:
            with suppress(TimeoutError):  # let a handover in progress finish
                async with asyncio.timeout(ONE_STEP), self._handing:
                    self._tending.cancel()
            self._tending.cancel()
            await asyncio.gather(self._tending, return_exceptions=True)
        if self._lifecycle.lost:
            return
        try:
            async with asyncio.timeout(ONE_STEP):
                await self.store.take_tables(willing=False)
                self.bus.lookup.runs_tables = False
                more = await self.store.others_take_tables()
            while more and not self._lifecycle.lost:
                async with asyncio.timeout(ONE_STEP):
                    more = await self._hand_over_one(house)
        except (StoreTrouble, TimeoutError) as wrong:
            # Other nodes take them over when our lease has expired.
            log.warning("can't hand over tables: %s", str(wrong) or "the database does not answer")

    # -- orders of operators ----------------------------------------------------------

    def _ordered(self, order: str, gateway: Gateway) -> None:
        if order == RUN:
            if self._lifecycle.draining:
                log.warning("the drain was undone")
            self._lifecycle.resume()
            return
        if not self._lifecycle.draining:
            log.warning("draining this node: tables move to others, newcomers are refused")
        self._lifecycle.drain()
        idle = self._closing is None or self._closing.done()
        if order == CLOSE and idle and gateway.connections and not self.store.owned:
            self._closing = asyncio.get_running_loop().create_task(gateway.close())

    async def stop(self) -> None:
        await self.bus.stop()
