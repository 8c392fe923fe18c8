"""`parlour drain` and `parlour nodes`: a node is emptied from a shell, and nobody notices."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import asyncpg
import pytest

from parlour.store import postgres
from parlour.table import inputs as do
from tests.servers import NatsServer
from tests.support import PARLOUR, PATIENCE, Opener, Process, RummyClient, Visitor, soon

LEASE = "12"
"""Seconds. No node is killed here, and a busy machine has kept a process waiting for five; orders
are read four times in a lease."""

Start = Callable[..., Awaitable[Process]]
Told = tuple[int, str, str]


@pytest.fixture
def node(serve: Callable[..., Awaitable[Process]], database: str, nats_server: NatsServer) -> Start:
    """`await node("a")`: one more node of the test's house, a process called so."""

    async def started(name: str, role: str = "both") -> Process:
        flags = ("--store", database, "--bus", nats_server.url, "--lease", LEASE)
        return await serve(*flags, "--node", name, "--role", role)

    return started


Guest = Callable[[Process], Awaitable[RummyClient]]


async def parlour(*words: str) -> Told:
    """A command: its exit code, what it printed, and its complaints."""
    process = await asyncio.create_subprocess_exec(
        *PARLOUR, *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(3 * PATIENCE):
        out, complaints = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), complaints.decode()


async def pair(guest: Guest, first: Process, second: Process) -> list[RummyClient]:
    """Two people in one lobby, at these nodes' doors; the first one's node runs the table."""
    clients = [await guest(first), await guest(second)]
    await clients[1].send("join", code=clients[0].code)
    for client in clients:
        while client.code != clients[0].code or len(client.lobby["players"]) < 2:
            await client.expect("lobby")
    return clients


def laid(client: RummyClient) -> list[str]:
    """The cards it was told that players laid down, in order."""
    cards: list[str] = []
    turned_up = False
    for event in client.heard:
        if event["type"] in ("start", "redeck"):
            turned_up = False
        elif event["type"] == "move" and event["destination"]["type"] == "discard":
            # The first one of a deck is turned up, and laid down by nobody.
            if turned_up:
                cards += [card["id"] for card in event["cards"]]
            turned_up = True
    return cards


async def check(database: str, clients: list[RummyClient]) -> None:
    """Everybody at a table was told the same, once, and it is what the record has."""
    connection = await asyncpg.connect(database)
    rows = await connection.fetch(
        'SELECT data FROM entries WHERE "table" = (SELECT no FROM tables WHERE code = $1) '
        "ORDER BY seq",
        clients[0].code,
    )
    await connection.close()
    acts = [put for row in rows if isinstance(put := do.decode(row[0]), do.Act)]
    kept = [put.action[1] for put in acts if put.action[0] == "Discard"]
    assert [laid(client) for client in clients] == [kept] * len(clients)


@asynccontextmanager
async def playing_on(*tables: list[RummyClient]) -> AsyncIterator[None]:
    """Rounds are played at each table while the block runs; the last are played to their end."""
    over = False

    async def play(clients: list[RummyClient]) -> int:
        rounds = 0
        while not over:
            await clients[0].send("start")
            await asyncio.gather(*(client.play_round() for client in clients))
            rounds += 1
        return rounds

    evenings = [asyncio.create_task(play(clients)) for clients in tables]
    yield
    over = True
    async with asyncio.timeout(4 * PATIENCE):
        assert all(await asyncio.gather(*evenings))


async def status(process: Process, path: str) -> int:
    async with aiohttp.ClientSession() as http, http.get(process.base + path) as answer:
        return answer.status


async def door(process: Process) -> int:
    """The status with which a newcomer is turned away; 101: it is let in."""
    async with aiohttp.ClientSession() as http:
        try:
            socket = await http.ws_connect(f"{process.base}/rummy")
        except aiohttp.WSServerHandshakeError as no:
            return no.status
        await socket.close()
        return 101


async def listed(database: str) -> dict[str, list[str]]:
    """`parlour nodes`: by name, the other columns."""
    code, out, complaints = await parlour("nodes", "--store", database)
    assert code == 0, complaints
    head, *rows = [line.split() for line in out.splitlines()]
    assert head == ["node", "name", "role", "state", "tables", "connections", "lease"]
    return {row[1]: [row[0], *row[2:]] for row in rows}


async def test_a_drained_node_gives_its_tables_away_and_takes_nobody_in(
    node: Start, guest: Guest, database: str
) -> None:
    first, second = await node("a"), await node("b")
    idle = [await guest(first) for _ in range(4)]
    playing = await pair(guest, first, second)
    await playing[0].send("start")
    rounds = asyncio.gather(*(client.play_round() for client in playing))
    code, out, complaints = await parlour("drain", "a", "--store", database)
    assert code == 0, complaints
    assert re.search(r"^table \d of 5$", out, re.MULTILINE)
    assert "Node a runs no table.\n5 connections stay open until the clients leave" in out
    await rounds
    await check(database, playing)
    assert [await status(first, path) for path in ("/readyz", "/healthz")] == [503, 200]
    assert [await door(process) for process in (first, second)] == [503, 101]
    nodes = await listed(database)
    assert nodes["a"][1:5] == ["both", "drained", "0", "5"]
    assert nodes["b"][1:4] == ["both", "running", "5"]
    # Who is connected goes on, and what they ask for is done by others.
    await idle[0].send("name", name="Ada")
    assert (await idle[0].until("lobby"))["lobby"]["players"][0]["name"] == "Ada"
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        visitor = Visitor(first.base, http)
        table = {"game": "rummy", "public": True}
        assert (await visitor.call("POST", "/api/tables", table))[0] == 201
        page = (await visitor.call("GET", "/api/tables"))[1]
        assert len(page["tables"]) == 1
    assert (await listed(database))["a"][3] == "0"
    # And all of it is taken back.
    code, out, complaints = await parlour("drain", "a", "--undo", "--store", database)
    assert (code, out) == (0, "Node a accepts tables and people again.\n"), complaints

    async def ready() -> bool:
        return await status(first, "/readyz") == 200

    await soon(ready)
    async with asyncio.timeout(PATIENCE):
        # A moment later new tables are opened here again.
        while (await listed(database))["a"][2:4] == ["running", "0"]:
            idle.append(await guest(first))


async def test_a_node_is_closed_when_its_tables_are_elsewhere(
    node: Start, guest: Guest, database: str
) -> None:
    first, second = await node("a"), await node("b")
    here = await guest(first)
    there = await pair(guest, second, first)
    # They read meanwhile, or they would not answer the server's pings.
    closed = asyncio.gather(here.closed(), there[1].closed())
    code, out, complaints = await parlour("drain", "a", "--close", "--store", database)
    assert code == 0, complaints
    assert out.endswith("Node a runs no table.\n")
    assert await closed == [1001, 1001]
    nodes = await listed(database)
    assert nodes["a"][2:5] == ["drained", "0", "0"]
    # Whoever is at another node has stayed; their companion is gone, which they are told.
    while len(there[0].lobby["players"]) > 1:
        await there[0].expect("lobby")


async def test_a_table_that_a_node_was_getting_when_it_was_drained_goes_on(
    open_node: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await open_node(), await open_node()
    host = await first.rummy()
    guest = await second.rummy(f"?table={host.code}")
    await guest.expect("lobby")
    claim, drained = postgres.claim_tables, second.server.lifecycle

    async def unheard(connection: Any, me: int, orphans: Any) -> Any:
        """The table is the second node's, but before it hears so, it is to have none."""
        claimed = await claim(connection, me, orphans)
        if claimed and me == second.server.store.node and not drained.draining:
            drained.drain()
            first.server.lifecycle.resume()
            raise ConnectionResetError
        return claimed

    monkeypatch.setattr(postgres, "claim_tables", unheard)
    first.server.lifecycle.drain()
    await soon(lambda: drained.draining and len(first.tables) == 1)
    await guest.send("ai", action="add")
    while len(guest.lobby["players"]) < 3:
        await guest.expect("lobby")


async def test_what_can_not_be_drained_is_said(
    node: Start, serve: Callable[..., Awaitable[Process]], database: str
) -> None:
    async def refused(*words: str) -> str:
        code, out, complaints = await parlour("drain", *words)
        assert (code, out) == (2, "")
        return " ".join(complaints.split())

    assert "single process" in await refused()
    there = ("--store", database)
    assert "start a node first" in await refused("a", *there)
    nowhere = "postgresql://parlour:s3cret@127.0.0.1:9/cards"
    told = await refused("a", "--store", nowhere)
    assert "cards on 127.0.0.1 can't be used" in told
    assert "s3cret" not in told
    alone = await serve("--store", database, "--node", "hermit")
    assert "runs without a bus" in await refused("hermit", *there)
    alone.process.terminate()
    await alone.ended()
    await node("a")
    assert "There is no node called b. Running: a." in await refused("b", *there)
    assert "No other node runs tables" in await refused("a", *there)
    await node("b", role="owner")
    assert "No other node takes in connections" in await refused("a", *there)
    await node("b", role="gateway")
    assert "are both called b: say which by its number" in await refused("b", *there)
    # Of the two owners one has to stay, whichever is drained first.
    owner = next(n for n in (await parlour("nodes", *there))[1].splitlines() if "owner" in n)
    assert (await parlour("drain", owner.split()[0], *there))[0] == 0
    assert "No other node runs tables" in await refused("a", *there)


@pytest.mark.soak
async def test_a_rolling_restart_loses_nothing(node: Start, guest: Guest, database: str) -> None:
    owners = {name: await node(name, role="owner") for name in ("a", "b")}
    doors = [await node(name, role="gateway") for name in ("c", "d")]
    tables = [await pair(guest, *doors) for _ in range(3)]
    handed_over = 0
    async with playing_on(*tables):
        for name in ("a", "b", "a", "b"):
            code, out, complaints = await parlour("drain", name, "--store", database)
            assert code == 0, complaints
            handed_over += len(re.findall("^table ", out, re.MULTILINE)) > 0
            owners[name].process.send_signal(signal.SIGTERM)
            assert (await owners[name].ended())[0] == 0
            owners[name] = await node(name, role="owner")
    # From the second on, all tables were at the node that was drained.
    assert handed_over >= 3
    for clients in tables:
        await check(database, clients)
