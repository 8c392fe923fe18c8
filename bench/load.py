"""The load: tables of scripted players on raw sockets, in a process of their own.

    python -m bench.load '{"port": 3000, "pid": 123, "script": "rummy", ...}'

Prints one line of JSON. It writes and reads frames itself, because a client library would cost
more than the server. `bench.relay_load` does the same for rooms of the relay.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from statistics import median
from typing import cast

import msgspec
import uvloop

from bench.quips_script import Quips
from bench.scripts import Cambia, Echo, EchoTen, Mo, Rummy, Script, Send

SCRIPTS: dict[str, type[Script]] = {
    script.name: script for script in (Echo, EchoTen, Rummy, Cambia, Quips, Mo)
}

_LOOK_EVERY = 0.0005
PAUSE = 5.0
"""Seconds after which it is the game that waits: Cambia shows the first cards for ten."""


class Order(msgspec.Struct, kw_only=True):
    """One measurement and its length."""

    port: int
    pid: int
    """The server, whose CPU time counts."""
    beside: tuple[int, ...] = ()
    """Further processes whose CPU time counts as the server's: its other nodes."""
    script: str
    tables: int
    seconds: float
    rate: float | None = None
    """Actions per second over all tables; None: as fast as the server answers."""


class Found(msgspec.Struct, kw_only=True):
    """The figures measured between the warm-up and the end."""

    seconds: float
    actions: int
    frames: int
    bytes: int
    """Of the frames."""
    server_cpu: float
    load_cpu: float
    latency_ms: dict[str, float]
    """Percentiles; and as `begin` the slowest action at a table during the warm-up, usually the
    deal: the median of the tables. Pauses of the game do not count there."""


def handshake(address: str, headers: str = "") -> bytes:
    """A client's request for a WebSocket; `headers`: more lines, each with its end."""
    return (
        f"GET {address} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: cGFybG91ciBwYXJsb3VyIQ==\r\n{headers}\r\n"
    ).encode()


class Socket(asyncio.Protocol):
    """A WebSocket client, with only the part of RFC 6455 that whole messages need."""

    first_byte = 0x81
    """Of each frame: a whole message of text."""

    def __init__(self, address: str, hear: Callable[[bytes], None], headers: str = "") -> None:
        self._handshake = handshake(address, headers)
        self._hear = hear
        self._rest = b""
        self.upgraded = False
        self.frames = 0
        self.bytes = 0
        self.first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.WriteTransport, transport)
        self.transport.write(self._handshake)

    def data_received(self, data: bytes) -> None:
        if self._rest:
            data = self._rest + data
            self._rest = b""
        at = 0
        if not self.upgraded:
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:
                self._rest = data
                return
            if not data.startswith(b"HTTP/1.1 101"):
                raise ConnectionError(data[:at].decode())
            self.upgraded = True
        end = len(data)
        while at + 2 <= end:
            size = data[at + 1]
            body = at + 2
            if size == 126:
                body = at + 4
                size = int.from_bytes(data[at + 2 : body], "big")
            elif size == 127:
                body = at + 10
                size = int.from_bytes(data[at + 2 : body], "big")
            if body + size > end:
                break
            if data[at] == 0x89:
                self.transport.write(b"\x8a\x80\0\0\0\0")
                at = body + size
                continue
            if data[at] != self.first_byte:
                raise ConnectionError(f"a frame that is no whole message: {data[at : at + 80]!r}")
            self.frames += 1
            self.bytes += size
            self._hear(data[body : body + size])
            at = body + size
        self._rest = data[at:]
        if self.frames and not self.first.done():
            self.first.set_result(None)

    def send(self, data: bytes) -> None:
        # Clients must mask; with a mask of zeros the masked text is the text.
        size = len(data)
        head = (0x80 | size).to_bytes() if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        self.transport.write(self.first_byte.to_bytes() + head + b"\0\0\0\0" + data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.first.done():
            self.first.set_exception(exc or ConnectionError("closed"))


class Table:
    """The sockets of a table's players, and their script; one action at a time."""

    def __init__(self, script: Script, interval: float | None) -> None:
        self._script = script
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._due = 0.0
        self.sockets: list[Socket] = []
        self.actions = 0
        self.late: list[float] = []

    async def open(self, port: int) -> None:
        await self._script.prepare(port)
        for seat in range(self._script.seats):
            hear = partial(self._hear, seat)
            make = partial(Socket, self._script.address(seat), hear)
            _, socket = await self._loop.create_connection(
                make, "127.0.0.1", port, local_addr=self.local_address(seat)
            )
            self.sockets.append(socket)
            await socket.first

    def local_address(self, seat: int) -> tuple[str, int] | None:
        """The address that a player connects from; None: any."""
        return None

    def begin(self, after: float) -> None:
        self._due = time.monotonic() + after
        self._loop.call_at(self._due, self._send, self._script.begin())

    def _hear(self, seat: int, data: bytes) -> None:
        answer = self._script.hear(seat, data)
        if answer is None:
            return
        self.actions += 1
        if self._interval is None:
            self.sockets[answer[0]].send(answer[1])
            return
        # Measured from the planned moment, so that a stall counts for every action it delays.
        # Not with the loop's clock: uvloop's has a resolution of a millisecond.
        now = time.monotonic()
        self.late.append(now - self._due)
        # The actions of a pause are not made up for.
        self._due = self._due + self._interval if now < self._due + PAUSE else now
        self._loop.call_at(self._due, self._send, answer)

    def _send(self, what: Send) -> None:
        self.sockets[what[0]].send(what[1])


def cpu_of(pid: int) -> float:
    """CPU-seconds that a process has used, in all its threads."""
    used = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        # Nanoseconds: `stat` counts in hundredths of a second. A thread may end meanwhile.
        with suppress(FileNotFoundError), open(f"/proc/{pid}/task/{thread}/schedstat") as file:
            used += int(file.read().split()[0])
    return used / 1e9


async def look_now_and_then() -> None:
    """Let the loop read its sockets only every half millisecond, and sleep in between.

    A write to a socket pays for waking a reader on the same machine. Real readers are elsewhere, so
    at full speed ours must not be woken for every message either.
    """
    while True:
        time.sleep(_LOOK_EVERY)  # noqa: ASYNC251 - blocks the loop on purpose
        await asyncio.sleep(0)


def interval_of(order: Order) -> float | None:
    """Seconds between two actions at a table."""
    return None if order.rate is None else order.tables / order.rate


def tables_of(order: Order) -> tuple[list[Table], float]:
    """The tables of an order, and how long they take to reach full speed."""
    make = SCRIPTS[order.script]
    interval = interval_of(order)
    return [Table(make(number), interval) for number in range(order.tables)], make.warm_up


async def play(order: Order, tables: Sequence[Table], warm_up: float) -> Found:
    interval = interval_of(order)
    for table in tables:
        await table.open(order.port)
    gc.collect()
    gc.freeze()
    for number, table in enumerate(tables):
        table.begin(0.0 if interval is None else interval * number / len(tables))
    looking = asyncio.ensure_future(look_now_and_then()) if interval is None else None
    await asyncio.sleep(warm_up)

    def count() -> tuple[float, int, int, int, float, float]:
        return (
            time.perf_counter(),
            sum(table.actions for table in tables),
            sum(socket.frames for table in tables for socket in table.sockets),
            sum(socket.bytes for table in tables for socket in table.sockets),
            sum(map(cpu_of, (order.pid, *order.beside))),
            time.process_time(),
        )

    soon = [[late for late in table.late if late < PAUSE] for table in tables]
    begun = [max(late) * 1000 for late in soon if late]
    for table in tables:
        table.late.clear()
    before = count()
    await asyncio.sleep(order.seconds)
    after = count()
    if looking is not None:
        looking.cancel()
    late = sorted(seconds * 1000 for table in tables for seconds in table.late)
    seconds, actions, frames, size, server, load = (
        b - a for a, b in zip(before, after, strict=True)
    )
    if not actions:
        raise RuntimeError(f"nobody played at the {order.script} tables")
    return Found(
        seconds=seconds,
        actions=int(actions),
        frames=int(frames),
        bytes=int(size),
        server_cpu=server,
        load_cpu=load,
        latency_ms=_percentiles(late) | ({"begin": median(begun)} if begun else {}),
    )


def _percentiles(late: list[float]) -> dict[str, float]:
    return {f"p{p}": late[len(late) * p // 100] for p in (50, 90, 99)} if late else {}


async def main(order: Order, make: Callable[[Order], tuple[Sequence[Table], float]]) -> None:
    """Play, and print what was found."""
    # An exception in a callback ends the measurement, because its result would be wrong.
    failed: asyncio.Future[Found] = asyncio.get_running_loop().create_future()

    def stop(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        if not failed.done():
            wrong = context.get("exception")
            failed.set_exception(
                wrong if isinstance(wrong, Exception) else RuntimeError(str(context["message"]))
            )

    asyncio.get_running_loop().set_exception_handler(stop)
    playing = asyncio.ensure_future(play(order, *make(order)))
    await asyncio.wait({playing, failed}, return_when=asyncio.FIRST_COMPLETED)
    if failed.done():
        playing.cancel()
        await failed
    print(msgspec.json.encode(playing.result()).decode())


if __name__ == "__main__":
    uvloop.run(main(msgspec.json.decode(sys.argv[1], type=Order), tables_of))
