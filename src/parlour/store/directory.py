"""Who is where, as the record has it: nodes, the tables they run, and who sits at which."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Any, Protocol

from parlour.kit import Illegal
from parlour.store.base import COMMON, StoreTrouble
from parlour.store.ownership import placed


class Read(Protocol):
    """A question to the database, asked again while it is away for a moment."""

    def __call__(self, query: str, *values: Any) -> Awaitable[list[Any]]: ...


class Directory:
    """See `parlour.bus.directory.Directory` for who asks it."""

    def __init__(self, read: Read) -> None:
        self._ask = read

    async def _read(self, query: str, *values: Any) -> list[Any]:
        try:
            return await self._ask(query, *values)
        except StoreTrouble:
            sentence = "The house can't look that up just now: try again in a moment."
            raise Illegal("try-again", sentence) from None

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        """By address, key and bus versions of all that are not gone for good: a lease that has
        ended can be renewed until somebody has taken over."""
        rows = await self._read("SELECT address, key, speaks FROM nodes")
        return {address: (key, speaks) for address, key, speaks in rows}

    async def running(self) -> list[int]:
        """The addresses of the nodes that run tables now; one that gives its own away has some."""
        rows = await self._read(
            "SELECT address FROM nodes WHERE expires > clock_timestamp() AND (runs_tables "
            "OR EXISTS (SELECT FROM owners WHERE owners.node = nodes.no))"
        )
        return [row[0] for row in rows]

    async def place(self, key: str) -> int | None:
        """The address of the node that is to run whatever goes by this key."""
        rows = await self._read(
            "SELECT address FROM nodes WHERE runs_tables AND expires > clock_timestamp()"
        )
        return placed(key, [row[0] for row in rows]) if rows else None

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        """By id or code, as asked for: the address of the node that runs a table; None: nobody
        does at the moment. Tables that there are not, or not any more, are left out."""
        rows = await self._read(
            "SELECT asked, nodes.address FROM unnest($1::text[]) AS asked "
            "JOIN tables ON id = asked OR (code = asked AND closed IS NULL) "
            'JOIN owners ON owners."table" = tables.no '
            "LEFT JOIN nodes ON nodes.no = owners.node",
            list(tables),
        )
        return dict(rows)

    async def common_table(self, game: str) -> str | None:
        """The house's own table of a game, if it is open."""
        rows = await self._read(
            "SELECT id FROM facts JOIN tables ON id = convert_from(value, 'UTF8') "
            "WHERE key = $1 AND closed IS NULL",
            COMMON + game,
        )
        return str(rows[0][0]) if rows else None

    async def last_table(self, visitor: str, game: str) -> str | None:
        """The table where this visitor sat down last, if it is still open."""
        rows = await self._read(
            'SELECT id FROM seats JOIN tables ON no = "table" '
            "WHERE visitor = $1 AND seats.game = $2 AND closed IS NULL",
            visitor,
            game,
        )
        return str(rows[0][0]) if rows else None
