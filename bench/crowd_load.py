"""The load of `bench.crowd`, in a process of its own: `python -m bench.crowd_load '{"port": ...}'`.

It prints a line when everybody is there, waits for a line, measures, and prints one line of JSON.
Then it waits for another line.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
import uuid
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
import uvloop

from bench.load import Order, Socket, Table, cpu_of, tables_of
from bench.scripts import Rummy
from parlour.server.keys import SigningKey

_AT_ONCE = 16
"""Connections that are opened at the same time."""


class Crowd(msgspec.Struct, kw_only=True):
    """One measurement."""

    what: Literal["full", "watched", "return"]
    port: int
    pid: int
    count: int
    """Players at tables of four; spectators of one table."""
    seconds: float
    rate: float = 0.0
    """Actions a second over all tables."""
    data: str = ""
    """The server's data folder, whose key signs the players' tokens."""


class Found(msgspec.Struct, kw_only=True):
    actions: int = 0
    late_ms: dict[str, float] = {}
    """Of actions, from the planned moment until their mover heard of them; or of returns, from the
    first packet to the first message."""
    cpu: float = 0.0
    """CPU-seconds of the server."""
    seconds: float = 0.0
    load_cpu: float = 0.0


class Guests(Rummy):
    """Players who can come back: each has a token."""

    _tokens: Sequence[str] = ()

    def sign(self, key: SigningKey) -> None:
        """Give each player a token."""
        now = int(time.time())
        self._tokens = [
            key.sign({"sub": str(uuid.uuid4()), "iat": now, "exp": now + 3600})
            for _ in range(self.seats)
        ]

    def address(self, seat: int) -> str:
        table = f"table={self._code}&" if self._code else ""
        return f"/rummy?{table}token={self._tokens[seat]}"


async def opened(tables: list[Table], port: int) -> None:
    """Open tables, some at a time."""
    waiting = iter(tables)

    async def some() -> None:
        for table in waiting:
            await table.open(port)

    await asyncio.gather(*(some() for _ in range(_AT_ONCE)))


def told(late: list[float]) -> dict[str, float]:
    late = sorted(1000 * each for each in late)
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
    return {name: late[int(len(late) * share)] for name, share in shares.items()} | {
        "most": late[-1]
    }


async def everybody_is_there() -> None:
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)


async def full(crowd: Crowd) -> Found:
    order = Order(
        port=crowd.port,
        pid=crowd.pid,
        script="rummy",
        tables=crowd.count // 4,
        seconds=crowd.seconds,
        rate=crowd.rate,
    )
    tables, _ = tables_of(order)
    await opened(list(tables), crowd.port)
    gc.collect()
    gc.freeze()
    interval = len(tables) / crowd.rate
    for number, table in enumerate(tables):
        table.begin(interval * number / len(tables))
    await asyncio.sleep(2 * interval)
    await everybody_is_there()
    return await measured(crowd, list(tables))


async def watched(crowd: Crowd) -> Found:
    script = Rummy(0)
    table = Table(script, 1 / crowd.rate)
    await table.open(crowd.port)
    code = script.address(1).partition("=")[2]
    loop = asyncio.get_running_loop()
    for _ in range(crowd.count):
        make = partial(Socket, f"/rummy?watch={code}", lambda data: None)
        _, socket = await loop.create_connection(make, "127.0.0.1", crowd.port)
        await socket.first
    table.begin(0.0)
    await asyncio.sleep(1.0)
    await everybody_is_there()
    return await measured(crowd, [table])


async def measured(crowd: Crowd, tables: list[Table]) -> Found:
    for table in tables:
        table.late.clear()
    actions = sum(table.actions for table in tables)
    cpu, own = cpu_of(crowd.pid), time.process_time()
    await asyncio.sleep(crowd.seconds)
    cpu, own = cpu_of(crowd.pid) - cpu, time.process_time() - own
    return Found(
        actions=sum(table.actions for table in tables) - actions,
        late_ms=told([late for table in tables for late in table.late]),
        cpu=cpu,
        seconds=crowd.seconds,
        load_cpu=own,
    )


async def come_back(crowd: Crowd) -> Found:
    key = SigningKey.of_folder(Path(crowd.data))
    scripts = [Guests(number) for number in range(crowd.count // 4)]
    for script in scripts:
        script.sign(key)
    tables = [Table(script, None) for script in scripts]
    await opened(tables, crowd.port)
    for table in tables:
        table.begin(0.0)
    addresses = [script.address(seat) for script in scripts for seat in range(4)]
    await asyncio.sleep(2.0)
    gc.collect()
    gc.freeze()
    await everybody_is_there()
    # The server is another process now.
    pid = int((await asyncio.to_thread(sys.stdin.readline)) or crowd.pid)
    loop = asyncio.get_running_loop()
    late: list[float] = []
    kept: list[Socket] = []

    async def one(address: str, after: float) -> None:
        await asyncio.sleep(after)
        began = time.monotonic()
        make = partial(Socket, address, lambda data: None)
        _, socket = await loop.create_connection(make, "127.0.0.1", crowd.port)
        await socket.first
        late.append(time.monotonic() - began)
        kept.append(socket)

    cpu, own = cpu_of(pid), time.process_time()
    count = len(addresses)
    async with asyncio.TaskGroup() as all_of_them:
        for number, address in enumerate(addresses):
            all_of_them.create_task(one(address, crowd.seconds * number / count))
    cpu, own = cpu_of(pid) - cpu, time.process_time() - own
    return Found(actions=count, late_ms=told(late), cpu=cpu, seconds=crowd.seconds, load_cpu=own)


async def main(crowd: Crowd) -> None:
    failed: asyncio.Future[Found] = asyncio.get_running_loop().create_future()

    def stop(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        wrong = context.get("exception")
        if not failed.done():
            failed.set_exception(
                wrong if isinstance(wrong, Exception) else RuntimeError(str(context["message"]))
            )

    asyncio.get_running_loop().set_exception_handler(stop)
    scenes = {"full": full, "watched": watched, "return": come_back}
    playing = asyncio.ensure_future(scenes[crowd.what](crowd))
    await asyncio.wait({playing, failed}, return_when=asyncio.FIRST_COMPLETED)
    if failed.done():
        playing.cancel()
        await failed
    print(msgspec.json.encode(playing.result()).decode(), flush=True)
    # Everybody stays until the server was asked what it has measured.
    await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    uvloop.run(main(msgspec.json.decode(sys.argv[1], type=Crowd)))
