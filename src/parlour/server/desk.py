"""The house as HTTP routes see it (`parlour.protocol.Desk`)."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.bus import Bus
from parlour.house import Journal
from parlour.kit import Illegal
from parlour.protocol import Rank
from parlour.server.accounts import Accounts
from parlour.server.ratings import Ratings
from parlour.server.sessions import Sessions
from parlour.table.lobby import Names


class HouseDesk:
    """Operations over the bus, and this server's sessions, accounts and ratings."""

    def __init__(
        self,
        bus: Bus,
        journal: Journal,
        sessions: Sessions,
        accounts: Accounts,
        ratings: Ratings,
    ) -> None:
        self.call = bus.call
        self.new_visitor = sessions.new_visitor
        self.token = sessions.token
        self._journal = journal
        self._sessions = sessions
        self._accounts = accounts
        self._ratings = ratings

    def name_of(self, visitor: str) -> str:
        return self.account_of(visitor) or self._sessions.name(visitor)

    async def rename(self, visitor: str, name: str) -> None:
        if self._accounts.name_held(Names().good(name), (visitor,)):
            raise Illegal("name-taken", "That is the name of somebody's account.")
        await self._sessions.rename(visitor, name)

    async def rename_account(self, name: str, to: str) -> None:
        account = await self._accounts.rename(name, to)
        await self._sessions.rename(account.id, account.username)

    def account_of(self, visitor: str) -> str | None:
        account = self._accounts.of(visitor)
        return None if account is None else account.username

    async def register(
        self, visitor: str, username: str, password: str, email: str, address: str
    ) -> None:
        account = await self._accounts.create(visitor, username, password, email, address)
        await self._sessions.claimed(visitor, account.username)

    async def login(self, handle: str, password: str, address: str, device: str) -> str | None:
        known = self._sessions.device(device)
        account = await self._accounts.login(handle, password, address, known)
        return None if account is None else account.id

    async def sign_out(self, visitor: str) -> None:
        await self._sessions.sign_out(visitor, guest=self._accounts.of(visitor) is None)

    async def ranking(self, pool: str) -> Sequence[Rank]:
        return await self._journal.kept(
            [
                Rank(
                    rank=rank,
                    visitor=visitor,
                    name=self.name_of(visitor),
                    rating=standing.rating,
                    rd=standing.rd,
                    games=standing.games,
                    wins=standing.wins,
                    peak=standing.peak,
                )
                for rank, (visitor, standing) in enumerate(self._ratings.ranked(pool), 1)
            ]
        )
