"""A link between two nodes: items arrive in order, each once, or the link is known to be broken.

The carrier (`parlour.bus.nats`) may lose, repeat and reorder packets. Each packet has a number, and
confirms all packets of the other side up to a number. If one is not confirmed in time, all
unconfirmed ones are sent again. A broken link is replaced by another between the same nodes, with a
higher `life` in its packets. No I/O and no clock here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

LARGEST: Final = 500_000
"""Bytes in one packet; NATS takes a million by default."""
MOST_WAITING: Final = 20_000
"""Packets that may wait for a confirmation before the link counts as broken."""
MOST_BYTES: Final = 200_000_000
"""Bytes in these."""
AGAIN_AFTER: Final = 0.5
"""Seconds without a confirmation before everything unconfirmed is sent again."""


class Packet(msgspec.Struct, array_like=True, frozen=True):
    """A packet as the carrier takes it from one node to another."""

    number: int
    """Counts from 1; 0: only a confirmation."""
    done: int
    """Confirms the receiver's packets up to this number."""
    more: bool = False
    """The items go on in the next packet."""
    items: bytes = b""
    life: int = 1
    """The number of the link: the first between two nodes is 1, the next one 2."""


_encode = msgspec.msgpack.Encoder().encode
decode: Final = msgspec.msgpack.Decoder(Packet).decode


class Link:
    """This node's end."""

    def __init__(
        self,
        carry: Callable[[bytes], None],
        receive: Callable[[int, bytes], None],
        life: int = 1,
    ) -> None:
        """`receive` is called with a packet's number and the items in it, which may have taken
        several packets. `finished` must be called when all that follows from them is done."""
        self.life = life
        self._carry = carry
        self._receive = receive
        self._last_sent = 0
        self._unconfirmed: deque[tuple[int, bytes]] = deque()
        """Number and items; those of several packets as one."""
        self.waiting = 0
        """Bytes of these."""
        self._waits_since: float | None = None
        self._last_received = 0
        self._parts: list[bytes] = []
        self._done = 0
        self._confirmed_done = 0
        self.broken = False
        """Too much is unconfirmed, and items were dropped: only another link can go on."""

    @property
    def unconfirmed(self) -> list[bytes]:
        """Items that the other side has not confirmed."""
        return [items for _, items in self._unconfirmed]

    def send(self, items: bytes, now: float) -> None:
        full = len(self._unconfirmed) >= MOST_WAITING or self.waiting + len(items) > MOST_BYTES
        if self._unconfirmed and full:
            self.broken = True
            return
        if self._waits_since is None:
            self._waits_since = now
        parts = -(-len(items) // LARGEST)
        self._last_sent += parts
        self._unconfirmed.append((self._last_sent, items))
        self.waiting += len(items)
        self._transmit(self._last_sent, items)

    def _transmit(self, last: int, items: bytes) -> None:
        count = -(-len(items) // LARGEST)
        for part in range(count):
            some = items[part * LARGEST : (part + 1) * LARGEST]
            number = last - count + 1 + part
            more = part < count - 1
            self._carry(_encode(Packet(number, self._done, more, some, self.life)))
        self._confirmed_done = self._done

    def received(self, packet: Packet, now: float) -> None:
        if packet.life != self.life:
            # From an older link: a confirmation tells the other side of this one.
            self._confirmed_done = -1
            return
        self._confirm(packet.done, now)
        if packet.number == 0 or packet.number <= self._last_received:
            if packet.number:
                # The confirmation was lost: send it again.
                self._confirmed_done = -1
            return
        if packet.number != self._last_received + 1:
            # One is missing: it will be sent again with all that follow.
            return
        self._last_received = packet.number
        self._parts.append(packet.items)
        if not packet.more:
            items = b"".join(self._parts) if len(self._parts) > 1 else self._parts[0]
            self._parts.clear()
            self._receive(packet.number, items)

    def _confirm(self, done: int, now: float) -> None:
        waiting = self._unconfirmed
        if waiting and waiting[0][0] <= done:
            while waiting and waiting[0][0] <= done:
                self.waiting -= len(waiting.popleft()[1])
            self._waits_since = now if waiting else None

    def finished(self, number: int) -> None:
        """All that follows from the other side's items up to this packet is kept and sent."""
        self._done = max(self._done, number)

    def tick(self, now: float) -> None:
        """Call it now and then: confirms packets, and sends unconfirmed ones again."""
        if self._waits_since is not None and now - self._waits_since > AGAIN_AFTER:
            self._waits_since = now
            for last, items in self._unconfirmed:
                self._transmit(last, items)
        elif self._confirmed_done != self._done:
            self._carry(_encode(Packet(0, self._done, life=self.life)))
            self._confirmed_done = self._done
