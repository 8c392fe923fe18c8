"""Routes about people: your own history, account and data, and those who agreed to be shown."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Reply, Route, RouteSet
from parlour.protocol.routes import routes_of
from parlour.server.api import visitor_of
from parlour.server.passkey_routes import PasskeyRoutes
from parlour.server.people import People
from parlour.server.people_shown import (
    AccountOf,
    Confirmation,
    Credentials,
    Export,
    Leaderboard,
    Leaderboards,
    Matches,
    NightOf,
    PasskeyOf,
    PublicProfile,
    RatingOf,
    RecordOf,
    RivalOf,
    Visibility,
    counts_of,
    match_of,
)
from parlour.server.sessions import Sessions
from parlour.server.shown import shown_ranks

_BEFORE: Final = re.compile(r"[0-9]{13}:[0-9A-Za-z-]{1,60}")
"""A value of `HistoryPage.next`."""
MOST_EXPORTED: Final = 5_000
"""Matches in one download."""


class PeopleRoutes:
    """Answers about the visitor who asks, and about people who agreed to be shown."""

    def __init__(self, people: People, sessions: Sessions) -> None:
        self._people = people
        self._sessions = sessions

    def routes(self) -> RouteSet:
        return RouteSet(
            title="People",
            routes=(
                *routes_of(self),
                *routes_of(PasskeyRoutes(self._people.passkeys, self.account_of)),
            ),
        )

    @Route("GET", "/api/me/matches", who="anybody")
    async def matches(self, desk: Desk, asked: Asked) -> Matches:
        """The matches you played, 20 at a time, the latest first; `?before=`."""
        before = _before(asked)
        if asked.visitor is None:
            return Matches([], "")
        page = await self._people.history.page(asked.visitor, before)
        return Matches([match_of(match, asked.visitor) for match in page.matches], page.next)

    @Route("GET", "/api/me/record", who="anybody")
    async def record(self, desk: Desk, asked: Asked) -> RecordOf:
        """How many matches you played and won, by game and against each opponent."""
        return RecordOf([], []) if asked.visitor is None else await self._record(asked.visitor)

    async def _record(self, visitor: str) -> RecordOf:
        record = await self._people.history.record(visitor)
        rivals = [
            RivalOf(rival.name, rival.at, counts_of(rival.games), self._shown_as(who, rival.name))
            for who, rival in reversed(record.rivals.items())
        ]
        return RecordOf(counts_of(record.games), rivals)

    def _shown_as(self, visitor: str, name: str) -> bool:
        """Whether this visitor has a public profile under this name."""
        account = self._people.accounts.called(name)
        return account is not None and account.id == visitor and self._people.is_public(visitor)

    @Route("GET", "/api/me/export", who="known", slow=True)
    async def export(self, desk: Desk, asked: Asked) -> Export:
        """Everything that is kept about you; matches 5,000 at a time, `?before=`."""
        visitor = visitor_of(asked)
        page = await self._people.history.page(visitor, _before(asked), MOST_EXPORTED)
        return Export(
            visitor,
            await self.account_of(desk, visitor),
            await self._record(visitor),
            [match_of(match, visitor) for match in page.matches],
            page.next,
            [
                NightOf(code, night.until, night.host == visitor, member.vote)
                for code, night in (await self._people.evenings.of_member(visitor)).items()
                for member in night.members
                if member.visitor == visitor
            ],
        )

    @Route("POST", "/api/me/erase", who="known", body=Confirmation, slow=True)
    async def erase(self, desk: Desk, asked: Asked) -> Reply:
        """Delete your account, history and ratings, and sign you out everywhere."""
        visitor = visitor_of(asked)
        if asked.body.name != desk.name_of(visitor):
            raise Illegal("bad-name", "To delete your data, write your name as it is shown.")
        await self._people.erase(visitor)
        await self._sessions.forget(visitor)
        return Reply({}, sign_out=True)

    @Route("GET", "/api/account", who="newcomer")
    async def account(self, desk: Desk, asked: Asked) -> AccountOf:
        """Your account and your ratings."""
        return await self.account_of(desk, visitor_of(asked))

    async def account_of(self, desk: Desk, visitor: str) -> AccountOf:
        account = self._people.accounts.of(visitor)
        return AccountOf(
            desk.name_of(visitor),
            account is not None,
            "" if account is None else account.email,
            self._people.is_public(visitor),
            await self._ratings(visitor),
            [PasskeyOf(id_, each.made) for id_, each in self._people.passkeys.of(visitor).items()],
        )

    @Route(
        "POST",
        "/api/account",
        who="newcomer",
        body=Credentials,
        gives=AccountOf,
        status=201,
        slow=True,
    )
    async def register(self, desk: Desk, asked: Asked) -> Reply:
        """Make an account of this visitor: their history stays."""
        visitor, wanted = visitor_of(asked), asked.body
        await desk.register(visitor, wanted.name, wanted.password, "", asked.arrival.address)
        return Reply(await self.account_of(desk, visitor), 201, sign_in=visitor)

    @Route("PUT", "/api/account", who="known", body=Visibility)
    async def change(self, desk: Desk, asked: Asked) -> AccountOf:
        """Agree to be shown on public pages, or no longer."""
        visitor = visitor_of(asked)
        if self._people.accounts.of(visitor) is None:
            raise Illegal("no-account", "Only accounts have a public profile.")
        await self._people.show(visitor, asked.body.public)
        return await self.account_of(desk, visitor)

    @Route("POST", "/api/session", who="anybody", body=Credentials, gives=AccountOf, slow=True)
    async def sign_in(self, desk: Desk, asked: Asked) -> Reply:
        """Sign in to an account by its name and password."""
        shown = asked.body
        address, device = asked.arrival.address, asked.device
        visitor = await desk.login(shown.name, shown.password, address, device)
        if visitor is None:
            raise Illegal("wrong-password", "There is no account with that name and password.")
        return Reply(await self.account_of(desk, visitor), sign_in=visitor)

    @Route("DELETE", "/api/session", who="known")
    async def sign_out(self, desk: Desk, asked: Asked) -> Reply:
        """Sign out, in every browser."""
        await desk.sign_out(visitor_of(asked))
        return Reply({}, sign_out=True)

    @Route("GET", "/api/players/{name}", who="anybody")
    async def profile(self, desk: Desk, asked: Asked) -> PublicProfile:
        """Somebody who agreed to be shown."""
        account = self._people.accounts.called(asked.params["name"])
        if account is None or not self._people.is_public(account.id):
            raise Illegal("no-such-player", "Nobody of that name has a public profile.")
        record = await self._people.history.record(account.id)
        mine = None
        if asked.visitor is not None and asked.visitor != account.id:
            mine = (await self._people.history.record(asked.visitor)).rivals.get(account.id)
        return PublicProfile(
            account.username,
            account.id == asked.visitor,
            counts_of(record.games),
            await self._ratings(account.id),
            [] if mine is None else counts_of(mine.games),
        )

    async def _ratings(self, visitor: str) -> list[RatingOf]:
        ratings = self._people.ratings
        return [
            RatingOf(
                ratings.game_of(pool),
                pool,
                round(standing.rating),
                round(standing.rd),
                round(standing.peak),
                standing.games,
                standing.wins,
                [(point.at, point.rating) for point in await ratings.curve(pool, visitor)],
            )
            for pool, standing in ratings.standings(visitor).items()
        ]

    @Route("GET", "/api/leaderboards/{game}", who="anybody")
    async def leaderboards(self, desk: Desk, asked: Asked) -> Leaderboards:
        """The best hundred of each pool of a game, of those who agreed to be shown; and you."""
        game, ratings = asked.params["game"], self._people.ratings
        pools = [await self._leaderboard(desk, pool, asked.visitor) for pool in ratings.pools(game)]
        return Leaderboards(game, pools)

    async def _leaderboard(self, desk: Desk, pool: str, visitor: str | None) -> Leaderboard:
        everybody = await desk.ranking(pool)
        shown = [r for r in everybody if r.visitor == visitor or self._people.is_public(r.visitor)]
        ranks = [replace(each, rank=rank) for rank, each in enumerate(shown, 1)]
        return Leaderboard(pool, shown_ranks(ranks, visitor))


def _before(asked: Asked) -> str:
    before = asked.query.get("before", "")
    if before and not _BEFORE.fullmatch(before):
        raise Illegal("bad-message", "`before` is the text under `next` of the page before.")
    return before
