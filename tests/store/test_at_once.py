"""What two nodes write about the same people at once: nothing of it is lost or doubled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlour.kit import Illegal
from parlour.server.accounts import Accounts
from parlour.server.ratings import MOST_OF_A_PAIR, RECENT, Ratings
from parlour.store import Store
from parlour.store.postgres import PostgresStore
from parlour.store.sqlite import SqliteStore
from tests.servers import PostgresServer
from tests.store.conftest import one_of_many
from tests.support import soon

SOME = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@asynccontextmanager
async def started(*stores: Store) -> AsyncGenerator[Sequence[Store]]:
    for store in stores:
        await store.start()
    yield stores
    for store in stores:
        await store.stop()


def two_nodes(server: PostgresServer) -> list[Store]:
    url = server.new_database()
    return [PostgresStore(url, info=one_of_many()) for _ in range(2)]


matches = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.dictionaries(st.sampled_from("abcd"), st.integers(1, 3), min_size=2, max_size=4),
    ),
    min_size=2,
    max_size=12,
)


@SOME
@given(matches)
def test_every_match_counts_whichever_nodes_they_end_at(
    postgres_server: PostgresServer, matches: list[tuple[int, Mapping[str, int]]]
) -> None:
    asyncio.run(_every_match_counts(two_nodes(postgres_server), matches))


@SOME
@given(matches)
def test_every_match_counts_in_a_folder(
    tmp_path_factory: pytest.TempPathFactory, matches: list[tuple[int, Mapping[str, int]]]
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("log") / "parlour.sqlite")
    asyncio.run(_every_match_counts([store], matches))


async def _every_match_counts(
    stores: list[Store], matches: list[tuple[int, Mapping[str, int]]]
) -> None:
    async with started(*stores) as there:
        ratings = [Ratings(store, (), Accounts(store)) for store in there]
        for each in ratings:
            await each.load()
        games: Counter[str] = Counter()
        wins: Counter[str] = Counter()
        for number, (node, places) in enumerate(matches):
            homes = {visitor: visitor for visitor in places}
            # So far apart that the same opponent counts as much each time.
            ratings[node % len(ratings)].note("pool", places, homes, number * RECENT)
            games.update(places.keys())
            best = min(places.values())
            wins.update(visitor for visitor, place in places.items() if place == best)
            if len(places) % 2:
                # Some end in one commit, some in the next.
                await asyncio.sleep(0)
        assert all(await asyncio.gather(*(store.settled() for store in stores)))
        expected = {visitor: (games[visitor], wins[visitor]) for visitor in games}
        await soon(lambda: all(_counts(each) == expected for each in ratings))
        again = Ratings(there[0], (), Accounts(there[0]))
        await again.load()
        assert _counts(again) == expected
        # And all nodes are of one mind about how good everybody is.
        for each in ratings:
            await soon(lambda each=each: each.ranked("pool") == again.ranked("pool"))  # type: ignore[misc]


async def test_the_same_two_count_as_often_whichever_nodes_they_play_at(
    postgres_server: PostgresServer,
) -> None:
    async with started(*two_nodes(postgres_server)) as there:
        ratings = [Ratings(store, (), Accounts(store)) for store in there]
        for number in range(3 * MOST_OF_A_PAIR):
            homes = {"a": "here", "b": "there"}
            ratings[number % 2].note("pool", {"a": 1, "b": 2}, homes, number)
            if number % 5 == 0:
                await asyncio.sleep(0)
        for store in there:
            assert await store.settled()
        await ratings[0].load()
        assert _counts(ratings[0]) == {"a": (MOST_OF_A_PAIR,) * 2, "b": (MOST_OF_A_PAIR, 0)}


def _counts(ratings: Ratings) -> dict[str, tuple[int, int]]:
    return {who: (standing.games, standing.wins) for who, standing in ratings.ranked("pool")}


async def create(accounts: Accounts, visitor: str, name: str, email: str) -> str:
    try:
        await accounts.create(visitor, name, "a good password", email)
    except Illegal as no:
        return no.code
    return "created"


ADA = ("one", "Ada", "ada@example.org")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (("two", "Bo", "bo@example.org"), "created"),
        (("two", "ADA", ""), "name-taken"),
        (("two", "\u0410d\u0430", ""), "name-taken"),
        (("two", "Bo", "Ada@example.org"), "email-taken"),
        (("two", "ada@example.org", ""), "name-taken or email-taken"),
        (("one", "Bo", ""), "has-account"),
    ],
)
async def test_of_two_who_register_at_once_one_is_first(
    postgres_server: PostgresServer, other: tuple[str, str, str], told: str
) -> None:
    async with started(*two_nodes(postgres_server)) as there:
        accounts = [Accounts(store) for store in there]
        both = asyncio.Barrier(2)
        for store in there:
            _wait_for(both, store)
        heard = await asyncio.gather(create(accounts[0], *ADA), create(accounts[1], *other))
        # Which of them is second is open.
        first, second = sorted(heard, key="created".__ne__)
        assert first == "created"
        assert second in told.split(" or ")
        assert len(await there[0].recall("account:")) == heard.count("created")


def _wait_for(both: asyncio.Barrier, store: Store) -> None:
    """Let a node claim nothing before the other does: neither knows of the other's."""
    claim = store.claim

    async def together(facts: Mapping[str, bytes]) -> dict[str, bytes]:
        if len(facts) > 1:
            await both.wait()
        return await claim(facts)

    store.claim = together  # type: ignore[method-assign]
