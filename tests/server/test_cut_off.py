"""A connection is cut at any byte of what the server sends; the next one goes on from there.

A client counts what it got (`tests.follower`). All its connections together are told exactly what
somebody is told whose connection holds: nothing twice, nothing not at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from parlour.games import installed_games
from parlour.house.live import LiveTable
from parlour.table import inputs as do
from tests.follower import Follower
from tests.network import Port
from tests.support import TEXT, Opener, OpenHouse, RawSocket, Visitor

EIGHTS = Path(__file__).parent.parent.parent / "examples/eights/src"


class Cutting:
    """A proxy that ends a connection once so many bytes have come from the server."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._port = Port(self._serve)
        self.allowed = 0

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[int]:
        await self._port.start()
        try:
            yield self._port.number
        finally:
            await self._port.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        left = self.allowed
        try:
            back.write(await reader.readuntil(b"\r\n\r\n"))
            while left and (data := await there.read(left)):
                left -= len(data)
                writer.write(data)
            await writer.drain()
            # In order, so that all that was allowed arrives.
            writer.close()
            await writer.wait_closed()
        finally:
            back.transport.abort()


class Session:
    """A match of two people. One of them, or somebody who watches, has several connections."""

    def __init__(self, house: OpenHouse, live: LiveTable, path: str) -> None:
        self.house, self.live, self.path = house, live, path
        self.open: list[RawSocket] = []

    def move(self) -> None:
        match = self.live.table.match
        assert match is not None
        seat = next(seat for seat in (0, 1) if match.legal(seat))
        self.live.receive(do.Act(seat, match.legal(seat)[0]))

    async def read(self, client: Follower, port: int | None = None) -> list[Any]:
        """All that one connection is told, until it is cut or knows all there is."""
        got: list[Any] = []
        version = self.live.table.version
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            path = f"{self.path}&since={client.connects()}"
            socket = await RawSocket.upgrade(port or self.house.server.port, path, {})
            self.open.append(socket)
            while True:
                opcode, data = await socket.receive()
                if opcode == TEXT:
                    got += client.take(data)
                if client.since.startswith(f"{version}-") and "." not in client.since:
                    break
        return got

    def hang_up(self) -> None:
        while self.open:
            self.open.pop().abort()


@pytest.fixture
async def house(open_house: Opener, monkeypatch: pytest.MonkeyPatch) -> OpenHouse:
    monkeypatch.syspath_prepend(EIGHTS)
    from parlour_eights import GAME  # type: ignore[import-not-found]

    games = (*installed_games(), GAME)
    monkeypatch.setattr("parlour.server.server.installed_games", lambda: games)
    # Connections that only listen do not answer pings here.
    return await open_house(heartbeat=3600, address_connections=100_000)


@pytest.fixture(params=["table", "table extras=story,scene", "watch extras=story,scene"])
async def session(house: OpenHouse, request: pytest.FixtureRequest) -> AsyncIterator[Session]:
    how, _, extras = request.param.partition(" ")
    ada, bo = await house.visitor(), await house.visitor()
    _, table = await ada.call("POST", "/api/tables", {"game": "eights"})
    code = table["code"]
    # These connections hold, so nobody is ever away.
    holding = [await _sit_down(visitor, code) for visitor in (ada, bo)]
    live = next(live for live in house.server.house.index if live.roster.code == code)
    assert isinstance(live, LiveTable)
    live.receive(do.Start(0))
    path = f"/plain/eights?{how}={code}&token={await ada.token()}&{extras}".rstrip("&")
    session = Session(house, live, path)
    yield session
    session.hang_up()
    assert not any(socket.closed for socket in holding)


async def _sit_down(visitor: Visitor, code: str) -> Any:
    socket = await visitor.socket(f"/plain/eights?table={code}&token={await visitor.token()}")
    await socket.receive()
    return socket


async def _recorded(session: Session, moves: int) -> tuple[str, list[Any]]:
    """A session that nothing interrupts: where it begins, and all that is told from there on."""
    witness = Follower()
    await session.read(witness)
    since = witness.since
    for _ in range(moves):
        session.move()
    session.live.receive(do.Say(0, "That was quick."))
    return since, await session.read(witness)


def _cuts(size: int, effort: str) -> Iterable[int]:
    """All positions, or some dozens that are at different places in their frames."""
    return range(1, size + 1) if effort == "every byte" else range(1, size + 1, size // 60)


@pytest.mark.parametrize("effort", ["some", pytest.param("every byte", marks=pytest.mark.soak)])
async def test_a_recorded_session_is_told_once_wherever_it_is_cut(
    session: Session, effort: str
) -> None:
    since, whole = await _recorded(session, moves=8)
    assert len(whole) > 10
    size = 200 + sum(len(repr(message)) + 90 for message in whole)
    proxy = Cutting(session.house.server.port)
    begun = goes_on = 0
    async with proxy.open() as port:
        for proxy.allowed in _cuts(size, effort):
            client = Follower(since)
            first = await session.read(client, port)
            rest = await session.read(client)
            assert first + rest == whole, f"cut after {proxy.allowed} bytes"
            assert not client.greeted
            begun += bool(first)
            goes_on += bool(first and rest)
            session.hang_up()
    assert begun
    assert goes_on


async def test_a_table_that_goes_on_is_told_once_however_often_it_is_cut(session: Session) -> None:
    since, whole = await _recorded(session, moves=2)
    client = Follower(since)
    proxy = Cutting(session.house.server.port)
    got: list[Any] = []
    async with proxy.open() as port:
        for proxy.allowed in range(150, 1500, 40):
            reading = asyncio.create_task(session.read(client, port))
            session.live.receive(do.Say(1, "Still there?"))
            got += await reading
            session.hang_up()
    got += await session.read(client)
    assert not client.greeted
    witness = Follower(since)
    assert got == await session.read(witness)
    assert got[: len(whole)] == whole
    assert [each["text"] for each in got if each["type"] == "said"].count("Still there?") == 34
