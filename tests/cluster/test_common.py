"""The house's own table of a game: one, whichever nodes come and go and are asked at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from parlour.bus import TRY_AGAIN
from parlour.kit import Illegal
from parlour.protocol.operations import COMMON
from tests.support import Opener, OpenHouse, soon

Recall = Callable[[str], Awaitable[dict[str, bytes]]]


async def common(house: OpenHouse) -> str:
    """The house's own table of Quips, as people at this node find it."""
    return (await house.cluster.bus.call(COMMON, "quips")).id


async def test_there_is_one_however_many_nodes_come(open_node: Opener) -> None:
    nodes = [await open_node()]
    tables = {await common(nodes[0])}
    for _ in range(3):
        nodes.append(await open_node())
        tables |= {await common(node) for node in nodes}
    assert len(tables) == 1
    assert sum(len(node.tables) for node in nodes) == 1
    # And one that goes hands it over.
    (first,) = [node for node in nodes if node.tables]
    await first.hand_over()
    tables |= {await common(node) for node in nodes}
    assert len(tables) == 1


async def test_nodes_that_open_one_at_once_agree(
    open_node: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where they do not agree about who is alive, each thinks that it is the one to open it."""
    nodes = [await open_node() for _ in range(3)]
    together = asyncio.Barrier(len(nodes))
    for node in nodes:
        bus, tables = node.cluster.bus, node.server.house.common
        address, directory = bus.address, bus.lookup._directory

        async def here(key: str, address: int = address) -> int:
            return address

        # Each has its own, in this test's process.
        monkeypatch.setattr(directory, "place", here)
        recall = tables._journal.store.recall

        async def all_at_once(prefix: str, recall: Recall = recall) -> dict[str, bytes]:
            found = await recall(prefix)
            if prefix == "common:quips" and not found:
                await together.wait()
            return found

        monkeypatch.setattr(tables._journal.store, "recall", all_at_once)
    found = await asyncio.gather(*(common(node) for node in nodes))
    assert len(set(found)) == 1
    await soon(lambda: sum(len(node.tables) for node in nodes) == 1)


async def test_one_that_has_closed_is_followed_by_another(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    before = await common(first)
    for house in (first, second):
        live = house.server.house.index.find(before)
        if live is not None:
            live.close()
    after = [await common(house) for house in (first, second)]
    assert after == [after[0]] * 2
    assert after[0] != before


async def test_a_node_that_is_asked_though_another_runs_it_opens_no_second(
    open_node: Opener,
) -> None:
    """As where the table has moved while somebody was on their way to it."""
    nodes = [await open_node(), await open_node()]
    table = await common(nodes[0])
    (other,) = [node for node in nodes if not node.tables]
    with pytest.raises(Illegal) as refused:
        await other.server.house.call(COMMON, "quips")
    assert refused.value.code == TRY_AGAIN
    assert other.tables == []
    assert await common(other) == table
