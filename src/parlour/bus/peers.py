"""The other nodes: a link to each. What one turn of the loop sends to a node is one packet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import msgspec

from parlour.bus import TRY_AGAIN, Item
from parlour.bus.items import AnyItem, decode_items, encode
from parlour.bus.link import Link, decode
from parlour.bus.sealed import SealedCarrier
from parlour.kit import Illegal

log = logging.getLogger("parlour.bus")

TICK: Final = 0.1


def unreachable() -> Illegal:
    return Illegal(TRY_AGAIN, "This table is being moved: try again in a moment.")


class Peers:
    """All nodes that this one has heard of, or spoken to."""

    def __init__(
        self,
        carrier: SealedCarrier,
        receive: Callable[[int, int, int, list[AnyItem]], None],
        lose: Callable[[int, list[Item]], None],
    ) -> None:
        """`receive` is called with a peer, its link's life, a packet's number and the items in it;
        `finished` must be called when they are done. `lose` is called when the link to a peer was
        broken, with the items it has not confirmed: for both sides it is as if the other had ended
        and was started again."""
        self._carrier = carrier
        self._receive = receive
        self._lose = lose
        self._links: dict[int, Link] = {}
        self._outbox: dict[int, list[Item]] = {}
        """By node: what this turn of the loop sends to it."""
        self.gone: set[int] = set()
        """Nodes that have ended."""
        self._ticking: asyncio.Task[None] | None = None

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._links))

    async def start(self) -> None:
        await self._carrier.start(self._arrived)
        self._loop = asyncio.get_running_loop()
        self._ticking = self._loop.create_task(self._tick())

    async def stop(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.gather(self._ticking, return_exceptions=True)
            self._flush()
        await self._carrier.stop()

    # -- sending ----------------------------------------------------------------------

    def put(self, peer: int, item: Item) -> None:
        """Send this, together with everything else in this turn of the loop for that node."""
        if peer in self.gone:
            return
        if not self._outbox:
            self._loop.call_soon(self._flush)
        self._outbox.setdefault(peer, []).append(item)

    def waiting(self, peer: int) -> int:
        """How many bytes that node has not confirmed."""
        return self._links[peer].waiting if peer in self._links else 0

    def _flush(self) -> None:
        outbox, self._outbox = self._outbox, {}
        for address, items in outbox.items():
            link = self._links.get(address) or self._begin(address)
            link.send(encode(items), self._loop.time())
            if link.broken:
                log.error("node %d confirms nothing: the link to it begins anew", address)
                self._begin_anew(address, link.life + 1, items)

    def finished(self, peer: int, life: int, number: int) -> None:
        """All that follows from a packet of a peer's is kept and sent."""
        link = self._links.get(peer)
        if link is not None and link.life == life:
            link.finished(number)

    # -- receiving --------------------------------------------------------------------

    def _arrived(self, sender: int, data: bytes) -> None:
        try:
            packet = decode(data)
        except msgspec.DecodeError:
            self.unreadable()
            return
        if sender in self.gone:
            return
        link = self._links.get(sender) or self._begin(sender)
        if packet.life > link.life:
            log.warning("node %d has begun a new link with us", sender)
            link = self._begin_anew(sender, packet.life, [])
        link.received(packet, self._loop.time())

    def unreadable(self) -> None:
        """Count something by another node that this one can't read."""
        self._carrier.drop("unreadable")

    def _unpack(self, peer: int, life: int, number: int, data: bytes) -> None:
        try:
            items = decode_items(data)
        except msgspec.DecodeError:
            # Never confirmed: the sender takes its frames to the next node that runs the table.
            self.unreadable()
            self._begin_anew(peer, life + 1, [])
            return
        self._receive(peer, life, number, items)

    def _begin(self, address: int, life: int = 1) -> Link:
        carry = partial(self._carrier.carry, address)
        link = self._links[address] = Link(carry, partial(self._unpack, address, life), life)
        return link

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            now = self._loop.time()
            for link in self._links.values():
                link.tick(now)

    # -- nodes that are gone, or out of touch -----------------------------------------

    def drop(self, address: int) -> list[Item]:
        """A node has ended; returns the items that it has not confirmed."""
        self.gone.add(address)
        return self._forget(address)

    def _begin_anew(self, address: int, life: int, unsent: list[Item]) -> Link:
        unconfirmed = self._forget(address)
        link = self._begin(address, life)
        # Empty, but sent until it is confirmed: so the other side hears of the new link.
        link.send(encode([]), self._loop.time())
        self._lose(address, unconfirmed + unsent)
        return link

    def _forget(self, address: int) -> list[Item]:
        """End a link; returns the items that were not confirmed."""
        link = self._links.pop(address, None)
        unsent = self._outbox.pop(address, [])
        sent = [] if link is None else link.unconfirmed
        return [*(item for data in sent for item in decode_items(data)), *unsent]
