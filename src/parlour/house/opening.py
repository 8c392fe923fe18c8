"""Opening tables: with what the house gives to them, and only where there is room."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping

from parlour.house.journal import salt
from parlour.house.live import LiveTable
from parlour.house.room import Room
from parlour.house.services import Services, TableDefaults
from parlour.kit import Illegal
from parlour.protocol import Game, OpenRequest
from parlour.store import TableRow
from parlour.table import Table
from parlour.table import inputs as do
from parlour.table.chain import DEALS


def new_seed() -> str:
    """All chance of a table: 64 hex digits that nobody can guess."""
    return secrets.token_hex(32)


class Opening:
    """Opens the tables of a house."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.room = Room(services)

    async def open_alone(self, game: Game, request: OpenRequest) -> LiveTable:
        """Open a table that no other node opens at the same moment."""
        services = self._services
        settings = _laid_over(self._defaults_of(game).settings, request.settings)
        code = await services.hooks.claim(game, game.configure(game.settings(), settings))
        try:
            return self.open(
                game, request.visitor, request.settings, request.public, request.address, code
            )
        except Illegal:
            if code is not None:
                await services.journal.store.codes.give_back(code)
            raise

    def open(
        self,
        game: Game,
        opener: str | None,
        settings: dict[str, object],
        public: bool = False,
        address: str = "",
        code: str | None = None,
    ) -> LiveTable:
        """Open a table with these settings, above the defaults of the house. Raises `Illegal`."""
        services, index = self._services, self._services.index
        if not services.journal.lifecycle.open:
            raise Illegal("closing", "The house is closing: no new tables.")
        source = self.room.mark(address)
        self.room.make(source or opener)
        if opener is not None and index.opened[opener] >= services.limits.tables_per_visitor:
            raise Illegal("too-many-tables", "You have enough tables open already.")
        services.hooks.may_open(game, game.configure(game.settings(), settings))
        now = services.journal.clock()
        defaults = self._defaults_of(game)
        settings = _laid_over(defaults.settings, settings)
        own = game.lobby.own_content(game.configure(game.settings(), settings))
        content = {**own, **defaults.content}
        opening = do.Open(
            id=str(uuid.uuid4()),
            code=code or services.journal.store.codes.free() or index.free_code(),
            game=game.id,
            seed=new_seed(),
            settings=settings,
            public=public,
            opener=opener,
            content={name: services.library.keep_own(data) for name, data in content.items()},
            source=source,
            edition=game.lobby.edition,
            keep_seats=services.limits.keep_seats,
            deals=DEALS,
        )
        salt(opening)
        live = LiveTable(game, Table(game, opening, now, services.library.held), services)
        row = TableRow(opening.id, opening.code, game.id, now)
        live.table.logged(now, opening, services.journal.open_table(row, opening))
        index.add(live, live.roster)
        services.hooks.tables(len(index))
        live.set_clocks()
        bots, _ = game.lobby.options.computers(live.roster.settings, (), opening.edition)
        for _ in range(bots):
            live.receive(do.AddBot(do.HOUSE))
        services.hooks.opened(live.roster)
        return live

    def _defaults_of(self, game: Game) -> TableDefaults:
        return self._services.defaults.get(game.id, _BARE)


_BARE = TableDefaults()


def _laid_over(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Two patches as one; where both say something, the one above is right."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            value = _laid_over(old, value)
        merged[key] = value
    return merged
