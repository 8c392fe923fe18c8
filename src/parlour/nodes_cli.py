"""`parlour nodes` and `parlour drain`: look after a house on many machines, from any of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from parlour.console import fail, out
from parlour.server.config import BadConfig, Config, load

if TYPE_CHECKING:
    from parlour.store.nodes import Node, NodeList

T = TypeVar("T")

LOOK_EVERY: Final = 0.2
"""Seconds between two looks at how far a drain is."""

Store = Annotated[
    str | None,
    typer.Option("--store", help="The database; as the server has it if not said."),
]
ConfigFile = Annotated[
    str | None, typer.Option("--config", help="TOML file to read.", show_default=False)
]


def nodes(store: Store = None, config: ConfigFile = None) -> None:
    """List the nodes of a house on many machines: what each does, and how it is."""
    _, url = _settings(store, config)

    async def listed() -> list[Node]:
        from parlour.store.nodes import node_list

        async with node_list(url) as there:
            return await there.all()

    found = _run(listed())
    rows = [("node", "name", "role", "state", "tables", "connections", "lease")]
    for node in found:
        state = "running" if node.ordered == "run" else "drained"
        if node.ordered != "run" and node.tables:
            state = "draining"
        counts = (str(node.tables), str(node.connections), f"{max(0.0, node.lease):.1f} s")
        rows.append((str(node.number), node.name, node.role, state, *counts))
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [word.ljust(width) for word, width in zip(row, widths, strict=True)]
        out.print("  ".join(cells).rstrip(), markup=False, soft_wrap=True)


def drain(
    node: Annotated[
        str | None,
        typer.Argument(help="Its name or number; the one that is configured here if not said."),
    ] = None,
    close: Annotated[
        bool, typer.Option("--close", help="Then send its connections to other nodes, too.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Let it take tables and people in again.")
    ] = (False),
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Empty a node before it is stopped: its tables go on at other nodes.

    It takes in nobody new (/readyz is 503) and hands its tables over one by one; nobody at them
    notices. Ends when it has none left. Whoever is connected to it stays until they leave, or
    until --close. When it starts again it is an ordinary node.
    """
    settings, url = _settings(store, config)
    name = node or settings.node_name
    if undo and close:
        fail("--undo and --close: either or.")
    if undo:
        _run(_undo(url, name))
        return
    try:
        _run(_drain(url, name, close))
    except KeyboardInterrupt:
        fail(f"The drain goes on without us; parlour drain {name} --undo takes it back.")


async def _undo(url: str, name: str) -> None:
    from parlour.store.nodes import node_list

    async with node_list(url) as nodes:
        node = await nodes.resume(name)
    _say(f"Node {node.name} takes tables and people in again.")


async def _drain(url: str, name: str, close: bool) -> None:
    from parlour.store.nodes import node_list

    async with node_list(url) as nodes:
        node = await nodes.drain(name, close=close)
        left = await _handed_over(nodes, node)
        if left is None:
            return
        if close:
            left = await _without_connections(nodes, left)
            if left is None:
                return
    _say(f"Node {node.name} runs no table.")
    if left.connections:
        one = left.connections == 1
        stay = "1 connection stays" if one else f"{left.connections} connections stay"
        _say(f"{stay} until they leave; --close sends them to other nodes.")


async def _handed_over(nodes: NodeList, node: Node) -> Node | None:
    """Returns once it has no tables; None: it has ended, or the drain was taken back."""
    most = said = 0
    async for now in _seen(nodes, node):
        if not now.tables:
            return now
        # More may come for a moment: from who had not heard of the drain yet.
        most = max(most, now.tables)
        if said != (said := most - now.tables + 1):
            _say(f"table {said} of {most}")
    return None


async def _without_connections(nodes: NodeList, node: Node) -> Node | None:
    """The same with its connections."""
    said = 0
    async for now in _seen(nodes, node):
        if not now.connections:
            return now
        if said != (said := now.connections):
            _say("1 connection left" if said == 1 else f"{said} connections left")
    return None


async def _seen(nodes: NodeList, node: Node) -> AsyncGenerator[Node]:
    """How a node is, again and again as long as it is there and to be drained."""
    from asyncio import sleep

    while True:
        now = await nodes.get(node.number)
        if now is None:
            _say(f"Node {node.name} has ended; what it had goes on elsewhere.")
            return
        if now.ordered == "run":
            _say(f"The drain of {node.name} was taken back.")
            return
        yield now
        await sleep(LOOK_EVERY)


def _settings(store: str | None, config: str | None) -> tuple[Config, str]:
    """What is configured here, and where the record is."""
    try:
        settings, _ = load({"store": store}, file=config)
    except BadConfig as wrong:
        fail(str(wrong))
    if settings.store is None:
        fail(
            "This house is a single process, with its data in a folder: there is no other node. "
            "Stop it with SIGTERM; its tables go on when it starts again. (A house on many "
            "machines is named by --store.)"
        )
    return settings, settings.store


def _run(work: Coroutine[Any, Any, T]) -> T:
    import asyncio

    from parlour.store import StoreTrouble

    try:
        return asyncio.run(work)
    except ImportError:
        fail("PostgreSQL needs another package: pip install 'parlour[postgres]'.")
    except StoreTrouble as wrong:
        fail(str(wrong))


def _say(line: str) -> None:
    out.print(line, markup=False, soft_wrap=True)
