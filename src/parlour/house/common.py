"""The house's own tables, open to everybody: one per game, on however many machines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from parlour.bus import TRY_AGAIN
from parlour.house.live import LiveTable
from parlour.house.opening import Opening
from parlour.house.services import Services
from parlour.kit import Illegal
from parlour.protocol import Game
from parlour.store import COMMON


class CommonTables:
    """Finds them, and opens those that are missing. A fact in the store says which one it is."""

    def __init__(self, services: Services, opening: Opening) -> None:
        self._index = services.index
        self._loader = services.loader
        self._journal = services.journal
        self._opening = opening
        self._one_at_a_time = asyncio.Lock()

    async def table(self, game: Game) -> LiveTable:
        """The house's own table, or a new one if that stays shut. Raises `Illegal` if another node
        runs it or is about to."""
        async with self._one_at_a_time:
            await self._loader.all_read()
            entry = self._index.common.get(game.id)
            if entry is None or entry.shut:
                return await self._open(game)
            return await self._loader.awake(entry)

    async def _open(self, game: Game) -> LiveTable:
        # A table that has closed in memory may still be open in the store.
        await self._journal.kept(None)
        before = await self._journal.store.fact(COMMON + game.id)
        row = None if before is None else await self._journal.store.find_table(before.decode())
        if row is not None and row.closed is None and not self._stays_shut(row.id):
            raise _elsewhere()
        live = self._opening.open(game, None, {}, public=True)
        if not await self.claim(live, before):
            # Nobody has come to it yet.
            live.close()
            raise _elsewhere()
        return live

    async def claim(self, live: LiveTable, before: bytes | None) -> bool:
        """Make this the house's own table, in the commit of its opening, unless another node was
        first (the fact is then no longer `before`); returns whether it is."""
        key, mine = COMMON + live.game.id, live.roster.id.encode()
        named: list[bytes | None] = []

        def change(facts: Mapping[str, bytes | None]) -> dict[str, bytes]:
            free = facts[key] == before
            named[:] = [mine if free else facts[key]]
            return {key: mine} if free else {}

        self._journal.store.amend([key], change)
        await self._journal.kept(None)
        return named == [mine]

    def _stays_shut(self, table: str) -> bool:
        live = self._index.find(table)
        return self._index.why_shut(table) is not None or (live is not None and live.shut)


def _elsewhere() -> Illegal:
    return Illegal(TRY_AGAIN, "This table is being moved: try again in a moment.")
