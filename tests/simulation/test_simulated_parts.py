"""The simulated PostgreSQL and NATS pass the tests that the real ones pass.

`tests/store` runs the same functions on a real PostgreSQL.
"""

from __future__ import annotations

import asyncio
from itertools import count
from random import Random
from typing import Any

import asyncpg
import pytest

from parlour.bus.nats import NatsCarrier
from parlour.store.postgres import PostgresStore
from parlour.store.postgres_facts import LOOK_UP
from parlour.store.postgres_writer import _BE_THERE
from simulation.nats import SimulatedCarrier, SimulatedNats
from simulation.postgres import SimulatedPostgres
from simulation.statements import Data, NotSimulated, execute
from tests.servers import NatsServer
from tests.store.conftest import join, start  # noqa: F401 - fixtures
from tests.store.test_ownership import (  # noqa: F401 - run here again
    test_a_claim_whose_answer_is_lost_is_made_again,
    test_a_deposed_node_writes_no_log_anew,
    test_a_node_without_tables_gets_none,
    test_a_table_has_its_name_until_it_closes_at_whatever_node,
    test_a_table_that_is_given_up_goes_on_elsewhere,
    test_amendments_of_two_nodes_at_once_are_all_made,
    test_facts_that_one_node_changes_the_others_learn,
    test_no_two_nodes_give_out_the_same_code,
    test_of_two_tables_that_want_a_name_at_once_one_has_it,
    test_one_question_says_whether_a_table_may_have_lost_its_node,
    test_the_tables_of_a_node_that_stands_still_go_to_all_others_once,
    test_what_one_node_forgets_while_another_begins_to_need_it_stays,
)
from tests.store.test_stores import (  # noqa: F401 - run here again
    Make,
    test_a_fact_is_forgotten_unless_another_one_keeps_it,
    test_a_log_written_anew_is_all_there_is_of_it,
    test_a_reader_of_its_own_reads_what_is_kept,
    test_a_table_lives_until_it_is_closed_and_is_found_after,
    test_an_amendment_is_kept_with_what_was_handed_in_before_it,
    test_an_entry_out_of_order_is_not_taken,
    test_entries_are_kept_in_order_and_told_of_in_order,
    test_facts_are_amended_by_what_they_are,
    test_facts_are_read_in_pages,
    test_nothing_is_written_to_a_table_that_is_done_with,
    test_small_facts_are_remembered_by_their_key,
    test_tickets_count_every_write_and_what_is_not_there_is_no_trouble,
    test_who_waits_is_told_once_all_handed_in_before_is_kept,
)
from tests.support import soon

pytestmark = pytest.mark.slow


class Servers:
    """A simulated database for each URL."""

    def __init__(self) -> None:
        self._all: dict[str, SimulatedPostgres] = {}
        self._numbers = count(1)

    def new(self) -> str:
        url = f"postgresql://simulated/{next(self._numbers)}"
        self._all[url] = SimulatedPostgres(Random(1))
        return url

    async def connect(self, url: str, **how: Any) -> Any:
        return await self._all[url].connect(url, **how)


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Servers:
    servers = Servers()
    monkeypatch.setattr(asyncpg, "connect", servers.connect)
    return servers


@pytest.fixture
def database(servers: Servers) -> str:
    return servers.new()


@pytest.fixture
def make(servers: Servers) -> Make:
    return lambda: PostgresStore(servers.new())


def test_a_statement_that_is_not_known_is_no_empty_answer() -> None:
    with pytest.raises(NotSimulated, match="SELECT 1"):
        execute(Data(), "SELECT 1", ())


async def test_a_statement_of_a_transaction_that_was_rolled_back_is_not_done(
    servers: Servers,
) -> None:
    url = servers.new()
    first, second = await servers.connect(url), await servers.connect(url)
    await first.fetch("BEGIN")
    late = asyncio.ensure_future(first.fetch(_BE_THERE, ["late"]))
    await asyncio.sleep(0)
    servers._all[url].close(first)
    first.lose()
    with pytest.raises(ConnectionResetError):
        await late
    # A statement is under way for less time than ten others with their answers.
    for _ in range(10):
        assert await second.fetch(LOOK_UP, ["late"]) == []


@pytest.mark.parametrize("kind", ["real", "simulated"])
async def test_packets_arrive_where_they_are_sent(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    carriers: list[NatsCarrier | SimulatedCarrier]
    if kind == "real":
        server: NatsServer = request.getfixturevalue("nats_server")
        carriers = [NatsCarrier(server.url), NatsCarrier(server.url)]
    else:
        monkeypatch.setattr(SimulatedCarrier, "server", SimulatedNats(Random(1)), raising=False)
        carriers = [SimulatedCarrier(""), SimulatedCarrier("")]
    heard: list[list[bytes]] = [[], []]
    for address, carrier in enumerate(carriers, 1):
        await carrier.start(address, heard[address - 1].append)
        assert carrier.connected
    sent = [b"%d" % number for number in range(50)]
    for data in sent:
        carriers[0].carry(2, data)
    carriers[1].carry(1, b"back")
    carriers[1].carry(7, b"to nobody")
    await soon(lambda: heard == [[b"back"], sent])
    for carrier in carriers:
        await carrier.stop()
