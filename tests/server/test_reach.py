"""How the house is reached: what it says of that, and what it logs of who did not get in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from parlour.server import refusals
from parlour.server.reach import SOCKET
from tests.support import Opener, OpenHouse

PROXIED = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}


async def connection(house: OpenHouse, **headers: str) -> dict[str, Any]:
    status, told = await (await house.visitor()).call("POST", "/api/connection", headers=headers)
    assert status == 200, told
    assert isinstance(told, dict)
    return told


@pytest.mark.parametrize(
    ("settings", "headers", "proxy", "address", "scheme"),
    [
        ({}, {}, "none", "127.0.0.1", "http"),
        ({}, PROXIED, "ignored", "127.0.0.1", "http"),
        ({"proxy_headers": True}, PROXIED, "believed", "192.0.2.7", "https"),
        ({"proxy_headers": True}, {}, "missing", "127.0.0.1", "http"),
    ],
)
async def test_who_asks_is_told_how_they_came(
    open_house: Opener,
    settings: dict[str, Any],
    headers: dict[str, str],
    proxy: str,
    address: str,
    scheme: str,
) -> None:
    told = await connection(await open_house(**settings), **headers)
    assert (told["proxy"], told["address"], told["scheme"]) == (proxy, address, scheme)


async def test_links_for_others_are_addresses_that_others_can_open(
    open_house: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.server.addresses._hosts", lambda family: iter(["192.168.1.7"]))
    house = await open_house(host="0.0.0.0")
    lan = f"http://192.168.1.7:{house.server.port}"
    for host in ("localhost:3000", "127.0.0.1", "[::1]:3000"):
        assert (await connection(house, Host=host))["link"] == lan
    # Whoever came by an address that others have, too, goes on using it.
    for host in ("192.168.1.7:3000", "cards.local"):
        assert (await connection(house, Host=host))["link"] is None
    # Who only says so, and comes by a proxy, is told nothing of the network behind it.
    told = await connection(house, Host="localhost:3000", **PROXIED)
    assert told["link"] is None
    here = await open_house(data=":memory:")
    assert (await connection(here, Host="localhost:3000"))["link"] is None
    public = await open_house(data=":memory:", public_url="https://cards.example/parlour/")
    for host in ("localhost:3000", "cards.example"):
        assert (await connection(public, Host=host))["link"] == "https://cards.example/parlour"


async def test_a_page_of_another_origin_is_not_told_but_a_socket_of_ours_says_hello(
    house: OpenHouse,
) -> None:
    visitor = await house.visitor()
    evil = {"Origin": "https://evil.example"}
    status, told = await visitor.call("POST", "/api/connection", headers=evil)
    assert (status, told["error"]["code"]) == (403, "origin")
    assert await visitor.refusal(SOCKET, headers=evil) == 403
    socket = await visitor.socket(SOCKET, headers={"Origin": house.base})
    assert (await socket.receive()).data == '{"type":"hello"}'
    last = await socket.receive()
    assert (last.type, last.data) == (aiohttp.WSMsgType.CLOSE, 1000)


# What is logged of it

WITHOUT_UPGRADE = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "parlour.refused"]


async def test_refused_origins_are_one_line_that_says_what_to_do(
    house: OpenHouse, caplog: pytest.LogCaptureFixture
) -> None:
    visitor = await house.visitor()
    evil = {"Origin": "https://" + "e" * 5000, "Host": "h" * 2000}
    for _ in range(20):
        assert await visitor.refusal("/rummy", headers=evil) == 403
        assert (await visitor.call("POST", "/api/tables", {"game": "mo"}, headers=evil))[0] == 403
    [line] = lines(caplog)
    assert line.startswith("a page of 'https://eee")
    assert "--public-url" in line
    assert len(line) < 300
    metrics = house.server.metrics.text().decode()
    assert 'rejected_messages_total{code="origin",game="rummy"} 20.0' in metrics
    assert 'rejected_messages_total{code="origin",game="http"} 20.0' in metrics


async def test_a_proxy_that_takes_upgrades_away_is_named(
    house: OpenHouse, caplog: pytest.LogCaptureFixture
) -> None:
    visitor = await house.visitor()
    # Somebody who opens the address in a browser is no proxy's fault.
    assert (await visitor.get("/rummy")).status == 426
    assert lines(caplog) == []
    for path in ("/rummy", "/mo", "/some-channel"):
        assert (await visitor.get(path, headers=WITHOUT_UPGRADE)).status == 426
    [line] = lines(caplog)
    assert "does not pass WebSocket upgrades" in line


async def test_more_of_the_same_is_a_number_later_and_silence_after_that(
    house: OpenHouse, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers: list[tuple[Any, ...]] = []
    loop = SimpleNamespace(call_later=lambda *timer: timers.append(timer))
    monkeypatch.setattr(refusals, "asyncio", SimpleNamespace(get_running_loop=lambda: loop))
    visitor = await house.visitor()
    for _ in range(5):
        await visitor.get("/rummy", headers=WITHOUT_UPGRADE)
    assert len(lines(caplog)) == 1
    for _ in range(2):
        seconds, count, kind = timers.pop()
        assert (seconds, timers) == (refusals.EVERY, [])
        count(kind)
        # The second time nothing came, so nothing more is said.
        assert len(lines(caplog)) == 2
    assert "4 more" in lines(caplog)[1]
    # Then the first one is told of again.
    assert timers == []
    await visitor.get("/rummy", headers=WITHOUT_UPGRADE)
    assert len(lines(caplog)) == 3
    await visitor.get("/rummy", headers=WITHOUT_UPGRADE)
    assert lines(caplog)[2] == lines(caplog)[0]
