"""The nodes of a house on many machines, for a service that runs on every one of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from parlour.bus import GATEWAY_SHIFT, ConnectionId, Nodes, Refusal
from parlour.bus.items import Note
from parlour.bus.operations import REQUEST
from parlour.bus.peers import Peers
from parlour.bus.questions import Questions
from parlour.kit import Illegal

GATEWAYS: Final = 8
"""How many gateways one process may have."""
ADDRESSES: Final = 1 << 28
"""How many addresses there are: one, a gateway's number and a connection's make a 64-bit number."""
NODE_SHIFT: Final = GATEWAY_SHIFT + GATEWAYS.bit_length() - 1
"""The bits of a connection's number above these are its node's address."""


class PeerNodes(Nodes):
    """This node's service talks to those of the other nodes."""

    def __init__(self, address: int, peers: Peers, questions: Questions) -> None:
        self.address = address
        self._peers = peers
        self._questions = questions
        self._met: set[int] = set()

    def node_of(self, connection: ConnectionId) -> int:
        return connection >> NODE_SHIFT

    def post(self, node: int, data: bytes) -> None:
        self._peers.put(node, Note(data))

    def waiting(self, node: int) -> int:
        return self._peers.waiting(node)

    async def request(self, node: int, data: bytes) -> bytes | Refusal:
        try:
            return await self._questions.ask(node, REQUEST, self.address, data)
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    # -- what the service is told -----------------------------------------------------

    def meet(self, nodes: Iterable[int]) -> None:
        """These nodes exist."""
        for node in nodes:
            if node != self.address and node not in self._met:
                self._met.add(node)
                self._service.node_joined(node)

    def lose(self, node: int) -> None:
        """A node has ended, or the link to it was broken."""
        if node in self._met:
            self._met.remove(node)
            self._service.node_left(node)

    def noted(self, node: int, data: bytes) -> None:
        self.meet([node])
        self._service.noted(node, data)

    async def requested(self, node: int, data: bytes) -> bytes:
        return await self._service.requested(node, data)
