"""Helpers for tests of a running server: the server itself, visitors, clients, raw sockets."""

from __future__ import annotations

import asyncio
import base64
import inspect
import os
import random
import re
import sqlite3
import struct
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import AsyncExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from socket import create_server
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import msgspec

from parlour.bus import JoinRequest
from parlour.house import House
from parlour.house.audience import Attachment
from parlour.house.live import LiveTable
from parlour.kit import Illegal
from parlour.protocol import Wire
from parlour.server.cluster_node import ClusterNode
from parlour.server.server import Server
from parlour.store import Store, Ticket
from parlour.store.memory import MemoryStore
from parlour.table import Table

PATIENCE = 30.0
"""Seconds after which a waiting test gives up: far more than anything takes."""

UNHURRIED: dict[str, Any] = {
    "message_rate": 1e6,
    "message_burst": 1_000_000,
    "address_rate": 1e6,
    "address_burst": 1_000_000,
    "request_rate": 1e6,
    "request_burst": 1_000_000,
}
"""Limits that no test reaches, on however fast a machine."""

PARLOUR = (sys.executable, "-c", "from parlour.cli import main; main()")
"""The console script, run by this interpreter."""

Event = dict[str, Any]


async def soon(condition: Callable[[], object]) -> None:
    """Return once `condition` holds; it may return an awaitable."""
    async with asyncio.timeout(PATIENCE):
        while True:
            holds = condition()
            asked = inspect.isawaitable(holds)
            if await holds if inspect.isawaitable(holds) else holds:
                return
            await asyncio.sleep(0.02 if asked else 0.002)


async def turns_of_the_loop(count: int = 50) -> None:
    """Let all callbacks and tasks run that are ready."""
    for _ in range(count):
        await asyncio.sleep(0)


async def recalled(store: Store, prefix: str, *values: bytes) -> None:
    """Return once the facts with this prefix have these values; without values, once one exists."""

    async def there() -> bool:
        facts = sorted((await store.recall(prefix)).values())
        return facts != [] and (not values or facts == sorted(values))

    await soon(there)


def applied(scene: Event, change: Event) -> Event:
    """A scene after an `extras_change`, or after a frame of a replay."""
    # Fields with their default value are left out of a scene, and told in a change.
    after = {**scene, **change.get("fields", {})}
    if order := change.get("order"):
        zones = {zone["id"]: zone for zone in (*scene["zones"], *change["zones"])}
        after["zones"] = [zones[zone] for zone in order]
    return after


def lives(pid: int) -> bool:
    """Whether a process exists and is not a zombie (Linux)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def wake_all(house: House) -> None:
    """Load all tables of a house, as if somebody came to each of them."""
    await house.loader.all_read()
    for entry in house.index:
        with suppress(Illegal):
            await house.loader.awake(entry)


def own_port() -> int:
    """A free port of this machine, for a server that is to be found there again. The system gives
    it to nobody who asks for any port."""
    while True:
        port = random.randrange(20_000, 30_000)
        with suppress(OSError), create_server(("127.0.0.1", port)):
            return port


def still() -> Any:
    """In place of `parlour.house.journal.time`: clocks of houses stand still, unless a test moves
    them. On a busy machine seconds may pass where a test expects none to."""
    now = time.monotonic_ns()
    return SimpleNamespace(time_ns=time.time_ns, monotonic_ns=lambda: now)


class HeldStore(MemoryStore):
    """A log whose commits wait until `release`."""

    held = False
    ours = True
    """Whether no other node can have taken over."""

    def _written(self) -> Ticket:
        if not self.held:
            return super()._written()
        self.last_ticket += 1
        return self.last_ticket

    def current(self) -> bool:
        return self.ours

    def release(self) -> None:
        """Commit everything so far."""
        self._kept(self.last_ticket)


@contextmanager
def another_writer(path: Path) -> Generator[None]:
    """Another connection with an open write transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT OR REPLACE INTO facts VALUES ('other', 'x')")
        yield
        other.execute("COMMIT")


def close_code(socket: aiohttp.ClientWebSocketResponse, last: aiohttp.WSMessage) -> int | None:
    """The close code with the last message. `socket.close_code` is another one where the server,
    which waits three seconds, did not get our answer."""
    return last.data if last.type is aiohttp.WSMsgType.CLOSE else socket.close_code


class Client:
    """A WebSocket that speaks JSON, and all events it has received."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.heard: list[Event] = []
        self.close_code: int | None = None
        """The close code, once it is closed."""

    async def send(self, type: str, **fields: Any) -> None:
        await self.send_raw(msgspec.json.encode({"type": type, **fields}).decode())

    async def send_raw(self, text: str) -> None:
        await self.socket.send_str(text)

    async def event(self) -> Event:
        """The next event, whatever it is."""
        async with asyncio.timeout(PATIENCE):
            frame = await self.socket.receive()
        if frame.type is not aiohttp.WSMsgType.TEXT:
            self.close_code = close_code(self.socket, frame)
            raise AssertionError(frame, self.close_code)
        event: Event = msgspec.json.decode(frame.data)
        self.heard.append(event)
        return event

    async def expect(self, type: str) -> Event:
        """The next event, which must be of this type."""
        event = await self.event()
        assert event["type"] == type, event
        return event

    async def until(self, type: str, **fields: Any) -> Event:
        """The next event of this type with these fields; others are skipped."""
        while True:
            event = await self.event()
            if event["type"] == type and all(event.get(k) == v for k, v in fields.items()):
                return event

    async def closed(self) -> int | None:
        """Waits until it is closed; gives the close code. Events before that are only recorded."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self.socket.receive()
                if frame.type is aiohttp.WSMsgType.TEXT:
                    self.heard.append(msgspec.json.decode(frame.data))
                else:
                    self.close_code = close_code(self.socket, frame)
                    return self.close_code

    async def close(self) -> None:
        await self.socket.close()


class RummyClient(Client):
    """A player of Super Rummy who tracks the state from the messages."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        super().__init__(socket)
        self.lobby: Event = {}
        self.me = ""
        self.deck: list[str] = []
        self.discards: list[Event] = []
        self.hand: list[Event] = []
        self.turn: tuple[str, str] | None = None

    async def event(self) -> Event:
        event = await super().event()
        self.take_in(event)
        return event

    def take_in(self, event: Event) -> None:
        match event["type"]:
            case "lobby":
                self.lobby = event["lobby"]
                self.me = self.lobby["current_player_id"]
                self.turn = None
            case "start":
                self.me = event["current_player_id"]
                self.deck = list(event["card_ids"])
                self.discards, self.hand = [], []
            case "redeck":
                self.deck, self.discards = list(event["new_card_ids"]), []
            case "move":
                self._move(event)
            case "turn":
                self.turn = (event["player_id"], event["state"])

    def _move(self, event: Event) -> None:
        ids = {card["id"] for card in event["cards"]}
        self.deck = [card for card in self.deck if card not in ids]
        self.discards = [card for card in self.discards if card["id"] not in ids]
        self.hand = [card for card in self.hand if card["id"] not in ids]
        to = event["destination"]
        if to["type"] == "discard":
            self.discards += event["cards"]
        elif to["type"] == "player" and to["player_id"] == self.me:
            self.hand[to["position"] : to["position"]] = event["cards"]

    @property
    def code(self) -> str:
        return str(self.lobby["code"])

    @property
    def names(self) -> list[str]:
        return [player["name"] for player in self.lobby["players"]]

    async def fence(self) -> list[Event]:
        """All events that were on their way when this was called.

        It sends something that the table refuses: the refusal comes after all earlier events.
        """
        before = len(self.heard)
        await self.send("draw", card_id="fence")
        while (await self.event())["type"] != "error":
            pass
        return self.heard[before:-1]

    async def refused(self, type: str, **fields: Any) -> str:
        """Send something that must be refused; gives the code. No other event may come first."""
        await self.send(type, **fields)
        return str((await self.expect("error"))["code"])

    async def in_the_middle(self, moves: int = 20) -> None:
        """Return once so many cards have moved in this player's round."""
        await soon(lambda: sum(event["type"] == "move" for event in self.heard) >= moves)

    async def my_turn(self) -> None:
        """Wait until it is this player's turn to draw."""
        while self.turn != (self.me, "draw"):
            await self.event()

    async def play_turn(self) -> None:
        """Wait for this player's turn, draw (from the deck, if there is one) and discard."""
        await self.my_turn()
        await self._draw_and_discard()

    async def play_round(self) -> None:
        """Draw and discard until the round is over and the lobby is back."""
        while True:
            if self.turn == (self.me, "draw"):
                await self._draw_and_discard()
            elif (await self.event())["type"] == "lobby":
                return

    async def _draw_and_discard(self) -> None:
        top = self.deck[-1] if self.deck else self.discards[-1]["id"]
        await self.send("draw", card_id=top)
        await self.until("turn", player_id=self.me, state="play")
        away = next((c["id"] for c in self.hand if c["id"] != top), top)
        await self.send("discard", card_id=away)
        await self.until("move", destination={"type": "discard"})


@dataclass(frozen=True)
class Page:
    """The answer to a GET."""

    status: int
    headers: Mapping[str, str]
    body: bytes


OPENED: list[aiohttp.ClientWebSocketResponse] = []
"""The sockets of a test's visitors."""


def release_sockets() -> None:
    """Let go of the sockets that a test left open.

    If they are part of a reference cycle, for example of an exception that a test expects and its
    own frame, aiohttp warns of them when they are collected, which may be in any later test.
    """
    for socket in OPENED:
        # `socket.close` does nothing after a lost connection, or without the event loop.
        if socket._response.connection is not None:
            socket._response.connection.close()
    OPENED.clear()


class Visitor:
    """A visitor with a browser of their own: cookies, requests, sockets."""

    def __init__(self, base: str, http: aiohttp.ClientSession) -> None:
        self.base = base
        self.http = http

    async def call(
        self, method: str, path: str, body: Any = None, **options: Any
    ) -> tuple[int, Any]:
        """One request to the control plane: its status and its JSON."""
        if body is not None:
            options["json"] = body
        async with self.http.request(method, self.base + path, **options) as answer:
            return answer.status, msgspec.json.decode(await answer.read())

    async def get(self, path: str, **options: Any) -> Page:
        """One GET, read whole."""
        async with self.http.get(self.base + path, **options) as answer:
            return Page(answer.status, answer.headers, await answer.read())

    async def token(self) -> str:
        status, me = await self.call("GET", "/api/me")
        assert status == 200
        return str(me["token"])

    async def socket(self, path: str, **options: Any) -> aiohttp.ClientWebSocketResponse:
        socket: aiohttp.ClientWebSocketResponse = await self.http.ws_connect(
            self.base + path, **options
        )
        OPENED.append(socket)
        return socket

    async def rummy(self, query: str = "", path: str = "/rummy", **options: Any) -> RummyClient:
        """A connection to Super Rummy, before its first event."""
        return RummyClient(await self.socket(path + query, **options))

    async def refusal(self, path: str, **options: Any) -> int:
        """The HTTP status with which an upgrade was refused."""
        try:
            socket = await self.socket(path, **options)
        except aiohttp.WSServerHandshakeError as no:
            return no.status
        await socket.close()
        raise AssertionError("the upgrade was not refused")


class OpenHouse:
    """A real server on a port of its own, and its visitors."""

    def __init__(self, server: Server, until_end: AsyncExitStack) -> None:
        self.server = server
        self.base = f"{'https' if server.config.tls_cert else 'http'}://127.0.0.1:{server.port}"
        self._until_end = until_end

    @property
    def cluster(self) -> ClusterNode:
        """Its part that connects it with other nodes."""
        assert self.server._cluster is not None
        return self.server._cluster

    async def visitor(self, **options: Any) -> Visitor:
        """A new visitor, who also keeps cookies of IP addresses."""
        jar = aiohttp.CookieJar(unsafe=True)
        http = aiohttp.ClientSession(cookie_jar=jar, **options)
        await self._until_end.enter_async_context(http)
        return Visitor(self.base, http)

    async def rummy(self, query: str = "") -> RummyClient:
        """A guest at Super Rummy; without a query, in a lobby of their own."""
        client = await (await self.visitor()).rummy(query)
        if not query:
            await client.expect("lobby")
        return client

    async def table_of(self, count: int) -> list[RummyClient]:
        """So many guests in the first one's lobby, who have received its events."""
        here: list[RummyClient] = [await self.rummy()]
        for _ in range(count - 1):
            guest = await self.rummy()
            await guest.send("join", code=here[0].code)
            here.append(guest)
            for member in here:
                await member.expect("lobby")
        return here

    async def raw(self, path: str = "/rummy", early: bytes = b"", **headers: str) -> RawSocket:
        """An upgraded raw connection; `early` is sent along with the handshake."""
        raw = await RawSocket.upgrade(self.server.port, path, headers, early)
        self._until_end.callback(raw.abort)
        return raw

    async def shut(self, *company: Client) -> None:
        """Stop the server; all these clients must get close code 1001."""
        told = [client.closed() for client in company]
        _, *codes = await asyncio.gather(self.server.stop(), *told)
        assert codes == [1001] * len(company)

    async def says_no_more(self) -> None:
        """Return once everything that the server has sent so far has arrived.

        The answer to a request comes after everything that was written before it.
        """
        visitor = await self.visitor()
        for _ in range(2):
            assert (await visitor.get("/healthz")).status == 200
            await turns_of_the_loop()

    async def hand_over(self) -> None:
        """Hand all tables over, as a node does before it closes its connections and stops."""
        await self.cluster.hand_over(self.server.house)

    @property
    def tables(self) -> list[Table]:
        """The server's tables in memory."""
        return [live.table for live in self.server.house.index if isinstance(live, LiveTable)]


async def moved(
    guest: RummyClient, name: str, address: str, host: RummyClient, house: OpenHouse
) -> None:
    """Return once a guest with a token and extras has moved to a host's table.

    Checks that the table has the guest's address and knows that the guest can resume.
    """
    while guest.lobby.get("code") != host.code:
        await guest.event()
    await guest.until("extras_table")
    (table,) = [table for table in house.tables if table.roster.code == host.code]
    player = next(each for each in table.roster.people if each.name == name)
    assert (player.resumable, player.address) == (True, table.mark(address))


TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA


class RawSocket:
    """A raw WebSocket, for frames that no correct client sends."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def upgrade(
        cls, port: int, path: str, headers: dict[str, str], early: bytes = b""
    ) -> RawSocket:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = {
            "Host": f"127.0.0.1:{port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode() + early)
        try:
            answer = await reader.readuntil(b"\r\n\r\n")
        except BaseException:
            writer.transport.abort()
            raise
        assert answer.startswith(b"HTTP/1.1 101 "), answer
        return cls(reader, writer)

    def frame(self, opcode: int, payload: bytes, *, last: bool = True) -> None:
        """Write one masked frame."""
        self.writer.write(self.masked(opcode, payload, last=last))

    def frames(self, opcode: int, payloads: Iterable[bytes]) -> None:
        """Write many at once."""
        self.writer.write(b"".join(self.masked(opcode, payload) for payload in payloads))

    def masked(self, opcode: int, payload: bytes, *, last: bool = True) -> bytes:
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        return self.head(opcode, len(payload), last=last) + mask + masked

    @staticmethod
    def head(opcode: int, length: int, *, last: bool = True) -> bytes:
        first = opcode | (0x80 if last else 0)
        if length < 126:
            return struct.pack("!BB", first, 0x80 | length)
        if length < 65536:
            return struct.pack("!BBH", first, 0x80 | 126, length)
        return struct.pack("!BBQ", first, 0x80 | 127, length)

    async def receive(self) -> tuple[int, bytes]:
        """One frame: its opcode and its payload."""
        async with asyncio.timeout(PATIENCE):
            first, second = await self.reader.readexactly(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", await self.reader.readexactly(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", await self.reader.readexactly(8))
            return first & 0x0F, await self.reader.readexactly(length)

    async def event(self) -> Event:
        """The next text frame, as JSON."""
        while True:
            opcode, payload = await self.receive()
            if opcode == TEXT:
                event: Event = msgspec.json.decode(payload)
                return event
            assert opcode in (PING, PONG), (opcode, payload)

    async def close_code(self) -> int:
        """The code of the close frame, once it comes."""
        while True:
            opcode, payload = await self.receive()
            if opcode == CLOSE:
                return int(struct.unpack("!H", payload[:2])[0])

    def stop_reading(self) -> None:
        # uvloop's transports have these methods, but are no subclasses.
        cast(asyncio.Transport, self.writer.transport).pause_reading()

    def abort(self) -> None:
        """Drop the connection without a close frame."""
        self.writer.transport.abort()


Opener = Callable[..., Awaitable[OpenHouse]]
"""The type of the `open_house` fixture: takes settings, gives a running server."""


class Process:
    """`parlour serve` as a process of its own, which a test can kill."""

    def __init__(self, process: asyncio.subprocess.Process, base: str) -> None:
        self.process = process
        self.base = base

    @classmethod
    async def serve(cls, data: Path, *flags: str, **options: Any) -> Process:
        """Returns once it listens."""
        options.setdefault("env", dict(os.environ))["PARLOUR_BOT_PACE"] = "0"
        process = await asyncio.create_subprocess_exec(
            *PARLOUR,
            *("serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data), *flags),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            **options,
        )
        assert process.stdout is not None
        async with asyncio.timeout(3 * PATIENCE):
            while line := (await process.stdout.readline()).decode():
                if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                    return cls(process, found[0])
        raise AssertionError((await process.communicate())[1].decode())

    async def ended(self) -> tuple[int, str]:
        """Waits for its end; gives its exit code and its standard error."""
        async with asyncio.timeout(PATIENCE):
            _, complaints = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, complaints.decode()

    async def kill(self) -> None:
        """SIGKILL: no handler runs, as after a power failure."""
        self.process.kill()
        await self.ended()


def attached(
    number: int, wire: Wire, visitor: str, place: int | None, extras: str | None = None
) -> Attachment:
    """A connection of this number at a table."""
    request = JoinRequest(
        connection=number, game="any", wire=wire.name, visitor=visitor, extras=extras
    )
    return Attachment(request, wire, visitor, place)
