"""The bus: how sockets and tables talk, on one machine or many."""

from parlour.bus.base import (
    Bus,
    Gateway,
    Knock,
    Line,
    OpenTable,
    Owner,
    Refusal,
    RunTable,
    Welcome,
)
from parlour.bus.local import LocalBus

__all__ = [
    "Bus",
    "Gateway",
    "Knock",
    "Line",
    "LocalBus",
    "OpenTable",
    "Owner",
    "Refusal",
    "RunTable",
    "Welcome",
]
