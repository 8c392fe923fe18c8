"""The bus of a house on one machine: function calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, TypeVarTuple

from parlour.bus.base import (
    GATEWAY_SHIFT,
    Bus,
    ConnectionId,
    Farewell,
    Gateway,
    JoinRequest,
    Letter,
    Nodes,
    NodeService,
    Owner,
    Refusal,
    Welcome,
    gateway_of,
)
from parlour.protocol import Operation, Request

A = TypeVar("A")
Args = TypeVarTuple("Args")


class LocalBus(Bus):
    """Hands every word straight to the other side."""

    _owner: Owner

    def __init__(self) -> None:
        self._gateways: list[Gateway] = []
        self.nodes: Nodes = Alone()

    def attach_owner(self, owner: Owner) -> None:
        self._owner = owner

    def attach_gateway(self, gateway: Gateway) -> int:
        self._gateways.append(gateway)
        return len(self._gateways) - 1

    async def join(self, request: JoinRequest) -> Welcome | Refusal:
        return await self._owner.join(request)

    def move(self, request: JoinRequest, answered: Callable[[Welcome | Refusal], None]) -> None:
        answered(Refusal("no-such-table", "There is no table with that code."))

    def submit(self, connection: ConnectionId, request: Request, frame: bytes = b"") -> None:
        self._owner.submit(connection, request)

    def disconnect(self, connection: ConnectionId) -> None:
        self._owner.disconnect(connection)

    async def call(self, operation: Operation[A, *Args], *arguments: *Args) -> A:
        return await self._owner.call(operation, *arguments)

    def tell(self, letters: Sequence[Letter], table: str = "", version: int = 0) -> None:
        for connections, data in letters:
            # As `gateway_of` says, without a call for each message.
            gateway = self._gateways[connections[0] >> GATEWAY_SHIFT]
            if isinstance(data, bytes):
                gateway.deliver(connections, data)
            elif isinstance(data, Farewell):
                for connection in connections:
                    gateway.close_connection(connection, data.code, data.reason)

    async def alive(self, connection: ConnectionId) -> bool:
        return await self._gateways[gateway_of(connection)].alive(connection)


class Alone:
    """The only node there is (`Nodes`)."""

    address = 0
    _service: NodeService

    def attach(self, service: NodeService) -> None:
        self._service = service

    def node_of(self, connection: ConnectionId) -> int:
        return self.address

    def post(self, node: int, data: bytes) -> None:
        raise AssertionError("there is no other node")

    def waiting(self, node: int) -> int:
        return 0

    async def request(self, node: int, data: bytes) -> bytes | Refusal:
        return await self._service.requested(node, data)
