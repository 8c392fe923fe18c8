"""The desk: what the house does for who asks by HTTP (`parlour.table.Desk`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from parlour.bus import Bus, OpenRequest, PinRequest, Refusal, RunRequest
from parlour.house import Journal
from parlour.kit import Illegal
from parlour.protocol import Rank, TablePage
from parlour.server.accounts import Accounts
from parlour.server.ratings import Ratings
from parlour.server.sessions import Sessions
from parlour.table import Roster
from parlour.table.inputs import Input
from parlour.table.lobby import Names

T = TypeVar("T")


class HouseDesk:
    """Tables over the bus; sessions, accounts and ratings of this house."""

    def __init__(
        self,
        bus: Bus,
        journal: Journal,
        sessions: Sessions,
        accounts: Accounts,
        ratings: Ratings,
    ) -> None:
        self._bus = bus
        self._journal = journal
        self._sessions = sessions
        self._accounts = accounts
        self._ratings = ratings

    # Tables

    async def open_table(
        self,
        game: str,
        visitor: str,
        settings: dict[str, Any],
        *,
        public: bool = False,
        bots: int = 0,
        strength: str = "",
        address: str = "",
    ) -> Roster:
        request = OpenRequest(
            game=game,
            visitor=visitor,
            settings=settings,
            public=public,
            bots=bots,
            strength=strength,
            address=address,
        )
        return _unless_refused(await self._bus.open(request))

    async def find_table(self, table: str) -> Roster | None:
        return _unless_refused(await self._bus.find(table))

    async def list_tables(self, game: str | None, visitor: str | None, after: int = 0) -> TablePage:
        return await self._bus.list_tables(game, visitor, after)

    async def run_table(self, table: str, visitor: str | None, entry: Input) -> Roster:
        return _unless_refused(await self._bus.run(RunRequest(table, visitor, entry)))

    async def common_table(self, game: str) -> Roster:
        return _unless_refused(await self._bus.common(game))

    async def add_content(
        self, table: str, visitor: str, name: str, data: bytes, address: str = ""
    ) -> Roster:
        request = PinRequest(table=table, visitor=visitor, name=name, data=data, address=address)
        return _unless_refused(await self._bus.pin(request))

    async def replay(self, replay: str, visitor: str | None) -> Any:
        return _unless_refused(await self._bus.replay(replay, visitor))

    # People

    def new_visitor(self) -> str:
        return self._sessions.new_visitor()

    def token(self, visitor: str) -> str:
        return self._sessions.token(visitor)

    def name_of(self, visitor: str) -> str:
        account = self._accounts.of(visitor)
        return self._sessions.name(visitor) if account is None else account.username

    async def rename(self, visitor: str, name: str) -> None:
        if self._accounts.name_held(Names().good(name), (visitor,)):
            raise Illegal("name-taken", "That is the name of somebody's account.")
        await self._sessions.rename(visitor, name)

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


def _unless_refused(answer: T | Refusal) -> T:
    if isinstance(answer, Refusal):
        raise Illegal(answer.code, answer.sentence)
    return answer
