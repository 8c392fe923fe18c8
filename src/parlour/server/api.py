"""The control plane: `/api`, JSON over HTTP, used by the page and open to all.

It makes and lists tables; playing goes through each game's own protocol.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, partial
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from parlour.kit import Illegal
from parlour.lessons import Lesson
from parlour.protocol import Asked, Desk, Game, OpenRequest, PinRequest, Route, RouteSet, RunRequest
from parlour.protocol.operations import (
    FIND,
    LIST_TABLES,
    LOG,
    OPEN,
    PIN,
    REPLAY,
    REPLAY_FRAMES,
    RUN,
)
from parlour.protocol.replays import ReplayFrames, ReplayLog
from parlour.protocol.routes import Method, read_content, routes_of
from parlour.server.reach import Reach
from parlour.server.shown import (
    Games,
    Ranking,
    ShownTables,
    TableInfo,
    Tables,
    shown_game,
    shown_ranks,
)
from parlour.table import inputs as do
from parlour.teaching import TaughtLesson, taught

log = logging.getLogger("parlour.server")

_LARGEST_PACK: Final = 1024 * 1024 + 4096
"""Bytes of a request: the bound of docs/packs.md, and the name around it."""


class Me(msgspec.Struct, frozen=True):
    """The visitor who asks. The token proves it where cookies are not sent."""

    id: str
    name: str
    token: str


Strength: TypeAlias = Annotated[str, msgspec.Meta(max_length=20)]


class NewTable(msgspec.Struct, forbid_unknown_fields=True):
    game: str
    settings: dict[str, Any] = {}
    public: bool = False
    bots: int = 0
    strength: Strength = ""
    """Of those bots; as strong as they can be if it is left out."""


class NewName(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class NewPack(msgspec.Struct, forbid_unknown_fields=True):
    """Content for a table, and a name to replace it by."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    pack: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    table: str = ""
    """In place of a pack: the table at which one of that name is shared."""


# The fields of these are those of the input with the same meaning (`ControlPlane._input`).


class AddBot(msgspec.Struct, forbid_unknown_fields=True):
    strength: Strength = ""
    instead: int | None = None
    """On the place of somebody who is away, until they are back."""


class RemoveBot(msgspec.Struct, forbid_unknown_fields=True):
    bot: int | None = None
    """Its place; without one, the bot that came last goes."""


class Kick(msgspec.Struct, forbid_unknown_fields=True):
    place: int
    ban: bool = False


class Lock(msgspec.Struct, forbid_unknown_fields=True):
    locked: bool


class NewSettings(msgspec.Struct, forbid_unknown_fields=True):
    settings: dict[str, Any]
    """Only those that are to change; all of them, or none."""


class SharedPack(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    shared: bool


class ControlPlane:
    """The `/api` routes."""

    def __init__(self, games: tuple[Game, ...], reach: Reach, notice: Callable[[], str]) -> None:
        """`notice`: what the operator tells everybody; "": nothing."""
        self._reach = reach
        self._notice = notice
        self._shown = ShownTables(games)
        self._list = msgspec.Raw(msgspec.json.encode(Games([shown_game(each) for each in games])))
        """Encoded once: it takes long, and never changes."""
        self._lessons = {
            (game.id, lesson.id): cache(partial(_taught, game, lesson))
            for game in games
            for lesson in game.lessons
        }
        """Each is played when somebody first asks for it."""

    def routes(self) -> RouteSet:
        return RouteSet(
            title="Parlour's control plane",
            routes=(
                *self._reach.routes(),
                *routes_of(self),
                self._input("POST", "bots", "Seat a bot.", do.AddBot, AddBot, 201),
                self._input("DELETE", "bots", "Send a bot away.", do.RemoveBot, RemoveBot),
                self._input(
                    "POST", "kick", "Remove somebody; `ban`: they stay out.", do.Kick, Kick
                ),
                self._input(
                    "PUT", "lock", "Let nobody else sit down, or again anybody.", do.Lock, Lock
                ),
                self._input(
                    "PUT",
                    "settings",
                    "Change settings between matches.",
                    do.Configure,
                    NewSettings,
                ),
                self._input(
                    "PUT",
                    "packs",
                    "Let other tables have a pack that was brought to this one.",
                    do.Share,
                    SharedPack,
                ),
                self._input("POST", "start", "Start a match.", do.Start),
            ),
        )

    def _input(
        self,
        method: Method,
        path: str,
        summary: str,
        kind: Callable[..., do.Input],
        body: type[msgspec.Struct] | None = None,
        status: int = 200,
    ) -> Route:
        """A route that hands an input of this kind to a table, made of the fields of its body."""

        async def answer(desk: Desk, asked: Asked) -> TableInfo:
            fields = () if body is None else msgspec.structs.astuple(asked.body)
            entry = kind(do.HOUSE, *fields)
            request = RunRequest(asked.params["code"], visitor_of(asked), entry)
            return self._shown.table(await desk.call(RUN, request), asked.visitor)

        answer.__doc__ = summary
        path = f"/api/tables/{{code}}/{path}"
        return Route(method, path, answer, who=RUN.who, body=body, gives=TableInfo, status=status)

    @Route("GET", "/api/me", who="newcomer")
    async def me(self, desk: Desk, asked: Asked) -> Me:
        """Your id, name and token; without a session, you get one with the answer."""
        visitor = visitor_of(asked)
        return Me(visitor, desk.name_of(visitor), desk.token(visitor))

    @Route("PUT", "/api/me", who="newcomer", body=NewName)
    async def rename(self, desk: Desk, asked: Asked) -> Me:
        """Change your name."""
        await desk.rename(visitor_of(asked), asked.body.name)
        return await self.me(desk, asked)

    @Route("GET", "/api/games", gives=Games, cache="no-cache")
    async def list_games(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        """The games of this house, with their settings."""
        return self._list

    @Route("GET", "/api/games/{game}/lessons/{lesson}", gives=TaughtLesson, cache="no-cache")
    async def lesson(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        """A lesson: sentences, what to do, and what is seen after each step."""
        lesson = self._lessons.get((asked.params["game"], asked.params["lesson"]))
        found = None if lesson is None else lesson()
        if found is None:
            raise Illegal("no-such-lesson", "There is no such lesson.")
        return found

    @Route("GET", "/api/ratings/{pool}", who="anybody")
    async def ranking(self, desk: Desk, asked: Asked) -> Ranking:
        """The best hundred of a pool of ratings, which a game names (`Game.pool`); and you."""
        pool = asked.params["pool"]
        return Ranking(pool, shown_ranks(await desk.ranking(pool), asked.visitor))

    @Route("GET", "/api/tables", who=LIST_TABLES.who, gives=Tables)
    async def list_tables(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        """Your tables, and public ones, 100 at a time; `?game=`, `?after=`."""
        game = asked.query.get("game")
        page = await desk.call(LIST_TABLES, game, asked.visitor, asked.after())
        return self._shown.page(page, asked.visitor, self._notice())

    @Route("POST", "/api/tables", who=OPEN.who, body=NewTable, status=201)
    async def open_table(self, desk: Desk, asked: Asked) -> TableInfo:
        """Open a table."""
        wanted = msgspec.structs.asdict(asked.body)
        address = asked.arrival.address
        request = OpenRequest(visitor=visitor_of(asked), address=address, **wanted)
        return self._shown.table(await desk.call(OPEN, request), asked.visitor)

    @Route("GET", "/api/tables/{code}", who=FIND.who)
    async def table(self, desk: Desk, asked: Asked) -> TableInfo:
        """One table, by its code or id."""
        code = asked.params["code"].replace(" ", "")
        roster = await desk.call(FIND, code)
        if roster is None or code not in (roster.id, roster.code):
            raise Illegal("no-such-table", "There is no table with that code.")
        return self._shown.table(roster, asked.visitor)

    # Named after the content of the first game that has any; every game whose lobby takes content
    # can use it.
    @Route(
        "POST",
        "/api/tables/{code}/packs",
        who=PIN.who,
        body=NewPack,
        largest=_LARGEST_PACK,
        status=201,
        slow=True,
    )
    async def bring(self, desk: Desk, asked: Asked) -> TableInfo:
        """Bring a card pack of your own to a table you run."""
        brought: NewPack = asked.body
        request = PinRequest(
            table=asked.params["code"],
            visitor=visitor_of(asked),
            name=brought.name,
            data=await _pack(desk, brought),
            address=asked.arrival.address,
        )
        return self._shown.table(await desk.call(PIN, request), asked.visitor)

    @Route("GET", "/api/replays/{id}", who=REPLAY.who, slow=True)
    async def replay(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        """A finished match: every input, every event, and the seed."""
        return await desk.call(REPLAY, asked.params["id"], asked.visitor)

    @Route(
        "GET",
        "/api/replays/{id}/frames",
        who=REPLAY_FRAMES.who,
        gives=ReplayFrames,
        slow=True,
    )
    async def replay_frames(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        """A finished match as scenes and sentences; `?view=` open, spectator or a seat."""
        view = asked.query.get("view", "open")
        return await desk.call(REPLAY_FRAMES, asked.params["id"], view, asked.visitor)

    @Route("GET", "/api/replays/{id}/log", who=REPLAY_FRAMES.who, gives=ReplayLog, slow=True)
    async def replay_log(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        """A finished match as its log, and whether it was dealt as the log says."""
        return await desk.call(REPLAY_FRAMES, asked.params["id"], LOG, asked.visitor)


def visitor_of(asked: Asked) -> str:
    assert asked.visitor is not None, "routes for newcomers always have a visitor"
    return asked.visitor


async def _pack(desk: Desk, brought: NewPack) -> bytes:
    """The pack itself: from the request, or from the table that shares it."""
    if isinstance(brought.pack, msgspec.Raw) == bool(brought.table):
        raise Illegal("bad-message", "Send a pack, or the table that shares it.")
    if isinstance(brought.pack, msgspec.Raw):
        return bytes(brought.pack)
    roster = await desk.call(FIND, "".join(brought.table.split()))
    if roster is None or not roster.brought.get(brought.name):
        raise Illegal("not-shared", "There is no pack of that name shared at that table.")
    return (await read_content(desk, roster.content[brought.name])).data


def _taught(game: Game, lesson: Lesson) -> msgspec.Raw | None:
    """The lesson, encoded; None: it can't be taught. Lessons of others may be wrong."""
    try:
        return msgspec.Raw(msgspec.json.encode(taught(game, lesson)))
    except Exception as error:
        log.error("lesson %s of the game %s can't be taught", lesson.id, game.id, exc_info=error)
        return None
