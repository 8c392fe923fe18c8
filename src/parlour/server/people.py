"""People: accounts, ratings, histories and evenings, and who agreed to be shown to everybody."""

from __future__ import annotations

from typing import Final

from parlour.kit import Outcome
from parlour.protocol import Game
from parlour.server.accounts import Accounts
from parlour.server.evenings import Evenings
from parlour.server.history import History
from parlour.server.keys import SigningKey
from parlour.server.passkeys import Passkeys
from parlour.server.ratings import Ratings
from parlour.store import Store
from parlour.store.watching import Mirror
from parlour.table import Roster

_PUBLIC: Final = "public:"
"""Followed by a visitor: they agreed to be shown on public pages."""


class People:
    """Everything that the server keeps about people who play, besides the logs of tables."""

    def __init__(self, store: Store, games: tuple[Game, ...], key: SigningKey) -> None:
        self.accounts = Accounts(store)
        self.passkeys = Passkeys(store, key)
        self.ratings = Ratings(store, games, self.accounts)
        self.history = History(store)
        self.evenings = Evenings(store)
        self._store = store
        self._public = Mirror(store, _PUBLIC, bytes)

    def finished(self, roster: Roster, outcome: Outcome) -> None:
        """A match is over: write it down (`Hooks.finished`)."""
        self.history.finished(roster, outcome)
        self.ratings.finished(roster, outcome)

    def is_public(self, visitor: str) -> bool:
        return visitor in self._public and self.accounts.of(visitor) is not None

    async def show(self, visitor: str, public: bool) -> None:
        """Show somebody on public pages, or no longer. Returns once this is committed."""
        value = b"1" if public else None
        await self._store.amended([_PUBLIC + visitor], lambda facts: {_PUBLIC + visitor: value})

    async def erase(self, visitor: str) -> None:
        """Delete everything about somebody, besides names in the logs of tables. Returns once this
        is committed. Asked again after a failure, it does the rest."""
        await self.show(visitor, False)
        await self.history.erase(visitor)
        self.ratings.forget(visitor)
        await self.evenings.forget(visitor)
        await self.passkeys.remove(visitor, *self.passkeys.of(visitor))
        # The account last: until then its owner can sign in and ask again.
        await self.accounts.delete(visitor)
