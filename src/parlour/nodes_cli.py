"""`parlour nodes` and `parlour drain`: manage a server that runs on several machines."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from parlour.console import ConfigFile, Store, counted, fail, one_sentence, say, say_rows
from parlour.server.config import Config, load

if TYPE_CHECKING:
    from parlour.store.nodes import Node, NodeList

T = TypeVar("T")

POLL_EVERY: Final = 0.2
"""Seconds between two questions how far a drain is."""


def nodes(store: Store = None, config: ConfigFile = None) -> None:
    """List the nodes of a server on several machines: their roles, load and leases."""
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
    say_rows(rows, styles=())


def drain(
    node: Annotated[
        str | None,
        typer.Argument(help="Its name or number; by default the node configured here."),
    ] = None,
    close: Annotated[
        bool, typer.Option("--close", help="Afterwards also move its connections to other nodes.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Let it accept tables and people again.")] = (
        False
    ),
    store: Store = None,
    config: ConfigFile = None,
) -> None:
    """Empty a node before you stop it: its tables move to other nodes.

    The node accepts nobody new (/readyz is 503) and hands its tables over one by one; players do
    not notice. The command ends when no table is left. Connections stay until their clients
    leave, or until --close. After a restart it is an ordinary node again.
    """
    settings, url = _settings(store, config)
    name = node or settings.node_name
    if undo and close:
        fail("--undo and --close cannot be used together.")
    if undo:
        _run(_undo(url, name))
        return
    try:
        _run(_drain(url, name, close))
    except KeyboardInterrupt:
        fail(f"The drain goes on. To undo it: parlour drain {name} --undo")


async def _undo(url: str, name: str) -> None:
    from parlour.store.nodes import node_list

    async with node_list(url) as nodes:
        node = await nodes.resume(name)
    say(f"Node {node.name} accepts tables and people again.")


async def _drain(url: str, name: str, close: bool) -> None:
    from parlour.store.nodes import node_list

    async with node_list(url) as nodes:
        node = await nodes.drain(name, close=close)
        left = await _until_none(nodes, node, lambda now: now.tables, _tell_table)
        if left is not None and close:
            left = await _until_none(nodes, node, lambda now: now.connections, _tell_connections)
    if left is None:
        return
    say(f"Node {node.name} runs no table.")
    if left.connections:
        there = counted(left.connections, "connection")
        stay = "stays" if left.connections == 1 else "stay"
        say(f"{there} {stay} open until the clients leave; --close moves them to other nodes.")


def _tell_table(left: int, most: int) -> str:
    return f"table {most - left + 1} of {most}"


def _tell_connections(left: int, most: int) -> str:
    return f"{counted(left, 'connection')} left"


async def _until_none(
    nodes: NodeList, node: Node, count: Callable[[Node], int], tell: Callable[[int, int], str]
) -> Node | None:
    """Poll a node until none are left, and say how many are left, of how many at most.

    None if the node has ended, or the drain was undone.
    """
    from asyncio import sleep

    most = 0
    said = ""
    while True:
        now = await nodes.get(node.number)
        if now is None:
            say(f"Node {node.name} has ended; its tables continue on other nodes.")
            return None
        if now.ordered == "run":
            say(f"The drain of {node.name} was undone.")
            return None
        left = count(now)
        if not left:
            return now
        # A few more may still arrive, from nodes that have not heard of the drain yet.
        most = max(most, left)
        if said != (said := tell(left, most)):
            say(said)
        await sleep(POLL_EVERY)


def _settings(store: str | None, config: str | None) -> tuple[Config, str]:
    """The settings, and the address of the database."""
    with one_sentence():
        settings, _ = load({"store": store}, file=config)
    if settings.store is None:
        fail(
            "This server is a single process with its data in a folder, so there are no other "
            "nodes. To stop it, send SIGTERM; its tables continue when it starts again. For a "
            "server on several machines, name its database with --store."
        )
    return settings, settings.store


def _run(work: Coroutine[object, None, T]) -> T:
    import asyncio

    with one_sentence():
        return asyncio.run(work)
