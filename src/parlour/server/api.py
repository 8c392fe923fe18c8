"""The control plane: `/api`, JSON over HTTP, used by the page and open to all.

It makes and lists tables; playing goes through each game's own protocol.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from parlour.kit import Illegal
from parlour.protocol import Asked, Desk, Game, Reply, Route, RouteSet
from parlour.server.reach import Reach
from parlour.server.shown import SeatsInfo, ShownTables, TableInfo, Tables
from parlour.table import inputs as do

LARGEST_PACK: Final = 1024 * 1024 + 4096
"""Bytes of a pack as docs/packs.md bounds it, with its name around it."""
_COUNT = re.compile(r"[0-9]{1,9}")


class GameInfo(msgspec.Struct, frozen=True):
    """A game of this house."""

    id: str
    name: str
    blurb: str
    seats: SeatsInfo
    settings: dict[str, Any]
    """A JSON Schema."""
    defaults: dict[str, Any]
    sockets: list[str]
    bots: bool
    strengths: list[str]
    """How strong its bots can be, the weakest first; empty where it has none."""


class Games(msgspec.Struct, frozen=True):
    games: list[GameInfo]


class Me(msgspec.Struct, frozen=True):
    """Who you are; the token proves it where cookies do not reach."""

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


class AddBot(msgspec.Struct, forbid_unknown_fields=True):
    strength: Strength = ""
    instead: int | None = None
    """On the place of somebody who is away, until they are back."""


class NewName(msgspec.Struct, forbid_unknown_fields=True):
    name: str


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


class NewPack(msgspec.Struct, forbid_unknown_fields=True):
    """What a game's rules can be given besides settings, and a name to replace it by."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    pack: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    table: str = ""
    """In place of a pack: the table at which one of that name is shared."""


class SharedPack(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    shared: bool


def refusal(code: str, sentence: str) -> dict[str, Any]:
    """How the control plane says no."""
    return {"error": {"code": code, "message": sentence}}


class ControlPlane:
    """The `/api` routes."""

    def __init__(self, games: tuple[Game, ...], reach: Reach) -> None:
        self._reach = reach
        self._shown = ShownTables(games)
        self._list = msgspec.Raw(msgspec.json.encode(Games([_game(game) for game in games])))
        """As it is sent: schemas are work, and they never change."""

    def routes(self) -> RouteSet:
        return RouteSet(
            title="Parlour's control plane",
            refusal=refusal,
            routes=(
                *self._reach.routes(),
                Route(
                    method="GET",
                    path="/api/me",
                    summary="Who you are; who has no session has one from now on.",
                    who="newcomer",
                    answer=self.me,
                    gives=Me,
                ),
                Route(
                    method="PUT",
                    path="/api/me",
                    summary="Change your name.",
                    who="newcomer",
                    body=NewName,
                    answer=self.rename,
                    gives=Me,
                ),
                Route(
                    method="GET",
                    path="/api/games",
                    summary="The games of this house, with their settings.",
                    answer=self.list_games,
                    gives=Games,
                    cache="no-cache",
                ),
                Route(
                    method="GET",
                    path="/api/tables",
                    summary="Your tables, and public ones, 100 at a time; `?game=`, `?after=`.",
                    who="anybody",
                    answer=self.list_tables,
                    gives=Tables,
                ),
                Route(
                    method="POST",
                    path="/api/tables",
                    summary="Open a table.",
                    who="newcomer",
                    body=NewTable,
                    answer=self.open_table,
                    gives=TableInfo,
                    status=201,
                ),
                Route(
                    method="GET",
                    path="/api/tables/{code}",
                    summary="One table, by its code or id.",
                    who="anybody",
                    answer=self.table,
                    gives=TableInfo,
                ),
                Route(
                    method="POST",
                    path="/api/tables/{code}/bots",
                    summary="Seat a bot.",
                    who="newcomer",
                    body=AddBot,
                    answer=self.add_bot,
                    gives=TableInfo,
                    status=201,
                ),
                Route(
                    method="DELETE",
                    path="/api/tables/{code}/bots",
                    summary="Send a bot away.",
                    who="newcomer",
                    body=RemoveBot,
                    answer=self.remove_bot,
                    gives=TableInfo,
                ),
                Route(
                    method="POST",
                    path="/api/tables/{code}/kick",
                    summary="Put somebody out, perhaps for good.",
                    who="newcomer",
                    body=Kick,
                    answer=self.kick,
                    gives=TableInfo,
                ),
                Route(
                    method="PUT",
                    path="/api/tables/{code}/lock",
                    summary="Let nobody else sit down, or again anybody.",
                    who="newcomer",
                    body=Lock,
                    answer=self.lock,
                    gives=TableInfo,
                ),
                Route(
                    method="PUT",
                    path="/api/tables/{code}/settings",
                    summary="Change settings between matches.",
                    who="newcomer",
                    body=NewSettings,
                    answer=self.configure,
                    gives=TableInfo,
                ),
                Route(
                    method="POST",
                    path="/api/tables/{code}/packs",
                    summary="Bring a card pack of your own to a table you run.",
                    who="newcomer",
                    body=NewPack,
                    largest=LARGEST_PACK,
                    answer=self.add_pack,
                    gives=TableInfo,
                    status=201,
                    slow=True,
                ),
                Route(
                    method="PUT",
                    path="/api/tables/{code}/packs",
                    summary="Let other tables have a pack that was brought to this one.",
                    who="newcomer",
                    body=SharedPack,
                    answer=self.share_pack,
                    gives=TableInfo,
                ),
                Route(
                    method="POST",
                    path="/api/tables/{code}/start",
                    summary="Start a match.",
                    who="newcomer",
                    answer=self.start,
                    gives=TableInfo,
                ),
                Route(
                    method="GET",
                    path="/api/replays/{id}",
                    summary="A finished match: every input, every event, and the seed.",
                    who="anybody",
                    answer=self.replay,
                    slow=True,
                ),
            ),
        )

    # The visitor

    async def me(self, desk: Desk, asked: Asked) -> Me:
        visitor = _visitor(asked)
        return Me(visitor, desk.name_of(visitor), desk.token(visitor))

    async def rename(self, desk: Desk, asked: Asked) -> Me:
        await desk.rename(_visitor(asked), asked.body.name)
        return await self.me(desk, asked)

    # Games and tables

    async def list_games(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        return self._list

    async def list_tables(self, desk: Desk, asked: Asked) -> msgspec.Raw:
        after = asked.query.get("after", "0")
        if not _COUNT.fullmatch(after):
            raise Illegal("bad-message", "`after` is the number under `next` of the page before.")
        page = await desk.list_tables(asked.query.get("game"), asked.visitor, int(after))
        return self._shown.page(page, asked.visitor)

    async def open_table(self, desk: Desk, asked: Asked) -> Reply:
        wanted: NewTable = asked.body
        opened = await desk.open_table(
            wanted.game,
            _visitor(asked),
            wanted.settings,
            public=wanted.public,
            bots=wanted.bots,
            strength=wanted.strength,
            address=asked.arrival.address,
        )
        return Reply(self._shown.table(opened, asked.visitor), 201)

    async def table(self, desk: Desk, asked: Asked) -> TableInfo:
        code = asked.params["code"].replace(" ", "")
        roster = await desk.find_table(code)
        if roster is None or code not in (roster.id, roster.code):
            raise Illegal("no-such-table", "There is no table with that code.")
        return self._shown.table(roster, asked.visitor)

    async def add_bot(self, desk: Desk, asked: Asked) -> TableInfo:
        wanted: AddBot = asked.body
        return await self._run(desk, asked, do.AddBot(do.HOUSE, wanted.strength, wanted.instead))

    async def remove_bot(self, desk: Desk, asked: Asked) -> TableInfo:
        return await self._run(desk, asked, do.RemoveBot(do.HOUSE, asked.body.bot))

    async def kick(self, desk: Desk, asked: Asked) -> TableInfo:
        wanted: Kick = asked.body
        return await self._run(desk, asked, do.Kick(do.HOUSE, wanted.place, wanted.ban))

    async def lock(self, desk: Desk, asked: Asked) -> TableInfo:
        return await self._run(desk, asked, do.Lock(do.HOUSE, asked.body.locked))

    async def configure(self, desk: Desk, asked: Asked) -> TableInfo:
        return await self._run(desk, asked, do.Configure(do.HOUSE, asked.body.settings))

    async def add_pack(self, desk: Desk, asked: Asked) -> TableInfo:
        brought: NewPack = asked.body
        data = await self._pack(desk, brought)
        roster = await desk.add_content(
            asked.params["code"], _visitor(asked), brought.name, data, asked.arrival.address
        )
        return self._shown.table(roster, asked.visitor)

    async def _pack(self, desk: Desk, brought: NewPack) -> bytes:
        """The pack itself, as it was sent or as another table has it."""
        if isinstance(brought.pack, msgspec.Raw) == bool(brought.table):
            raise Illegal("bad-message", "Send a pack, or the table that shares it.")
        if isinstance(brought.pack, msgspec.Raw):
            return bytes(brought.pack)
        roster = await desk.find_table("".join(brought.table.split()))
        if roster is None or not roster.brought.get(brought.name):
            raise Illegal("not-shared", "There is no pack of that name shared at that table.")
        return roster.content[brought.name]

    async def share_pack(self, desk: Desk, asked: Asked) -> TableInfo:
        wanted: SharedPack = asked.body
        return await self._run(desk, asked, do.Share(do.HOUSE, wanted.name, wanted.shared))

    async def start(self, desk: Desk, asked: Asked) -> TableInfo:
        return await self._run(desk, asked, do.Start(do.HOUSE))

    async def replay(self, desk: Desk, asked: Asked) -> Any:
        return await desk.replay(asked.params["id"], asked.visitor)

    async def _run(self, desk: Desk, asked: Asked, entry: do.Input) -> TableInfo:
        roster = await desk.run_table(asked.params["code"], _visitor(asked), entry)
        return self._shown.table(roster, asked.visitor)


def _visitor(asked: Asked) -> str:
    assert asked.visitor is not None, "these routes are for who has a session"
    return asked.visitor


def _game(game: Game) -> GameInfo:
    return GameInfo(
        id=game.id,
        name=game.name,
        blurb=game.blurb,
        seats=SeatsInfo(game.min_seats, game.max_seats),
        settings=game.settings_schema(),
        defaults=msgspec.to_builtins(game.settings()),
        sockets=[path for wire in game.wires for path in wire.paths],
        bots=game.bots is not None,
        strengths=[] if game.bots is None else list(game.bots.strengths),
    )
