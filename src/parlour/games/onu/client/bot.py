"""A base class for bots: it finds the game, takes a seat, and answers prompts with `choose`.

It plays at our tables and at those of an existing window that hosts over the same relay. Such a
host checks nothing, so a bot acts on a prompt and on nothing else, once, and never late.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final

from parlour.games.onu import messages as label
from parlour.games.onu.client.turn import Action, Turn
from parlour.wcp.client import Client, NotConnected
from parlour.wcp.message import ALL, DATA, Message

log = logging.getLogger("parlour.onu.bot")

TOGETHER: Final = 0.15
"""Seconds within which several prompts count as one: only the last is answered."""
UNHEARD: Final = 5.0
"""Seconds after which an answer is sent again, if the host has sent nothing meanwhile."""
MOST_TIMES: Final = 3
PING_EVERY: Final = 3.0
"""Seconds between the first attempts to take a seat; later ones are further apart."""
LONGEST_WAIT: Final = 6.0


class Bot:
    """A player. Subclass it and write `choose`; `run` plays until it is stopped.

    `name` is the display name, the user's if it is left out. With `join=False` it takes no seat:
    use that if the table's opener seats it, and for the bot of a host's own user.
    """

    def __init__(self, name: str = "", *, join: bool = True) -> None:
        self.name = name
        self.join = join
        self._client: Client | None = None
        self._host: str | None = None
        self._seated = False
        self._others: dict[str, str] = {}
        """The display names that others asked for, by user."""
        self._answering: asyncio.Task[None] | None = None
        self._host_spoke = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    # -- yours ------------------------------------------------------------------------

    def choose(self, turn: Turn) -> Action | Awaitable[Action]:
        """Choose an action. It may be `async`: then others go on while you think."""
        raise NotImplementedError

    def started(self) -> None:
        """A game has begun, and we are in it."""

    def won(self, name: str) -> None:
        """A game is over; `name` is the winner's display name."""

    # -- ours -------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Say something in the channel, in the background."""
        if self._client is not None:
            self._start(self._send_text(self._client, text))

    def run(self, url: str, channel: str, user: str, password: str = "") -> None:
        """Play until Ctrl+C."""
        with suppress(KeyboardInterrupt):
            asyncio.run(self.play(url, channel, user, password))

    async def play(self, url: str, channel: str, user: str, password: str = "") -> None:
        """Play until cancelled."""
        client = Client(url, channel, user, password)
        self.enter(client)
        await client.open()
        try:
            await client.closed()
        finally:
            self.leave()
            await client.close()

    def enter(self, client: Client) -> None:
        """Play on a client of your own, before it is opened."""
        self._client = client
        client.on_message = self.hear
        client.on_connect = self._connected
        self.name = self.name or client.user

    def leave(self) -> None:
        """Stop playing; the client goes on."""
        for task in (*self._tasks, *([self._answering] if self._answering else [])):
            task.cancel()
        self._client = None

    def hear(self, message: Message) -> None:
        """One message of the channel. Our own come back, too: a host may be our own user."""
        client = self._client
        if client is None or message.type != DATA:
            return
        if message.sender == self._host:
            self._host_spoke.set()
        mine = message.is_for(client.user)
        match message.name:
            case label.PLAYER_TURN if mine:
                self._asked(message)
            case label.PLAYER_TURN:
                # Somebody else is prompted: our answer would come too late.
                self._stop_answering()
            case label.IS_HOST:
                self._found_host(message.sender)
            case label.PING:
                self._others[message.sender] = message.content.casefold()
                if message.to == (message.sender,):
                    self._found_host(message.sender)
            case label.START if mine and _lists(message.content, client.user):
                self._host, self._seated = message.sender, True
                self.started()
            case label.WON if mine:
                self._stop_answering()
                self.won(message.content)
            case _:
                pass

    # -- taking a seat ----------------------------------------------------------------

    def _connected(self) -> None:
        self._seated = False
        if self.join:
            self._start(self._look_for_seat())

    async def _look_for_seat(self) -> None:
        """Ask who hosts, then ask them for a seat, until a game begins in which we have one."""
        wait = PING_EVERY
        while self._client is not None and self._client.connected and not self._seated:
            if self._host is None:
                await self._send(label.HAS_HOST, "", ALL)
            else:
                await self._send(label.PING, self._free_name(), self._host)
            await asyncio.sleep(wait)
            wait = min(wait * 1.3, LONGEST_WAIT)

    def _found_host(self, user: str) -> None:
        client = self._client
        if client is None or not self.join or user == client.user:
            return
        self._host = user
        self._start(self._send(label.PING, self._free_name(), user))

    def _free_name(self) -> str:
        """Our name, or with a number behind it if somebody else asked for that one."""
        user = "" if self._client is None else self._client.user
        taken = {name for other, name in self._others.items() if other != user}
        name, number = self.name, 2
        while name.casefold() in taken:
            name = f"{self.name} {number}"
            number += 1
        return name

    # -- answering --------------------------------------------------------------------

    def _asked(self, message: Message) -> None:
        self._stop_answering()
        turn = Turn.read(message.content, message.sender)
        if turn is not None:
            # A prompt means that we have a seat, even if we missed the beginning of the game.
            self._host, self._seated = message.sender, True
            self._answering = asyncio.get_running_loop().create_task(self._answer(turn))

    def _stop_answering(self) -> None:
        if self._answering is not None:
            self._answering.cancel()
            self._answering = None

    async def _answer(self, turn: Turn) -> None:
        await asyncio.sleep(TOGETHER)
        try:
            chosen = self.choose(turn)
            action = await chosen if inspect.isawaitable(chosen) else chosen
            content = action.encode()
        except Exception:
            log.exception("the bot could not choose; it says nothing")
            return
        for _ in range(MOST_TIMES):
            self._host_spoke.clear()
            await self._send(label.PLAYER_ACTION, content, ALL)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._host_spoke.wait(), UNHEARD)
                return

    # -- sending ----------------------------------------------------------------------

    async def _send(self, name: str, content: str, to: str) -> None:
        if self._client is not None:
            with suppress(NotConnected):
                await self._client.send_data(name, content, (to,))

    async def _send_text(self, client: Client, text: str) -> None:
        with suppress(NotConnected):
            await client.send_text(text, name=self.name)

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _lists(content: str, user: str) -> bool:
    """Whether a State has this user among its players."""
    players = label.load(content).get("Players")
    return isinstance(players, list) and any(
        isinstance(player, dict) and player.get("UserName") == user for player in players
    )
