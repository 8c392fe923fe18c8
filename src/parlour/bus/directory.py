"""Which node runs which table, as the database has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Directory(Protocol):
    """Nodes and the tables they run. Raises `Illegal` while the database is away."""

    async def nodes(self) -> dict[int, tuple[bytes, list[int]]]:
        """All nodes with a row, by address: the key with which each seals its packets, and the
        versions of the bus that it speaks."""
        ...

    async def running(self) -> list[int]:
        """The addresses of the nodes that run tables now."""
        ...

    async def owners(self, tables: Iterable[str]) -> dict[str, int | None]:
        """By id or code: the address of the node that runs a table; None: nobody yet."""
        ...

    async def place(self, key: str) -> int | None:
        """The address of the node that is to run whatever goes by this key."""
        ...

    async def common_table(self, game: str) -> str | None:
        """The id of the house's own table of a game, if it is open."""
        ...

    async def last_table(self, visitor: str, game: str) -> str | None:
        """The id of the table where this visitor sat down last, if it is still open."""
        ...
