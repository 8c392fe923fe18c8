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

    at: int
    """Milliseconds since the epoch."""
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


class Audit:
    """Writes and reads the record."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(
        self,
        by: str,
        what: str,
        *,
        target: str = "",
        who: str = "",
        text: str = "",
        refused: str = "",
    ) -> None:
        """Add an entry. Called before the action, so that no commit can have the action alone."""
        now = time.time_ns()
        at = now // 1_000_000
        entry = AuditEntry(at, by, what, target, who, text, refused)
        # Nanoseconds, so that entries of one millisecond keep their order.
        key = f"{_FACT}{month_of(at)}:{now:020d}-{secrets.token_hex(4)}"
        self._store.remember(key, msgspec.json.encode(entry))

    async def kept(self) -> None:
        """Wait until all entries are committed."""
        await self._store.kept()

    async def entries(self, month: str) -> list[AuditEntry]:
        """Those of a month ("2027-03"), the last one first."""
        found = await self._store.recall(f"{_FACT}{month}:")
        last = sorted(found, reverse=True)[:MOST_SHOWN]
        return [msgspec.json.decode(found[key], type=AuditEntry) for key in last]


def month_of(at: int) -> str:
    """The month of a time in milliseconds, in UTC."""
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m}"
