"""The relay over real sockets: what it tells to whom, what it drops, whom it lets in."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from contextlib import suppress
from typing import Any

import aiohttp
import pytest

from parlour.kit import Illegal
from parlour.relay.registry import Registry
from parlour.server.accounts import HASHER
from tests.support import PATIENCE, Opener, OpenHouse, RawSocket, soon
from tests.wcp.clients import Session, basic
from tests.wcp.conftest import Entrant

GOOD = {
    "version": 1,
    "type": "message",
    "from": "ann",
    "to": ["all"],
    "payload": {"name": "Ann", "content": "hello"},
}


def but(**fields: Any) -> str:
    """The good message with something else in it."""
    return json.dumps({**GOOD, **fields})


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.relay.relay.UNHURRIED", 0.02)


# -- telling --------------------------------------------------------------------------


async def test_every_session_hears_every_message_the_senders_own_included(
    house: OpenHouse, enter: Entrant
) -> None:
    window, bot = [await enter(Session, house, "lounge", "ann") for _ in range(2)]
    other = await enter(Session, house, "lounge", "ben")
    elsewhere = await enter(Session, house, "attic", "cleo")
    await window.send("label", "content", ["ben"])
    for session in (window, bot, other):
        # Receivers filter on `to`; the relay does not.
        await session.until(lambda session=session: session.heard)
        assert session.heard[0]["payload"] == {"name": "label", "content": "content"}
        assert session.heard[0]["from"] == "ann"
    await elsewhere.fence()
    assert len(elsewhere.heard) == 1


BAD = [
    "null",
    "3",
    "true",
    "[]",
    '"text"',
    "",
    "{",
    "{}",
    but(version=True),
    but(version=1.0),
    but(version="1"),
    but(version=None),
    but(to="all"),
    but(to=["all", 3]),
    but(to=None),
    but(type=1),
    but(payload=None),
    but(payload=[]),
    but(payload={"name": "Ann"}),
    but(payload={"name": "Ann", "content": None}),
    but(payload={"name": 1, "content": ""}),
    but(payload={"name": "Ann", "content": {}}),
    but(extra=float("nan")),
    but(extra=float("inf")),
    but(extra="x" * 20_000),
    json.dumps(GOOD).replace('"hello"', '"\\ud800"'),
    json.dumps(GOOD) + "}",
    "[" * 5_000 + "]" * 5_000,
    but(**{"from": "ben"}),
    but(**{"from": "onu-host"}),
    but(**{"from": "ANN"}),
    but(**{"from": None}),
    json.dumps({key: GOOD[key] for key in GOOD if key != "version"}),
    json.dumps({key: GOOD[key] for key in GOOD if key != "to"}),
    json.dumps(GOOD).encode(),
]


async def test_what_is_no_message_or_not_ones_own_is_dropped_without_a_word(
    house: OpenHouse, enter: Entrant
) -> None:
    ann = await enter(Session, house, "lounge", "ann")
    ben = await enter(Session, house, "lounge", "ben")
    for bad in BAD:
        await ann.send_raw(bad)
    await ann.send_raw(json.dumps(GOOD))
    await ann.fence()
    await ben.until(lambda: len(ben.heard) == 2)
    assert ben.heard[0] == GOOD
    assert ann.heard == ben.heard


async def test_what_the_protocol_does_not_know_is_passed_on(
    house: OpenHouse, enter: Entrant
) -> None:
    ann = await enter(Session, house, "lounge", "ann")
    payload = {"name": "Änn 😀", "content": "é", "mood": 1}
    await ann.send_raw(but(version=7, trusted=[True], payload=payload))
    await ann.until(lambda: ann.heard)
    assert ann.heard[0] == {**GOOD, "trusted": [True], "payload": payload}


async def test_a_field_named_twice_is_told_once(house: OpenHouse, enter: Entrant) -> None:
    """Clients that take the first of two would otherwise hear somebody else."""
    ann = await enter(Session, house, "lounge", "ann")
    ben = await enter(Session, house, "lounge", "ben")
    await ann.send_raw('{"from":"ben",' + json.dumps(GOOD)[1:])
    await ann.fence()
    raw = [told for told in ben.heard if told["payload"]["content"] == "hello"]
    assert [told["from"] for told in raw] == ["ann"]


async def test_a_message_that_would_grow_too_large_is_dropped(
    open_house: Opener, enter: Entrant
) -> None:
    house = await open_house(message_size=60_000)
    ann = await enter(Session, house, "lounge", "ann")
    # Six bytes for two, once it is written in ASCII.
    await ann.send_raw(json.dumps({**GOOD, "x": "é" * 20_000}, ensure_ascii=False))
    await ann.fence()
    assert len(ann.heard) == 1


async def test_who_is_too_fast_is_delayed_and_nothing_is_lost(
    open_house: Opener, enter: Entrant
) -> None:
    house = await open_house(wcp_message_rate=200.0, wcp_message_burst=2)
    ann = await enter(Session, house, "lounge", "ann")
    for number in range(40):
        await ann.send("count", str(number))
    await ann.hear("count", 40)
    assert ann.contents("count") == [str(number) for number in range(40)]


# -- the door -------------------------------------------------------------------------


async def refused(port: int, path: str, **headers: str) -> tuple[str, dict[str, str], bytes]:
    """The status line, the headers and all that follows until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    upgrade = {
        "Host": "127.0.0.1",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        **headers,
    }
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in upgrade.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *told = head.decode().split("\r\n")
    return status, dict(line.split(": ", 1) for line in told), body


@pytest.fixture
async def closed_house(open_house: Opener) -> OpenHouse:
    """A house whose relay has users and a channel, and lets nobody else in."""
    house = await open_house(wcp_open=False)
    registry = house.server.relay.registry
    for user, password in (("Ann", "pä%41ss"), ("ben", "secret")):
        registry.add_user(user, password)
    registry.add_channel("Lounge")
    return house


def encoded(credentials: bytes) -> str:
    return base64.b64encode(credentials).decode()


@pytest.mark.parametrize(
    ("path", "credentials", "status"),
    [
        ("/Lounge", {}, 401),
        ("/Lounge", basic("ann", "wrong"), 401),
        ("/Lounge", basic("nobody", "secret"), 401),
        ("/Lounge", basic("onu-host", ""), 401),
        # What they send would not be from the user they are: nothing of it would be relayed.
        ("/Lounge", basic("ann", "pä%41ss"), 401),
        ("/Lounge", basic("BEN", "secret"), 401),
        ("/Lounge", {"Authorization": "Basic %%%"}, 401),
        ("/Lounge", {"Authorization": "Basic \u00e9"}, 401),
        ("/Lounge", {"Authorization": "Basic"}, 401),
        ("/Lounge", {"Authorization": ""}, 401),
        ("/Lounge", {"Authorization": "Basic " + encoded(b"ben")}, 401),
        ("/Lounge", {"Authorization": "Basic " + encoded(b":")}, 401),
        ("/Lounge", {"Authorization": "Basic " + encoded(b"ben\0:secret")}, 401),
        ("/Lounge", {"Authorization": "Basic " + encoded("ben:secret".encode("utf-16"))}, 401),
        ("/Lounge", {"Authorization": "Basic " + encoded(b"\xff\xfe:\xff")}, 401),
        ("/Lounge", {"Authorization": "Basic " + encoded(b"Ann:p%E4%41ss")}, 401),
        ("/Lounge", basic("ben", "secret%00"), 401),
        ("/Lounge", basic("ben%ZZ", "secret"), 401),
        ("/Lounge", {"Authorization": "Basic " + "QQ" * 2000}, 401),
        ("/Lounge", {"Authorization": "Bearer secret"}, 401),
        ("/Lounge", basic("ben", "p%C3%A4%41ss"), 401),
        ("/nowhere", basic("ben", "secret"), 404),
        ("/nowhere", {}, 401),
        ("/ONU", basic("ben", "secret"), 404),
        ("/Lounge", {**basic("ben", "secret"), "Origin": "https://elsewhere.example"}, 403),
        ("/Lounge", {**basic("ben", "secret"), "Sec-WebSocket-Version": "1"}, 400),
    ],
)
async def test_a_refusal_is_short_and_final(
    closed_house: OpenHouse, path: str, credentials: dict[str, str], status: int
) -> None:
    line, headers, body = await refused(closed_house.server.port, path, **credentials)
    assert line.startswith(f"HTTP/1.1 {status} ")
    assert body == b""
    assert headers["Content-Length"] == "0"
    assert headers["Connection"] == "close"
    assert "Transfer-Encoding" not in headers
    assert "Location" not in headers
    if status == 401:
        assert headers["WWW-Authenticate"] == 'Basic realm="Websocket Collab"'


@pytest.mark.parametrize(
    ("user", "password"),
    [
        ("Ann", "pä%41ss"),
        ("Ann", "p%C3%A4%2541ss"),
        ("%41nn", "p%C3%A4%2541ss"),
    ],
)
async def test_credentials_are_tried_as_sent_and_then_decoded(
    closed_house: OpenHouse, enter: Entrant, user: str, password: str
) -> None:
    session = await enter(Session, closed_house, "lounge", user, password=password)
    # Who they are is what the record says.
    session.user = "Ann"
    await session.fence()


async def test_credentials_may_be_in_latin_1(closed_house: OpenHouse) -> None:
    authorization = "Basic " + encoded("Ann:pä%41ss".encode("latin-1"))
    raw = await closed_house.raw("/Lounge", Authorization=authorization)
    assert closed_house.server.relay.listener.users("Lounge") == ["Ann"]
    raw.writer.close()


async def test_a_refused_client_that_hammers_costs_one_hash(
    closed_house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    matches = Registry.matches

    def counted(self: Registry, user: Any, password: str) -> bool:
        hashed.append(password)
        return matches(self, user, password)

    monkeypatch.setattr(Registry, "matches", counted)
    port = closed_house.server.port
    for _ in range(5):
        answers = [refused(port, "/Lounge", **basic("ben", "wrong")) for _ in range(6)]
        for line, *_ in await asyncio.gather(*answers):
            assert line.startswith("HTTP/1.1 401")
    # Those that came at once may each have been hashed; those that came later were not.
    assert len(hashed) <= 6
    assert set(hashed) == {"wrong"}
    before = len(hashed)
    await refused(port, "/Lounge", **basic("ben", "wrong"))
    assert len(hashed) == before


async def test_a_name_nobody_has_costs_as_many_hashes_as_one_that_somebody_has(
    closed_house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the time until a refusal would tell who there is."""
    work: list[str] = []
    hasher = type(HASHER)
    for name in ("hash", "verify"):
        does = getattr(hasher, name)

        def counted(self: Any, *args: Any, does: Any = does) -> Any:
            work.append(args[-1])
            return does(self, *args)

        monkeypatch.setattr(hasher, name, counted)
    # In this order: one password may have been tried with another name before.
    for user in ("nobody", "ben", "ann", "noone", "Ann", "BEN"):
        for password in ("wrong", "wro%6Eg"):
            work.clear()
            for _ in range(2):
                await refused(closed_house.server.port, "/Lounge", **basic(user, password))
            assert work == [password], user


async def test_a_new_password_is_good_and_the_old_one_is_not(
    closed_house: OpenHouse, enter: Entrant
) -> None:
    await enter(Session, closed_house, "Lounge", "ben")
    closed_house.server.relay.registry.add_user("ben", "other")
    await enter(Session, closed_house, "Lounge", "ben", password="other")
    line, *_ = await refused(closed_house.server.port, "/Lounge", **basic("ben", "secret"))
    assert line.startswith("HTTP/1.1 401")


@pytest.mark.parametrize("path", ["Lounge", "lounge/", "/LOUNGE", "//lounge//", "lounge?x=1"])
async def test_a_channel_is_found_however_it_is_written(
    closed_house: OpenHouse, enter: Entrant, path: str
) -> None:
    one = await enter(Session, closed_house, "Lounge", "ben")
    two = await enter(Session, closed_house, path, "ben")
    await two.fence()
    await one.until(lambda: one.heard)


async def test_a_channel_never_shadows_an_address_of_ours(
    closed_house: OpenHouse,
) -> None:
    registry = closed_house.server.relay.registry
    for name in ("metrics", "API", "onu", "Websocket", "assets", "all", "onu-host", "icon.svg"):
        with pytest.raises(Illegal):
            registry.add_channel(name)
        with pytest.raises(Illegal):
            registry.add_user(name, "secret")
    for name in ("", "a b", "a/b", "ä", "x" * 41, ".."):
        with pytest.raises(Illegal):
            registry.add_channel(name)
    with pytest.raises(Illegal):
        registry.add_channel("LOUNGE")
    visitor = await closed_house.visitor()
    assert (await visitor.get("/healthz")).status == 200
    # A channel is no page.
    assert (await visitor.get("/Lounge")).status == 404


async def test_users_and_channels_outlive_a_restart(
    closed_house: OpenHouse, open_house: Opener, enter: Entrant
) -> None:
    closed_house.server.relay.registry.remove_user("Ann")
    await closed_house.server.stop()
    again = await open_house(wcp_open=False)
    registry = again.server.relay.registry
    assert (registry.users(), registry.channels()) == (["ben"], ["Lounge"])
    await enter(Session, again, "lounge", "ben")


def assert_short(told: tuple[str, dict[str, str], bytes], status: int) -> None:
    line, headers, body = told
    assert line.startswith(f"HTTP/1.1 {status} ")
    assert (body, headers["Content-Length"], headers["Connection"]) == (b"", "0", "close")


async def test_one_user_has_so_many_sessions_in_a_channel(house: OpenHouse, enter: Entrant) -> None:
    """One user filled a channel, and nobody else could come in."""
    port, relay = house.server.port, house.server.relay.listener
    sessions = [await enter(Session, house, "lounge", "ann") for _ in range(8)]
    assert_short(await refused(port, "/lounge", **basic("ann", "x")), 429)
    # None of them is pushed out, others come in, and so does she elsewhere.
    await enter(Session, house, "lounge", "ben")
    await enter(Session, house, "attic", "ann")
    await sessions[0].fence()
    assert relay.users("lounge") == ["ann"] * 8 + ["ben"]
    await sessions[3].leave()
    await soon(lambda: len(relay.users("lounge")) == 8)
    await enter(Session, house, "lounge", "ann")


async def test_one_address_has_so_many_sessions_in_a_channel(
    house: OpenHouse, enter: Entrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.relay.relay.MOST_OF_ADDRESS", 3)
    sessions = [await enter(Session, house, "lounge", user) for user in ("ann", "ben", "cleo")]
    assert_short(await refused(house.server.port, "/lounge", **basic("dora", "x")), 429)
    await enter(Session, house, "attic", "dora")
    await sessions[1].leave()
    await soon(lambda: len(house.server.relay.listener.users("lounge")) == 2)
    await enter(Session, house, "lounge", "dora")


async def test_sessions_that_come_at_once_are_counted_too(
    house: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All may have asked to come in before the first one was in."""
    relay, asked = house.server.relay.listener, asyncio.Barrier(12)

    async def all_at_once(channel: str) -> None:
        await asked.wait()

    monkeypatch.setattr(relay.nodes, "expect", all_at_once)
    raw = await asyncio.gather(*(raw_session(house) for _ in range(12)))
    ended = [asyncio.create_task(each.reader.read()) for each in raw]
    await soon(lambda: sum(task.done() for task in ended) == 4)
    assert relay.users("lounge") == ["ann"] * 8
    for task in ended:
        # Dropped without a close frame.
        assert not task.done() or task.result() == b""
        task.cancel()
    for each in raw:
        each.writer.close()


async def test_in_open_mode_names_are_free_but_for_those_that_are_not(
    house: OpenHouse, enter: Entrant
) -> None:
    session = await enter(Session, house, "some.where", "a%2Db", password="whatever")
    session.user = "a-b"
    await session.fence()
    for user in ("all", "onu-host", "a b", "a@b", ""):
        line, *_ = await refused(house.server.port, "/lounge", **basic(user, "x"))
        assert line.startswith("HTTP/1.1 401"), user
    # One who is in the record has one name, here too.
    house.server.relay.registry.add_user("Ann", "secret")
    line, *_ = await refused(house.server.port, "/lounge", **basic("ann", "x"))
    assert line.startswith("HTTP/1.1 401")
    await enter(Session, house, "lounge", "Ann", password="whatever")


async def test_by_default_the_relay_is_open_on_this_machine_only(open_house: Opener) -> None:
    assert (await open_house(host="127.0.0.1")).server.config.relay_is_open
    assert not (await open_house(host="0.0.0.0", data=":memory:")).server.config.relay_is_open
    proxied = await open_house(proxy_headers=True, data=":memory:")
    assert not proxied.server.config.relay_is_open


async def test_the_handshakes_answer_is_short(house: OpenHouse) -> None:
    port = house.server.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    authorization = basic("ann", "x")["Authorization"]
    writer.write(
        (
            "GET /lounge HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Protocol: chat, wcp\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
            f"Authorization: {authorization}\r\n\r\n"
        ).encode()
    )
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    assert head.startswith("HTTP/1.1 101 ")
    names = {line.partition(":")[0].lower() for line in head.split("\r\n")[1:] if line}
    assert names <= {"upgrade", "connection", "sec-websocket-accept", "date", "server"}
    assert all(len(line) < 100 for line in head.split("\r\n"))
    writer.close()


async def test_who_is_there_can_be_asked(house: OpenHouse, enter: Entrant) -> None:
    visitor = await house.visitor()
    assert await visitor.call("GET", "/Websocket?roomId=lounge") == (200, [])
    assert await visitor.call("GET", "/Websocket") == (200, [])
    for user in ("ann", "ben", "ann"):
        await enter(Session, house, "lounge", user)
    status, users = await visitor.call("GET", "/Websocket?roomId=Lounge")
    assert (status, sorted(users)) == (200, ["ann", "ann", "ben"])


async def test_the_relay_may_have_a_port_of_its_own(open_house: Opener, enter: Entrant) -> None:
    house = await open_house(wcp_port=0)
    port = house.server._ports[-1].number
    assert port != house.server.port
    here = await enter(Session, house, "lounge", "ann")
    async with aiohttp.ClientSession() as http, Session(port, "lounge", "ben") as there:
        await there.fence()
        await here.until(lambda: here.heard)
        async with http.get(f"http://127.0.0.1:{port}/Websocket?roomId=lounge") as answer:
            assert sorted(await answer.json()) == ["ann", "ben"]
        async with http.get(f"http://127.0.0.1:{port}/api/games") as answer:
            assert answer.status == 404


# -- parting --------------------------------------------------------------------------


async def raw_session(house: OpenHouse) -> RawSocket:
    return await house.raw("/lounge", **basic("ann", "x"))


async def test_a_house_that_closes_drops_its_sessions_without_a_close_frame(
    house: OpenHouse,
) -> None:
    raw = await raw_session(house)
    _, left = await asyncio.gather(house.server.stop(), raw.reader.read())
    assert left == b""


async def test_a_message_far_too_large_drops_the_session_without_a_close_frame(
    house: OpenHouse,
) -> None:
    raw = await raw_session(house)
    raw.writer.write(raw.head(1, 2 << 20) + b"\0\0\0\0" + b"x" * 70_000)
    left = b""
    with suppress(ConnectionResetError):  # as abrupt as can be
        left = await raw.reader.read()
    assert left == b""


async def test_who_answers_no_ping_is_dropped_without_a_close_frame(open_house: Opener) -> None:
    house = await open_house(heartbeat=0.05)
    house.server.relay.listener.terms = _impatient(house)
    raw = await raw_session(house)
    left = await raw.reader.read()
    assert left.startswith(b"\x89\x00")
    assert b"\x88" not in left


def _impatient(house: OpenHouse) -> Any:
    from dataclasses import replace

    return replace(house.server.relay.listener.terms, pong_within=0.05)


async def test_who_only_listens_is_never_dropped_for_saying_nothing(
    open_house: Opener, enter: Entrant
) -> None:
    house = await open_house(idle_timeout=0.05)
    window = await enter(Session, house, "lounge", "ann")
    # Whoever came later and is silent at a table is cut.
    player = await (await house.visitor()).socket("/rummy")
    async with asyncio.timeout(PATIENCE):
        while not player.closed:
            await player.receive()
    ben = await enter(Session, house, "lounge", "ben")
    await ben.send("label", "")
    await window.hear("label")
    assert window.ended is None


async def test_who_closes_is_answered(house: OpenHouse) -> None:
    raw = await raw_session(house)
    raw.frame(8, b"\x03\xe8")
    assert await raw.close_code() == 1000


async def test_a_pong_that_nobody_asked_for_is_taken(house: OpenHouse, enter: Entrant) -> None:
    raw = await raw_session(house)
    raw.frame(10, b"")
    ben = await enter(Session, house, "lounge", "ben")
    await ben.send("label", "")
    assert (await raw.event())["from"] == "ben"


async def test_a_session_that_does_not_read_is_dropped_and_holds_nobody_up(
    open_house: Opener, enter: Entrant
) -> None:
    house = await open_house(
        outgoing_bytes=4096, wcp_message_rate=1e6, wcp_message_burst=10**6, address_rate=1e6
    )
    ann = await enter(Session, house, "lounge", "ann")
    ben = await enter(Session, house, "lounge", "ben")
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        deaf.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(deaf, ("127.0.0.1", house.server.port))
        authorization = basic("cleo", "x")["Authorization"]
        upgrade = (
            "GET /lounge HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            f"Authorization: {authorization}\r\n\r\n"
        )
        await loop.sock_sendall(deaf, upgrade.encode())
        relay = house.server.relay.listener
        await soon(lambda: "cleo" in relay.users("lounge"))
        said = 0
        # What the kernel holds for a reader who stops is megabytes; it is full at some time.
        while "cleo" in relay.users("lounge"):
            said += 1
            await ann.send("label", f"{said} " + "x" * 12_000)
            # Each message is heard by who reads, whatever becomes of who does not.
            await ben.hear("label", said)
        assert b'cut_connections_total{why="slow-reader"} 1.0' in house.server.metrics.text()
        # Dropped, and not said goodbye to: no close frame is the last thing written.
        left = b""
        with suppress(ConnectionResetError):
            while more := await loop.sock_recv(deaf, 1 << 20):
                left = (left + more)[-2000:]
        assert b"\x88\x02" not in left
    assert relay.users("lounge") == ["ann", "ben"]
    await ben.fence()
    assert [told["payload"]["content"].split()[0] for told in ben.named("label")] == [
        str(number) for number in range(1, said + 1)
    ]
