"""Nodes of two versions in one house: a copy of this one, changed, runs beside it."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import parlour
from parlour.bus import TRY_AGAIN
from parlour.bus.items import encode
from parlour.kit import Illegal
from parlour.protocol.operations import FIND
from tests.cluster.test_drain import LEASE, Guest, check, pair, playing_on
from tests.cluster.test_drain import parlour as command
from tests.servers import NatsServer
from tests.support import Opener, Process, Visitor, soon

Edit = tuple[str, str, str]
"""A file below `bus/`, what stands there, and what stands there in the other version."""
Build = Callable[..., Path]
Start = Callable[..., Awaitable[Process]]

SPEAKS_BOTH: Edit = ("items.py", "VERSIONS: Final = (2,)", "VERSIONS: Final = (2, 3)")
SPEAKS_NEW: Edit = ("items.py", "VERSIONS: Final = (2,)", "VERSIONS: Final = (3,)")
NEW_ITEM: tuple[Edit, ...] = (
    (
        "items.py",
        "class Bounced(Item):",
        "class Move(Item):\n    connection: ConnectionId\n    data: bytes\n\n\n"
        "class Bounced(Item):",
    ),
    ("items.py", "    Frame | Bounced", "    Move | Frame | Bounced"),
    ("cluster.py", "    Gone,\n    Note", "    Gone,\n    Move,\n    Note"),
    (
        "cluster.py",
        "                case Frame(connection, data):\n",
        "                case Frame(connection, data) | Move(connection, data):\n"
        "                    log.warning('a %s came', type(item).__name__)\n",
    ),
    ("peers.py", "import AnyItem, decode_items", "import AnyItem, Frame, Move, decode_items"),
    ("cluster.py", "isinstance(item, Frame)]", "isinstance(item, Frame | Move)]"),
)
"""What connections send is called otherwise in the newer version."""
SENT = "        self._outbox.setdefault(peer, []).append(item)\n"
CARELESSLY: Edit = (
    "peers.py",
    SENT,
    "        if isinstance(item, Frame):\n"
    "            item = Move(item.connection, item.data)\n" + SENT,
)
"""Also to nodes that do not know it."""
WITH_CARE: Edit = (
    "peers.py",
    SENT,
    CARELESSLY[2].replace("Frame)", "Frame) and self._carrier.version(peer) > 2"),
)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """`build(edits)`: the folder of another version."""

    def built(*edits: Edit) -> Path:
        folder = tmp_path / f"build{len(list(tmp_path.glob('build*')))}"
        shutil.copytree(
            Path(parlour.__file__).parent,
            folder / "parlour",
            ignore=shutil.ignore_patterns("__pycache__", "page"),
        )
        for name, here, there in edits:
            file = folder / "parlour" / "bus" / name
            text = file.read_text()
            assert here in text
            file.write_text(text.replace(here, there))
        return folder

    return built


@pytest.fixture
def node(serve: Start, database: str, nats_server: NatsServer) -> Start:
    """`await node("a", "owner", folder)`: one more node, of this or another version."""

    def started(name: str, role: str, folder: Path | None = None) -> Awaitable[Process]:
        env = dict(os.environ, **({} if folder is None else {"PYTHONPATH": str(folder)}))
        flags = ("--store", database, "--bus", nats_server.url, "--lease", LEASE)
        return serve(*flags, "--node", name, "--role", role, env=env)

    return started


async def test_people_play_on_while_a_new_version_comes_in(
    node: Start, build: Build, guest: Guest, database: str
) -> None:
    newer = build(SPEAKS_BOTH, *NEW_ITEM, WITH_CARE)
    owners = {name: await node(name, "owner") for name in ("a", "b")}
    doors = [await node("c", "gateway"), await node("d", "gateway", newer)]
    tables = [await pair(guest, *doors), await pair(guest, *reversed(doors))]
    logs: dict[str, list[str]] = {"old": [], "new": []}
    async with playing_on(*tables):
        for name in ("a", "b"):
            code, _, complaints = await command("drain", name, "--store", database)
            assert code == 0, complaints
            owners[name].process.send_signal(signal.SIGTERM)
            code, log = await owners[name].ended()
            assert code == 0, log
            logs["old"].append(log)
            owners[name] = await node(name, "owner", newer)
    for clients in tables:
        await check(database, clients)
    for process in (*owners.values(), *doors):
        process.process.send_signal(signal.SIGTERM)
        code, log = await process.ended()
        assert code == 0, log
        logs["new"].append(log)
    both = "".join(logs["new"])
    # From the newer door, and from the other one.
    assert "a Move came" in both
    assert "a Frame came" in both
    for log in (*logs["old"], *logs["new"]):
        assert "dropped" not in log


async def test_what_a_node_can_not_read_is_done_by_the_next_that_can(
    node: Start, build: Build, guests: Callable[[Process], Awaitable[Visitor]]
) -> None:
    careless = build(SPEAKS_BOTH, *NEW_ITEM, CARELESSLY)
    old = await node("a", "owner")
    visitor = await guests(await node("c", "gateway", careless))
    _, table = await visitor.call("POST", "/api/tables", {"game": "rummy"})
    client = await visitor.rummy(f"?table={table['code']}&token={await visitor.token()}")
    await client.expect("lobby")
    await client.send("ai", action="add")
    async with aiohttp.ClientSession() as http:
        unreadable = 'parlour_bus_dropped_packets_total{why="unreadable"}'

        async def dropped() -> bool:
            return unreadable in await (await http.get(f"{old.base}/metrics")).text()

        await soon(dropped)
    assert len(client.lobby["players"]) == 1
    await node("b", "owner", careless)
    old.process.send_signal(signal.SIGTERM)
    code, complaints = await old.ended()
    assert code == 0, complaints
    while len(client.lobby["players"]) < 2:
        await client.expect("lobby")


async def test_versions_that_can_not_understand_each_other_do_not_start(
    node: Start, build: Build, database: str, nats_server: NatsServer
) -> None:
    newer = build(SPEAKS_NEW)
    running = await node("a", "both")
    said = "Node a speaks version 2 of the bus and this one 3: stop all nodes before you start"
    with pytest.raises(AssertionError, match=said) as refused:
        await node("b", "both", newer)
    assert "Traceback" not in str(refused.value)
    running.process.send_signal(signal.SIGTERM)
    await running.ended()
    await node("b", "both", newer)
    with pytest.raises(AssertionError, match="Node b speaks version 3 of the bus and this one 2"):
        await node("a", "both")


@pytest.mark.parametrize(
    ("method", "arguments"), [("dance", ()), ("find", (5,)), ("request", (1, b""))]
)
async def test_a_question_that_a_node_can_not_read_is_answered(
    open_node: Opener, method: str, arguments: tuple[Any, ...]
) -> None:
    operation = replace(FIND, name=method, patience=1000.0)
    first, second = await open_node(), await open_node()
    with pytest.raises(Illegal) as refused:
        await first.cluster.bus.ask(second.cluster.bus.address, operation, *arguments)
    assert refused.value.code == TRY_AGAIN


async def test_an_answer_that_can_not_be_read_is_none(
    open_node: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await open_node(), await open_node()
    monkeypatch.setattr("parlour.bus.questions.write_answer", lambda answer: encode("new"))
    with pytest.raises(Illegal) as refused:
        await first.cluster.bus.ask(second.cluster.bus.address, FIND, "000000")
    assert refused.value.code == TRY_AGAIN
