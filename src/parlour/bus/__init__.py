"""The bus: how sockets and tables talk, on one machine or many."""

from parlour.bus.base import (
    Bus,
    ConnectionId,
    Gateway,
    JoinRequest,
    OpenRequest,
    Owner,
    PinRequest,
    Refusal,
    RunRequest,
    Welcome,
    first_connection,
    gateway_of,
)
from parlour.bus.local import LocalBus

__all__ = [
    "Bus",
    "ConnectionId",
    "Gateway",
    "JoinRequest",
    "LocalBus",
    "OpenRequest",
    "Owner",
    "PinRequest",
    "Refusal",
    "RunRequest",
    "Welcome",
    "first_connection",
    "gateway_of",
]
