"""Everything from a socket is hostile: how much of it is taken, and from whom."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from parlour.server.config import BadConfig, Config
from parlour.server.connection import WebSocket, WriteBatch
from parlour.server.limits import AddressLimiter, TokenBucket, address_block
from tests.support import (
    BINARY,
    CLOSE,
    PATIENCE,
    PING,
    PONG,
    TEXT,
    Client,
    Opener,
    OpenHouse,
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
    house = await open_house(idle_timeout=0.1)
    raw = await house.raw()
    await raw.event()
    while True:
        # Alive and well, but frames of control are no messages.
        raw.frame(PING, b"")
        await asyncio.sleep(0.005)
        opcode, payload = await raw.receive()
        if opcode != PONG:
            break
    assert (opcode, payload[:2]) == (CLOSE, (1001).to_bytes(2, "big"))
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
        house.server.gateway._watch(client)
        assert (client.alarm is None) == cut
    assert await guest.closed() == 1001


async def test_who_does_not_answer_pings_is_gone(open_house: Opener) -> None:
    house = await open_house(heartbeat=0.05)
    raw = await house.raw()
    await raw.event()
    assert (await raw.receive())[0] == PING
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


# Codes and passwords

LEAST = 1000
"""Of what a guesser must be kept from trying in a test: codes have six digits."""


async def test_codes_can_not_be_guessed_on_a_socket(limited_house: OpenHouse) -> None:
    guesser, other = await limited_house.rummy(), await limited_house.rummy()
    tried = 0
    while await guesser.refused("join", code=f"{tried:06d}") == "no-such-table":
        tried += 1
        assert tried < LEAST
    # On another connection, or by HTTP, it is the same guesser; a right guess is no longer told.
    visitor = await limited_house.visitor()
    assert await visitor.refusal("/rummy") == 429
    assert (await visitor.call("GET", f"/api/tables/{other.code}"))[0] == 429
    assert await guesser.refused("join", code=other.code) == "too-fast"
    # Who moves between tables that are there pays like for a request.
    assert len(limited_house.tables) == 2


@pytest.mark.parametrize("path", ["/rummy?table=", "/mo?watch=", "/game?table="])
async def test_codes_can_not_be_guessed_by_connecting(limited_house: OpenHouse, path: str) -> None:
    visitor = await limited_house.visitor()
    tried = 0
    while tried < LEAST:
        try:
            socket = await visitor.socket(f"{path}{tried:06d}")
        except aiohttp.WSServerHandshakeError as no:
            if no.status == 429:
                break
        else:
            await socket.close()
        tried += 1
    assert tried < LEAST / 10


async def test_a_password_can_not_be_guessed_in_a_hurry(limited_house: OpenHouse) -> None:
    visitor = await limited_house.visitor()
    wanted = {"game": "quips", "settings": {"player_password": "sesame"}}
    _, table = await visitor.call("POST", "/api/tables", wanted)
    # Who opened it is not asked.
    visitor = await limited_house.visitor()
    tried = 0
    while tried < LEAST:
        try:
            socket = await visitor.socket(f"/game?name=Ann&table={table['code']}&password={tried}")
        except aiohttp.WSServerHandshakeError as no:
            assert no.status == 429
            break
        await socket.close()
        tried += 1
    assert tried < LEAST / 10


# Pages of others


async def admitted(house: OpenHouse, origin: str | None, **headers: str) -> bool:
    """Whether a page of this origin may connect; what it may post is the same question."""
    visitor = await house.visitor()
    if origin is not None:
        headers["Origin"] = origin
    answer = await visitor.get("/rummy", headers=headers)
    status, _ = await visitor.call("POST", "/api/tables", {"game": "rummy"}, headers=headers)
    assert (answer.status, status) in ((426, 201), (403, 403))
    return status == 201


async def test_pages_of_other_origins_may_not_connect(house: OpenHouse) -> None:
    port = house.server.port
    assert await admitted(house, None)
    assert await admitted(house, f"http://127.0.0.1:{port}")
    assert await admitted(house, "http://parlour.lan:1", Host="Parlour.lan:1")
    for origin in (
        "https://evil.example",
        "null",
        "",
        f"http://127.0.0.1:{port + 1}",
        f"http://evil.example:{port}",
        f"http://127.0.0.1:{port}.evil.example",
        f"http://127.0.0.1:{port}@evil.example",
        "http://[",
        "http://[::1",
    ):
        assert not await admitted(house, origin), origin


async def test_other_origins_may_be_let_in_by_name(open_house: Opener) -> None:
    house = await open_house(origins=["https://friend.example"])
    assert await admitted(house, "https://friend.example")
    assert not await admitted(house, "http://friend.example")
    assert not await admitted(house, "https://friend.example.evil.example")


async def test_a_default_port_makes_no_other_origin(open_house: Opener) -> None:
    house = await open_house(
        origins=["https://friend.example:443"],
        public_url="http://cards.example:80",
        hosts=["else.example"],
    )
    assert await admitted(house, "https://friend.example")
    assert await admitted(house, "http://cards.example")
    assert await admitted(house, "http://else.example", Host="else.example:80")
    assert not await admitted(house, "http://friend.example:443")
    assert not await admitted(house, "http://else.example", Host="else.example:443")


async def test_all_origins_may_be_let_in(open_house: Opener) -> None:
    house = await open_house(origins=["*"])
    assert await admitted(house, "https://anybody.example")
    assert await admitted(house, "null")


async def test_the_public_address_is_our_own_origin(open_house: Opener) -> None:
    house = await open_house(public_url="https://Parlour.example/")
    assert await admitted(house, "https://parlour.example")
    assert not await admitted(house, "http://parlour.example")


# Proxies


async def test_a_proxys_word_counts_only_where_it_is_believed(open_house: Opener) -> None:
    trusting = await open_house(proxy_headers=True, address_connections=1)
    visitor = await trusting.visitor()
    far = {"X-Forwarded-For": "10.9.9.9, 192.0.2.1"}
    one = await visitor.rummy(headers=far)
    await one.expect("lobby")
    # Only the nearest proxy's word counts: the rest is what anybody may have written.
    forged = {"X-Forwarded-For": "10.1.1.1, 192.0.2.1"}
    assert await visitor.refusal("/rummy", headers=forged) == 429
    # Some proxies add a line of their own behind what they were sent.
    lines = CIMultiDict([("X-Forwarded-For", "10.1.1.1"), ("X-Forwarded-For", "192.0.2.1")])
    assert await visitor.refusal("/rummy", headers=lines) == 429
    two = await visitor.rummy(headers={"X-Forwarded-For": "192.0.2.2"})
    await two.expect("lobby")
    six = await visitor.rummy(headers={"X-Forwarded-For": "2001:db8::1"})
    await six.expect("lobby")
    neighbour = {"X-Forwarded-For": "[2001:db8::2]:4000"}
    assert await visitor.refusal("/rummy", headers=neighbour) == 429
    answer = await visitor.get("/api/me", headers={"X-Forwarded-Proto": "https"})
    assert "; Secure" in answer.headers["Set-Cookie"]
    visitor = await trusting.visitor()
    assert "; Secure" not in (await visitor.get("/api/me")).headers["Set-Cookie"]


async def test_a_proxys_word_is_ignored_where_it_is_not_believed(open_house: Opener) -> None:
    house = await open_house(address_connections=1)
    visitor = await house.visitor()
    one = await visitor.rummy(headers={"X-Forwarded-For": "192.0.2.1"})
    await one.expect("lobby")
    assert await visitor.refusal("/rummy", headers={"X-Forwarded-For": "192.0.2.2"}) == 429
    answer = await visitor.get("/api/me", headers={"X-Forwarded-Proto": "https"})
    assert "; Secure" not in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("trusted", "said", "address"),
    [
        (["127.0.0.1"], "192.0.2.1, 10.0.0.2", "10.0.0.2"),
        (["127.0.0.0/8", "10.0.0.0/8"], "192.0.2.1, 198.51.100.9, 10.0.0.2", "198.51.100.9"),
        (["127.0.0.0/8", "10.0.0.0/8"], "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        (["127.0.0.0/8", "10.0.0.0/8"], "forged, nonsense, 10.0.0.2", "nonsense"),
        (["127.0.0.1", "2001:db8::/32"], "192.0.2.1, [2001:db8::7]:4000", "192.0.2.1"),
        (["127.0.0.1"], "::ffff:127.0.0.1", "127.0.0.1"),
        (["10.0.0.0/8"], "192.0.2.1", "127.0.0.1"),
        ([], "192.0.2.1", "127.0.0.1"),
    ],
)
async def test_the_address_is_the_last_that_no_trusted_proxy_has(
    open_house: Opener, trusted: list[str], said: str, address: str
) -> None:
    house = await open_house(proxy_headers=True, trusted_proxies=trusted, data=":memory:")
    visitor = await house.visitor()
    headers = {"X-Forwarded-For": said, "X-Forwarded-Proto": "https"}
    _, seen = await visitor.call("GET", "/api/connection", headers=headers)
    believed = "127.0.0.1" in trusted or "127.0.0.0/8" in trusted
    told = ("believed", "https") if believed else ("ignored", "http")
    assert (seen["address"], seen["proxy"], seen["scheme"]) == (address, *told)


async def test_who_is_no_trusted_proxy_is_treated_like_anybody_and_the_log_says_so_once(
    open_house: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    house = await open_house(
        proxy_headers=True, trusted_proxies=("10.0.0.1",), address_connections=1, data=":memory:"
    )
    visitor = await house.visitor()
    for number in range(9):
        headers = {"X-Forwarded-For": f"192.0.2.{number}", "Host": "cards.example"}
        assert (await visitor.get("/api/me", headers=headers)).status == 421
    assert (await visitor.get("/api/me", headers={"X-Forwarded-For": "192.0.2.1"})).status == 200
    lines = [r.getMessage() for r in caplog.records if "trusted_proxies" in r.getMessage()]
    assert len(lines) == 1
    assert "127.0.0.1" in lines[0]
    # Its TCP connections are counted, too.
    standing = [await asyncio.open_connection("127.0.0.1", house.server.port) for _ in range(9)]
    async with asyncio.timeout(PATIENCE):
        assert await standing[-1][0].read() == b""
    for _, writer in standing:
        writer.close()


@pytest.mark.parametrize("wrong", ["proxy.example", "10.0.0.0/33", ""])
def test_a_trusted_proxy_is_an_address_or_a_network(wrong: str) -> None:
    with pytest.raises(BadConfig, match="trusted_proxies"):
        Config(trusted_proxies=(wrong,)).check()


async def test_what_a_proxy_calls_an_address_is_never_logged_at_length(
    open_house: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    house = await open_house(proxy_headers=True, address_connections=1)
    visitor = await house.visitor()
    far = {"X-Forwarded-For": "x" * 7000}
    one = await visitor.rummy(headers=far)
    await one.expect("lobby")
    assert await visitor.refusal("/rummy", headers=far) == 429
    assert "has too many connections" in caplog.text
    assert all(len(record.getMessage()) < 200 for record in caplog.records)


class Unread:
    """A transport whose reader has stopped: everything written waits."""

    def __init__(self) -> None:
        self.waiting = 0
        self.aborted = False

    def is_closing(self) -> bool:
        return self.aborted

    def write(self, data: bytes) -> None:
        self.waiting += len(data)

    def writelines(self, parts: list[bytes]) -> None:
        self.waiting += sum(map(len, parts))

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.aborted = True


async def test_a_long_message_may_wait_and_a_second_one_may_not() -> None:
    transport = Unread()
    socket = WebSocket(
        cast(Any, SimpleNamespace(closed=False)), cast(Any, transport), 4096, WriteBatch(1 << 28)
    )
    socket.send(b"x" * 50_000)
    socket.flush()
    socket.send(b"x" * 500)
    socket.flush()
    assert not transport.aborted
    socket.send(b"x" * 50_000)
    socket.flush()
    assert transport.aborted
    assert socket.cut_for == "slow-reader"


# Bodies


async def _announced(house: OpenHouse, length: int) -> bytes:
    """The status that a request gets whose body of this length never comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
    writer.write(
        f"POST /api/tables/123456/packs HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n"
        "Content-Type: application/json\r\n\r\n{".encode()
    )
    async with asyncio.timeout(PATIENCE):
        line = await reader.readline()
    writer.close()
    return line.split()[1]


async def test_so_many_bytes_of_bodies_are_waited_for_at_a_time(open_house: Opener) -> None:
    house = await open_house(request_timeout=1)
    for _ in range(2):
        lengths = [1_000_000] * 12 + [2_000_000] + [100] * 3
        told = await asyncio.gather(*[_announced(house, length) for length in lengths])
        # Eight of an address are waited for, and short ones, which are not counted.
        assert sorted(told[:12]) == [b"408"] * 8 + [b"503"] * 4
        assert told[12:] == [b"413"] + [b"408"] * 3


async def test_a_body_without_a_length_is_bounded_too(open_house: Opener) -> None:
    house = await open_house()
    visitor = await house.visitor()

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 10_000

    headers = {"Content-Type": "application/json"}
    async with visitor.http.post(
        f"{house.base}/api/tables", data=parts(), headers=headers
    ) as answer:
        assert answer.status == 413
