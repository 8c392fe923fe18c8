"""Plays at a table of a running server: `parlour play GAME --url URL`.

The socket and the keyboard are read in the event loop. Questions are asked in a thread, which waits
in `Visit._read` for a line, or for news that make the question out of date.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

import aiohttp
import msgspec
from rich.console import Console

from parlour.protocol.extras_messages import (
    Act,
    Leave,
    Nonce,
    Promised,
    Ready,
    Said,
    TableExtras,
)
from parlour.protocol.extras_messages import Refused as NotDone
from parlour.terminal.choosing import Changed, Chooser, Quit
from parlour.terminal.hints import REQUEST, told
from parlour.terminal.remote import (
    LARGEST,
    MOMENT,
    PATIENCE,
    Refused,
    Server,
    Shown,
    TableInfo,
    Told,
    closing,
    playing,
)

LOBBY: Final = "Enter to start, q to leave > "
WAITING: Final = "Enter to look again, q to leave > "


class Wanted(NamedTuple):
    """The table that somebody wants to play at."""

    game: str
    name: str
    code: str = ""
    """Of a table that is open; "": a new one."""
    settings: dict[str, Any] | None = None
    bots: int | None = None
    """At a new table; None: 2, or as many as it takes."""
    strength: str = ""


class Ended(NamedTuple):
    """The connection is closed; `why` is a sentence."""

    why: str


class Visit:
    """One person at one table."""

    def __init__(self, console: Console, server: Server, wanted: Wanted, keyboard: int = 0) -> None:
        """`keyboard`: the file descriptor that lines are read from."""
        self._server = server
        self._wanted = wanted
        self._keyboard = keyboard
        self._shown = Shown(console)
        self._chooser = Chooser(self._shown.drawing, self._read)
        self._news: SimpleQueue[str | Ended | None] = SimpleQueue()
        """Typed lines, and None whenever there is something new to see."""
        self._ahead: list[str] = []
        """Lines that were typed before they were asked for."""
        self._table: TableExtras | None = None
        self._lines: list[str] = []
        """Refusals, talk and hints, to be printed below the table."""

    # -- in the event loop ------------------------------------------------------------

    async def play(self) -> None:
        """Until the person leaves; `Refused` if the table closes before."""
        async with self._server.session() as http:
            self._http = http
            self._loop = asyncio.get_running_loop()
            await self._server.ask(http, "GET", "api/me", dict[str, Any])
            named = {"name": self._wanted.name}
            await self._server.ask(http, "PUT", "api/me", dict[str, Any], named)
            self._game = await self._server.game(http, self._wanted.game)
            self._code = (await self._find()).code
            address = playing(self._server.url, self._game.sockets, self._code)
            async with http.ws_connect(address, max_msg_size=LARGEST) as self._socket:
                listening = asyncio.create_task(self._listen())
                try:
                    await self._converse()
                finally:
                    listening.cancel()
                    with suppress(asyncio.CancelledError):
                        await listening

    async def _find(self) -> TableInfo:
        wanted, ask = self._wanted, self._server.ask
        if wanted.code:
            found = await ask(self._http, "GET", f"api/tables/{wanted.code}", TableInfo)
            if found.game != wanted.game:
                raise Refused(f"The game at table {wanted.code} is {found.game}.")
            return found
        body: dict[str, Any] = {"game": wanted.game, "settings": wanted.settings or {}}
        seats = self._game.seats
        bots = min(max(seats.min - 1, 2), seats.max - 1) if wanted.bots is None else wanted.bots
        if bots:
            body |= {"bots": bots, "strength": wanted.strength}
        return await ask(self._http, "POST", "api/tables", TableInfo, body)

    async def _converse(self) -> None:
        """Ask in a thread, while lines are read here."""
        unread = bytearray()

        def readable() -> None:
            data = os.read(self._keyboard, 4096)
            *lines, rest = (unread + data).split(b"\n")
            unread[:] = rest
            for line in lines:
                self._news.put(line.decode(errors="replace"))
            if not data:
                self._news.put(Ended(""))
                self._loop.remove_reader(self._keyboard)

        self._loop.add_reader(self._keyboard, readable)
        self._loop.add_signal_handler(signal.SIGWINCH, self._news.put, None)
        try:
            await asyncio.to_thread(self._sit)
        finally:
            # After Ctrl-C the thread still waits for an answer.
            self._news.put(Ended(""))
            self._loop.remove_signal_handler(signal.SIGWINCH)
            self._loop.remove_reader(self._keyboard)
            with suppress(ConnectionError):
                await self._socket.send_str(_encoded(Leave()))

    async def _listen(self) -> None:
        """Hear everything; tell the thread whenever nothing more comes for a moment."""
        fresh = False
        while True:
            try:
                frame = await self._socket.receive(MOMENT if fresh else None)
            except TimeoutError:
                self._news.put(None)
                fresh = False
                continue
            if frame.type is not aiohttp.WSMsgType.TEXT:
                self._news.put(Ended(closing(frame, self._socket)))
                return
            if '"extras_commitment"' in frame.data:
                await self._give_number(frame.data)
            else:
                fresh |= self._hear(frame.data)

    async def _give_number(self, text: str) -> None:
        """Have a part in the seed of the next deal (docs/fairness.md)."""
        data = msgspec.json.decode(text, type=Told).payload or text
        commitment = msgspec.json.decode(data, type=Promised).commitment
        await self._socket.send_str(_encoded(Nonce(commitment, secrets.token_hex(32))))

    def _hear(self, text: str) -> bool:
        told_ = msgspec.json.decode(text, type=Told)
        data = told_.payload or text
        match told_.type:
            case "extras_table":
                self._table = msgspec.json.decode(data, type=TableExtras)
            case "extras_said":
                said = msgspec.json.decode(data, type=Said)
                self._lines.append(f"{said.name}: {said.text}")
            case "extras_refused":
                self._lines.append(msgspec.json.decode(data, type=NotDone).message)
            case "error":
                self._lines.append(str(told_.message or "That was refused."))
            case "hint":
                self._lines.append(f"Hint: {told(bytes(text, 'utf-8'))}")
            case _:
                return self._shown.hear(text)
        return True

    def _send(self, data: str) -> None:
        """From the thread."""
        asyncio.run_coroutine_threadsafe(self._socket.send_str(data), self._loop).result()

    def _start(self) -> None:
        """From the thread."""
        path = f"api/tables/{self._code}/start"
        started = self._server.ask(self._http, "POST", path, TableInfo)
        try:
            asyncio.run_coroutine_threadsafe(started, self._loop).result()
        except Refused as no:
            self._lines.append(str(no))

    # -- in the thread ----------------------------------------------------------------

    def _read(self, prompt: str) -> str:
        """A line; `Changed` if there is something new to see before it is typed."""
        self._shown.drawing.console.print(prompt, end="", markup=False)
        if self._ahead:
            return self._ahead.pop(0)
        news = self._news.get()
        while news is None and not self._news.empty():
            news = self._news.get()
        if news is None:
            raise Changed
        if isinstance(news, Ended):
            raise Refused(news.why) if news.why else EOFError
        return news

    def _sit(self) -> None:
        """Play one match after the other."""
        while True:
            try:
                if self._table is not None and self._table.running:
                    self._take_turn()
                else:
                    self._wait_for_match()
            except Changed:
                continue
            except Quit:
                self._shown.drawing.say("Goodbye.")
                return

    def _wait_for_match(self) -> None:
        say, table = self._shown.drawing.say, self._table
        if self._shown.scene is not None:
            self._shown.drawing.draw(self._shown.scene)
        say(f"Table {self._code} of {self._game.name}. Others join with:")
        say(f"  parlour play {self._game.id} --table {self._code} --url {self._server.url}")
        if table is not None:
            say(f"Here: {', '.join(_person(each) for each in table.people)}")
            if table.scores.standings:
                each = [f"{score.name} {score.points}" for score in table.scores.standings]
                say(f"Points: {', '.join(each)}.")
        self._print_lines()
        runs = self._game.ready or (table is not None and table.runs)
        self._chooser.word(LOBBY if runs else WAITING)
        if self._game.ready:
            self._send(_encoded(Ready()))
        elif runs:
            self._start()
        self._wait_for_news()

    def _take_turn(self) -> None:
        scene = self._shown.scene
        if scene is None:
            self._shown.drawing.say(self._shown.problem, "yellow")
            self._chooser.word(WAITING)
            return
        self._shown.drawing.draw(scene)
        self._print_lines()
        if not scene.choices:
            self._chooser.word(WAITING)
            return
        needed = any(not choice.optional for choice in scene.choices)
        pause = "" if needed else "A number, or Enter to look again > "
        chosen = self._chooser.choose(scene, pause, self._hint)
        if chosen is not None:
            self._send(_encoded(Act(chosen.action, chosen.fields)))
            self._wait_for_news()

    def _hint(self) -> str:
        self._send(REQUEST.decode())
        return "The server is asked for a hint, if it has any for this game."

    def _wait_for_news(self) -> None:
        """Keep what is typed meanwhile."""
        with suppress(Empty):
            while isinstance(news := self._news.get(timeout=PATIENCE), str):
                self._ahead.append(news)
            if news is not None:
                self._news.put(news)

    def _print_lines(self) -> None:
        for line in self._lines:
            self._shown.drawing.say(line, "yellow")
        self._lines.clear()


def _person(person: Any) -> str:
    return f"{person.name} (away)" if person.away else person.name


def _encoded(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()
