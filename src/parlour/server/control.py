"""The control plane: JSON over HTTP, used by the page and open to all.

It makes and lists tables; playing goes through each game's own protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from parlour.bus import Bus, OpenTable, Refusal, RunTable
from parlour.kit import Illegal
from parlour.server.gateway import Gateway
from parlour.server.sessions import Sessions
from parlour.store import StoreTrouble
from parlour.table import Game, Roster
from parlour.table import inputs as do

T = TypeVar("T")

_NEWCOMER = web.RequestKey("newcomer", str)

_STATUS = {
    "no-such-table": 404,
    "no-such-game": 404,
    "no-such-replay": 404,
    "not-here": 403,
    "host-only": 403,
    "closing": 503,
    "house-full": 503,
    "too-many-tables": 429,
    "too-fast": 429,
    "bad-settings": 400,
    "bad-bots": 400,
    "bad-name": 400,
    "bad-message": 400,
    "origin": 403,
    "bad-token": 403,
}

_OF_HTTP = {
    404: ("not-found", "There is nothing at this address."),
    405: ("not-allowed", "That can't be done at this address."),
    408: ("too-slow", "The rest of that did not come in time."),
    413: ("too-large", "That is too much at once."),
}
"""Refusals that are not ours but HTTP's, in our words."""


class _NewTable(msgspec.Struct, forbid_unknown_fields=True):
    game: str
    settings: dict[str, Any] = {}
    public: bool = False
    bots: int = 0


class _Me(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class _RemoveBot(msgspec.Struct, forbid_unknown_fields=True):
    bot: int | None = None


class Control:
    """The `/api` routes."""

    def __init__(
        self, games: tuple[Game, ...], bus: Bus, sessions: Sessions, gateway: Gateway
    ) -> None:
        self._games = {game.id: game for game in games}
        self._bus = bus
        self._sessions = sessions
        self._gateway = gateway

    def add_to(self, app: web.Application) -> None:
        app.middlewares.append(self._welcome)
        app.router.add_get("/api/me", self.me)
        app.router.add_put("/api/me", self.rename)
        app.router.add_get("/api/games", self.list_games)
        app.router.add_get("/api/tables", self.list_tables)
        app.router.add_post("/api/tables", self.open_table)
        app.router.add_get("/api/tables/{code}", self.table)
        app.router.add_post("/api/tables/{code}/bots", self.add_bot)
        app.router.add_delete("/api/tables/{code}/bots", self.remove_bot)
        app.router.add_post("/api/tables/{code}/start", self.start)
        app.router.add_get("/api/replays/{id}", self.replay)

    # -- the visitor ------------------------------------------------------------------

    async def me(self, request: web.Request) -> web.Response:
        return self._me(self._known_or_new(request))

    async def rename(self, request: web.Request) -> web.Response:
        visitor = self._visitor(request)
        wanted = await self._body(request, _Me)
        try:
            await self._sessions.rename(visitor, wanted.name)
        except Illegal as no:
            return _refused(no.code, no.sentence)
        return self._me(visitor)

    def _me(self, visitor: str) -> web.Response:
        return _json(
            {
                "id": visitor,
                "name": self._sessions.name(visitor),
                "token": self._sessions.token(visitor),
            }
        )

    # -- games and tables -------------------------------------------------------------

    async def list_games(self, request: web.Request) -> web.Response:
        return _json({"games": [_game(game) for game in self._games.values()]})

    async def list_tables(self, request: web.Request) -> web.Response:
        visitor, _ = self._sessions.of_request(request)
        rosters = await self._bus.list_tables(request.query.get("game"), visitor)
        return _json({"tables": [self._table(r) for r in rosters]})

    async def open_table(self, request: web.Request) -> web.Response:
        visitor = self._visitor(request)
        wanted = await self._body(request, _NewTable)
        opened = await self._bus.open(
            OpenTable(
                game=wanted.game,
                visitor=visitor,
                settings=wanted.settings,
                public=wanted.public,
                bots=wanted.bots,
            )
        )
        return self._answer(opened, status=201)

    async def table(self, request: web.Request) -> web.Response:
        code = request.match_info["code"].replace(" ", "")
        roster = await self._bus.find(code)
        if roster is None or code not in (roster.id, roster.code):
            # Codes are short: whoever guesses them has to take their time.
            self._check_rate(request)
            return _refused("no-such-table", "There is no table with that code.")
        return self._answer(roster)

    async def add_bot(self, request: web.Request) -> web.Response:
        return await self._run(request, do.AddBot(do.HOUSE), status=201)

    async def remove_bot(self, request: web.Request) -> web.Response:
        which = await self._body(request, _RemoveBot) if request.body_exists else _RemoveBot()
        return await self._run(request, do.RemoveBot(do.HOUSE, which.bot))

    async def start(self, request: web.Request) -> web.Response:
        return await self._run(request, do.Start(do.HOUSE))

    async def replay(self, request: web.Request) -> web.Response:
        self._check_rate(request)
        found = await self._bus.replay(request.match_info["id"])
        if isinstance(found, Refusal):
            return _refused(found.code, found.sentence)
        return _json(found)

    async def _run(self, request: web.Request, entry: do.Input, status: int = 200) -> web.Response:
        visitor = self._visitor(request)
        code = request.match_info["code"]
        return self._answer(await self._bus.run(RunTable(code, visitor, entry)), status)

    # -- small things -----------------------------------------------------------------

    def _visitor(self, request: web.Request) -> str:
        """Who asks for a change: from a page that may, and not too often."""
        if not self._gateway.origin_allowed(request):
            raise _error("origin", "Pages of this origin may not do that.")
        self._check_rate(request)
        return self._known_or_new(request)

    def _known_or_new(self, request: web.Request) -> str:
        """The visitor; a newcomer is one from now on, by a cookie in the answer."""
        visitor, fault = self._sessions.of_request(request)
        if fault and "token" in request.query:
            raise _error("bad-token", "This token is not one of ours.")
        if visitor is None:
            visitor = request[_NEWCOMER] = self._sessions.new_visitor()
        return visitor

    @web.middleware
    async def _welcome(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        try:
            response = await handler(request)
        except web.HTTPException as no:
            if no.status in _OF_HTTP and request.path.startswith("/api/"):
                if no.content_type != "application/json":
                    no.text = _text(*_OF_HTTP[no.status])
                    no.content_type = "application/json"
            raise
        except StoreTrouble:
            return _refused("closing", "The house is closing.")
        if _NEWCOMER in request and not response.prepared:
            self._sessions.set_cookie(response, request[_NEWCOMER])
        return response

    def _check_rate(self, request: web.Request) -> None:
        if not self._gateway.requests.take(self._gateway.address(request)):
            raise _error("too-fast", "That was too fast: slow down.")

    async def _body(self, request: web.Request, kind: type[T]) -> T:
        if request.content_type != "application/json":
            raise _error("bad-message", "Send JSON, and say so in Content-Type.")
        try:
            return msgspec.json.decode(await request.read(), type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
            raise _error("bad-message", f"That is not what was asked for: {wrong}.") from None

    def _answer(self, found: Roster | Refusal, status: int = 200) -> web.Response:
        if isinstance(found, Refusal):
            return _refused(found.code, found.sentence)
        return _json(self._table(found), status)

    def _table(self, roster: Roster) -> dict[str, Any]:
        game = self._games[roster.game]
        return {
            "code": roster.code,
            "id": roster.id,
            "game": roster.game,
            "public": roster.public,
            "players": [
                {"place": p.place, "name": p.name, "human": p.human, "present": p.present}
                for p in roster.players
            ],
            "seats": {"min": game.min_seats, "max": roster.max_seats},
            "running": roster.running,
            "round": roster.round,
            "settings": roster.settings,
            "opened": roster.opened,
            "fairness": {
                "replay": f"{roster.id}-{roster.round}" if roster.round else None,
                "commitment": roster.commitment or None,
            },
        }


def _game(game: Game) -> dict[str, Any]:
    return {
        "id": game.id,
        "name": game.name,
        "blurb": game.blurb,
        "seats": {"min": game.min_seats, "max": game.max_seats},
        "settings": msgspec.json.schema(game.settings),
        "defaults": game.settings(),
        "sockets": [path for wire in game.wires for path in wire.paths],
        "bots": game.bot is not None,
    }


def _json(data: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(data), status=status, content_type="application/json"
    )


def _text(code: str, message: str) -> str:
    return msgspec.json.encode({"error": {"code": code, "message": message}}).decode()


def _refused(code: str, message: str) -> web.Response:
    status = _STATUS.get(code, 409)
    return web.Response(text=_text(code, message), status=status, content_type="application/json")


def _error(code: str, message: str) -> web.HTTPException:
    kinds: dict[int, type[web.HTTPException]] = {
        400: web.HTTPBadRequest,
        403: web.HTTPForbidden,
        429: web.HTTPTooManyRequests,
    }
    kind = kinds[_STATUS[code]]
    return kind(text=_text(code, message), content_type="application/json")
