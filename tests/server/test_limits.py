"""Everything from a socket is hostile: how much of it is taken, and from whom."""

from __future__ import annotations

import resource
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.server.limits import AddressLimiter, TokenBucket, address_block
from tests.support import (
    BINARY,
    PING,
    PONG,
    TEXT,
    Client,
    Opener,
    Process,
    Visitor,
    soon,
)

SLOWLY: dict[str, Any] = {"message_rate": 0.0001}
"""A rate at which a test never earns another message."""


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# The bucket

rates = st.floats(0.1, 100)
bursts = st.integers(1, 50)
pauses = st.lists(st.floats(0, 10), max_size=80)


@given(rates, bursts, pauses)
def test_no_span_of_time_lets_more_through_than_the_burst_and_the_rate(
    rate: float, burst: int, pauses: list[float]
) -> None:
    clock = Clock()
    bucket = TokenBucket(rate, burst, clock)
    taken: list[float] = []
    for pause in pauses:
        clock.now += pause
        if bucket.take():
            taken.append(clock.now)
    for first in range(len(taken)):
        for last in range(first, len(taken)):
            span = taken[last] - taken[first]
            assert last - first + 1 <= burst + rate * span + 1e-6


@given(rates, bursts, st.integers(1, 100))
def test_who_keeps_to_the_rate_is_never_refused(rate: float, burst: int, count: int) -> None:
    clock = Clock()
    bucket = TokenBucket(rate, burst, clock)
    for _ in range(count):
        assert bucket.take()
        clock.now += 1 / rate * (1 + 1e-9)


@given(rates, bursts, pauses)
def test_a_full_bucket_is_as_good_as_a_new_one(
    rate: float, burst: int, pauses: list[float]
) -> None:
    clock = Clock()
    bucket = TokenBucket(rate, burst, clock)
    assert bucket.full
    for pause in pauses:
        clock.now += pause
        bucket.take()
        if bucket.full:
            assert [bucket.take() for _ in range(burst)] == [True] * burst
    clock.now += 2 * burst / rate
    assert bucket.full
    assert bucket.idle == pytest.approx(2 * burst / rate)


@given(st.integers(1, 4), st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=60))
def test_an_address_has_so_many_connections_and_no_more(
    limit: int, steps: list[tuple[str, bool]]
) -> None:
    book = AddressLimiter(limit, 1, 1)
    open_: dict[str, int] = {"a": 0, "b": 0}
    for address, comes in steps:
        if comes:
            assert book.connect(address) == (open_[address] < limit)
            open_[address] = min(limit, open_[address] + 1)
        elif open_[address]:
            book.disconnect(address)
            open_[address] -= 1


def test_the_connections_of_an_address_share_one_bucket_however_many_addresses_there_are() -> None:
    book = AddressLimiter(10, rate=1, burst=5)
    book.connect("here")
    ours = book.bucket("here")
    for number in range(10_001):
        book.bucket(str(number))
    book.connect("there")
    book.disconnect("there")
    assert book.bucket("here") is ours
    assert len(book._buckets) < 10


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:5000", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:5000", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
        ("[", "["),
    ],
)
def test_neighbours_who_may_be_one_and_the_same_count_as_one(address: str, counted: str) -> None:
    assert address_block(address) == counted


# On the socket


async def test_a_burst_is_taken_and_what_is_over_it_is_refused_one_by_one(
    open_house: Opener,
) -> None:
    house = await open_house(message_burst=3, **SLOWLY)
    guest = await house.rummy()
    for _ in range(5):
        await guest.send("pong")
    await guest.send("start")
    codes = [(await guest.expect("error"))["code"] for _ in range(3)]
    assert codes == ["too-fast"] * 3


@pytest.mark.parametrize("opcode", [TEXT, BINARY])
async def test_a_flood_is_cut(open_house: Opener, opcode: int) -> None:
    house = await open_house(message_burst=3, **SLOWLY)
    raw = await house.raw()
    await raw.event()
    for _ in range(300):
        raw.frame(opcode, b"{}")
    assert await raw.close_code() == 1008
    await soon(lambda: house.tables == [])
    assert b'cut_connections_total{why="flood"} 1.0' in house.server.metrics.text()


async def test_all_connections_of_an_address_share_its_rate(open_house: Opener) -> None:
    house = await open_house(address_rate=0.0001, address_burst=4)
    one, two = await house.rummy(), await house.rummy()
    assert await one.refused("start") == "too-few"
    assert await two.refused("start") == "too-few"
    for _ in range(2):
        assert await one.refused("start") == "too-few"
    for client in (one, two):
        assert await client.refused("start") == "too-fast"
    await one.close()
    # Who comes again finds the bucket as empty as they left it.
    assert await (await house.rummy()).refused("start") == "too-fast"


async def test_reconnecting_does_not_refill_the_rate(open_house: Opener) -> None:
    house = await open_house(address_rate=0.0001, address_burst=2)
    guest = await house.rummy()
    for _ in range(2):
        assert await guest.refused("start") == "too-few"
    await guest.close()
    await soon(lambda: not house.server.gateway._clients)
    assert await (await house.rummy()).refused("start") == "too-fast"


async def test_coming_too_often_is_refused_too(open_house: Opener) -> None:
    house = await open_house(request_rate=0.0001, request_burst=2)
    for _ in range(2):
        await (await house.rummy()).close()
    assert await (await house.visitor()).refusal("/rummy") == 429


async def test_an_address_may_have_so_many_connections(open_house: Opener) -> None:
    house = await open_house(address_connections=2)
    one, two = await house.rummy(), await house.rummy()
    visitor = await house.visitor()
    assert await visitor.refusal("/rummy") == 429
    await one.close()
    await soon(lambda: len(house.server.gateway._clients) == 1)
    await (await visitor.rummy()).expect("lobby")
    await two.close()


async def test_a_refused_upgrade_counts_as_no_connection(open_house: Opener) -> None:
    house = await open_house(address_connections=1)
    visitor = await house.visitor()
    for _ in range(3):
        assert await visitor.refusal("/rummy?token=forged") == 403
    await (await visitor.rummy()).expect("lobby")


async def test_who_says_nothing_for_too_long_is_cut_though_it_is_there(open_house: Opener) -> None:
    house = await open_house(idle_timeout=1000)
    raw = await house.raw()
    await raw.event()
    [client] = house.server.gateway._clients.values()
    clock = client.bucket._clock = Clock()
    client.bucket.take()
    clock.now = 999.0
    # Alive and well, but frames of control are no messages.
    raw.frame(PING, b"")
    assert (await raw.receive())[0] == PONG
    clock.now = 1000.0
    house.server.gateway._look_after(client, client.connection.heard_at)
    assert await raw.close_code() == 1001
    await soon(lambda: house.tables == [])
    assert b'cut_connections_total{why="idle"} 1.0' in house.server.metrics.text()


async def test_who_says_something_now_and_then_stays(open_house: Opener) -> None:
    house = await open_house(idle_timeout=1000)
    guest = await house.rummy()
    [client] = house.server.gateway._clients.values()
    clock = client.bucket._clock = Clock()
    await guest.send("pong")
    assert await guest.fence() == []
    for now, cut in ((999.0, False), (1000.0, True)):
        clock.now = now
        house.server.gateway._look_after(client, client.connection.heard_at)
        assert client.connection.closing == cut
    assert await guest.closed() == 1001


async def test_who_does_not_answer_pings_is_gone(open_house: Opener) -> None:
    house = await open_house(heartbeat=1000)
    raw = await house.raw()
    await raw.event()
    [client] = house.server.gateway._clients.values()
    since = client.connection.heard_at
    # The second visit comes too early for anything.
    for now in (since + 1000, since + 1499):
        house.server.gateway._look_after(client, now)
        assert not client.connection.cut_for
    assert await raw.receive() == (PING, b"")
    house.server.gateway._look_after(client, since + 1500)
    assert client.connection.cut_for == "silent"
    await soon(lambda: house.tables == [])


async def test_refusals_are_counted_by_game_whoever_refuses(high: None, open_house: Opener) -> None:
    house = await open_house(message_burst=3, **SLOWLY)
    # The second wire of its game, with a name of its own.
    client = Client(await (await house.visitor()).socket("/high/loud"))
    await client.event()
    await client.send("start")
    await client.send("nonsense")
    await client.send_raw("{")
    await client.send("start")
    codes = [(await client.until("error"))["code"] for _ in range(4)]
    metrics = house.server.metrics.text().decode()
    for code in codes:
        assert f'rejected_messages_total{{code="{code}",game="high"}} 1.0' in metrics, code
    assert len(set(codes)) == 4


async def test_a_low_limit_on_files_does_not_keep_guests_out(
    serve: Callable[..., Awaitable[Process]], guests: Callable[[Process], Awaitable[Visitor]]
) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))

    house = await serve(preexec_fn=few_files)
    visitor = await guests(house)
    clients = [await visitor.rummy() for _ in range(80)]
    for client in clients:
        await client.expect("lobby")


# Tables


async def test_a_visitor_may_open_so_many_tables(open_house: Opener) -> None:
    house = await open_house(tables_per_session=2)
    visitor, other = await house.visitor(), await house.visitor()
    table = {"game": "rummy"}
    first = (await visitor.call("POST", "/api/tables", table))[1]
    assert (await visitor.call("POST", "/api/tables", table))[0] == 201
    status, no = await visitor.call("POST", "/api/tables", table)
    assert (status, no["error"]["code"]) == (429, "too-many-tables")
    assert (await other.call("POST", "/api/tables", table))[0] == 201
    guest = await visitor.rummy(f"?token={await visitor.token()}")
    assert (await guest.expect("error"))["code"] == "too-many-tables"
    assert await guest.closed() == 4403
    # A table that has closed does not count any more.
    guest = await visitor.rummy(f"?table={first['code']}")
    await guest.expect("lobby")
    await guest.send("join", code=(await other.call("POST", "/api/tables", table))[1]["code"])
    await guest.expect("lobby")
    assert (await visitor.call("POST", "/api/tables", table))[0] == 201


async def test_a_house_has_so_many_tables(open_house: Opener) -> None:
    house = await open_house(tables=1)
    guest = await house.rummy()
    visitor = await house.visitor()
    status, no = await visitor.call("POST", "/api/tables", {"game": "rummy"})
    assert (status, no["error"]["code"]) == (503, "house-full")
    await guest.close()


async def test_a_table_has_room_for_so_many_spectators(open_house: Opener) -> None:
    house = await open_house(spectators=2)
    player = await house.rummy()
    watchers = [await house.rummy(f"?watch={player.code}") for _ in range(2)]
    for watcher in watchers:
        await watcher.expect("lobby")
    late = await house.rummy(f"?watch={player.code}")
    assert (await late.expect("error"))["code"] == "table-full"
    assert await late.closed() == 4409
    assert await watchers[1].refused("start") == "watching"
