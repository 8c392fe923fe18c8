"""Somebody at a table: connects to any door, comes back when the line is lost, keeps all it hears.

What a game's player says and when is in the module of that game.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Final

import aiohttp
import msgspec

from tests.cluster.nodes import Node, Nodes
from tests.support import PATIENCE, Event, Visitor

PACE: Final = 0.03
"""Seconds for which somebody listens before they do something."""
AGAIN: Final = 15.0
"""Seconds after which somebody who hears nothing does it again, longer than any failover."""
CONNECTING: Final = aiohttp.ClientWSTimeout(ws_close=1.0)
RELAY: Final = "relay"
"""In place of a wire's name: who is no table's guest, but a relay's."""


@dataclass
class History:
    """All that one connection heard, byte for byte, and how it ended."""

    game: str
    table: str
    """The table's id."""
    wire: str
    person: str
    watching: bool
    frames: list[bytes] = field(default_factory=list)
    over: bool = False
    before: tuple[History, int] | None = None
    """The same person's connection before this one, and how many frames it had heard by then."""


class Person:
    """One visitor with a browser of their own."""

    game: ClassVar[str]
    wire: ClassVar[str]
    pace: ClassVar[float] = PACE

    def __init__(self, nodes: Nodes, table: Event, rng: Random, name: str) -> None:
        self.nodes = nodes
        self.table = table
        self.rng = rng
        self.name = name
        self.http = aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=aiohttp.ClientTimeout(8)
        )
        self.histories: list[History] = []
        self.again = 0
        """How often nothing came of what it had said."""
        self.refused = 0
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self.resting = False
        self._news = False
        self._last = 0.0
        """When it last heard or said something."""
        self._urged = False
        self._task: asyncio.Task[None] | None = None
        self._listening: set[asyncio.Task[None]] = set()

    # -- what a game's player is ------------------------------------------------------

    def address(self) -> tuple[str, Mapping[str, str]]:
        """The path it connects to, and headers."""
        raise NotImplementedError

    def begin(self) -> None:
        """A new connection: everything that was known is told anew."""

    def hear(self, message: Event) -> None:
        """Take a message in."""

    async def act(self) -> None:
        """Do something, if it is time to."""

    def door(self, doors: list[Node]) -> Node:
        """Where it comes in."""
        return self.rng.choice(doors)

    def came_to(self, node: Node) -> None:
        """It is there."""

    def gives_up(self) -> bool:
        """Whether it tries another door."""
        return False

    def unwrapped(self, data: bytes) -> Event:
        message: Event = msgspec.json.decode(data)
        return message

    # -- coming and going -------------------------------------------------------------

    async def introduce(self) -> None:
        """Get a session."""
        await self.call("GET", "/api/me")

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """A request that must be granted, at any door; perhaps not at the first one."""
        status, told = 503, None
        async with asyncio.timeout(PATIENCE):
            while status == 503:
                visitor = Visitor(self.rng.choice(self.nodes.doors).base, self.http)
                with suppress(aiohttp.ClientError, TimeoutError):
                    status, told = await visitor.call(method, path, body)
        assert status in (200, 201), told
        return told

    def come(self) -> None:
        self._task = asyncio.create_task(self._stay())

    async def go(self) -> None:
        """Disconnect, and do not come back."""
        tasks = [task for task in (self._task, *self._listening) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.socket is not None:
            await self.socket.close()
        await self.http.close()

    async def failed(self) -> None:
        """Raises what it failed with, if it did."""
        if self._task is not None and self._task.done():
            self._task.result()

    async def _stay(self) -> None:
        while True:
            node = await self._connect()
            if node is None:
                continue
            assert self.socket is not None
            self.begin()
            history = History(self.game, self.table["id"], self.wire, self.name, self.watching)
            if self.histories:
                history.before = (self.histories[-1], len(self.histories[-1].frames))
            self.histories.append(history)
            listening = asyncio.create_task(self._listen(self.socket, history))
            self._listening.add(listening)
            listening.add_done_callback(self._listening.discard)
            acting = asyncio.create_task(self._act_on(node, listening))
            try:
                await acting
            finally:
                acting.cancel()
            if listening.done():
                listening.result()
            if not history.frames:
                # Not let in yet.
                await asyncio.sleep(self.rng.uniform(0.1, 0.5))

    watching: ClassVar[bool] = False

    async def _connect(self) -> Node | None:
        doors = self.nodes.doors
        if not doors:
            await asyncio.sleep(0.1)
            return None
        node = self.door(doors)
        path, headers = self.address()
        try:
            async with asyncio.timeout(15):
                self.socket = await self.http.ws_connect(
                    node.base + path, headers=headers, timeout=CONNECTING, max_msg_size=0
                )
        except (aiohttp.ClientError, OSError, TimeoutError):
            await asyncio.sleep(self.rng.uniform(0.05, 0.3))
            return None
        self.came_to(node)
        return node

    async def _listen(self, socket: aiohttp.ClientWebSocketResponse, history: History) -> None:
        try:
            async for frame in socket:
                data = frame.data if isinstance(frame.data, bytes) else frame.data.encode()
                history.frames.append(data)
                if socket is self.socket:
                    self.hear(self.unwrapped(data))
                    self._news, self._last = True, time.monotonic()
        finally:
            history.over = True
            await socket.close()
            # After a lost connection `close` does nothing, and aiohttp warns that it is open.
            socket._response.close()

    async def _act_on(self, node: Node, listening: asyncio.Task[None]) -> None:
        """Returns when the connection is over, or is left for another one."""
        still_since: float | None = None
        self._news, self._last = True, time.monotonic()
        while not listening.done():
            await asyncio.sleep(self.pace)
            if self.resting:
                continue
            if not node.standing_still:
                still_since = None
            elif still_since is None:
                # Somebody waits for the page to come back, somebody else loads it anew.
                still_since = time.monotonic() + self.rng.choice((2.0, 1e9))
            elif time.monotonic() > still_since and self.nodes.doors:
                return
            if self.gives_up() and self.socket is not None:
                await self.socket.close()
                return
            self._urged = not self._news and time.monotonic() - self._last > AGAIN
            if self._news or self._urged:
                self._news, self._last = False, time.monotonic()
                with suppress(aiohttp.ClientError, ConnectionError):
                    await self.act()

    async def say(self, message: Event) -> None:
        assert self.socket is not None
        self.again += self._urged
        self._urged = False
        await self.socket.send_str(msgspec.json.encode(message).decode())


class Watcher(Person):
    """Sees what everybody may see, and says nothing."""

    watching: ClassVar[bool] = True
