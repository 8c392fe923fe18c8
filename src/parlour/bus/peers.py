"""The other nodes: a link to each, gathered into packets, and questions with answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final, TypeVarTuple

import msgspec

from parlour.bus.base import TRY_AGAIN
from parlour.bus.items import Ask, Item, Reply, decode_items, encode
from parlour.bus.link import Link, read
from parlour.bus.sealed import SealedCarrier
from parlour.kit import Illegal
from parlour.protocol import Operation

log = logging.getLogger("parlour.bus")

Args = TypeVarTuple("Args")

TICK: Final = 0.1


def unreachable() -> Illegal:
    return Illegal(TRY_AGAIN, "This table is being moved: try again in a moment.")


class _Peer:
    """One other node."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.outbox: list[Item] = []
        self.asked: dict[int, asyncio.Future[Reply]] = {}


class Peers:
    """All nodes that we have heard of, or spoken to."""

    def __init__(
        self,
        carrier: SealedCarrier,
        receive: Callable[[int, int, int, list[Item]], None],
        lose: Callable[[int, list[Item]], None],
    ) -> None:
        """`receive` is called with a peer, its link's life, the number of what came, and the items
        in it; who is done with them says so (`finished`). `lose` is called when the link to a peer
        was broken, with what it has not confirmed: to both sides it is as if the other was gone,
        and has come back."""
        self._carrier = carrier
        self._receive = receive
        self._lose = lose
        self._peers: dict[int, _Peer] = {}
        self._gone: set[int] = set()
        self._dirty: set[int] = set()
        self._last_asked = 0
        self._ticking: asyncio.Task[None] | None = None

    def __iter__(self) -> Any:
        return iter(list(self._peers))

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
        """Send this, together with all else that this turn of the loop has for that node."""
        if peer in self._gone:
            return
        self._peer(peer).outbox.append(item)
        if not self._dirty:
            self._loop.call_soon(self._flush)
        self._dirty.add(peer)

    def version(self, peer: int) -> int:
        """The version of the bus that a node is spoken to in (`items.VERSIONS`)."""
        return self._carrier.version(peer)

    def waiting(self, peer: int) -> int:
        """How many bytes that node has not confirmed."""
        return self._peers[peer].link.waiting if peer in self._peers else 0

    async def ask(
        self, peer: int, operation: Operation[Any, *Args], arguments: tuple[*Args]
    ) -> msgspec.Raw:
        """The answer of another node, encoded; raises `Illegal`."""
        if peer in self._gone:
            raise unreachable()
        self._last_asked += 1
        number = self._last_asked
        asked = self._peer(peer).asked
        answered = asked[number] = self._loop.create_future()
        self.put(peer, Ask(number, operation.name, msgspec.Raw(encode(arguments))))
        try:
            async with asyncio.timeout(operation.patience):
                reply: Reply = await answered
        except TimeoutError:
            raise unreachable() from None
        finally:
            asked.pop(number, None)
        if reply.refused is not None:
            raise Illegal(reply.refused.code, reply.refused.sentence)
        return reply.answer

    def _flush(self) -> None:
        dirty, self._dirty = self._dirty, set()
        for address in dirty:
            peer = self._peers.get(address)
            if peer is not None and peer.outbox:
                items, peer.outbox = peer.outbox, []
                peer.link.send(encode(items), self._loop.time())
                if peer.link.broken:
                    log.error("node %d confirms nothing: the link to it begins anew", address)
                    self._begin_anew(address, peer.link.life + 1, items)

    def finished(self, peer: int, life: int, number: int) -> None:
        """All that follows from a packet of a peer's is kept, and sent."""
        if peer in self._peers and self._peers[peer].link.life == life:
            self._peers[peer].link.finished(number)

    # -- receiving --------------------------------------------------------------------

    def _arrived(self, sender: int, data: bytes) -> None:
        packet = read(data)
        if packet is None:
            self.unreadable()
        if packet is None or sender in self._gone:
            return
        link = self._peer(sender).link
        if packet.life > link.life:
            log.warning("node %d has begun a new link with us", sender)
            self._begin_anew(sender, packet.life, [])
            link = self._peer(sender).link
        link.received(packet, self._loop.time())

    def unreadable(self) -> None:
        """A node has said something that this one does not understand."""
        self._carrier.drop("unreadable")

    def _unpack(self, peer: int, life: int, number: int, data: bytes) -> None:
        try:
            items: list[Item] = decode_items(data)
        except (msgspec.DecodeError, msgspec.ValidationError):
            # Never confirmed: what was in it is sent to whoever runs its tables next.
            self.unreadable()
            self._begin_anew(peer, life + 1, [])
            return
        others: list[Item] = []
        for item in items:
            if isinstance(item, Reply):
                answered = self._peers[peer].asked.get(item.number)
                if answered is not None and not answered.done():
                    answered.set_result(item)
            else:
                others.append(item)
        self._receive(peer, life, number, others)

    def _peer(self, address: int, life: int = 1) -> _Peer:
        if address not in self._peers:
            link = Link(
                lambda data: self._carrier.carry(address, data),
                lambda number, data: self._unpack(address, life, number, data),
                life,
            )
            self._peers[address] = _Peer(link)
        return self._peers[address]

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            now = self._loop.time()
            for peer in self._peers.values():
                peer.link.tick(now)

    # -- nodes that are gone, or out of touch -----------------------------------------

    def drop(self, address: int) -> list[Item]:
        """A node is gone for good: what it has not confirmed, of what was sent to it."""
        self._gone.add(address)
        return self._forget(address)

    def _begin_anew(self, address: int, life: int, unsent: list[Item]) -> None:
        unconfirmed = self._forget(address)
        # Sent until it is confirmed, though it says nothing: so the other side hears of the link.
        self._peer(address, life).link.send(encode([]), self._loop.time())
        self._lose(address, unconfirmed + unsent)

    def _forget(self, address: int) -> list[Item]:
        """End a link; gives what has not been confirmed."""
        peer = self._peers.pop(address, None)
        if peer is None:
            return []
        for answered in peer.asked.values():
            if not answered.done():
                answered.set_exception(unreachable())
        unconfirmed: list[Item] = []
        for data in peer.link.unconfirmed:
            unconfirmed += decode_items(data)
        return unconfirmed + peer.outbox
