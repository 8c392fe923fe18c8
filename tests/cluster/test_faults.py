"""Nodes fail in every way, again and again, while people play all games; all they hear is checked.

Which node fails and how is a seed's choice. Everybody must have been told what the record has, in
its order, once (`tests.cluster.checker`), and every table must go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from tests.cluster.evening import Evening
from tests.cluster.nodes import APART, TOGETHER, Nodes, Role
from tests.servers import NatsServer, PostgresServer
from tests.support import Process


@pytest.fixture
async def nodes(
    serve: Callable[..., Awaitable[Process]],
    database: str,
    postgres_server: PostgresServer,
    nats_server: NatsServer,
) -> AsyncIterator[Nodes]:
    opened = Nodes(serve, database, postgres_server, nats_server)
    yield opened
    await opened.close()


@asynccontextmanager
async def an_evening(nodes: Nodes, roles: tuple[Role, ...], seed: int) -> AsyncIterator[Evening]:
    """Everybody plays while the test does its worst; afterwards it is checked."""
    await nodes.open(roles)
    evening = Evening(nodes, seed)
    try:
        await evening.begin()
        yield evening
        standing_still = await evening.standing_still()
        await evening.end()
        print(nodes.happened, await evening.check())
        assert not standing_still, standing_still
    except BaseException:
        nodes.show()
        evening.show()
        raise
    finally:
        await evening.close()


@pytest.mark.timeout(300)
async def test_nothing_is_lost_undone_or_told_twice_whatever_fails(nodes: Nodes) -> None:
    async with an_evening(nodes, APART, seed=1) as evening:
        first, second, here, there = nodes.all
        await nodes.fault(first, "kill", evening.rng)
        await nodes.fault(second, "bus cut", evening.rng)
        await nodes.fault(here, "kill", evening.rng)
        await nodes.fault(second, "database cut", evening.rng)
        await nodes.fault(there, "no bus", evening.rng)


@pytest.mark.soak
async def test_a_node_that_stood_still_and_a_rolling_restart_lose_nothing(nodes: Nodes) -> None:
    async with an_evening(nodes, TOGETHER, seed=2) as evening:
        await nodes.fault(nodes.all[0], "stop", evening.rng)
        await nodes.fault(nodes.all[0], "rolling restart", evening.rng)


@pytest.mark.soak
@pytest.mark.parametrize("roles", [APART, TOGETHER], ids=["apart", "together"])
@pytest.mark.parametrize("seed", range(5))
async def test_two_hundred_faults(nodes: Nodes, seed: int, roles: tuple[Role, ...]) -> None:
    async with an_evening(nodes, roles, seed=100 + seed) as evening:
        while len(nodes.happened) < 20:
            await asyncio.sleep(evening.rng.uniform(0.1, 1.0))
            await nodes.fail(evening.rng)


@pytest.mark.soak
@pytest.mark.parametrize("roles", [APART, TOGETHER], ids=["apart", "together"])
async def test_the_next_node_is_killed_as_it_takes_over(
    nodes: Nodes, roles: tuple[Role, ...]
) -> None:
    async with an_evening(nodes, roles, seed=200) as evening:
        for _ in range(10):
            await nodes.kill_in_turn(evening.rng)
            await asyncio.sleep(evening.rng.uniform(1.0, 5.0))


@pytest.mark.soak
@pytest.mark.parametrize("roles", [APART, TOGETHER], ids=["apart", "together"])
async def test_all_go_on_when_the_database_was_away(nodes: Nodes, roles: tuple[Role, ...]) -> None:
    async with an_evening(nodes, roles, seed=300) as evening:
        for _ in range(5):
            await nodes.lose_database(evening.rng)
            await asyncio.sleep(evening.rng.uniform(1.0, 5.0))
