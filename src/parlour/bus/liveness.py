"""Which nodes there are: the directory is asked some times a second."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from parlour.bus.connections import Connections
from parlour.bus.lookup import LOOK_EVERY, Directory
from parlour.bus.peers import Peers
from parlour.kit import Illegal

log = logging.getLogger("parlour.bus")


class Liveness:
    """Finds nodes that are new and nodes that are gone, and where the tables of those are now."""

    def __init__(
        self,
        address: int,
        directory: Directory,
        peers: Peers,
        connections: Connections,
        *,
        meet: Callable[[Mapping[int, tuple[bytes, list[int]]]], None],
        lose: Callable[[int], None],
    ) -> None:
        """`meet` is called with all nodes, `lose` with each that is gone."""
        self._address = address
        self._directory = directory
        self._peers = peers
        self._connections = connections
        self._meet = meet
        self._lose = lose
        self._alive: set[int] = set()

    async def look(self) -> None:
        """Look once; raises `Illegal`."""
        # A node that starts while the directory is asked is not in the answer, and not gone.
        known = self._alive | set(self._peers)
        nodes = await self._directory.nodes()
        self._meet(nodes)
        for node in known - nodes.keys() - {self._address}:
            log.warning("node %d is gone", node)
            self._lose(node)
        self._alive = set(nodes)
        await self._connections.look(self._directory)

    async def keep_looking(self) -> None:
        in_trouble = False
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self.look()
                in_trouble = False
            except Illegal as no:
                if not in_trouble:
                    log.warning("cannot list the live nodes: %s", no)
                in_trouble = True
            except Exception:
                log.exception("cannot list the live nodes")
