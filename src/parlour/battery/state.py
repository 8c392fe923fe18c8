"""The state of a table as plain values that can be compared."""

from __future__ import annotations

from parlour.fingerprint import fingerprint
from parlour.table import Table

__all__ = ["fingerprint", "table_fingerprint"]


def table_fingerprint(table: Table) -> object:
    """All state of a table."""
    return fingerprint(
        {
            "roster": table.roster,
            "match": table.match,
            "chance": getattr(table.phase, "rng", None),
            "story": table.story,
            "version": table.version,
            "closed": table.closed,
            "due": table.due(),
        }
    )
