"""The record of what operators did: kept with the action, before anybody is told of it."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from typing import Final

import msgspec

from parlour.store import Store

MOST_SHOWN: Final = 500
"""Entries of a month that are shown, the last ones."""
BY_COMMAND: Final = "the command line"
"""The author of an order that is signed with the server's key."""

_FACT: Final = "audit:"
"""Before a month, a time and a number that makes the key unique."""


class AuditEntry(msgspec.Struct, frozen=True):
    """One thing that an operator asked for."""

    by: str
    what: str
    target: str = ""
    """The table, node or account it was done to."""
    who: str = ""
    """The person it was done to."""
    text: str = ""
    """A message or a name that the operator wrote."""
    refused: str = ""
    """The code of the refusal; "": it was done."""
    at: int = 0
    """Milliseconds since the epoch."""


class Audit:
    """Writes and reads the record."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(self, entry: AuditEntry) -> None:
        """Add an entry, dated now. Called before the action, so that no commit can have the action
        alone."""
        now = time.time_ns()
        entry = msgspec.structs.replace(entry, at=now // 1_000_000)
        # Nanoseconds, so that entries of one millisecond keep their order.
        key = f"{_FACT}{month_of(entry.at)}:{now:020d}-{secrets.token_hex(4)}"
        self._store.remember(key, msgspec.json.encode(entry))

    async def kept(self) -> None:
        """Wait until all entries are committed."""
        await self._store.kept()

    async def entries(self, month: str) -> list[AuditEntry]:
        """Those of a month ("2027-03"), the last one first."""
        found = await self._store.recall_last(f"{_FACT}{month}:", "", MOST_SHOWN)
        return [msgspec.json.decode(data, type=AuditEntry) for data in found.values()]


def month_of(at: int) -> str:
    """The month of a time in milliseconds, in UTC."""
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m}"
