"""Watches a table of a running server: `parlour watch CODE`.

A client of the published protocols like any other: it asks for scenes (docs/protocols/extras.md),
and knows nothing of the game.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import aiohttp
import msgspec
from rich.console import Console
from yarl import URL

from parlour.protocol.extras_messages import ChangeExtras, NoScene, SceneExtras
from parlour.scenes import Scene
from parlour.terminal.drawing import Drawing

PATIENCE: Final = 10.0
"""Seconds within which the server must answer."""
MOMENT: Final = 0.2
"""Seconds without another change after which the table is drawn."""
LARGEST: Final = 1_048_576
"""Bytes of an answer or a message."""


class CannotWatch(Exception):
    """Why a table can't be watched, in a sentence."""


class Told(msgspec.Struct):
    """Any message: those of the game's own protocol are ignored."""

    type: str = ""
    payload: msgspec.Raw = msgspec.Raw()
    """Where a protocol has envelopes, what is in one."""


class GameInfo(msgspec.Struct):
    """What a client must know of a game (`GET /api/games`)."""

    id: str
    name: str
    sockets: list[str]
    scenes: bool = False


class Games(msgspec.Struct):
    games: list[GameInfo]


class TableInfo(msgspec.Struct):
    """What it must know of a table (`GET /api/tables/{code}`)."""

    game: str


def watch(console: Console, url: str, code: str) -> None:
    """Print a table until it is closed, or the person has had enough."""
    try:
        asyncio.run(_Watcher(console, URL(url), code).watch())
    except KeyboardInterrupt:
        console.print("Goodbye.")
    except aiohttp.ClientError as wrong:
        raise CannotWatch(f"{url} can't be reached: {wrong}") from wrong
    except TimeoutError as wrong:
        raise CannotWatch(f"{url} does not answer.") from wrong
    except (msgspec.DecodeError, ValueError) as wrong:
        raise CannotWatch(f"{url} does not answer as a Parlour server does.") from wrong


class _Watcher:
    def __init__(self, console: Console, server: URL, code: str) -> None:
        self._server = server
        self._code = code
        self._drawing = Drawing(console, [])
        self._scene: Scene | None = None
        self._changed = False

    async def watch(self) -> None:
        timeout = aiohttp.ClientTimeout(total=None, connect=PATIENCE)
        async with aiohttp.ClientSession(timeout=timeout) as http:
            table = await self._get(http, f"api/tables/{self._code}", TableInfo)
            games = await self._get(http, "api/games", Games)
            game = next((each for each in games.games if each.id == table.game), None)
            if game is None or not game.scenes:
                raise CannotWatch(f"The game of table {self._code} can't be drawn.")
            address = watching(self._server, game.sockets, self._code)
            async with http.ws_connect(address, max_msg_size=LARGEST) as socket:
                await self._follow(socket)

    async def _get(self, http: aiohttp.ClientSession, path: str, kind: type[Any]) -> Any:
        async with asyncio.timeout(PATIENCE), http.get(self._server / path) as answer:
            if answer.status == 404:
                raise CannotWatch(f"There is no table {self._code}.")
            answer.raise_for_status()
            return msgspec.json.decode(await answer.content.read(LARGEST), type=kind)

    async def _follow(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Tell every move, and draw the table whenever nothing more comes for a moment."""
        while True:
            try:
                frame = await socket.receive(MOMENT if self._changed else None)
            except TimeoutError:
                self._draw()
                continue
            if frame.type is not aiohttp.WSMsgType.TEXT:
                break
            self._hear(frame.data)
        self._draw()
        raise CannotWatch(f"The table has closed the connection ({socket.close_code}).")

    def _hear(self, text: str) -> None:
        told = msgspec.json.decode(text, type=Told)
        kind, data = told.type, told.payload or text
        if kind == "extras_scene":
            whole = msgspec.json.decode(data, type=SceneExtras)
            self._drawing.names = whole.names
            self._drawing.moves[:] = whole.moves
            self._scene = whole.scene
        elif kind == "extras_change" and self._scene is not None:
            change = msgspec.json.decode(data, type=ChangeExtras)
            self._scene = changed(self._scene, change)
            self._drawing.moves += [change.move] if change.move else []
        elif kind == "extras_no_scene":
            self._drawing.say(msgspec.json.decode(data, type=NoScene).message, "yellow")
            return
        else:
            return
        self._changed = True

    def _draw(self) -> None:
        if self._changed and self._scene is not None:
            self._drawing.draw(self._scene)
        self._changed = False


def watching(server: URL, sockets: list[str], code: str) -> URL:
    """Where spectators of a table connect: at an address of their own, if there is one."""
    path = next((each for each in sockets if each.endswith("/spectate")), sockets[0])
    head, brace, _ = path.partition("{")
    place = server.with_path(f"{server.path.rstrip('/')}{head}{code if brace else ''}")
    return place.with_query(watch=code, table=code, extras="scene")


def changed(scene: Scene, change: ChangeExtras) -> Scene:
    """The scene after a change."""
    zones = {zone.id: zone for zone in (*scene.zones, *change.zones)}
    order = change.order or [zone.id for zone in scene.zones]
    fields = {name: getattr(scene, name) for name in Scene.__struct_fields__}
    return msgspec.convert(
        {**msgspec.to_builtins(fields), **change.fields, "zones": [zones[each] for each in order]},
        Scene,
    )
