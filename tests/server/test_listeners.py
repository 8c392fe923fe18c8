"""Listeners: a connection need not be at a table, and a table not be attended by sockets."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import partial
from typing import Any

import aiohttp
import msgspec
import pytest
from aiohttp import web

from parlour.bus import Bus, ConnectionId, JoinRequest, Welcome, first_connection
from parlour.house import House, Journal
from parlour.protocol import At, BadMessage, CloseWith, Hello, Seek, TurnAway
from parlour.server.listeners import Admission, Listener
from parlour.server.server import Server
from parlour.store.memory import MemoryStore
from parlour.table import inputs as do
from tests import highcard
from tests.support import Client, Opener, soon


def basic(user: str, password: str) -> dict[str, str]:
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


class Room(Listener):
    """A relay: what one says all hear. Who shows no password is asked for one."""

    name = "room"
    game = "room"

    def __init__(self, server: Server) -> None:
        self.server = server
        self.here: list[ConnectionId] = []
        self.hello: Hello | None = None

    async def admit(self, hello: Hello) -> Admission | TurnAway | CloseWith:
        self.hello = hello
        if hello.credentials is None:
            return TurnAway(401, "Who are you?", {"WWW-Authenticate": 'Basic realm="room"'})
        if hello.credentials[1] != "secret":
            return CloseWith(4001, "Not with that password.", b'{"type":"no"}')
        return Admission(hello.credentials[0], partial(self.opened, hello.params["channel"]))

    async def opened(self, channel: str, connection: ConnectionId) -> CloseWith | None:
        if channel == "full":
            return CloseWith(4002, "There is no room.", b'{"type":"full"}')
        self.here.append(connection)
        return None

    def received(self, connection: ConnectionId, data: bytes) -> None:
        if b"bad" in data:
            raise BadMessage("bad", "Say something else.")
        self.server.gateway.deliver(self.here, data)

    def closed(self, connection: ConnectionId) -> None:
        if connection in self.here:
            self.here.remove(connection)

    def refuse(self, code: str, sentence: str) -> bytes | None:
        return None if code == "bad" else msgspec.json.encode({"type": "error", "code": code})


@pytest.fixture
async def room(open_house: Opener, monkeypatch: pytest.MonkeyPatch) -> Room:
    def add_room(app: web.Application, *rest: object) -> None:
        app.router.add_get("/room/{channel}", handle)

    async def handle(request: web.Request) -> web.StreamResponse:
        return await made.server.upgrader.handler([made])(request)

    monkeypatch.setattr("parlour.server.server.add_page", add_room)
    house = await open_house(message_rate=0.0001, message_burst=3)
    made = Room(house.server)
    return made


async def test_a_relay_listens_with_the_gateways_limits(room: Room) -> None:
    base = f"http://127.0.0.1:{room.server.port}/room"
    async with aiohttp.ClientSession() as http:
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade"}
        async with http.get(f"{base}/hall", headers=upgrade) as no:
            assert no.status == 401
            assert no.headers["WWW-Authenticate"] == 'Basic realm="room"'
        wrong = Client(await http.ws_connect(f"{base}/hall", headers=basic("ann", "x")))
        assert (await wrong.event())["type"] == "no"
        assert await wrong.closed() == 4001
        ann, ben = basic("ann", "secret"), basic("ben", "secret")
        full = Client(await http.ws_connect(f"{base}/full", headers=ann))
        assert (await full.event())["type"] == "full"
        assert await full.closed() == 4002
        one = Client(await http.ws_connect(f"{base}/hall", headers=ann))
        two = Client(await http.ws_connect(f"{base}/hall", headers=ben))
        await soon(lambda: len(room.here) == 2)
        await one.send("hello")
        for client in (one, two):
            assert (await client.event())["type"] == "hello"
        # A message can be dropped without a word; too many are refused like everybody's.
        await one.send("bad")
        await one.send("again")
        await one.send("again")
        assert [(await one.event())["type"] for _ in range(2)] == ["again", "error"]
        await one.close()
        await soon(lambda: len(room.here) == 1)


async def test_a_hello_carries_what_a_door_may_ask_for(room: Room) -> None:
    base = f"http://127.0.0.1:{room.server.port}/room"
    headers = {"Cookie": "name=a%20b; lang=de", "Origin": base.removesuffix("/room")}
    async with aiohttp.ClientSession() as http:
        headers |= basic("ann", "secret")
        client = Client(await http.ws_connect(f"{base}/hall?x=1", headers=headers))
        await soon(lambda: len(room.here) == 1)
        hello = room.hello
        assert hello is not None
        assert (hello.path, dict(hello.query)) == ("/room/hall", {"x": "1"})
        assert dict(hello.cookies) == {"name": "a%20b", "lang": "de"}
        assert (hello.origin, hello.address) == (headers["Origin"], "127.0.0.1")
        assert hello.credentials == ("ann", "secret")
        assert "secret" not in repr(hello)
        await client.close()


class Host:
    """Attends a table for several seats, as a relay's host does, without any socket."""

    def __init__(self, bus: Bus) -> None:
        self.heard: dict[ConnectionId, list[dict[str, Any]]] = {}
        self.ended: list[tuple[ConnectionId, int]] = []
        self.first = first_connection(bus.attach_gateway(self))

    def deliver(self, connections: Sequence[ConnectionId], data: bytes) -> None:
        for connection in connections:
            self.heard.setdefault(connection, []).append(msgspec.json.decode(data))

    def close_connection(self, connection: ConnectionId, code: int, reason: str) -> None:
        self.ended.append((connection, code))


async def test_somebody_without_sockets_attends_a_table_for_many_seats() -> None:
    bus = Bus()
    sockets, host = Host(bus), Host(bus)
    house = House((highcard.GAME,), Journal(MemoryStore(), bus), bus)
    live = house.opening.open(highcard.GAME, "opener", {"tricks": 1})

    async def join(connection: ConnectionId, visitor: str) -> None:
        seek = Seek(where=At(live.roster.code), resumable=True)
        answer = await bus.join(
            JoinRequest(
                connection=connection,
                game="high",
                wire="high",
                visitor=visitor,
                name=visitor.title(),
                seek=seek,
            )
        )
        assert isinstance(answer, Welcome)

    seats = [host.first + 1, host.first + 2]
    await join(sockets.first + 1, "ann")
    for connection, visitor in zip(seats, ("ben", "cleo"), strict=True):
        await join(connection, visitor)
    bus.submit(seats[0], do.Start(do.ME))
    for connection in seats:
        dealt = [m for m in host.heard[connection] if m["type"] == "dealt"]
        own = [m["seat"] for m in dealt if m["cards"] != [highcard.HIDDEN]]
        assert own == [seats.index(connection) + 1]
        bus.submit(connection, do.Act(do.ME, highcard.Lay(dealt[own[0]]["cards"][0])))
    assert set(sockets.heard) == {sockets.first + 1}
    assert set(host.heard) == set(seats)
    bus.disconnect(seats[1])
    ben = live.roster.of_visitor("ben")
    cleo = live.roster.of_visitor("cleo")
    assert ben is not None
    assert cleo is not None
    assert (ben.present, cleo.present) == (True, False)
    live.rest()
