"""The log: what every table was told, kept before anybody hears of it."""

from parlour.store.base import (
    COMMON,
    Amend,
    Damaged,
    InUse,
    Learn,
    LogEntry,
    LogReader,
    Store,
    StoreTrouble,
    TableRow,
    Ticket,
    closing,
)
from parlour.store.memory import MemoryStore
from parlour.store.sqlite import SqliteStore

__all__ = [
    "COMMON",
    "Amend",
    "Damaged",
    "InUse",
    "Learn",
    "LogEntry",
    "LogReader",
    "MemoryStore",
    "SqliteStore",
    "Store",
    "StoreTrouble",
    "TableRow",
    "Ticket",
    "closing",
]
