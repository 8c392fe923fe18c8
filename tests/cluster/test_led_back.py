"""`?token=` alone leads back to the last table, whoever runs it, and also while nobody does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

import asyncpg
import pytest

from parlour.house.live import LiveTable
from parlour.store import TableRow
from tests.support import Opener, OpenHouse, RummyClient, Visitor, soon


async def settled_in(house: OpenHouse) -> tuple[Visitor, str, RummyClient]:
    """Somebody who has shown their token, at a table of their own."""
    visitor = await house.visitor()
    token = await visitor.token()
    client = await visitor.rummy(f"?token={token}")
    await client.expect("lobby")
    return visitor, token, client


async def back(house: OpenHouse, token: str) -> RummyClient:
    client = await (await house.visitor()).rummy(f"?token={token}")
    await client.expect("lobby")
    return client


async def looked_for(house: OpenHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return once a node has asked the record a few times who runs some table."""
    directory, times = house.cluster.store.directory, 0
    owners = directory.owners

    async def counted(tables: Iterable[str]) -> dict[str, int | None]:
        nonlocal times
        times += 1
        return await owners(tables)

    monkeypatch.setattr(directory, "owners", counted)
    await soon(lambda: times > 3)


async def test_the_last_table_is_found_at_another_node(open_node: Opener) -> None:
    first, second = await open_node(), await open_node()
    _, token, client = await settled_in(first)
    assert (await back(second, token)).code == client.code
    assert [len(house.tables) for house in (first, second)] == [1, 0]


async def test_the_last_table_is_waited_for_while_nobody_runs_it(
    open_node: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await open_node(), await open_node()
    _, token, client = await settled_in(first)
    code = client.code
    looks, may_look = asyncio.Event(), asyncio.Event()
    take_over = second.cluster.store.take_over

    async def later() -> object:
        looks.set()
        await may_look.wait()
        return await take_over()

    monkeypatch.setattr(second.cluster.store, "take_over", later)
    await first.hand_over()
    await looks.wait()
    assert [house.tables for house in (first, second)] == [[], []]
    coming = asyncio.create_task(back(second, token))
    await looked_for(second, monkeypatch)
    assert not coming.done()
    may_look.set()
    assert (await coming).code == code
    assert [len(house.tables) for house in (first, second)] == [0, 1]


async def test_a_table_whose_log_is_still_being_read_is_waited_for(
    open_node: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await open_node(), await open_node()
    _, token, client = await settled_in(first)
    code = client.code
    may_read = asyncio.Event()
    loader = second.server.house.loader
    add = loader.add

    async def later(rows: Sequence[TableRow], wake: Callable[[LiveTable], None]) -> None:
        await may_read.wait()
        await add(rows, wake)

    monkeypatch.setattr(loader, "add", later)
    await first.hand_over()
    store = second.cluster.store
    await soon(lambda: len(store.owned) == 1)
    coming = [asyncio.create_task(back(second, token)) for _ in range(2)]
    here = await second.visitor()
    looking = asyncio.create_task(here.call("GET", f"/api/tables/{code}"))
    await looked_for(second, monkeypatch)
    assert not any(task.done() for task in (*coming, looking))
    may_read.set()
    assert [(await task).code for task in coming] == [code, code]
    assert (await looking)[0] == 200


async def test_who_sat_down_before_that_was_kept_is_led_back(
    open_node: Opener, database: str
) -> None:
    """As in a house that was moved here from a data folder."""
    first, second = await open_node(), await open_node()
    _, token, client = await settled_in(first)
    connection = await asyncpg.connect(database)
    await connection.execute("DELETE FROM seats")
    await connection.close()
    await first.hand_over()
    await soon(lambda: len(second.tables) == 1)
    third = await open_node()
    assert (await back(third, token)).code == client.code


async def test_who_has_left_the_last_table_gets_a_new_one_where_they_are(
    open_node: Opener,
) -> None:
    first, second = await open_node(), await open_node()
    visitor, token, client = await settled_in(first)
    other = await first.rummy()
    await other.send("join", code=client.code)
    await client.expect("lobby")
    leaving = await visitor.rummy(f"?token={token}&extras")
    await leaving.send("extras_leave")
    assert await leaving.closed() == 1000
    again = await back(second, token)
    assert again.code != client.code
    assert [len(house.tables) for house in (first, second)] == [1, 1]


async def test_whose_last_table_was_damaged_is_told_so_wherever_they_connect(
    open_node: Opener, database: str
) -> None:
    """Once: then they get a new table."""
    first, second, third = await open_node(), await open_node(), await open_node(role="gateway")
    _, token, client = await settled_in(first)
    code = client.code
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE entries SET at = at + 1")
    await connection.close()
    await first.hand_over()
    await soon(lambda: second.server.house.index.why_shut(code) is not None)
    refused = await (await third.visitor()).rummy(f"?token={token}")
    assert (await refused.expect("error"))["code"] == "table-shut"
    assert await refused.closed() == 4403
    assert (await back(third, token)).code != code
