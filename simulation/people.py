"""Players on the simulated network: the scripted ones of tests/cluster, with sockets of their own.

They act when they have heard something, after a while, and come back when a connection is lost.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Coroutine
from contextlib import suppress
from http.cookies import SimpleCookie
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final

import aiohttp
import aiohttp.connector
import msgspec
from yarl import URL

from simulation.network import Side
from tests.cluster.players.person import History, Person

if TYPE_CHECKING:
    from simulation.checker import Checks
    from simulation.house import Door, House

AGAIN: Final = 15.0
"""Seconds after which somebody who hears nothing acts again."""
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class Socket(asyncio.Protocol):
    """A client's end of a WebSocket: its handshake, then frames."""

    def __init__(self, request: bytes, heard: Callable[[bytes], None], rng: Random) -> None:
        self._request = request
        self._heard = heard
        self._rng = rng
        self._buffer = bytearray()
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.headers: list[tuple[str, str]] = []
        self.over = asyncio.Event()
        self.code = 1006
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(self._request)

    def connection_lost(self, why: Exception | None) -> None:
        if not self.status.done():
            self.status.set_result(0)
        self.over.set()

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        if not self.status.done() and not self._handshake():
            return
        while len(buffer) >= 2 and not self.over.is_set():
            size, start = buffer[1], 2
            if size == 126:
                size, start = int.from_bytes(buffer[2:4], "big"), 4
            elif size == 127:
                size, start = int.from_bytes(buffer[2:10], "big"), 10
            if len(buffer) < start + size:
                return
            opcode = buffer[0] & 15
            payload = bytes(buffer[start : start + size])
            del buffer[: start + size]
            self._frame(opcode, payload)

    def _handshake(self) -> bool:
        head, end, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        if not end:
            return False
        lines = head.decode().split("\r\n")
        pairs = [line.partition(": ") for line in lines[1:]]
        self.headers = [(name.lower(), value) for name, _, value in pairs]
        self._buffer[:] = rest
        status = int(lines[0].split()[1])
        self.status.set_result(status)
        if status != 101:
            self.transport.close()
        return status == 101

    def _frame(self, opcode: int, payload: bytes) -> None:
        if opcode in (_TEXT, 2):
            self._heard(payload)
        elif opcode == _PING:
            self._send(_PONG, payload)
        elif opcode == _CLOSE:
            self.code = int.from_bytes(payload[:2], "big") if payload else 1005
            self._send(_CLOSE, payload[:2])
            self.transport.close()

    def send(self, data: bytes) -> None:
        self._send(_TEXT, data)

    def _send(self, opcode: int, data: bytes) -> None:
        size = len(data)
        head = (
            bytes((128 | opcode, 128 | size))
            if size < 126
            else (bytes((128 | opcode, 254)) + size.to_bytes(2, "big"))
        )
        mask = self._rng.randbytes(4)
        key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        masked = (int.from_bytes(data, "big") ^ key).to_bytes(size, "big")
        self.transport.write(head + mask + masked)


class Connected(Person):
    """Mixed into a game's player: connects over the simulated network."""

    nodes: House
    think: ClassVar[tuple[float, float]] = (0.3, 2.0)
    """Seconds between something heard and something done."""
    asks: ClassVar[bool] = False
    """Whether its moves are requests over HTTP."""
    deaf: ClassVar[bool] = False
    """Whether it does not matter to it what it hears."""
    checks: Checks

    def prepare(self, checks: Checks, number: int) -> None:
        self.checks = checks
        self._ip = f"198.51.{100 + number // 250}.{1 + number % 250}"
        self._planned: asyncio.TimerHandle | None = None
        self._heard_at = 0.0
        self._door: Door | None = None
        self._line: Socket | None = None
        self._history: History | None = None
        self._gone = False

    def come(self) -> None:
        loop = asyncio.get_running_loop()
        self._loop = loop
        self._task = loop.create_task(self._stay())
        loop.call_later(self.rng.uniform(1, AGAIN), self._urge)

    async def _stay(self) -> None:
        while not self._gone:
            line = await self._reach()
            if line is not None:
                await line.over.wait()
                history = self._history
                assert history is not None
                history.over = True
                self.checks.left(history)
                self._line = None
            await asyncio.sleep(self.rng.uniform(0.05, 1.0))

    async def _reach(self) -> Socket | None:
        """Connect; None: it did not work."""
        doors = self.nodes.doors
        if not doors:
            return None
        door = self._door = self.door(doors)
        assert door is not None
        path, headers = self.address()
        line = Socket(self._handshake(door, path, dict(headers)), self._hear, self.rng)
        self.begin()
        history = History(self.game, self.table["id"], self.wire, self.name, self.watching)
        if self.histories:
            history.before = (self.histories[-1], 0)
        self._history = history
        self.checks.comes(history)
        try:
            await self.nodes.network.connect(lambda: line, door.address, self._ip)
            async with asyncio.timeout(20):
                status = await line.status
        except (OSError, TimeoutError):
            if line.transport is not None:
                line.transport.abort()
            self.checks.left(history)
            return None
        if status != 101:
            self.checks.left(history)
            return None
        self._line = line
        self.histories[:] = [history]
        self.came_to(door)
        jar = SimpleCookie()
        for name, value in line.headers:
            if name == "set-cookie":
                jar.load(value)
        self.http.cookie_jar.update_cookies(jar, URL(door.base))
        return line

    def _handshake(self, door: Door, path: str, headers: dict[str, str]) -> bytes:
        cookies = self.http.cookie_jar.filter_cookies(URL(door.base))
        told = {
            "Host": door.base.removeprefix("http://"),
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(self.rng.randbytes(16)).decode(),
            **headers,
        }
        if cookies:
            told["Cookie"] = "; ".join(f"{c.key}={c.value}" for c in cookies.values())
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def _hear(self, data: bytes) -> None:
        history = self._history
        assert history is not None
        self._heard_at = self._loop.time()
        self.checks.heard(history, data)
        if self.deaf:
            return
        self.hear(self.unwrapped(data))
        if self._planned is None and not self.resting:
            self._planned = self._loop.call_later(self.rng.uniform(*self.think), self._act)

    def _act(self) -> None:
        self._planned = None
        if self._line is None or self.resting:
            return
        move = self.act()
        if self.asks:
            self._asking = self._loop.create_task(self._ask(move))
            return
        try:
            move.send(None)
        except StopIteration:
            return
        raise RuntimeError("a move may not wait")

    async def _ask(self, move: Coroutine[Any, Any, None]) -> None:
        # A house in trouble may refuse, or not answer: then it is asked again later.
        with suppress(AssertionError, OSError, TimeoutError, aiohttp.ClientError):
            await move

    def _urge(self) -> None:
        """Somebody who hears nothing for long acts again."""
        if self._gone:
            return
        self._loop.call_later(AGAIN / 3, self._urge)
        if self._loop.time() - self._heard_at > AGAIN and self._planned is None:
            self._heard_at = self._loop.time()
            self._planned = self._loop.call_soon(self._act)

    async def say(self, message: Any) -> None:
        if self._line is not None and self._line.transport is not None:
            self._line.send(msgspec.json.encode(message))

    def hang_up(self) -> None:
        """Close the connection, without a word."""
        if self._line is not None:
            self._line.transport.abort()

    def break_line(self) -> None:
        """The network loses the connection."""
        if self._line is not None:
            self._line.transport.broken()

    def stall(self, seconds: float) -> None:
        """For a while nothing arrives, in both directions."""
        if self._line is not None:
            self._line.transport.stall(seconds)
            self._line.transport.peer.stall(seconds)

    def read_slowly(self, seconds: float) -> None:
        """Read nothing for a while."""
        line = self._line
        if line is not None and isinstance(line.transport, Side):
            line.transport.pause_reading()
            self._loop.call_later(seconds, line.transport.resume_reading)

    async def go(self) -> None:
        self._gone = True
        self.hang_up()
        await self.http.close()


def connected(kind: type[Person], **fields: Any) -> type[Connected]:
    """This kind of player, on the simulated network."""
    fields["deaf"] = kind.hear is Person.hear
    return type(kind.__name__, (Connected, kind), fields)


def patch_aiohttp() -> None:
    """Let aiohttp's client, which opens sockets by itself, use the simulated network."""

    class NoSocket:
        def __init__(self, address: tuple[str, int]) -> None:
            self.address = address

    async def start_connection(addr_infos: Any, **how: Any) -> NoSocket:
        return NoSocket(tuple(addr_infos[0][-1][:2]))

    aiohttp.connector.aiohappyeyeballs.start_connection = start_connection
