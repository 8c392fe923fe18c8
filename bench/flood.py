"""A table of ten under a flood of chat: how long moves take, with the flood and without.

    python -m bench.flood '{"port": 3000, "pid": 123, "seconds": 5, "flooding": true}'

is the load, in a process of its own; `load` runs it against a server with the default limits.
Everybody connects from an address of their own (127.0.0.2 and so on), because limits are per
address.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from functools import partial
from statistics import median
from typing import Final

import msgspec
import uvloop
from rich.console import Console

from bench.load import Socket, Table, cpu_of
from bench.quips_script import Quips
from bench.run import house
from bench.scripts import Send

INTERVAL: Final = 0.1
"""Seconds between two moves at the table: faster than ten people play."""
LEAST_PLAYED: Final = 0.5
"""Of the moves that were due, those that must have been made: fewer tell nothing about moves."""
LOUD: Final = 3
"""The number of players who flood the chat, and of spectators who do."""
PLAYERS_FLOOD: Final = 400.0
"""Messages a second from each of these players: every second fifty times what a table accepts from
one person in ten seconds, and a little less than a connection may send."""
WATCHERS_FLOOD: Final = 1_500.0
"""Messages a second from each of these spectators: three times what a connection may send. The
server closes their connections; they reconnect and continue."""

_CHAT: Final = b'{"msg":"c_chat_msg","body":"%s"}' % (b"flood " * 40)
_USUAL: Final = {"PARLOUR_HOST": "127.0.0.1", "PARLOUR_LOG_LEVEL": "error"}


class Order(msgspec.Struct):
    port: int
    pid: int
    """The server, whose use of the processor counts."""
    seconds: float
    flooding: bool


class Found(msgspec.Struct):
    moves: int
    p50: float
    p99: float
    flooded: int
    """Messages of the flood that were sent."""
    cut: int
    """Connections of the flood that the server ended."""
    server_busy: float
    load_busy: float
    """Of one processor each."""


class Flood:
    """The flooding players and spectators of one table."""

    def __init__(self, port: int, script: Quips) -> None:
        self._port = port
        self._script = script
        self.sent = 0
        self.cut = 0

    async def player(self, socket: Socket) -> None:
        """Floods without losing the connection, so that the table need not wait for the player."""
        await self._say(socket, PLAYERS_FLOOD)
        raise RuntimeError("a player was cut")

    async def watcher(self, number: int) -> None:
        loop = asyncio.get_running_loop()
        while True:
            make = partial(Socket, self._script.spectator_address(), lambda data: None)
            address = (f"127.0.1.{number + 1}", 0)
            _, socket = await loop.create_connection(
                make, "127.0.0.1", self._port, local_addr=address
            )
            await socket.first
            await self._say(socket, WATCHERS_FLOOD)
            self.cut += 1
            await asyncio.sleep(0.2)

    async def _say(self, socket: Socket, rate: float) -> None:
        """Sends until the connection is closed."""
        began, sent = time.monotonic(), 0
        while not socket.transport.is_closing():
            due = int((time.monotonic() - began) * rate) - sent
            for _ in range(due):
                socket.send(_CHAT)
            sent += due
            self.sent += due
            await asyncio.sleep(0.005)


class Silent(Quips):
    """Plays without talking: only the flood talks."""

    def talked_first(self, move: Send | None) -> Send | None:
        return move


class OwnAddresses(Table):
    """A table whose players each come from an address of their own."""

    def local_address(self, seat: int) -> tuple[str, int] | None:
        return f"127.0.0.{seat + 2}", 0


async def play(order: Order) -> Found:
    script = Silent(0)
    table = OwnAddresses(script, INTERVAL)
    await table.open(order.port)
    table.begin(0.0)
    flood = Flood(order.port, script)
    tasks: list[asyncio.Task[None]] = []
    if order.flooding:
        tasks = [asyncio.ensure_future(flood.player(each)) for each in table.sockets[-LOUD:]]
        tasks += [asyncio.ensure_future(flood.watcher(number)) for number in range(LOUD)]
    await asyncio.sleep(2.0)
    table.late.clear()
    flood.sent = 0
    server, own = cpu_of(order.pid), time.process_time()
    await asyncio.sleep(order.seconds)
    server, own = cpu_of(order.pid) - server, time.process_time() - own
    for task in tasks:
        if task.done():
            await task
        task.cancel()
    late = sorted(1000 * seconds for seconds in table.late)
    if len(late) < max(1.0, LEAST_PLAYED * order.seconds / INTERVAL):
        raise RuntimeError("the flooded table stood still most of the time")
    return Found(
        moves=len(late),
        p50=late[len(late) // 2],
        p99=late[len(late) * 99 // 100],
        flooded=flood.sent,
        cut=flood.cut,
        server_busy=server / order.seconds,
        load_busy=own / order.seconds,
    )


def load(flooding: bool, seconds: float) -> Found:
    with house(_USUAL) as (port, pid):
        order = msgspec.json.encode(Order(port, pid, seconds, flooding)).decode()
        done = subprocess.run(
            [sys.executable, "-m", "bench.flood", order],
            stdout=subprocess.PIPE,
            check=True,
            timeout=seconds + 60,
        )
        return msgspec.json.decode(done.stdout, type=Found)


def main(seconds: float, rounds: int) -> int:
    """Calm and flooded rounds in turns; the median of the rounds counts."""
    say = Console(highlight=False)
    calm: list[Found] = []
    flooded: list[Found] = []
    for _ in range(rounds):
        with say.status("a table of ten, calm and flooded"):
            calm.append(load(False, seconds))
            flooded.append(load(True, seconds))
    say.print(f"A table of ten, a move every {1000 * INTERVAL:.0f} ms, the house's usual limits:")
    for name, found in (("calm", calm), ("flooded", flooded)):
        p99 = sorted(each.p99 for each in found)
        say.print(
            f"  {name}: p50 {median(each.p50 for each in found):.1f} ms, "
            f"p99 {median(p99):.1f} ms ({p99[0]:.1f} to {p99[-1]:.1f}), "
            f"{median(each.moves for each in found) / seconds:.0f} moves a second, server busy "
            f"{median(each.server_busy for each in found):.0%}, "
            f"load {median(each.load_busy for each in found):.0%}"
        )
    sent = median(each.flooded for each in flooded) / seconds
    cut = sum(each.cut for each in flooded)
    say.print(
        f"  The flood: {sent:,.0f} messages a second from {LOUD} players and {LOUD} who watch; "
        f"{cut} times a connection was cut."
    )
    return 0


async def _main() -> None:
    found = await play(msgspec.json.decode(sys.argv[1], type=Order))
    print(msgspec.json.encode(found).decode())


if __name__ == "__main__":
    uvloop.run(_main())
