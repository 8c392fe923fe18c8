"""The Websocket Collab Protocol: a client for bot authors. The house's own relay is beside it."""

from parlour.wcp.blocking import BlockingClient
from parlour.wcp.client import Client, NotConnected, Refused, connect
from parlour.wcp.message import ALL, DATA, TEXT, Message

__all__ = [
    "ALL",
    "DATA",
    "TEXT",
    "BlockingClient",
    "Client",
    "Message",
    "NotConnected",
    "Refused",
    "connect",
]
