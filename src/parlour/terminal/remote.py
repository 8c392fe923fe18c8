"""Tables of a running server: `parlour watch CODE`, and what `parlour play --url` shares with it.

A client of the published protocols like any other: it asks for scenes (docs/protocols/extras.md),
and knows nothing of the game.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import aiohttp
import msgspec
from rich.console import Console
from yarl import URL

from parlour.protocol.extras_messages import ChangeExtras, NoScene, SceneExtras, TableExtras
from parlour.scenes import Scene, changed
from parlour.terminal.drawing import Drawing

T = TypeVar("T")

PATIENCE: Final = 10.0
"""Seconds within which the server must answer."""
MOMENT: Final = 0.2
"""Seconds without another change after which the table is drawn."""
LARGEST: Final = 1_048_576
"""Bytes of an answer or a message."""
NO_MATCH: Final = "No match is running yet. It is shown as soon as it begins."


class Refused(Exception):
    """Why a server or a table can't be used, in a sentence."""


class Told(msgspec.Struct):
    """Any message: those of the game's own protocol are ignored."""

    type: str = ""
    payload: msgspec.Raw = msgspec.Raw()
    """Where a protocol has envelopes, what is in one."""
    message: object = None
    """In an error, usually a sentence."""


class Seats(msgspec.Struct):
    min: int
    max: int


class GameInfo(msgspec.Struct):
    """The facts about a game that a client needs (`GET /api/games`)."""

    id: str
    name: str
    sockets: list[str]
    seats: Seats
    scenes: bool = False
    ready: bool = False
    """Whether a match starts when all players say that they are ready."""


class Games(msgspec.Struct):
    games: list[GameInfo]


class TableInfo(msgspec.Struct):
    """The facts about a table that a client needs (`GET /api/tables/{code}`)."""

    game: str
    code: str = ""


class Problem(msgspec.Struct):
    message: str


class Refusal(msgspec.Struct):
    """Why the server does not do something."""

    error: Problem


def watch(console: Console, url: str, code: str) -> None:
    """Print a table until it is closed, or the person has had enough."""
    run(console, url, Watcher(console, Server(url), code).watch())


def run(
    console: Console, url: str, work: Coroutine[Any, Any, None], goodbye: str = "Goodbye."
) -> None:
    """Do something with a server; `Refused` says what went wrong. Ctrl+C prints `goodbye`."""
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        console.print(goodbye)
    except aiohttp.ClientError as wrong:
        raise Refused(f"{url} can't be reached: {wrong}") from wrong
    except TimeoutError as wrong:
        raise Refused(f"{url} does not answer.") from wrong
    except (msgspec.DecodeError, ValueError) as wrong:
        raise Refused(f"{url} does not answer as a Parlour server does.") from wrong


class Server:
    """Where a server is, and what it answers over HTTP."""

    def __init__(self, url: str) -> None:
        self.url = URL(url)

    def session(self) -> aiohttp.ClientSession:
        """Connections of one visitor."""
        # Also from addresses without a name, which `CookieJar` distrusts unless it is told so.
        cookies = aiohttp.CookieJar(unsafe=True)
        timeout = aiohttp.ClientTimeout(total=None, connect=PATIENCE)
        return aiohttp.ClientSession(timeout=timeout, cookie_jar=cookies)

    async def ask(
        self,
        http: aiohttp.ClientSession,
        method: str,
        path: str,
        kind: type[T],
        body: object = None,
    ) -> T:
        async with (
            asyncio.timeout(PATIENCE),
            http.request(method, self.url / path, json=body) as answer,
        ):
            data = await answer.content.read(LARGEST)
            if answer.status >= 400:
                raise Refused(_reason(data, answer))
            return msgspec.json.decode(data, type=kind)

    async def game(self, http: aiohttp.ClientSession, game: str) -> GameInfo:
        games = await self.ask(http, "GET", "api/games", Games)
        found = next((each for each in games.games if each.id == game and each.scenes), None)
        if found is None:
            raise Refused(f"The game {game} can't be drawn.")
        return found


def _reason(data: bytes, answer: aiohttp.ClientResponse) -> str:
    try:
        return msgspec.json.decode(data, type=Refusal).error.message
    except msgspec.DecodeError:
        return f"{answer.url} answers with {answer.status}."


class Shown:
    """The state of one table, read from its messages."""

    def __init__(self, console: Console) -> None:
        self.drawing = Drawing(console, [])
        self.scene: Scene | None = None
        self.problem = ""
        """Why there is no scene, in a sentence."""

    def hear(self, text: str) -> bool:
        """Whether there is something new to see."""
        told = msgspec.json.decode(text, type=Told)
        kind, data = told.type, told.payload or text
        if kind == "extras_scene":
            whole = msgspec.json.decode(data, type=SceneExtras)
            self.drawing.names = whole.names
            self.drawing.moves[:] = whole.moves
            self.scene = whole.scene
        elif kind == "extras_change" and self.scene is not None:
            change = msgspec.json.decode(data, type=ChangeExtras)
            new = changed(self.scene, change.fields, change.zones, change.order)
            # The fields of a change are plain JSON.
            self.scene = msgspec.convert(msgspec.to_builtins(new), Scene)
            self.drawing.moves += [change.move] if change.move else []
        elif kind == "extras_no_scene":
            self.problem = msgspec.json.decode(data, type=NoScene).message
            self.scene = None
        else:
            return False
        return True


class Watcher:
    """A spectator."""

    def __init__(self, console: Console, server: Server, code: str) -> None:
        self._server = server
        self._code = code
        self._shown = Shown(console)
        self._changed = False
        self._running = False
        self._said = ""
        """The last sentence in place of a scene."""

    async def watch(self) -> None:
        async with self._server.session() as http:
            table = await self._server.ask(http, "GET", f"api/tables/{self._code}", TableInfo)
            game = await self._server.game(http, table.game)
            address = watching(self._server.url, game.sockets, self._code)
            async with http.ws_connect(address, max_msg_size=LARGEST) as socket:
                await self._follow(socket)

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
            self._changed |= self._hear(frame.data)
        self._draw()
        raise Refused(closing(frame, socket))

    def _hear(self, text: str) -> bool:
        told = msgspec.json.decode(text, type=Told)
        if told.type != "extras_table":
            return self._shown.hear(text)
        self._running = msgspec.json.decode(told.payload or text, type=TableExtras).running
        return self._shown.scene is None

    def _draw(self) -> None:
        if self._changed and self._shown.scene is not None:
            self._shown.drawing.draw(self._shown.scene)
        elif self._changed:
            said = self._shown.problem if self._running else NO_MATCH
            if said != self._said:
                self._shown.drawing.say(said, "yellow")
            self._said = said
        self._changed = False


def closing(frame: aiohttp.WSMessage, socket: aiohttp.ClientWebSocketResponse) -> str:
    """Why a connection has ended, in a sentence."""
    return f"Connection closed: {frame.extra or f'code {socket.close_code}'}."


def watching(server: URL, sockets: list[str], code: str) -> URL:
    """Where spectators of a table connect: at an address of their own, if there is one."""
    path = next((each for each in sockets if each.endswith("/spectate")), sockets[0])
    return _at(server, path, code).with_query(watch=code, table=code, extras="scene")


def playing(server: URL, sockets: list[str], code: str) -> URL:
    """Where players of a table connect."""
    return _at(server, sockets[0], code).with_query(table=code, extras="scene,deals")


def _at(server: URL, path: str, code: str) -> URL:
    head, brace, _ = path.partition("{")
    return server.with_path(f"{server.path.rstrip('/')}{head}{code if brace else ''}")
