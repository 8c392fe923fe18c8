"""What is at every node and talks to itself: a relay, say. It is told who comes and who is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from parlour.bus.base import ConnectionId, NodeService, Refusal
from parlour.bus.items import Note
from parlour.bus.operations import REQUEST
from parlour.bus.peers import Peers
from parlour.kit import Illegal

_decode = msgspec.msgpack.Decoder(bytes).decode


class PeerServices:
    """The service of this node, and its way to those of the others (`parlour.bus.Nodes`)."""

    _service: NodeService

    def __init__(self, address: int, peers: Peers, node_of: Callable[[ConnectionId], int]) -> None:
        self.address = address
        self._node_of = node_of
        self._peers = peers
        self._met: set[int] = set()

    # -- what the service asks --------------------------------------------------------

    def attach(self, service: NodeService) -> None:
        self._service = service

    def node_of(self, connection: ConnectionId) -> int:
        return self._node_of(connection)

    def post(self, node: int, data: bytes) -> None:
        self._peers.put(node, Note(data))

    def waiting(self, node: int) -> int:
        return self._peers.waiting(node)

    async def request(self, node: int, data: bytes) -> bytes | Refusal:
        if node == self.address:
            return await self._service.requested(node, data)
        try:
            return _decode(await self._peers.ask(node, REQUEST, (self.address, data)))
        except Illegal as no:
            return Refusal(no.code, no.sentence)

    # -- what it is told --------------------------------------------------------------

    def meet(self, nodes: Iterable[int]) -> None:
        """These nodes are there."""
        for node in nodes:
            if node != self.address and node not in self._met:
                self._met.add(node)
                self._service.node_joined(node)

    def lose(self, node: int) -> None:
        """A node is gone for good."""
        if node in self._met:
            self._met.remove(node)
            self._service.node_left(node)

    def noted(self, node: int, data: bytes) -> None:
        self.meet([node])
        self._service.noted(node, data)

    async def requested(self, node: int, data: bytes) -> bytes:
        return await self._service.requested(node, data)
