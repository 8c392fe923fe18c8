"""What waits to be sent is counted when it is queued, and bounded: for each, and for all."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from parlour.server.aiohttp_private import Taken
from parlour.server.connection import WebSocket
from parlour.server.outgoing import Outgoing
from parlour.server.tcp import TcpLimiter
from tests.quips.tools import black
from tests.server.machine import Machine
from tests.support import TEXT, Client, Opener, OpenHouse, Process, RawSocket, Visitor, soon

MIB = 1024 * 1024


def _most_memory(process: Process) -> int:
    """The most a process has had in memory so far, in bytes."""
    lines = Path(f"/proc/{process.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


@pytest.mark.parametrize("ahead", [b"", b'{"msg":"c_chat_msg","body":"hello"}'])
async def test_who_asks_for_much_and_reads_nothing_costs_little_memory(
    serve: Callable[..., Awaitable[Process]],
    guests: Callable[[Process], Awaitable[Visitor]],
    ahead: bytes,
) -> None:
    """`ahead` makes all that follows wait for a commit."""
    process = await serve()
    host = await guests(process)
    _, table = await host.call("POST", "/api/tables", {"game": "quips"})
    for number in range(10):
        cards = [{"id": f"w_{n}", "content": {"en": "x" * 150}} for n in range(1000)]
        pack = {"id": f"pack{number}", "name": f"Pack {number}", "cards": [*cards, black(1)]}
        body = {"name": f"pack{number}", "pack": pack}
        status, answer = await host.call("POST", f"/api/tables/{table['code']}/packs", body)
        assert status == 201, answer
    before = _most_memory(process)
    port = urlsplit(process.base).port
    assert port is not None
    deaf = await RawSocket.upgrade(port, f"/game?name=Ann&table={table['code']}", {})
    deaf.stop_reading()
    asked = [ahead] * bool(ahead) + [b'{"msg":"c_getallcards"}'] * 990
    try:
        deaf.frames(TEXT, asked)
        await deaf.writer.drain()
        for number in range(10):
            # Answered once it is kept: what waited for an earlier commit has been sent by then.
            me = {"name": f"Host {number}"}
            assert (await host.call("PUT", "/api/me", me))[0] == 200
        assert _most_memory(process) - before < 30 * MIB
    finally:
        deaf.abort()


def _sockets(house: OpenHouse) -> list[WebSocket]:
    """The open connections, in the order in which they came."""
    sockets = [client.connection for client in house.server.gateway._clients.values()]
    return [socket for socket in sockets if isinstance(socket, WebSocket)]


def _metrics(house: OpenHouse) -> str:
    return house.server.metrics.text().decode()


async def _deaf(house: OpenHouse, waits: int) -> WebSocket:
    """The connection of somebody who reads nothing, for whom at least so many bytes wait."""
    there = len(_sockets(house))
    (await house.raw("/high")).stop_reading()
    await soon(lambda: len(_sockets(house)) > there)
    socket = _sockets(house)[-1]
    while socket.queued < waits:
        socket.send(b"x" * 10_000)
        socket.flush()
    return socket


async def test_what_is_queued_in_one_turn_of_the_loop_is_bounded(
    high: None, open_house: Opener
) -> None:
    house = await open_house(outgoing_bytes=20_000)
    socket = await _deaf(house, 0)
    most = 0
    for _ in range(1_000):
        socket.send(b"x" * 10_000)
        most = max(most, socket.queued)
    assert socket.cut_for == "slow-reader"
    assert most <= 20_000 + 10_000
    await soon(lambda: 'cut_connections_total{why="slow-reader"} 1.0' in _metrics(house))
    assert "parlour_queued_bytes 0.0" in _metrics(house)


async def test_who_holds_most_is_cut_when_all_together_hold_too_much(
    high: None, open_house: Opener
) -> None:
    house = await open_house(outgoing_bytes=10_000_000, outgoing_total=1_000_000)
    reader = Client(await (await house.visitor()).socket("/high"))
    await reader.event()
    less, most = await _deaf(house, 200_000), await _deaf(house, 500_000)
    last = await _deaf(house, 250_000)
    assert 950_000 < house.server.gateway._outgoing.queued < 1_000_000
    last.send(b"x" * 100_000)
    await soon(lambda: 'cut_connections_total{why="too-much-waits"} 1.0' in _metrics(house))
    assert [each.cut_for for each in (less, most, last)] == ["", "too-much-waits", ""]
    await reader.send("echo", text="still here")
    assert (await reader.until("echo"))["text"] == "still here"


async def test_what_has_been_read_since_it_was_counted_cuts_nobody(
    high: None, open_house: Opener
) -> None:
    house = await open_house(outgoing_total=65_536)
    readers = [Client(await (await house.visitor()).socket("/high")) for _ in range(2)]
    for reader in readers:
        await reader.event()
    idle, busy = _sockets(house)
    for _ in range(100):
        busy.send(b'{"type":"x"}' + b" " * 1_000)
        await readers[1].until("x")
    # So much waited when it was last asked, and has been read since.
    idle._count(70_000)
    busy.send(b'{"type":"y"}')
    await readers[1].until("y")
    assert [idle.cut_for, busy.cut_for] == ["", ""]


class Broken:
    """A transport that fails when it is written to."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        raise RuntimeError("broken")


async def test_who_can_not_be_written_to_keeps_nothing_from_the_others(
    high: None, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_house()
    ann = Client(await (await house.visitor()).socket("/high"))
    code = (await ann.event())["code"]
    ben = Client(await (await house.visitor()).socket(f"/high?table={code}"))
    await ben.event()
    first = _sockets(house)[0]
    monkeypatch.setattr(first, "_transport", Broken(first._transport))
    await ben.send("say", text="hello")
    assert (await ben.until("said"))["text"] == "hello"
    assert first.cut_for == "broken"
    await soon(lambda: len(_sockets(house)) == 1)


async def test_answers_that_are_long_are_paced(
    high: None, machine: Machine, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.house.requests.ANSWER_RATE", 1)
    house = await open_house()
    ann, ben = [Client(await (await house.visitor()).socket("/high")) for _ in range(2)]
    for _ in range(2):
        # The second puts her more than four seconds ahead of a byte a millisecond.
        await ann.send("echo", text="x" * 3_000)
        await ann.until("echo")
    await ann.send("echo", text="x")
    assert (await ann.until("error"))["code"] == "too-fast"
    await ben.send("echo", text="x" * 3_000)
    await ben.until("echo")
    machine.goes_on(3_000)
    await ann.send("echo", text="x")
    await ann.until("echo")


class Unread:
    """A transport whose reader has stopped: everything written waits."""

    def __init__(self) -> None:
        self.waiting = 0
        self.aborted = False

    def is_closing(self) -> bool:
        return self.aborted

    def write(self, data: bytes) -> None:
        self.waiting += len(data)

    def writelines(self, parts: list[bytes]) -> None:
        self.waiting += sum(map(len, parts))

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.aborted = True

    def is_reading(self) -> bool:
        return False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        pass


async def test_a_long_message_may_wait_and_a_second_one_may_not() -> None:
    transport = Unread()
    taken = Taken(cast(Any, transport), b"")
    socket = WebSocket(taken, Outgoing(1 << 28), bound=4096, longest=4096)
    socket.send(b"x" * 50_000)
    socket.flush()
    socket.send(b"x" * 500)
    socket.flush()
    assert not transport.aborted
    socket.send(b"x" * 50_000)
    socket.flush()
    assert transport.aborted
    assert socket.cut_for == "slow-reader"


async def _asks_and_never_reads(house: OpenHouse, answers: int) -> asyncio.StreamWriter:
    """Asks for the games so many times in one write."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", house.server.port))
    _, writer = await asyncio.open_connection(sock=client, limit=1)
    writer.write(b"GET /api/games HTTP/1.1\r\nHost: localhost\r\n\r\n" * answers)
    return writer


def _tcp_connections(house: OpenHouse) -> int:
    [port] = house.server._ports
    assert port._runner.server is not None
    return len(port._runner.server.connections)


@pytest.mark.parametrize("bound", [{"request_timeout": 1.0}, {"outgoing_total": 65_536}])
async def test_who_never_reads_an_answer_by_http_is_cut(
    open_house: Opener, bound: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    house = await open_house(**bound)
    writer = await _asks_and_never_reads(house, 1_000)
    await soon(lambda: "1 connections were cut: they do not read" in caplog.text)
    await soon(lambda: _tcp_connections(house) == 0)
    writer.transport.abort()


class Waiting:
    """A connection for which so many bytes wait."""

    def __init__(self, size: int) -> None:
        self.transport = self
        self.size = size
        self.aborted = False
        self.peername = ("192.0.2.1", 1)

    def get_write_buffer_size(self) -> int:
        return self.size

    def abort(self) -> None:
        self.aborted = True


class Clock:
    """A loop whose time is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, *work: Any) -> None:
        pass


def test_who_reads_slowly_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: clock)
    limiter = TcpLimiter(10, lambda address: False, 60.0, 20 * MIB)
    slow, stuck, trickling, next_piece, empty = (
        Waiting(size) for size in (8 * MIB, MIB, MIB, 100_000, 0)
    )
    server: Any = SimpleNamespace(connections=[slow, stuck, trickling, next_piece, empty])
    for _ in range(60):
        limiter.watch(server)
        clock.now += 1.0
        slow.size -= 2_000
        trickling.size -= 1_000
        next_piece.size += 10
    assert not any(each.aborted for each in server.connections)
    limiter.watch(server)
    assert [each.aborted for each in server.connections] == [False, True, True, False, False]


class Told:
    """A transport that lists who is written to."""

    def __init__(self, number: int, told: list[int]) -> None:
        self._number = number
        self._told = told

    def is_reading(self) -> bool:
        return False

    def is_closing(self) -> bool:
        return False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        pass

    def write(self, data: bytes) -> None:
        self._told.append(self._number)

    def get_write_buffer_size(self) -> int:
        return 0


async def test_a_message_to_very_many_is_written_in_slices() -> None:
    told: list[int] = []
    outgoing = Outgoing(1 << 28)
    sockets = [
        WebSocket(Taken(cast(Any, Told(number, told)), b""), outgoing, bound=4096, longest=4096)
        for number in range(1_000)
    ]
    for each in sockets:
        each.send(b"hello")
    slices = [0]
    while len(told) < len(sockets):
        await asyncio.sleep(0)
        assert len(told) - slices[-1] <= 128
        slices.append(len(told))
    assert told == list(range(1_000))
    # Somebody who is written to in between waits for no more than those before.
    sockets[0].send(b"again")
    await asyncio.sleep(0)
    assert told[1_000:] == [0]


class Written:
    """A transport that lists what is written."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []

    def is_reading(self) -> bool:
        return False

    def is_closing(self) -> bool:
        return False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def abort(self) -> None:
        pass

    def write(self, data: bytes) -> None:
        self.writes.append(data)

    def get_write_buffer_size(self) -> int:
        return 0


def _written_to() -> tuple[WebSocket, Outgoing, list[bytes]]:
    transport, outgoing = Written(), Outgoing(1 << 28)
    taken = Taken(cast(Any, transport), b"")
    return WebSocket(taken, outgoing, bound=4096, longest=4096), outgoing, transport.writes


async def test_a_message_sent_later_goes_out_in_one_write_with_the_next() -> None:
    socket, outgoing, writes = _written_to()
    socket.send_later(b"echo")
    await asyncio.sleep(0)
    assert not writes
    assert outgoing.queued == socket.queued == len(b"echo")
    socket.send(b"state")
    await asyncio.sleep(0)
    assert writes == [b"\x81\x04echo\x81\x05state"]
    assert not outgoing.late
    assert outgoing.queued == 0
    # What is sent after that waits for nothing.
    socket.send(b"more")
    await asyncio.sleep(0)
    assert writes[1:] == [b"\x81\x04more"]


async def test_a_message_sent_later_is_written_without_a_next_one() -> None:
    socket, outgoing, writes = _written_to()
    other, _, _ = _written_to()
    socket.send_later(b"echo")
    outgoing.late[other] = monotonic() + 3600
    await soon(lambda: bool(writes))
    # Whoever came later waits longer.
    assert list(outgoing.late) == [other]
    assert writes == [b"\x81\x04echo"]
    outgoing.late.clear()
    socket.send_later(b"again")
    await soon(lambda: len(writes) == 2)


async def test_messages_sent_later_keep_their_order() -> None:
    socket, _, writes = _written_to()
    socket.send_later(b"1")
    socket.send_later(b"2")
    socket.ping()
    socket.send_later(b"3")
    await asyncio.sleep(0)
    assert writes == [b"\x81\x011\x81\x012\x89\x00\x81\x013"]
    socket.send_later(b"4")
    socket.send_later(b"5" * 2000)
    await asyncio.sleep(0)
    assert writes[1:] == [b"\x81\x014\x81\x7e\x07\xd0" + b"5" * 2000]


async def test_a_message_sent_later_is_sent_before_the_connection_closes() -> None:
    socket, _, writes = _written_to()
    socket.send_later(b"echo")
    socket.close(1000, "")
    assert writes == [b"\x81\x04echo\x88\x02\x03\xe8"]
