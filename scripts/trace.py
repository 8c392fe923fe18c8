"""Counts the Python calls for one input, from its frame on one socket to the frames on all sockets.

Each server is a process of its own, with real sockets and a real log. Two players are at the table,
three at Quips. The script counts calls of functions in `src/parlour` in the thread of the event
loop. It does not count comprehensions, resumed coroutines, libraries, and the thread that writes to
SQLite. It sends an input several times and shows the lowest count, because a timer may fire during
the others. Where several nodes form a house, timers fire some times a second (`TIMERS`): their
calls are counted apart.
"""

from __future__ import annotations

import asyncio
import dis
import json
import os
import subprocess
import sys
import tempfile
import threading
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeAlias

import aiohttp

from bench.load import Table
from bench.quips_script import Quips
from bench.relay_load import Onu, RoomTable
from bench.run import LIFTED, free_port, running
from bench.scripts import Rummy, Script, Send, open_table
from tests.cambia.guests import Form, Guest
from tests.servers import NatsServer, PostgresServer
from tests.support import Event, Visitor

ROOT = Path(__file__).resolve().parent.parent
SOURCE = str(ROOT / "src" / "parlour") + os.sep
TIMES = 4
QUIET = 0.25
"""Seconds after the last frame, in which a server finishes its work for an input."""
PATIENCE = 60.0
TIMERS = {
    "ClusterBus._keep_looking",
    "ClusterNode._tend",
    "Lease._keep",
    "Peers._tick",
}
"""Coroutines that poll, whether or not there is an input."""
BY_TIMERS = "(timers)"

# -- the server's process ------------------------------------------------------------------


class Trace:
    """Counts the calls of functions in this thread between `begin` and `end`."""

    def __init__(self) -> None:
        self._counting = False
        self._calls: Counter[CodeType] = Counter()
        self._by_timers = 0

    def install(self) -> None:
        sys.setprofile(self._see)

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        if not (self._counting and event == "call" and _begins(frame) and _counts(frame.f_code)):
            return
        if _in_timer(frame):
            self._by_timers += 1
        else:
            self._calls[frame.f_code] += 1

    def begin(self) -> None:
        self._calls.clear()
        self._by_timers = 0
        self._counting = True

    def end(self) -> dict[str, int]:
        """The number of calls, by function; those that timers made are under `BY_TIMERS`."""
        self._counting = False
        return {BY_TIMERS: self._by_timers} | {
            f"{code.co_filename.removeprefix(SOURCE)}:{code.co_qualname}": calls
            for code, calls in self._calls.items()
        }


def _begins(frame: FrameType) -> bool:
    """Whether this is a call, and not a resumed generator or coroutine."""
    return frame.f_lasti <= _start_of(frame.f_code)


@cache
def _start_of(code: CodeType) -> int:
    return next(op.offset for op in dis.get_instructions(code) if op.opname == "RESUME")


@cache
def _counts(code: CodeType) -> bool:
    """Whether it is a function of ours, and no comprehension."""
    comprehension = code.co_name.startswith("<") and code.co_name != "<lambda>"
    return code.co_filename.startswith(SOURCE) and not comprehension


def _in_timer(frame: FrameType | None) -> bool:
    """Whether one of `TIMERS` makes this call."""
    while frame is not None:
        if frame.f_code.co_qualname in TIMERS:
            return True
        frame = frame.f_back
    return False


def serve(flags: list[str]) -> None:
    """Run a server that counts; lines on standard input start and end a count."""
    # Standard output is only for the counts; the server's own output goes to standard error.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    trace = Trace()

    def obey() -> None:
        for line in sys.stdin:
            if line.strip() == "begin":
                trace.begin()
                print("{}", file=answers)
            else:
                print(json.dumps(trace.end()), file=answers)

    threading.Thread(target=obey, daemon=True).start()
    trace.install()
    from parlour.cli import main

    sys.argv = ["parlour", "serve", *flags]
    main()


# -- servers -------------------------------------------------------------------------------


class Node:
    """One server process, whose calls can be counted."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self._process = process
        self.port = port

    def begin(self) -> None:
        self._ask("begin")

    def end(self) -> Counter[str]:
        return Counter(self._ask("end"))

    def _ask(self, what: str) -> dict[str, int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(what, file=self._process.stdin, flush=True)
        answer: dict[str, int] = json.loads(self._process.stdout.readline())
        return answer


@contextmanager
def node(*flags: str) -> Iterator[Node]:
    port = free_port()
    command = [sys.executable, "-m", "scripts.trace", "--serve", "--port", str(port), *flags]
    pipe = subprocess.PIPE
    with running(command, LIFTED, port, stdin=pipe, stdout=pipe, text=True) as process:
        yield Node(process, port)


@contextmanager
def one_server() -> Iterator[list[Node]]:
    with tempfile.TemporaryDirectory() as data, node("--data", data) as single:
        yield [single]


@contextmanager
def gateway_and_owner() -> Iterator[list[Node]]:
    """Two nodes with a real PostgreSQL and a real NATS; clients connect to the first."""
    with ExitStack() as until_end:
        postgres, nats = PostgresServer(), NatsServer()
        until_end.callback(postgres.stop)
        until_end.callback(nats.stop)
        usual = ("--store", postgres.new_database(), "--bus", nats.url)
        yield [
            until_end.enter_context(node(*usual, "--role", role)) for role in ("gateway", "owner")
        ]


# -- inputs --------------------------------------------------------------------------------


class Measure:
    """Counts the calls for inputs at all nodes, and keeps the lowest count."""

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes
        self.port = nodes[0].port
        self.shortest: Counter[str] | None = None
        self.by_timers = 0
        """Calls by timers during that input."""

    async def __call__(self, sent_and_heard: Awaitable[None]) -> None:
        """`sent_and_heard` returns once everybody has the messages that follow from the input."""
        # The work for the previous input must be finished.
        await asyncio.sleep(QUIET)
        for each in self._nodes:
            each.begin()
        await sent_and_heard
        # Timers are set and bots are asked after the messages are sent.
        await asyncio.sleep(QUIET)
        found: Counter[str] = Counter()
        for each in self._nodes:
            found += each.end()
        by_timers = found.pop(BY_TIMERS, 0)
        if self.shortest is None or found.total() < self.shortest.total():
            self.shortest, self.by_timers = found, by_timers


class Scripted(Table):
    """Players of a bench's script that wait before each of their messages."""

    def __init__(self, script: Script) -> None:
        Table.__init__(self, script, None)
        self._next: asyncio.Queue[Send] = asyncio.Queue()

    def _hear(self, seat: int, data: bytes) -> None:
        answer = self._script.hear(seat, data)
        if answer is not None:
            self._next.put_nowait(answer)

    async def play(self, measure: Measure, mark: bytes) -> None:
        """Measure the messages that contain this mark."""
        await self.open(measure.port)
        self._send(self._script.begin())
        times = 0
        while times < TIMES:
            following = await self._next.get()
            if mark not in following[1]:
                self._send(following)
                continue
            times += 1
            await measure(self._answered(following))

    async def _answered(self, what: Send) -> None:
        self._send(what)
        # The script gives the next message once it has heard all that follows from this one.
        self._next.put_nowait(await self._next.get())


class ScriptedChannel(Scripted, RoomTable):
    """The same in a channel of the relay."""

    def __init__(self, script: Onu) -> None:
        Scripted.__init__(self, script)
        self._size = script.seats


class RummyForTwo(Rummy):
    seats = 2


class QuipsForThree(Quips):
    seats = 3


class OnuForTwo(Onu):
    seats = 2


async def rummy_draw(measure: Measure) -> None:
    await Scripted(RummyForTwo(0)).play(measure, b'"draw"')


async def quips_play(measure: Measure) -> None:
    await Scripted(QuipsForThree(0)).play(measure, b'"c_playcards"')


async def onu_draw(measure: Measure) -> None:
    await ScriptedChannel(OnuForTwo(0)).play(measure, b'\\"Action\\":1')


async def cambia_snap(form: Form, measure: Measure) -> None:
    """Correct snaps: both players have seen all their cards, and discard every drawn card."""
    rules = b'{"houseRules":{"initialViewCount":4},"settings":{"countdownSec":0}}'
    code = await open_table(measure.port, b'{"game":"cambia","settings":%b}' % rules)
    async with AsyncExitStack() as until_end:
        guests: list[Guest] = []
        for _ in range(2):
            jar = aiohttp.CookieJar(unsafe=True)
            http = await until_end.enter_async_context(aiohttp.ClientSession(cookie_jar=jar))
            visitor = Visitor(f"http://127.0.0.1:{measure.port}", http)
            await visitor.call("POST", "/user/guest")
            guests.append(await Guest(visitor, form, code).enter())
        for guest in guests:
            await guest.say("ready")
        hands: list[list[Event]] = []
        for guest in guests:
            await guest.enter_game()
            hands.append((await guest.game.until("private_initial_cards"))["cards"])
        snaps = 0
        while snaps < 2:
            rank = await _draw_and_discard(guests)
            for guest, hand in zip(guests, hands, strict=True):
                for card in [card for card in hand if card["rank"] == rank][: 2 - snaps]:
                    hand.remove(card)
                    snaps += 1
                    await measure(_snapped(guest, card, guests))


async def _draw_and_discard(guests: Sequence[Guest]) -> str:
    """One turn; gives the rank of the discarded card."""
    turns = [await guest.game.until("game_player_turn") for guest in guests]
    (mover,) = [guest for guest in guests if guest.id == turns[0]["user"]["id"]]
    await mover.say("action_draw_stockpile")
    card = (await mover.game.until("private_draw_stockpile"))["card"]
    await mover.say("action_discard", card={"id": card["id"]})
    if card["rank"] in "789TJQK":  # these have abilities
        await mover.game.until("player_special_choice")
        await mover.say("action_special", special="skip")
    return str(card["rank"])


async def _snapped(guest: Guest, card: Event, guests: Sequence[Guest]) -> None:
    await guest.say("action_snap", card={"id": card["id"]})
    for one in guests:
        await one.game.until("player_snap_success")


Servers: TypeAlias = Callable[[], AbstractContextManager[list[Node]]]
Play: TypeAlias = Callable[[Measure], Awaitable[None]]
INPUTS: dict[str, tuple[Servers, Play]] = {
    "Super Rummy: draw": (one_server, rummy_draw),
    "Cambia: snap, flat": (one_server, partial(cambia_snap, "flat")),
    "Cambia: snap, enveloped": (one_server, partial(cambia_snap, "enveloped")),
    "Quips: play": (one_server, quips_play),
    "ONU: draw over the relay": (one_server, onu_draw),
    "Super Rummy: draw, gateway and owner": (gateway_and_owner, rummy_draw),
}


def main() -> int:
    options = ArgumentParser(description="Count the calls that one input takes.")
    options.add_argument(
        "only", nargs="?", default="", help="Only inputs with this in their names."
    )
    options.add_argument("--calls", action="store_true", help="List the functions that are called.")
    chosen = options.parse_args()
    print("| input | calls | functions | files | by timers |\n|---|---:|---:|---:|---:|")
    for name, (servers, play) in INPUTS.items():
        if chosen.only.casefold() not in name.casefold():
            continue
        with servers() as nodes:
            measure = Measure(nodes)
            asyncio.run(asyncio.wait_for(play(measure), PATIENCE))
        found = measure.shortest
        assert found is not None
        files = {function.partition(":")[0] for function in found}
        counts = found.total(), len(found), len(files), measure.by_timers
        print(f"| {name} | {' | '.join(map(str, counts))} |", flush=True)
        if chosen.calls:
            for function, calls in sorted(found.items()):
                print(f"    {calls:4} {function}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2:])
    else:
        sys.exit(main())
