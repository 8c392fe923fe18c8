"""A table of ONU in the terminal: opened at a running server, and shown as it is played."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import aiohttp
import msgspec
from rich.console import Console
from rich.markup import escape

from parlour.games.onu import wire
from parlour.games.onu.cards import COLOUR_NAMES, EFFECT_NAMES
from parlour.games.onu.messages import Card
from parlour.terminal.remote import Refused, Server, run

_decode = msgspec.json.Decoder(wire.Outgoing).decode
_STYLES = ("bold blue", "bold red", "bold yellow", "bold green", "bold magenta")
_WHY_PASSED = {
    "limit": "passes",
    "nothing-to-draw": "finds nothing to draw and passes",
    "timeout": "takes too long",
    "mistakes": "makes one mistake too many",
}
_HELP = (
    "[dim]Enter starts a game; `seat USER [NAME]` gives a seat; `bot NAME` has a bot play for "
    "somebody who is away, until they are back; Ctrl+C leaves.[/]"
)


def show_table(console: Console, url: str, settings: dict[str, object], bots: int) -> None:
    """Open a table at a server, say where it is, and tell what happens there, or `Refused`."""
    goodbye = "The table stays open, and the game goes on."
    run(console, url, _Opened(console, Server(url)).show(settings, bots), goodbye)


class _Opened:
    """A table that was opened here."""

    def __init__(self, console: Console, server: Server) -> None:
        self._console = console
        self._server = server

    async def show(self, settings: dict[str, object], bots: int) -> None:
        say, wanted = self._console.print, {"settings": settings, "bots": bots, "public": True}
        async with self._server.session() as self._http:
            table = await self._ask("POST", "", {"game": "onu", **wanted})
            code = table["code"]
            channel = str(settings["channel"] or code)
            say(f"Table [bold]{code}[/] is open in channel [bold]{escape(channel)}[/].")
            say(_HELP)
            address = (self._server.url / "onu").with_query(watch=code)
            async with self._http.ws_connect(address) as socket:
                obeying = asyncio.create_task(self._obey_lines(f"/{code}"))
                try:
                    await self._watch(socket)
                finally:
                    obeying.cancel()
        say("[yellow]The connection is lost.[/] If the server comes back, so does the table.")

    async def _ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Of the server's tables."""
        path = f"api/tables{path}"
        return await self._server.ask(self._http, method, path, dict[str, Any], body)

    async def _obey_lines(self, table: str) -> None:
        """Do what is typed, line by line."""
        # The event loop reads, not a thread: a thread that waits for a line could not be ended.
        loop = asyncio.get_running_loop()
        typed = asyncio.StreamReader()

        def read() -> None:
            # `readline` would read everything and return only the first line.
            if data := os.read(sys.stdin.fileno(), 4096):
                typed.feed_data(data)
            else:
                loop.remove_reader(sys.stdin.fileno())

        try:
            loop.add_reader(sys.stdin.fileno(), read)
        except (OSError, ValueError):  # standard input is no terminal: nobody can type
            return
        try:
            while True:
                words = (await typed.readline()).decode(errors="replace").split()
                try:
                    await self._obey(table, words)
                except (Refused, aiohttp.ClientError, TimeoutError) as no:
                    self._console.print(f"[yellow]{escape(str(no))}[/]")
        finally:
            loop.remove_reader(sys.stdin.fileno())

    async def _obey(self, table: str, words: list[str]) -> None:
        match words:
            case []:
                await self._ask("POST", f"{table}/start")
            case ["seat", user, *name]:
                await self._ask("POST", f"{table}/seats", {"user": user, "name": " ".join(name)})
            case ["bot", *name]:
                players = (await self._ask("GET", table))["players"]
                found = [p["place"] for p in players if p["name"] == " ".join(name)]
                if not found:
                    raise Refused("Nobody at the table is called so.")
                await self._ask("POST", f"{table}/bots", {"instead": found[0]})
            case _:
                self._console.print(_HELP)

    async def _watch(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        teller = Teller()
        async for frame in socket:
            if frame.type is aiohttp.WSMsgType.TEXT:
                line = teller.tell(_decode(frame.data))
                if line:
                    self._console.print(line)


class Teller:
    """Sentences about the events."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._held: list[int] = []
        """By seat, the number of cards."""
        self._seated: list[str] = []

    def tell(self, message: wire.Outgoing) -> str:
        """A line for one message of the wire; "": none."""
        if isinstance(message, wire.StateEvent):
            self._names = [player.name for player in message.players]
            self._held = [len(player.cards) for player in message.players]
        match message:
            case wire.LobbyEvent():
                return self._lobby(message)
            case wire.DealtEvent():
                return f"[bold]A game begins.[/] The first card is {shown(message.stack[-1])}."
            case wire.PlayedEvent(seat, _, card, color):
                chosen = f" and chooses {COLOUR_NAMES[color]}" if card.Color == 4 else ""
                self._held[seat] -= 1
                left = f"[dim]({self._held[seat]} left)[/]"
                return f"{self._who(seat)} plays {shown(card)}{chosen}. {left}"
            case wire.SkippedEvent(seat):
                return f"{self._who(seat)} is skipped."
            case wire.DrewEvent(seat, cards):
                self._held[seat] += len(cards)
                return f"{self._who(seat)} draws {len(cards)}."
            case wire.PassedEvent(seat, why):
                return f"{self._who(seat)} {_WHY_PASSED.get(why, 'passes')}."
            case wire.EndedEvent(winner):
                name = "Nobody" if winner is None else self._who(winner)
                return f"[bold]{name} wins.[/]"
            case wire.SaidEvent(name=name, text=text):
                return f"[italic]{escape(name)}: {escape(text)}[/]"
            case _:
                return ""

    def _who(self, seat: int) -> str:
        return escape(self._names[seat])

    def _lobby(self, lobby: wire.LobbyEvent) -> str:
        seated = [player.name for player in lobby.players]
        if seated == self._seated:
            return ""
        self._seated = seated
        return f"[dim]At the table: {escape(', '.join(seated)) or 'nobody'}.[/]"


def shown(card: Card) -> str:
    """A card in its colour, and in words."""
    effect = EFFECT_NAMES[card.Effect] if card.Effect else str(card.Number)
    colour = "" if card.Color == 4 else f"{COLOUR_NAMES[card.Color]} "
    return f"[{_STYLES[card.Color]}]{colour}{effect}[/]"
