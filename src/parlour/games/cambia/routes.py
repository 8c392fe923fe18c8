"""Cambia's own HTTP: who you are, lobbies, the leaderboard (spec: "Identity and REST")."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from parlour.games.cambia.lobby import SEATS
from parlour.games.cambia.settings import Settings
from parlour.games.cambia.wire.codec import known_rules
from parlour.games.cambia.wire.incoming import RulesChange
from parlour.games.cambia.wire.lobby import game_id, lobby_type
from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, OpenRequest, Rank, Reply, Route, RouteSet
from parlour.protocol.operations import FIND, LIST_TABLES, OPEN
from parlour.table import Roster

_GAME = "cambia"
_POOLS = {
    **{mode: mode for mode in SEATS},
    "h2h": "head_to_head",
    "ffa4": "group_of_4",
    "1v1": "head_to_head",
    "4p": "group_of_4",
    "7p8p": "circuit_7p8p",
}
"""A pool of ratings per game mode, and the short names clients have for some of them."""

_PAGES = 5


# Bodies of requests


class NewUser(msgspec.Struct):
    username: str
    password: str
    email: str = ""


class Claim(msgspec.Struct):
    password: str
    username: str = ""
    email: str = ""


class Login(Claim):
    """Either name will do."""


class NewLobby(msgspec.Struct):
    type: Literal["", "private", "public", "matchmaking"] = ""
    gameMode: Literal[  # noqa: N815 - the protocol's name
        "", "head_to_head", "group_of_4", "circuit_4p", "circuit_7p8p", "custom"
    ] = ""
    houseRules: dict[str, Any] | None = None  # noqa: N815 - the protocol's name
    circuit: dict[str, Any] | None = None
    settings: dict[str, Any] | None = None
    lobbySettings: dict[str, Any] | None = None  # noqa: N815 - what we answer with
    name: Annotated[str, Meta(max_length=40)] = ""


# Accounts


async def guest(desk: Desk, asked: Asked) -> Reply:
    """Be somebody: a guest with a cookie."""
    visitor = asked.visitor or desk.new_visitor()
    return Reply({"id": visitor}, sign_in=visitor)


async def me(desk: Desk, asked: Asked) -> dict[str, object]:
    """Your identity."""
    if asked.visitor is None:
        raise Illegal("bad-cookie", "Nobody knows you here.")
    return _user(desk, asked.visitor)


async def create(desk: Desk, asked: Asked) -> Reply:
    """Make an account."""
    wanted: NewUser = asked.body
    return await _register(desk, asked, desk.new_visitor(), wanted.username, 201)


async def claim(desk: Desk, asked: Asked) -> Reply:
    """Turn a guest into an account; the id stays."""
    wanted: Claim = asked.body
    visitor = asked.visitor or ""
    return await _register(desk, asked, visitor, wanted.username or desk.name_of(visitor), 200)


async def _register(desk: Desk, asked: Asked, visitor: str, username: str, status: int) -> Reply:
    wanted: NewUser | Claim = asked.body
    await desk.register(visitor, username, wanted.password, wanted.email, asked.arrival.address)
    return Reply(_user(desk, visitor), status, sign_in=visitor)


async def login(desk: Desk, asked: Asked) -> Reply:
    """Be the owner of an account."""
    shown: Login = asked.body
    handle = shown.email or shown.username
    visitor = await desk.login(handle, shown.password, asked.arrival.address, asked.device)
    if visitor is None:
        raise Illegal("wrong-password", "There is no account with that name and password.")
    return Reply({"token": desk.token(visitor), **_user(desk, visitor)}, sign_in=visitor)


async def logout(desk: Desk, asked: Asked) -> Reply:
    """Be nobody again."""
    await desk.sign_out(asked.visitor or "")
    return Reply({}, sign_out=True)


def _user(desk: Desk, visitor: str) -> dict[str, object]:
    return {
        "id": visitor,
        "username": desk.name_of(visitor),
        "is_ephemeral": desk.account_of(visitor) is None,
        "is_admin": False,
    }


# Lobbies


async def create_lobby(desk: Desk, asked: Asked) -> dict[str, object]:
    """Open a lobby."""
    wanted: NewLobby = asked.body
    kind = wanted.type or "private"
    settings = _settings(wanted, matchmaking=kind == "matchmaking")
    request = OpenRequest(
        game=_GAME,
        visitor=asked.visitor or "",
        settings=settings,
        public=kind != "private",
        address=asked.arrival.address,
    )
    return _lobby(await desk.call(OPEN, request))


async def list_lobbies(desk: Desk, asked: Asked) -> dict[str, object]:
    """Public lobbies only; `GET /api/tables` also lists those a user is invited to."""
    rosters = await _tables(desk, None)
    return {
        r.id: {
            "lobby": _lobby(r),
            "playerCount": len(r.players),
            "maxPlayers": r.max_seats,
            "name": r.settings.name,
        }
        for r in rosters
        if lobby_type(r) == "public"
    }


async def _tables(desk: Desk, visitor: str | None) -> list[Roster]:
    """The first pages as one list, because this protocol has no pages."""
    found: list[Roster] = []
    after = 0
    for _ in range(_PAGES):
        page = await desk.call(LIST_TABLES, _GAME, visitor, after)
        found += page.tables
        after = page.next
        if not after:
            break
    return found


async def join_lobby(desk: Desk, asked: Asked) -> dict[str, object]:
    """Check whether there is room; the player sits down by connecting to the socket."""
    wanted = asked.params["lobby_id"]
    roster = await desk.call(FIND, wanted)
    if roster is None or roster.game != _GAME or wanted not in (roster.id, roster.code):
        raise Illegal("no-such-table", "There is no such lobby.")
    if roster.of_visitor(asked.visitor or "") is None:
        if roster.running:
            raise Illegal("round-running", "A game is running in this lobby.")
        if len(roster.players) >= roster.max_seats:
            raise Illegal("table-full", "This lobby is full.")
    return {"lobby_id": roster.id}


async def queues(desk: Desk, asked: Asked) -> list[dict[str, object]]:
    """The matchmaking lobbies that wait for players. A player queues by entering one."""
    rosters = await _tables(desk, asked.visitor)
    return [
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


def _settings(wanted: NewLobby, matchmaking: bool) -> dict[str, Any]:
    rules = RulesChange(wanted.houseRules, wanted.circuit, wanted.settings or wanted.lobbySettings)
    settings = known_rules(rules)
    if wanted.gameMode.startswith("circuit"):
        circuit = {"enabled": True, "mode": wanted.gameMode}
        settings["circuit"] = {**circuit, **settings.get("circuit", {})}
    if wanted.gameMode:
        settings["gameMode"] = wanted.gameMode
    return {**settings, "name": wanted.name.strip(), "matchmaking": matchmaking}


def _lobby(roster: Roster) -> dict[str, object]:
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


# People


async def friends(desk: Desk, asked: Asked) -> list[object]:
    """No lists of friends are kept; existing clients ask for one."""
    return []


async def leaderboard(desk: Desk, asked: Asked) -> dict[str, object]:
    """The best of a `pool`, up to `limit`; and you."""
    pool = _POOLS.get(asked.query.get("pool", "head_to_head"))
    limit = asked.query.get("limit", "50")
    if pool is None:
        raise Illegal("no-such-pool", "There is no such pool of ratings.")
    if not (limit.isascii() and limit.isdecimal() and len(limit) < 10):
        raise Illegal("bad-limit", "A limit is a number of rows.")
    rows = [_row(rank) for rank in await desk.ranking(pool)]
    you = next((row for row in rows if row["userId"] == asked.visitor), None)
    return {"pool": pool, "rows": rows[: min(int(limit), 100)], "you": you}


def _row(rank: Rank) -> dict[str, object]:
    return {
        "rank": rank.rank,
        "userId": rank.visitor,
        "username": rank.name,
        "rating": round(rank.rating),
        "rd": round(rank.rd),
        "games": rank.games,
        "wins": rank.wins,
        "peak": round(rank.peak),
    }


def _refusal(code: str, sentence: str) -> dict[str, str]:
    return {"code": "bad-origin" if code == "origin" else code, "message": sentence}


_route = partial(Route, who="known")

ROUTES = RouteSet(
    title="Cambia's own HTTP",
    refusal=_refusal,
    any_content_type=True,
    routes=(
        Route("POST", "/user/guest", guest, who="anybody"),
        Route("GET", "/user/me", me, who="anybody"),
        Route("POST", "/user/create", create, body=NewUser, status=201, slow=True),
        Route("POST", "/user/login", login, body=Login, slow=True),
        _route("POST", "/user/logout", logout),
        _route("POST", "/user/claim", claim, body=Claim, slow=True),
        _route("POST", "/lobby/create", create_lobby, body=NewLobby),
        _route("GET", "/lobby/list", list_lobbies),
        _route("POST", "/lobby/{lobby_id}/join", join_lobby),
        _route("GET", "/matchmaking/queues", queues),
        _route("GET", "/friends/list", friends),
        _route("GET", "/leaderboard", leaderboard),
    ),
)
