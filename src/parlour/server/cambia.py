"""Cambia's own HTTP: who you are, lobbies, the leaderboard (spec: "Identity and REST").

It speaks to tables over the bus like the control plane does, and knows no rule. Its cookie
and the house's session are one identity: whatever sets one here sets both.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from aiohttp import web
from msgspec import Meta

from parlour.bus import Bus, OpenTable, Refusal
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire.incoming import RulesChange, known_rules
from parlour.games.cambia.wire.lobby import game_id, lobby_type
from parlour.kit import Illegal, Outcome
from parlour.server.accounts import Account, Accounts
from parlour.server.gateway import Gateway
from parlour.server.limits import Turnstile
from parlour.server.ratings import Ratings, Standing
from parlour.server.sessions import CAMBIA_COOKIE, COOKIE, Sessions
from parlour.store import Store
from parlour.table import Roster

T = TypeVar("T")

_GAME = "cambia"
_POOLS = {
    "head_to_head": "head_to_head",
    "group_of_4": "group_of_4",
    "circuit_4p": "circuit_4p",
    "circuit_7p8p": "circuit_7p8p",
    "custom": "custom",
    "h2h": "head_to_head",
    "ffa4": "group_of_4",
}
"""A pool of ratings per game mode, and the short names some clients have for two of them."""

_STATUS = {
    "no-cookie": 401,
    "bad-cookie": 403,
    "bad-origin": 403,
    "wrong-password": 403,
    "no-such-table": 404,
    "has-account": 400,
    "bad-name": 400,
    "bad-email": 400,
    "bad-password": 400,
    "bad-settings": 400,
    "bad-message": 400,
    "no-such-pool": 400,
    "bad-limit": 400,
    "too-fast": 429,
    "too-many-tables": 429,
    "too-many-names": 503,
    "too-busy": 503,
    "closing": 503,
    "house-full": 503,
}
"""By code; everything else is a conflict, 409."""


_COUNT = re.compile(r"[0-9]{1,9}")


class _NewUser(msgspec.Struct):
    username: str
    password: str
    email: str = ""


class _Claim(msgspec.Struct):
    password: str
    username: str = ""
    email: str = ""


class _Login(msgspec.Struct):
    password: str
    username: str = ""
    email: str = ""


class _NewLobby(msgspec.Struct):
    type: Literal["", "private", "public", "matchmaking"] = ""
    gameMode: Literal[  # noqa: N815 - the protocol's name
        "", "head_to_head", "group_of_4", "circuit_4p", "circuit_7p8p", "custom"
    ] = ""
    houseRules: dict[str, Any] | None = None  # noqa: N815 - the protocol's name
    circuit: dict[str, Any] | None = None
    settings: dict[str, Any] | None = None
    lobbySettings: dict[str, Any] | None = None  # noqa: N815 - what we answer with
    name: Annotated[str, Meta(max_length=40)] = ""


class CambiaHttp:
    """The routes, and what they keep: accounts and ratings."""

    def __init__(self, bus: Bus, sessions: Sessions, gateway: Gateway, store: Store) -> None:
        self._bus = bus
        self._sessions = sessions
        self._gateway = gateway
        self._store = store
        self._accounts = Accounts(store)
        self._ratings = Ratings(store)
        self._passwords = Turnstile(rate=2, burst=100)

    def add_to(self, app: web.Application) -> None:
        routes = app.router
        routes.add_post("/user/guest", self.guest)
        routes.add_get("/user/me", self.me)
        routes.add_post("/user/create", self.create)
        routes.add_post("/user/login", self.login)
        routes.add_post("/user/logout", self.logout)
        routes.add_post("/user/claim", self.claim)
        routes.add_post("/lobby/create", self.create_lobby)
        routes.add_get("/lobby/list", self.list_lobbies)
        routes.add_post("/lobby/{lobby_id}/join", self.join_lobby)
        routes.add_get("/matchmaking/queues", self.queues)
        routes.add_get("/friends/list", self.friends)
        routes.add_get("/leaderboard", self.leaderboard)

    def finished(self, roster: Roster, outcome: Outcome) -> None:
        """A match of any game is over: rate those of its players who have accounts."""
        if roster.game != _GAME or outcome.how == "abandoned":
            return
        settings: Settings = roster.settings
        nobody_scored_this = max(outcome.scores.values(), default=0) + 1
        results: dict[str, tuple[bool, int]] = {}
        for seat, player in enumerate(roster.seating):
            if player.visitor is not None and self._accounts.of(player.visitor) is not None:
                score = outcome.scores.get(seat, nobody_scored_this)
                results[player.visitor] = (seat not in outcome.winners, score)
        order = sorted(set(results.values()))
        places = {visitor: order.index(result) for visitor, result in results.items()}
        self._ratings.note(settings.gameMode, places)

    # -- who you are ------------------------------------------------------------------

    async def guest(self, request: web.Request) -> web.Response:
        self._check_sender(request)
        visitor, _ = self._sessions.of_request(request)
        visitor = visitor or self._sessions.new_visitor()
        return self._known_as(visitor, _json({"id": visitor}))

    async def me(self, request: web.Request) -> web.Response:
        visitor, _ = self._sessions.of_request(request)
        if visitor is None:
            return _refused("bad-cookie", "Nobody knows you here.")
        return _json(self._user(visitor))

    async def create(self, request: web.Request) -> web.Response:
        self._check_sender(request, self._passwords)
        wanted = await _body(request, _NewUser)
        visitor = self._sessions.new_visitor()
        await self._register(visitor, wanted.username, wanted.password, wanted.email)
        return self._known_as(visitor, _json(self._user(visitor), 201))

    async def claim(self, request: web.Request) -> web.Response:
        """Make the guest one is the owner of an account; the id stays."""
        self._check_sender(request, self._passwords)
        visitor = self._visitor(request)
        wanted = await _body(request, _Claim)
        username = wanted.username or self._sessions.name(visitor)
        await self._register(visitor, username, wanted.password, wanted.email)
        return self._known_as(visitor, _json(self._user(visitor)))

    async def login(self, request: web.Request) -> web.Response:
        self._check_sender(request, self._passwords)
        shown = await _body(request, _Login)
        try:
            account = await self._accounts.login(shown.email or shown.username, shown.password)
        except Illegal as no:
            return _refused(no.code, no.sentence)
        if account is None:
            return _refused("wrong-password", "There is no account with that name and password.")
        token = self._sessions.token(account.id)
        return self._known_as(account.id, _json({"token": token, **self._user(account.id)}))

    async def logout(self, request: web.Request) -> web.Response:
        self._check_sender(request)
        self._visitor(request)
        answer = _json({})
        for name in (CAMBIA_COOKIE, COOKIE):
            answer.del_cookie(name, path="/")
        return answer

    async def _register(self, visitor: str, username: str, password: str, email: str) -> Account:
        try:
            account = await self._accounts.create(visitor, username, password, email)
            await self._sessions.rename(visitor, account.username)
        except Illegal as no:
            raise _error(no.code, no.sentence) from None
        return account

    def _user(self, visitor: str) -> dict[str, Any]:
        account = self._accounts.of(visitor)
        return {
            "id": visitor,
            "username": self._sessions.name(visitor) if account is None else account.username,
            "is_ephemeral": account is None,
            "is_admin": False,
        }

    def _known_as(self, visitor: str, answer: web.Response) -> web.Response:
        for name in (CAMBIA_COOKIE, COOKIE):
            self._sessions.set_cookie(answer, visitor, name)
        return answer

    # -- lobbies ----------------------------------------------------------------------

    async def create_lobby(self, request: web.Request) -> web.Response:
        self._check_sender(request)
        visitor = self._visitor(request)
        wanted = await _body(request, _NewLobby)
        kind = wanted.type or "private"
        opened = await self._bus.open(
            OpenTable(
                game=_GAME,
                visitor=visitor,
                settings=_settings(wanted, matchmaking=kind == "matchmaking"),
                public=kind != "private",
            )
        )
        if isinstance(opened, Refusal):
            return _refused(opened.code, opened.sentence)
        return _json(_lobby(opened))

    async def list_lobbies(self, request: web.Request) -> web.Response:
        """Public ones only; what one is invited to is in the house's own list."""
        self._visitor(request)
        rosters = await self._bus.list_tables(_GAME, None)
        shown = [r for r in rosters if lobby_type(r) == "public"]
        return _json(
            {
                r.id: {
                    "lobby": _lobby(r),
                    "playerCount": len(r.players),
                    "maxPlayers": r.max_seats,
                    "name": r.settings.name,
                }
                for r in shown
            }
        )

    async def join_lobby(self, request: web.Request) -> web.Response:
        """Whether there is room; the socket is where one sits down."""
        self._check_sender(request)
        visitor = self._visitor(request)
        wanted = request.match_info["lobby_id"]
        roster = await self._bus.find(wanted)
        if roster is None or roster.game != _GAME or wanted not in (roster.id, roster.code):
            return _refused("no-such-table", "There is no such lobby.")
        if roster.of_visitor(visitor) is None:
            if roster.running:
                return _refused("round-running", "A game is running in this lobby.")
            if len(roster.players) >= roster.max_seats:
                return _refused("table-full", "This lobby is full.")
        return _json({"lobby_id": roster.id})

    async def queues(self, request: web.Request) -> web.Response:
        """The matchmaking lobbies that wait for players: to enter one is to queue."""
        visitor = self._visitor(request)
        rosters = await self._bus.list_tables(_GAME, visitor)
        return _json(
            [
                {
                    "queueId": r.id,
                    "name": r.settings.name or r.settings.gameMode,
                    "gameMode": r.settings.gameMode,
                    "ratingPool": r.settings.gameMode,
                    "players": r.max_seats,
                    "playerCount": len(r.players),
                }
                for r in rosters
                if lobby_type(r) == "matchmaking" and not r.running and len(r.players) < r.max_seats
            ]
        )

    # -- people -----------------------------------------------------------------------

    async def friends(self, request: web.Request) -> web.Response:
        """Nobody keeps friends here; clients that ask are told so."""
        self._visitor(request)
        return _json([])

    async def leaderboard(self, request: web.Request) -> web.Response:
        visitor = self._visitor(request)
        pool = _POOLS.get(request.query.get("pool", "head_to_head"))
        limit = request.query.get("limit", "50")
        if pool is None:
            return _refused("no-such-pool", "There is no such pool of ratings.")
        if not _COUNT.fullmatch(limit):
            return _refused("bad-limit", "A limit is a number of rows.")
        if not await self._store.settled():
            return _refused("closing", "The house is closing.")
        rows = [
            self._row(rank, who, standing)
            for rank, (who, standing) in enumerate(self._ratings.ranked(pool), 1)
        ]
        you = next((row for row in rows if row["userId"] == visitor), None)
        return _json({"pool": pool, "rows": rows[: min(int(limit), 100)], "you": you})

    def _row(self, rank: int, visitor: str, standing: Standing) -> dict[str, Any]:
        return {
            "rank": rank,
            "userId": visitor,
            "username": self._user(visitor)["username"],
            "rating": round(standing.rating),
            "rd": round(standing.rd),
            "games": standing.games,
            "wins": standing.wins,
            "peak": round(standing.peak),
        }

    # -- small things -----------------------------------------------------------------

    def _check_sender(self, request: web.Request, also: Turnstile | None = None) -> None:
        """Whoever wants a change: from a page that may, and not too often."""
        if not self._gateway.origin_allowed(request):
            raise _error("bad-origin", "Pages of this origin may not do that.")
        address = self._gateway.address(request)
        if not self._gateway.requests.take(address) or not (also is None or also.take(address)):
            raise _error("too-fast", "That was too fast: slow down.")

    def _visitor(self, request: web.Request) -> str:
        visitor, fault = self._sessions.of_request(request)
        if fault:
            raise _error("bad-cookie", "This cookie is not one of ours.")
        if visitor is None:
            raise _error("no-cookie", "Say who you are: POST /user/guest gives you a cookie.")
        return visitor


def _settings(wanted: _NewLobby, matchmaking: bool) -> dict[str, Any]:
    rules = RulesChange(wanted.houseRules, wanted.circuit, wanted.settings or wanted.lobbySettings)
    settings = known_rules(rules)
    if wanted.gameMode.startswith("circuit"):
        circuit = {"enabled": True, "mode": wanted.gameMode}
        settings["circuit"] = {**circuit, **settings.get("circuit", {})}
    if wanted.gameMode:
        settings["gameMode"] = wanted.gameMode
    return {**settings, "name": wanted.name.strip(), "matchmaking": matchmaking}


def _lobby(roster: Roster) -> dict[str, Any]:
    settings: Settings = roster.settings
    return {
        "id": roster.id,
        "lobby_id": roster.id,
        "code": roster.code,
        "hostUserID": roster.opener if roster.host is None else roster.host.id,
        "name": settings.name,
        "type": lobby_type(roster),
        "gameMode": settings.gameMode,
        "inGame": roster.running,
        "game_id": game_id(roster),
        "houseRules": settings.houseRules,
        "circuit": settings.circuit,
        "settings": settings.settings,
        "lobbySettings": settings.settings,
    }


async def _body(request: web.Request, kind: type[T]) -> T:
    data = await request.read()
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise _error("bad-message", f"That is not what was asked for: {wrong}.") from None


def _json(data: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(data), status=status, content_type="application/json"
    )


def _refused(code: str, message: str) -> web.Response:
    return _json({"code": code, "message": message}, _STATUS.get(code, 409))


def _error(code: str, message: str) -> web.HTTPException:
    kinds: dict[int, type[web.HTTPException]] = {
        400: web.HTTPBadRequest,
        401: web.HTTPUnauthorized,
        403: web.HTTPForbidden,
        409: web.HTTPConflict,
        429: web.HTTPTooManyRequests,
        503: web.HTTPServiceUnavailable,
    }
    body = msgspec.json.encode({"code": code, "message": message})
    return kinds[_STATUS.get(code, 409)](text=body.decode(), content_type="application/json")
