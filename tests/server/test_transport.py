"""The transport: upgrades, refusals before them, frames good and bad, close codes, TLS."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from pathlib import Path

import aiohttp
import pytest
from cryptography.hazmat.primitives import serialization

from parlour.server.addresses import local_url
from parlour.server.bodies import Bodies
from parlour.server.config import BadConfig, Config
from parlour.server.connection import WebSocket
from parlour.server.ports import CannotStart
from parlour.server.server import Server
from tests.server.certificates import write_certificate
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
    RawSocket,
    Visitor,
    soon,
)


@pytest.fixture
async def high_house(high: None, open_house: Opener) -> OpenHouse:
    return await open_house()


# Before a request


async def test_who_asks_for_nothing_or_for_half_of_something_is_shut_out(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await open_house(request_timeout=0.1)
    for begun in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        writer.write(begun)
        async with asyncio.timeout(PATIENCE):
            assert await reader.read() == b""
        writer.close()
    # A whole head, for which there is time enough.
    monkeypatch.setattr("parlour.server.server.Bodies", lambda within: Bodies(0.1))
    house = await open_house(data=":memory:")
    reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
    head = "POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: 100\r\n\r\n{{".encode())
    async with asyncio.timeout(PATIENCE):
        assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
    writer.close()


async def test_an_address_is_shut_out_that_stands_in_the_door_too_often(
    open_house: Opener,
) -> None:
    house = await open_house(address_connections=1)
    guest = await house.rummy()
    standing = []
    for _ in range(10):
        standing.append(await asyncio.open_connection("127.0.0.1", house.server.port))
    # The first four stay; WebSockets are limited apart.
    async with asyncio.timeout(PATIENCE):
        for reader, writer in standing[4:]:
            assert await reader.read() == b""
            writer.close()
    assert await guest.fence() == []
    for _, writer in standing[:4]:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    for reader, writer in standing[:4]:
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        writer.close()


async def test_what_is_no_http_is_no_error_of_ours_and_not_repeated_in_the_log(
    house: OpenHouse, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    long = b"y" * 9000
    for sent in (
        b"GET /rummy?token=SECRET HTTP/9.9\r\n\r\n",
        b"GET /rummy?token=SECRET%s HTTP/1.1\r\n\r\n" % long,
        b"SECRET\r\n\r\n",
        b"GET /rummy HTTP/1.1\r\nCookie: parlour_session=\x00SECRET\r\n\r\n",
        b"GET /rummy HTTP/1.1\r\nCookie: parlour_session=SECRET%s\r\n\r\n" % long,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        writer.write(sent)
        assert (await reader.readline()).startswith(b"HTTP/1.0 400 ")
        writer.close()
    reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
    head = b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    writer.write(head + b"Expect: 100-continue\r\nContent-Length: 100\r\n\r\n{")
    assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
    writer.transport.abort()
    await soon(lambda: "ConnectionResetError" in caplog.text)
    assert caplog.text.count("Error handling request") == 6
    assert "SECRET" not in caplog.text
    assert "Traceback" not in caplog.text
    assert {r.levelname for r in caplog.records if r.name == "parlour.http"} == {"DEBUG"}


# Where it is


@pytest.mark.skipif(not socket.has_ipv6, reason="speaks no IPv6")
async def test_a_house_is_reached_by_ipv6(open_house: Opener) -> None:
    try:
        house = await open_house(host="::1", address_connections=1)
    except CannotStart:
        pytest.skip("has no IPv6 address")
    visitor = Visitor(
        local_url(house.server.config, house.server.port), (await house.visitor()).http
    )
    guest = await visitor.rummy()
    await guest.expect("lobby")
    assert await visitor.refusal("/rummy") == 429


# Before the upgrade


async def test_a_plain_request_is_told_to_upgrade(house: OpenHouse) -> None:
    answer = await (await house.visitor()).get("/rummy")
    assert answer.status == 426
    assert answer.headers["Upgrade"] == "websocket"


async def test_half_an_upgrade_is_refused(house: OpenHouse) -> None:
    visitor = await house.visitor()
    for headers in (
        {"Upgrade": "websocket"},
        {"Upgrade": "websocket", "Connection": "Upgrade"},
        {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "short",
        },
        {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "99",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        },
    ):
        assert (await visitor.get("/rummy", headers=headers)).status == 400
    assert house.tables == []


async def test_a_wire_turns_away_before_the_upgrade(high_house: OpenHouse) -> None:
    visitor = await high_house.visitor()
    assert await visitor.refusal("/high?away=418") == 418
    assert await visitor.refusal("/high?table=000000") == 404


async def test_a_wire_closes_after_the_upgrade_so_that_the_client_can_read_why(
    high_house: OpenHouse,
) -> None:
    visitor = await high_house.visitor()
    client = Client(await visitor.socket("/high?close=4001"))
    assert (await client.event())["type"] == "no"
    assert await client.closed() == 4001


async def test_a_closing_house_takes_no_more_connections(house: OpenHouse) -> None:
    house.server.lifecycle.close()
    late = await (await house.visitor()).rummy()
    assert (await late.expect("error"))["code"] == "closing"
    assert await late.closed() == 1001


# In the upgrade


async def test_the_client_chooses_among_the_subprotocols_the_wire_has(
    high_house: OpenHouse,
) -> None:
    visitor = await high_house.visitor()
    for offered, chosen in (
        (("high.v1", "high.v2"), "high.v1"),
        (("else", "high.v2"), "high.v2"),
        ((), None),
    ):
        ws = await visitor.socket("/high", protocols=offered)
        assert ws.protocol == chosen
        await ws.close()


async def test_a_newcomers_identity_is_a_cookie_in_the_upgrade_and_stays(
    high_house: OpenHouse,
) -> None:
    visitor = await high_house.visitor()
    first = Client(await visitor.socket("/high"))
    cookie = next(c for c in visitor.http.cookie_jar if c.key == "high_session")
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["path"] == "/"
    who, _ = high_house.server.sessions.check(cookie.value)
    await first.event()
    [seated] = high_house.tables
    assert [p.visitor for p in seated.roster.people] == [who]


async def test_the_answer_to_an_upgrade_carries_the_security_headers(house: OpenHouse) -> None:
    visitor = await house.visitor()
    ws = await visitor.socket("/rummy")
    assert ws._response.headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in ws._response.headers


# Frames


async def test_a_message_in_pieces_is_put_together(house: OpenHouse) -> None:
    raw = await house.raw()
    await raw.event()
    raw.frame(TEXT, b'{"type":"na', last=False)
    raw.frame(PING, b"are you there")
    raw.frame(0, b'me","name":"Ad', last=False)
    raw.frame(0, b'a"}')
    assert await raw.receive() == (PONG, b"are you there")
    assert [p["name"] for p in (await raw.event())["lobby"]["players"]] == ["Ada"]


async def test_a_message_byte_by_byte_is_put_together(house: OpenHouse) -> None:
    raw = await house.raw()
    await raw.event()
    message = b'{"type":"name","name":"Zo\xc3\xab"}'
    for byte in raw.head(TEXT, len(message)) + bytes(4) + message:
        raw.writer.write(bytes([byte]))
        await raw.writer.drain()
        await asyncio.sleep(0)
    assert [p["name"] for p in (await raw.event())["lobby"]["players"]] == ["Zoë"]


@pytest.mark.parametrize("sizes", [(1100,), (500, 1100), (500, 500, 100)])
async def test_a_message_too_large_ends_the_connection_before_it_is_read(
    open_house: Opener, sizes: tuple[int, ...]
) -> None:
    """Also one of which no piece is too large."""
    house = await open_house(message_size=1024)
    raw = await house.raw()
    await raw.event()
    *pieces, last = sizes
    for number, size in enumerate(pieces):
        raw.frame(0 if number else TEXT, b"x" * size, last=False)
    # The head alone announces too much; nobody waits for the rest.
    raw.writer.write(raw.head(0 if pieces else TEXT, last) + bytes(4))
    assert await raw.close_code() == 1009


async def test_a_message_as_large_as_allowed_is_read(open_house: Opener) -> None:
    house = await open_house(message_size=1024)
    guest = await house.rummy()
    await guest.send_raw("x" * 1000)
    assert (await guest.expect("error"))["code"] == "bad-json"


@pytest.mark.parametrize(
    "text",
    [
        b"\xff",
        b'{"type":"name","name":"\xff"}',
        b'{"type":"pong","aside":"\xc3("}',
        b'"\xed\xa0\x80"',
    ],
)
async def test_text_that_is_no_utf8_ends_the_connection(house: OpenHouse, text: bytes) -> None:
    raw = await house.raw()
    await raw.event()
    raw.frame(TEXT, text)
    assert await raw.close_code() == 1007


async def test_a_binary_frame_is_answered_and_the_connection_stays(house: OpenHouse) -> None:
    raw = await house.raw()
    await raw.event()
    for payload in (b"", b"\xff\x00", b'{"type":"start"}'):
        raw.frame(BINARY, payload)
        assert (await raw.event())["type"] == "error"
    raw.frame(TEXT, b'{"type":"ai","action":"add"}')
    assert (await raw.event())["type"] == "lobby"


@pytest.mark.parametrize(
    "frame",
    [
        bytes([0xF1, 0x80]),  # reserved bits
        bytes([0x83, 0x80]),  # an opcode that is none
        bytes([0x09, 0x80]),  # a control frame in pieces
        bytes([0x89, 0xFE, 0x01, 0x00]),  # a control frame too long
        bytes([0x80, 0x80]),  # a continuation of nothing
    ],
)
async def test_a_broken_frame_ends_the_connection(house: OpenHouse, frame: bytes) -> None:
    raw = await house.raw()
    await raw.event()
    raw.writer.write(frame + bytes(4))
    assert await raw.close_code() == 1002


async def test_a_goodbye_is_answered_with_its_own_code(house: OpenHouse) -> None:
    raw = await house.raw()
    await raw.event()
    raw.frame(CLOSE, (1000).to_bytes(2, "big") + b"bye")
    assert await raw.close_code() == 1000
    assert await raw.reader.read() == b""
    await soon(lambda: house.tables == [])


async def test_who_leaves_without_a_goodbye_is_gone_all_the_same(house: OpenHouse) -> None:
    raw = await house.raw()
    await raw.event()
    raw.abort()
    await soon(lambda: house.tables == [])


async def test_messages_are_numbered_per_connection_where_the_wire_wants_it(
    high_house: OpenHouse,
) -> None:
    visitor = await high_house.visitor()
    first = Client(await visitor.socket("/high"))
    code = (await first.event())["code"]
    second = Client(await (await high_house.visitor()).socket(f"/high?table={code}"))
    await second.event()
    await first.send("echo", text="x")
    await first.send("say", text="hello")
    assert (await second.event())["n"] == 2
    numbers = [(await first.until("said"))["n"], *[e["n"] for e in first.heard[:-1]]]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


async def test_who_quits_is_told_goodbye_after_everything_else(high_house: OpenHouse) -> None:
    visitor = await high_house.visitor()
    client = Client(await visitor.socket("/high"))
    await client.event()
    await client.send("say", text="last words")
    await client.send("quit")
    assert await client.closed() == 1000
    assert "said" in [e["type"] for e in client.heard]


# Those who do not read


async def test_a_reader_that_stops_is_cut_and_its_table_goes_on(
    high: None, open_house: Opener
) -> None:
    house = await open_house(outgoing_bytes=4096)
    talker = Client(await (await house.visitor()).socket("/high"))
    code = (await talker.event())["code"]
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        deaf.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(deaf, ("127.0.0.1", house.server.port))
        upgrade = (
            f"GET /high/loud?table={code} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        await loop.sock_sendall(deaf, upgrade.encode())
        [table] = house.tables
        await soon(lambda: len(table.roster.players) == 2)
        # What the kernel holds for a reader who stops is megabytes; it is full at some time.
        while len(table.roster.players) == 2:
            await talker.send("say", text="x" * 300)
            await talker.until("said")
        assert b'cut_connections_total{why="slow-reader"} 1.0' in house.server.metrics.text()
        await talker.send("say", text="still here")
        assert (await talker.until("said"))["text"] == "still here"


async def test_who_does_not_read_can_not_delay_the_closing(
    high: None, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.server.connection.CLOSE_TIMEOUT", 0.1)
    house = await open_house(outgoing_bytes=1_000_000_000)
    raw = await house.raw("/high")
    await stopped_reading(house, raw)
    async with asyncio.timeout(PATIENCE):
        await house.server.stop()


async def test_who_does_not_read_its_goodbye_is_gone_all_the_same(
    high: None, open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.server.connection.CLOSE_TIMEOUT", 0.1)
    house = await open_house(outgoing_bytes=1_000_000_000)
    raw = await house.raw("/high")
    await stopped_reading(house, raw)
    raw.frame(TEXT, b'{"type":"quit"}')
    await soon(lambda: house.server.gateway._clients == {})


async def stopped_reading(house: OpenHouse, raw: RawSocket) -> None:
    """Ask for echoes and do not read them, until the server can't get rid of them."""
    raw.stop_reading()
    await soon(lambda: len(house.server.gateway._clients) == 1)
    [client] = house.server.gateway._clients.values()
    assert isinstance(client.connection, WebSocket)
    text = b'{"type":"echo","text":"%s"}' % (b"x" * 10_000)
    while client.connection._transport.get_write_buffer_size() < 500_000:
        raw.frame(TEXT, text)
        await asyncio.sleep(0)


# TLS


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    return write_certificate(tmp_path)


def test_a_key_with_a_pass_phrase_is_refused_and_nobody_is_asked_for_it(
    certificate: tuple[str, str],
) -> None:
    cert, key = certificate
    plain = serialization.load_pem_private_key(Path(key).read_bytes(), password=None)
    locked = plain.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"a secret"),
    )
    Path(key).write_bytes(locked)
    with pytest.raises(BadConfig, match="the key without a pass phrase"):
        Server(Config(data=":memory:", tls_cert=cert, tls_key=key))


async def test_a_round_is_played_over_tls_and_the_cookie_says_so(
    open_house: Opener, certificate: tuple[str, str]
) -> None:
    cert, key = certificate
    house = await open_house(tls_cert=cert, tls_key=key)
    trust = ssl.create_default_context(cafile=cert)
    visitor = await house.visitor(connector=aiohttp.TCPConnector(ssl=trust))
    answer = await visitor.get("/api/me")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert answer.headers["Strict-Transport-Security"] == "max-age=15552000"
    guest = await visitor.rummy()
    await guest.expect("lobby")
    await guest.send("ai", action="add")
    await guest.expect("lobby")
    await guest.send("start")
    await guest.play_turn()
    await guest.my_turn()
    assert local_url(house.server.config, 1) == "https://127.0.0.1:1"
