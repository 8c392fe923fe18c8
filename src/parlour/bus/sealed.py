"""Packets between nodes, encrypted and authenticated: only nodes can read, make or repeat one.

Every process makes a key when it starts and keeps it in its row of the database, where the other
nodes read it. So only a program with access to the database can be a node, and a key is worthless
once its process has ended. A packet begins with the version of the bus, its sender, its receiver
and a counter; the rest is encrypted with the sender's key, and the beginning is authenticated with
it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from parlour.bus.items import VERSIONS

log = logging.getLogger("parlour.bus")

MOST_EARLY: Final = 1 << 20
"""Bytes of packets that wait until their sender is known."""
SAID_EVERY: Final = 60.0
"""Seconds between two log lines about dropped packets of one kind."""
_HEAD: Final = Struct(">BQQQ")
"""Version, sender, receiver, counter."""
_NONCE: Final = 12
"""Bytes of a nonce, which is the counter: a key is one process's, so no two packets share one."""


class Carrier(Protocol):
    """Carries packets from one address to another, and may lose any of them."""

    async def start(self, address: int, arrived: Callable[[bytes], None]) -> None: ...

    def carry(self, address: int, data: bytes) -> None: ...

    async def stop(self) -> None: ...


@dataclass(slots=True)
class _Node:
    """Another node, as its row has it."""

    cipher: AESGCM
    version: int
    """The newest that both nodes speak."""
    last: int = 0
    """Counter of its latest packet."""


class SealedCarrier:
    """Seals what one node sends, and opens what it gets."""

    def __init__(
        self, me: int, key: bytes, carrier: Carrier, dropped: Callable[[str], None]
    ) -> None:
        """`dropped` is called with the reason for every packet that is dropped: "unreadable" (not
        a packet, or of a version that we do not speak), "unknown" (the sender is no node),
        "forged" or "replayed"."""
        self.me = me
        self._cipher = AESGCM(key)
        self._carrier = carrier
        self._dropped = dropped
        self._sent = 0
        self._nodes: dict[int, _Node] = {}
        self._early: list[tuple[bytes, int]] = []
        """Packets whose sender's row was not known, and how often the rows were read since."""
        self._early_bytes = 0
        self._said: dict[str, float] = {}

    async def start(self, arrived: Callable[[int, bytes], None]) -> None:
        """`arrived` is called with the sender and the content of every authentic packet."""
        self._arrived = arrived
        await self._carrier.start(self.me, self._open)

    async def stop(self) -> None:
        await self._carrier.stop()

    def meet(self, nodes: Mapping[int, tuple[bytes, Sequence[int]]]) -> None:
        """All nodes that exist, by address: the key of each, and the versions it speaks."""
        self._nodes = {address: node for address, node in self._nodes.items() if address in nodes}
        for address, (key, speaks) in nodes.items():
            common = set(speaks).intersection(VERSIONS)
            if common and address not in self._nodes:
                self._nodes[address] = _Node(AESGCM(key), max(common))
        early, self._early, self._early_bytes = self._early, [], 0
        for data, tries in early:
            self._open(data, tries + 1)

    @property
    def waiting(self) -> bool:
        """Whether there are packets whose sender is not known yet."""
        return bool(self._early)

    def version(self, node: int) -> int:
        """The version of the bus to speak with a node. For a node that is not known yet it is the
        oldest, which is part of all others."""
        return self._nodes[node].version if node in self._nodes else min(VERSIONS)

    def carry(self, address: int, data: bytes) -> None:
        self._sent += 1
        head = _HEAD.pack(self.version(address), self.me, address, self._sent)
        sealed = self._cipher.encrypt(self._sent.to_bytes(_NONCE, "big"), data, head)
        self._carrier.carry(address, head + sealed)

    def _open(self, data: bytes, tries: int = 0) -> None:
        if len(data) < _HEAD.size or data[0] not in VERSIONS:
            self.drop("unreadable")
            return
        _, sender, receiver, count = _HEAD.unpack_from(data)
        node = self._nodes.get(sender)
        if node is None:
            self._early_bytes += len(data)
            # The next read may have begun before the sender's row was written; the one after can't.
            if tries < 2 and self._early_bytes <= MOST_EARLY:
                self._early.append((data, tries))
            else:
                self.drop("unknown")
            return
        head = data[: _HEAD.size]
        try:
            opened = node.cipher.decrypt(count.to_bytes(_NONCE, "big"), data[_HEAD.size :], head)
        except InvalidTag:
            self.drop("forged")
            return
        if receiver != self.me or count <= node.last:
            self.drop("replayed")
            return
        node.last = count
        self._arrived(sender, opened)

    def drop(self, why: str) -> None:
        """Count a packet that is dropped, and log it now and then."""
        self._dropped(why)
        now = time.monotonic()
        if now - self._said.get(why, -SAID_EVERY) >= SAID_EVERY:
            self._said[why] = now
            log.warning("packets on the bus are dropped: %s (see /metrics)", why)
